package demo

import (
	"fmt"
	"strings"
)

// StartOriginalWAIS starts a server that runs until Close and has the faults of freeWAIS-sf
// 2.2.10:
//
//   - a search without words in the database INFO returns the description and catalog of INFO, as
//     for any other database;
//   - a search without words in a database that does not exist returns no records;
//   - a search with documents but without words, or with an unclosed parenthesis, returns the
//     diagnostic "query syntax error" and the catalog;
//   - of several databases only the first one is searched;
//   - a request beyond the end of a document that has shrunk since it was indexed returns diagnostics
//     and no text.
//
// The server has 60 databases. "notes" has two documents, and "many" has 200 that contain the word
// "word". "changed" has an empty document, and a short and a long one that were longer when they
// were indexed. The other databases, like "empty", have no documents.
func StartOriginalWAIS() (*WAISServer, error) {
	document := func(name, headline, text string) WAISDocument {
		return WAISDocument{Name: name, Headline: headline, Types: []string{"TEXT"}, Content: map[string]string{"TEXT": text}}
	}
	changed := document("a.txt", "Changed notes", "Shorter now.\n")
	changed.IndexedSize = 31
	long := document("long.txt", "Long notes", strings.Repeat("Long\n", 40_000))
	long.IndexedSize = 300_000
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
	s.originalFaults = true
	s.mu.Unlock()
	return s, nil
}
