package document

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"gofer/protocols"
	"gofer/urlcore"
)

// maxLinkName is the longest name of a link without text, in octets.
const maxLinkName = 200

// maxHref is the longest URL of a link, in octets.
const maxHref = 16 << 10

func (h *htmlReader) beginLink(attr attributes) {
	href, ok := attr.find(atom.Href)
	if !ok {
		return
	}
	u, fragment := h.resolve(href)
	if u == nil {
		u, fragment = protocols.UnopenedLink(unopenedReference(h.base, href)), ""
	}
	h.setLink(u, fragment)
	h.reference = href
	h.addLinkName(attr)
}

func (h *htmlReader) setLink(u urlcore.URL, fragment string) {
	h.href, h.fragment, h.from, h.empty = u, fragment, len(h.text), true
	h.linkName, h.reference, h.linkShown = "", "", false
}

// addLinkName records the attributes of the open link, or of an element in it, that name the link if
// it has no text.
func (h *htmlReader) addLinkName(attr attributes) {
	if h.href == nil || h.linkName != "" {
		return
	}
	h.linkName = nameOf(attr)
}

// endLink ends the open link. A link without text is shown as its title or label, the name of its
// picture, or the last part of its URL.
func (h *htmlReader) endLink() {
	if h.href == nil {
		return
	}
	if h.empty && !h.linkShown && h.skip.tag == 0 && !isVisible(h.text[min(h.from, len(h.text)):]) {
		h.text = h.text[:min(h.from, len(h.text))]
		name := h.linkName
		if name == "" && !h.isOwnPlace() {
			reference := urlcore.MaskPassword(strings.TrimSpace(h.reference))
			name = cmp.Or(fileNameOf(reference), reference, "link")
		}
		if len(name) > maxLinkName {
			name = name[:cut([]byte(name), maxLinkName)]
		}
		if name = strings.Join(strings.Fields(name), " "); name != "" {
			h.writeName("[" + name + "]")
		}
	}
	h.cutLink()
	h.href = nil
}

// isOwnPlace reports whether the open link leads to the place where it is. Such links are marks beside
// headings, and lead nowhere.
func (h *htmlReader) isOwnPlace() bool {
	return h.href == h.base && h.fragment != "" &&
		slices.ContainsFunc(h.ids, func(id string) bool { return id == h.fragment || id == "user-content-"+h.fragment })
}

// cutLink adds the part of the open link that was read so far to the links of the line.
func (h *htmlReader) cutLink() {
	if h.href == nil || h.from >= len(h.text) || h.empty || len(h.links) == maxTextLinks {
		return
	}
	h.links = append(h.links, protocols.Hyperlink{URL: h.href, Fragment: h.fragment, From: h.from, To: len(h.text)})
	h.from, h.linkShown = len(h.text), true
}

// resolve returns the URL and the fragment of a reference in the page. The URL is nil if it is
// invalid or not allowed.
func (h *htmlReader) resolve(href string) (u urlcore.URL, fragment string) {
	if u, fragment = resolve(h.base, href); u == nil && strings.HasPrefix(strings.TrimSpace(href), "#") {
		u = h.article // a hypertext in an article has no URL of its own
	}
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
	if len(href) > maxHref {
		return nil, ""
	}
	href, fragment, hasFragment := strings.Cut(href, "#")
	if href == "" {
		if hasFragment {
			fragment = cmp.Or(fragment, "top")
		}
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
		to, ok := joinReference(base, ref)
		if !ok {
			return nil
		}
		u, _ := urlcore.Parse(to)
		return u
	case urlcore.Gopher:
		return resolveGopher(b, ref)
	}
	p, _ := urlcore.Parser{OwnNNTP: true}.Resolve(base, ref)
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
