package loopback

import (
	"fmt"
	"strings"
)

// StartOriginalWAIS serves databases until Close with the faults of freeWAIS-sf 2.2.10:
//
//   - a search without words finds the database INFO like any other, and has no records for a
//     database that does not exist;
//   - a search with documents but without words, or with a parenthesis that is not closed,
//     has the diagnostic "query syntax error" beside the catalog;
//   - of several databases only the first one is searched;
//   - a document shorter than when it was indexed has diagnostics in place of its text.
//
// There are 60 databases: notes, empty, many, where 200 documents have "word", changed,
// where a document has no text any more, a longer one is shorter and one was empty, and others.
func StartOriginalWAIS() (*WAISServer, error) {
	document := func(name, headline, text string) WAISDocument {
		return WAISDocument{Name: name, Headline: headline, Types: []string{"TEXT"}, Content: map[string]string{"TEXT": text}}
	}
	changed := document("a.txt", "Changed notes", "Shorter now.\n")
	changed.Indexed = 31
	long := document("long.txt", "Long notes", strings.Repeat("Long\n", 40_000))
	long.Indexed = 300_000
	all := []WAISDatabase{
		{Name: "notes", Documents: []WAISDocument{
			document("a.txt", "Gopher notes", "Gopher notes\nAll about gopher.\n"), document("b.txt", "More of a gopher", "gopher\n"),
		}},
		{Name: "empty"},
		{Name: "many"},
		{Name: "changed", Documents: []WAISDocument{changed, long, document("empty.txt", "Nothing", "")}},
	}
	for i := range 200 {
		all[2].Documents = append(all[2].Documents, document(fmt.Sprintf("%03d.txt", i), fmt.Sprintf("Word %03d", i), "word\n"))
	}
	for i := range 60 - len(all) {
		all = append(all, WAISDatabase{Name: fmt.Sprintf("db%02d", i)})
	}
	s, err := StartWAIS(all)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.original = true
	s.mu.Unlock()
	return s, nil
}
