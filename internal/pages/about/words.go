package about

import (
	"cmp"
	"slices"
	"strings"

	"gofer/urlcore"
)

// Words says in words which page of gofer's own u is: "history", "bookmarks: phlogs",
// "explain" and the URL that is explained, else nil. [Named] reads them back. It is
// not ok for other URLs, and for those that no words lead to. The words are as they
// were typed: who shows them cleans them.
func Words(u urlcore.URL) (words string, of urlcore.URL, ok bool) {
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
	if explained, err := urlcore.Parse(query); err == nil && name == "explain" {
		name, of = "explain ", urlcore.Redact(explained)
		words = name + of.String()
	} else if query != "" {
		name += ": " + query
	}
	words = cmp.Or(words, name)
	if back, ok := Named(words); !ok || back != g {
		return "", nil, false
	}
	return name, of, true
}

// Named is the page of gofer's own that words name, as [Words] says them.
func Named(words string) (u urlcore.URL, ok bool) {
	words = strings.TrimSpace(words)
	if text, ok := strings.CutPrefix(words, "explain "); ok {
		if u, err := urlcore.Guess(text); err == nil {
			return ExplainURL(u), true
		}
	}
	page, query, asked := strings.Cut(words, ": ")
	name, part, _ := strings.Cut(page, "/")
	names := []string{"bookmarks", "history", "news", "explain"}
	switch {
	case part != "" && asked:
		names = []string{"attachment", "join", "entry", "message", "compose"}
	case part != "":
		names = []string{"bookmarks", "manual"}
	case !asked:
		names = append(pageNames(), "demo")
	case name == "archive":
		names = []string{name}
	}
	if !slices.Contains(names, name) || strings.HasSuffix(page, "/") {
		return nil, false
	}
	rest := escapeParts(page)
	switch {
	case name == "news" && asked:
		rest += "/" + urlcore.EscapeQuery(query)
	case asked:
		rest += "?" + urlcore.EscapeQuery(query)
	}
	u, err := urlcore.Canon(Page(rest))
	return u, err == nil
}
