package wais

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gofer/protocols"
	"gofer/urlcore"
)

// unitSeparator separates the names of several databases. In the search of a URL it also separates the
// words and the documents for relevance feedback ("more documents like these"), because a WAIS URL has
// no field for these documents. Each document is written as in its own URL: <wtype>/<wpath>. A search
// with documents can therefore be stored in the history and in bookmarks.
//
// If a search ends in a separator, the user chooses documents in a form. If the user types no
// words, the form adds a word of the first chosen headline, because freeWAIS-sf rejects a search
// without words.
const unitSeparator = "\x1f"

// query is a search by words and by similar documents.
type query struct {
	words    string
	examples []document
	choosing bool
}

// document is the type and the wpath of a document in a URL.
type document struct{ typ, path string }

func (q query) isEmpty() bool { return q.words == "" && len(q.examples) == 0 && !q.choosing }

// parseQuery parses the search of a URL. If a document in the search is malformed, the whole search is
// taken as words.
func parseQuery(search string) query {
	parts := strings.Split(search, unitSeparator)
	q := query{words: parts[0]}
	for i, part := range parts[1:] {
		if part == "" && i == len(parts)-2 {
			q.choosing = true
			return q
		}
		typ, path, _ := strings.Cut(part, "/")
		if _, ok := parseWpath(path); !ok || typ == "" {
			return query{words: search}
		}
		q.examples = append(q.examples, document{typ, path})
	}
	return q
}

// searchText returns q as the search of a URL.
func (q query) searchText() string {
	var b strings.Builder
	b.WriteString(q.words)
	for _, d := range q.examples {
		b.WriteString(unitSeparator + d.typ + "/" + d.path)
	}
	if q.choosing {
		b.WriteString(unitSeparator)
	}
	return b.String()
}

// likedDocument returns the document that u names, for use in a query. It returns false if a query
// cannot contain the document.
func likedDocument(u urlcore.URL) (document, bool) {
	w, ok := u.(urlcore.WAIS)
	d := document{w.Type, strings.ReplaceAll(w.Document, unitSeparator, "%1F")}
	id, _ := documentID(w.Document)
	back, isFields := parseWpath(d.path)
	return d, ok && w.HasDocument && isFields && back == id && w.Type != "" && !strings.ContainsAny(w.Type, unitSeparator+"/")
}

func (d document) urlIn(w urlcore.WAIS) urlcore.URL {
	id, _ := documentID(d.path)
	return documentURL(databaseOf(w, id), d.typ, id)
}

// name returns the file name in the URL of the document, or else its wpath.
func (d document) name(w urlcore.WAIS) string {
	if u, ok := d.urlIn(w).(urlcore.WAIS); ok && u.FileName() != "" {
		return u.FileName()
	}
	return d.path
}

func searchURL(w urlcore.WAIS, q query) urlcore.URL {
	return urlcore.WAIS{HostPort: w.HostPort, Database: w.Database, Search: q.searchText(), HasSearch: true}
}

// databaseName returns the name of the database as it is shown to the user.
func databaseName(w urlcore.WAIS) string {
	if w.Database == "" {
		return "databases of " + w.Host
	}
	return strings.ReplaceAll(w.Database, unitSeparator, ", ")
}

func askWords(w urlcore.WAIS) *protocols.Ask {
	title := "Search at " + w.Host
	if w.Database != "" {
		title = "Search " + strconv.Quote(databaseName(w)) + " at " + w.Host
	}
	return protocols.AskOne(w, title, "Search for", func(words string) urlcore.URL { return searchURL(w, query{words: words}) })
}

// askLike returns a form for choosing documents and searching for similar ones.
func askLike(w urlcore.WAIS, q query, records []record) *protocols.Ask {
	q.choosing = false
	offered, fields := q.examples, []protocols.Field{{Label: "Words", Value: q.words}}
	for _, d := range q.examples {
		fields = append(fields, protocols.Field{ServerLabel: d.name(w), Input: protocols.InputCheck, Value: "1"})
	}
	for _, r := range records {
		d, ok := likedDocument(documentURL(databaseOf(w, r.id), r.mainType(), r.id))
		if !ok || r.isCatalog() {
			continue
		}
		i := indexOf(offered, d)
		if i < 0 {
			i = len(offered)
			offered = append(offered[:i:i], d)
			fields = append(fields, protocols.Field{Input: protocols.InputCheck, Value: "0"})
		}
		fields[i+1].ServerLabel = r.headline
	}
	return &protocols.Ask{
		URL: searchURL(w, query{words: q.words, examples: q.examples, choosing: true}), Title: "Documents like these", Server: w.Host, Fields: fields,
		With: func(answers []string) (urlcore.URL, error) {
			var next query
			for i, a := range answers[:min(len(answers), len(fields))] {
				switch {
				case i == 0:
					next.words = a
				case a == "1":
					next.words = cmp.Or(next.words, longestWord(fields[i].ServerLabel))
					next.examples = append(next.examples, offered[i-1])
				}
			}
			if next.isEmpty() {
				return nil, &protocols.Error{Reason: protocols.BadURL, Op: "search " + databaseName(w), Err: errors.New("no document was chosen")}
			}
			return searchURL(w, next), nil
		},
	}
}

// firstOctets is the number of octets at the start of a document that are searched for a word.
const firstOctets = 200

// longestWord returns the longest word of ASCII letters and digits in text, or "". Of several such
// words it returns the first. It skips the operators of the query language.
func longestWord(text string) (longest string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r > 'z' || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if len(word) > len(longest) && !slices.Contains([]string{"and", "or", "not"}, strings.ToLower(word)) {
			longest = word
		}
	}
	return longest
}

func indexOf(list []document, d document) int {
	for i := range list {
		if list[i].path == d.path {
			return i
		}
	}
	return -1
}
