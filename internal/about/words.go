package about

import (
	"strings"

	"gofer/urlcore"
)

// Words says in words which page of gofer's own u is: "history", "bookmarks: phlogs",
// "explain" and the URL that is explained, else nil. It is not ok for other URLs.
// The words are as they were typed: who shows them cleans them.
func Words(u urlcore.URL) (words string, of urlcore.URL, ok bool) {
	g, ok := u.(urlcore.Generic)
	if !ok || g.Name != "about" {
		return "", nil, false
	}
	name, query, _ := strings.Cut(g.Rest, "?")
	name, part, _ := strings.Cut(name, "/")
	if name == "" {
		name = "home"
	}
	query = strings.Join(strings.Fields(unescape(part)+" "+unescape(query)), " ")
	if name == "explain" {
		if of, err := urlcore.Parse(query); err == nil {
			return name + " ", urlcore.Redact(of), true
		}
	}
	if query != "" {
		query = ": " + query
	}
	return unescape(name) + query, nil, true
}
