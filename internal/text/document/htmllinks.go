package document

import (
	"cmp"
	"net/url"
	"path"
	"strings"

	"golang.org/x/net/html/atom"

	"gofer/protocols"
	"gofer/urlcore"
)

// maxHref is the longest URL of a link, in octets.
const maxHref = 16 << 10

func (h *htmlReader) beginLink(attr attributes) {
	if u, fragment := h.resolve(attr.get(atom.Href)); u != nil {
		h.setLink(u, fragment)
	}
}

func (h *htmlReader) setLink(u urlcore.URL, fragment string) {
	h.href, h.fragment, h.from, h.empty, h.image = u, fragment, len(h.text), true, ""
}

// endLink ends the open link. If the link contains only a picture, endLink shows the name of the
// picture.
func (h *htmlReader) endLink() {
	if h.href == nil {
		return
	}
	if h.empty && h.image != "" && h.pre == 0 && h.skip.tag == 0 && h.from == len(h.text) {
		h.addWord([]byte("[" + strings.Join(strings.Fields(h.image), " ") + "]"))
	}
	h.cutLink()
	h.href = nil
}

// cutLink adds the part of the open link that was read so far to the links of the line.
func (h *htmlReader) cutLink() {
	if h.href == nil || h.from >= len(h.text) || h.empty || len(h.links) == maxTextLinks {
		return
	}
	h.links = append(h.links, protocols.Hyperlink{URL: h.href, Fragment: h.fragment, From: h.from, To: len(h.text)})
	h.from, h.image = len(h.text), "" // the link has words, so the picture's name is not needed
}

// resolve returns the URL and the fragment of a reference in the page. The URL is nil if it is
// invalid or not allowed.
func (h *htmlReader) resolve(href string) (u urlcore.URL, fragment string) {
	u, fragment = resolve(h.base, href)
	return contentOf(h.article, u), fragment
}

// contentOf returns the URL of the part of article that u names, if u is a cid: URL (RFC 2392). It
// returns any other URL unchanged.
func contentOf(article, u urlcore.URL) urlcore.URL {
	g, ok := u.(urlcore.Generic)
	if !ok || g.Name != "cid" || article == nil {
		return u
	}
	if id, err := url.PathUnescape(g.Rest); err == nil {
		if part := ContentURL(article, id); part != nil {
			return part
		}
	}
	return u
}

// articleOf returns the URL of the article if page is an attachment of an article, and otherwise
// nil.
func articleOf(page urlcore.URL) urlcore.URL {
	g, ok := page.(urlcore.Generic)
	if !ok || g.Name != "about" || !strings.HasPrefix(g.Rest, "attachment/") {
		return nil
	}
	_, of, _ := strings.Cut(g.Rest, "?")
	of, err := url.PathUnescape(of)
	if err != nil {
		return nil
	}
	u, _ := urlcore.Parse(of)
	return u
}

// resolve returns the URL and the fragment of a reference in the page with the URL base. The URL is nil
// if it is invalid or not allowed.
func resolve(base urlcore.URL, href string) (u urlcore.URL, fragment string) {
	if strings.ContainsAny(href, "\n\r\t") {
		href = strings.NewReplacer("\n", "", "\r", "", "\t", "").Replace(href)
	}
	href = strings.TrimSpace(href)
	if href == "" || len(href) > maxHref {
		return nil, ""
	}
	href, fragment, _ = strings.Cut(href, "#")
	if f, err := url.PathUnescape(fragment); err == nil {
		fragment = f
	}
	if len(fragment) > maxID {
		fragment = ""
	}
	if href == "" {
		fragment = cmp.Or(fragment, "top")
		return base, fragment
	}
	if scheme, rest, ok := strings.Cut(href, ":"); ok && !strings.ContainsAny(scheme, "/?") {
		if h, ok := base.(urlcore.HTTP); ok && strings.EqualFold(scheme, h.Scheme()) && !strings.HasPrefix(rest, "//") {
			return resolveRelative(base, rest), fragment // an old relative form (RFC 3986, section 5.2.2)
		}
		switch strings.ToLower(scheme) {
		case "javascript", "data", "vbscript", "blob", protocols.FormScheme:
			return nil, ""
		case "about":
			if !isManual(base) {
				return nil, ""
			}
		case "file": // only local pages may lead to files
			if base == nil || base.Scheme() != "file" {
				return nil, ""
			}
		}
		u, err := urlcore.Parse(href)
		if err != nil {
			return nil, ""
		}
		return u, fragment
	}
	return resolveRelative(base, href), fragment
}

// isManual reports whether u is a page of the program's manual. Only pages of the manual may link
// to about: pages, because other hypertexts may come from servers.
func isManual(u urlcore.URL) bool {
	g, ok := u.(urlcore.Generic)
	page, _, _ := strings.Cut(g.Rest, "/")
	return ok && g.Name == "about" && page == "manual"
}

// resolveRelative resolves a reference without a scheme as browsers do (RFC 3986, section 5.2). It
// returns nil if there is no such URL.
func resolveRelative(base urlcore.URL, ref string) urlcore.URL {
	switch b := base.(type) {
	case nil:
		return nil
	case urlcore.HTTP, urlcore.FTP, urlcore.File:
		from, err := url.Parse(b.String())
		if err != nil {
			return nil
		}
		to, err := from.Parse(strings.ReplaceAll(escapePercent(ref), `\`, "/"))
		if err != nil {
			return nil
		}
		if b.Scheme() != "ftp" || strings.HasPrefix(ref, "//") {
			to.User = nil
		}
		u, _ := urlcore.Parse(to.String())
		return u
	case urlcore.Gopher:
		return resolveGopher(b, ref)
	}
	p, _ := urlcore.Parser{}.Resolve(base, ref)
	return p.URL
}

// escapePercent escapes percent signs that do not begin an escape.
func escapePercent(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(s[i])
		if s[i] != '%' {
			continue
		}
		if _, err := url.PathUnescape(s[i:min(i+3, len(s))]); err != nil {
			b.WriteString("25")
		}
	}
	return b.String()
}

// resolveGopher resolves a reference in a page of a Gopher server. It treats the selector as a
// path, and derives the item type from the file name.
func resolveGopher(g urlcore.Gopher, ref string) urlcore.URL {
	if strings.HasPrefix(ref, "//") {
		return nil
	}
	if ref, _, _ = strings.Cut(ref, "?"); ref == "" {
		return g
	}
	if s, err := url.PathUnescape(ref); err == nil {
		ref = s
	}
	to := urlcore.Gopher{HostPort: g.HostPort, Secure: g.Secure, Selector: ref, Type: '9'}
	if ref[0] != '/' {
		to.Selector = path.Join(path.Dir(g.Selector), ref)
	}
	switch _, kind := protocols.BySuffix(to.Selector); {
	case strings.HasSuffix(ref, "/"):
		to.Type = '1'
	case kind == protocols.HTML:
		to.Type = 'h'
	case kind == protocols.Text:
		to.Type = '0'
	case kind == protocols.Image:
		to.Type = 'I'
	}
	return canonURL(to)
}
