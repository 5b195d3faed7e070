package about

import (
	"cmp"
	"strings"

	"gofer/urlcore"
)

// Words describes one of gofer's own pages in words, such as "history" or "bookmarks: phlogs". For
// a page that explains a URL, words is "explain " and the result explained is the URL. [PageOfWords]
// is the inverse. For other URLs and for pages without words, ok is false. The words are as typed:
// callers must clean them before showing them.
func Words(u urlcore.URL) (words string, explained urlcore.URL, ok bool) {
	g, ok := u.(urlcore.Generic)
	if !ok || g.Name != "about" {
		return "", nil, false
	}
	if g.Rest = strings.TrimSuffix(g.Rest, "?"); g.Rest == "" {
		g.Rest = "home"
	}
	name, query, asked := strings.Cut(g.Rest, "?")
	if server, ok := strings.CutPrefix(name, "news/"); ok && !asked {
		name, query = "news", server
	}
	name, query = unescape(name), strings.Join(strings.Fields(unescape(query)), " ")
	if parsed, err := urlcore.Parse(query); err == nil && name == "explain" {
		name, explained = "explain ", urlcore.Redact(parsed)
		words = name + explained.String()
	} else if query != "" {
		name += ": " + query
	}
	words = cmp.Or(words, name)
	if back, ok := PageOfWords(words); !ok || back != g {
		return "", nil, false
	}
	return name, explained, true
}

// PageOfWords returns the URL of the page for which [Words] returns words.
func PageOfWords(words string) (u urlcore.URL, ok bool) {
	words = strings.TrimSpace(words)
	if text, ok := strings.CutPrefix(words, "explain "); ok {
		if u, err := urlcore.Guess(text); err == nil {
			return ExplainURL(u), true
		}
	}
	page, search, asked := strings.Cut(words, ": ")
	name, below, _ := strings.Cut(page, "/")
	written := bare
	switch {
	case below != "" && asked:
		written = partOf
	case below != "":
		written = part
	case asked:
		written = query
	}
	if p := pageOf(name); name == "" || p == nil || p.words&written == 0 || strings.HasSuffix(page, "/") {
		return nil, false
	}
	rest := escapeParts(page)
	switch {
	case name == "news" && asked:
		rest += "/" + urlcore.EscapeQuery(search)
	case asked:
		rest += "?" + urlcore.EscapeQuery(search)
	}
	u, err := urlcore.Canon(Page(rest))
	return u, err == nil
}
