package z3950

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"gofer/internal/text/charset"
	"gofer/internal/text/marc"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// field is a field of records that a user can search.
type field struct {
	name  string // in URLs
	label string
	use   int // the Use attribute (bib-1, type 1)
}

// fields are the fields in the form of a search. The first one stands for words without a field.
var fields = []field{
	{"any", "Anywhere", 1016}, {"title", "Title", 4}, {"author", "Author", 1003}, {"subject", "Subject", 21}, {"isbn", "ISBN", 7}, {"id", "Record number", 12},
}

// The types of attributes, and values of them.
const (
	attributeUse       = 1
	attributeStructure = 4
	structurePhrase    = 1
	structureURx       = 104
	useDocID           = 1032
	useLocalNumber     = 12
)

// clause is a field and the words to search in it.
type clause struct {
	field field
	text  string
	terms []term
}

// term is a word, or a phrase that was in quotes.
type term struct {
	text   string
	phrase bool
}

const (
	maxTerms = 20
	maxTerm  = 1000 // octets
)

// parseQuery parses the text of a search or scan in a URL: words by fields, such as "title=moby%20dick&author=melville".
func parseQuery(text string) (clauses []clause, err error) {
	n := 0
	for part := range strings.SplitSeq(text, "&") {
		name, words, ok := strings.Cut(part, "=")
		if !ok {
			name, words = fields[0].name, part
		}
		c, names := clause{}, []string{}
		for _, f := range fields {
			names = append(names, f.name)
			if strings.EqualFold(name, f.name) {
				c.field = f
			}
		}
		if c.field.name == "" {
			return nil, badURL(fmt.Sprintf("there is no field %q; the fields are %s", name, strings.Join(names, ", ")))
		}
		if c.text, err = url.PathUnescape(words); err != nil {
			return nil, badURL("an escape in the search is damaged")
		}
		if err := wire.Check("search words", c.text); err != nil {
			return nil, err
		}
		c.terms = splitTerms(c.text)
		switch n += len(c.terms); {
		case n > maxTerms:
			return nil, badURL(fmt.Sprintf("a search has at most %d words", maxTerms))
		case len(c.text) > maxTerm:
			return nil, badURL(fmt.Sprintf("the words for a field have at most %d octets", maxTerm))
		}
		clauses = append(clauses, c)
	}
	return clauses, nil
}

func badURL(why string) error { return protocols.NewError(protocols.BadURL, "search", why) }

// splitTerms splits a text into words, and phrases in quotes.
func splitTerms(text string) (terms []term) {
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 && strings.TrimSpace(part) != "" {
			terms = append(terms, term{strings.TrimSpace(part), true})
			continue
		}
		for word := range strings.FieldsSeq(part) {
			terms = append(terms, term{word, false})
		}
	}
	return terms
}

// encodings are the charsets of words in their order. A server does not say which one its index has, and finds nothing by another.
// UTF-8 is that of today, the others are those of catalogs with few languages and of MARC records.
var encodings = []func(string) (string, error){
	func(text string) (string, error) { return text, nil },
	func(text string) (string, error) { return charset.ByName("iso-8859-1").NewEncoder().String(text) },
	marc.Encode,
}

// rpnOf returns the query of the clauses in an encoding, and if without is true, without the attribute that means all fields. It
// returns "" if the encoding lacks a character.
func rpnOf(clauses []clause, without bool, encode func(string) (string, error)) string {
	var operands []string
	for _, c := range clauses {
		for _, t := range c.terms {
			var attributes []attribute
			if !without || c.field != fields[0] {
				attributes = append(attributes, attribute{attributeUse, c.field.use})
			}
			if t.phrase {
				attributes = append(attributes, attribute{attributeStructure, structurePhrase})
			}
			text, err := encode(t.text)
			if err != nil {
				return ""
			}
			operands = append(operands, operand(text, attributes...))
		}
	}
	return join(and, operands)
}

// docIDAttributes are the ways to search for the id of a record: that of RFC 2056, without the structure, and by
// the control number.
var docIDAttributes = [][]attribute{
	{{attributeUse, useDocID}, {attributeStructure, structureURx}}, {{attributeUse, useDocID}}, {{attributeUse, useLocalNumber}},
}

// docIDQueries returns the queries for the records with one of the ids.
func docIDQueries(ids ...string) (queries []string) {
	for _, attributes := range docIDAttributes {
		var operands []string
		for _, id := range ids {
			operands = append(operands, operand(id, attributes...))
		}
		queries = append(queries, join(or, operands))
	}
	return queries
}

// queries returns the queries of t. Each is to be sent if the server does not support the one before it, or finds nothing.
func (t target) queries() []string {
	switch {
	case t.url.HasDocID:
		return docIDQueries(t.url.DocID)
	case t.url.Verb != urlcore.Z3950Search:
		return nil
	}
	var queries []string
	for _, encode := range encodings {
		for _, without := range []bool{false, true} {
			if rpn := rpnOf(t.clauses, without, encode); rpn != "" && !slices.Contains(queries, rpn) {
				queries = append(queries, rpn)
			}
		}
	}
	return queries
}

// wordsOf returns the words of the clauses for a title.
func wordsOf(clauses []clause) string {
	var words []string
	for _, c := range clauses {
		words = append(words, c.text)
	}
	return strings.Join(words, ", ")
}

// queryURL returns a search or scan of u with the clauses. Without clauses it asks for words.
func queryURL(u urlcore.Z3950, verb string, clauses ...clause) urlcore.Z3950 {
	var parts []string
	for _, c := range clauses {
		parts = append(parts, c.field.name+"="+urlcore.EscapeQuery(c.text))
	}
	u = u.Session(u.DatabaseNames()...)
	u.Verb, u.Query = verb, strings.Join(parts, "&")
	if c, err := urlcore.Canon(u); err == nil {
		u, _ = c.(urlcore.Z3950)
	}
	return u
}

func searchURL(u urlcore.Z3950, clauses ...clause) urlcore.Z3950 {
	return queryURL(u, urlcore.Z3950Search, clauses...)
}

func scanURL(u urlcore.Z3950, f field, from string) urlcore.Z3950 {
	return queryURL(u, urlcore.Z3950Scan, clause{field: f, text: from})
}

// searchLines returns the lines that lead to a search of u and to its form, which is a search whose fields are empty.
func searchLines(u urlcore.Z3950, again string) []protocols.Line {
	var empty []clause
	for _, f := range fields {
		empty = append(empty, clause{field: f})
	}
	text := "Search " + databaseName(u) + again
	return []protocols.Line{
		{Kind: protocols.Search, Text: text, Link: searchURL(u)}, {Kind: protocols.Search, Text: text + " by fields", Link: searchURL(u, empty...)},
	}
}

// askWords returns the question for the words of each clause: a line for a search without fields, and else a form.
func askWords(u urlcore.Z3950, clauses []clause) error {
	ask := &protocols.Ask{
		URL: u, Title: "Search " + databaseName(u) + " at " + u.Host, Server: u.Host,
		Fields: []protocols.Field{{Label: "Search for"}}, IsForm: len(clauses) > 1,
	}
	if ask.IsForm {
		ask.Fields = nil
		for _, c := range clauses {
			ask.Fields = append(ask.Fields, protocols.Field{Label: c.field.label})
		}
	}
	ask.With = func(answers []string) (urlcore.URL, error) {
		var filled []clause
		for i, answer := range answers[:min(len(answers), len(clauses))] {
			if answer = strings.TrimSpace(answer); answer != "" {
				filled = append(filled, clause{field: clauses[i].field, text: answer})
			}
		}
		if len(filled) == 0 {
			return nil, errors.New("no words given")
		}
		return searchURL(u, filled...), nil
	}
	return ask
}

// askDatabase returns the question for the name of a database.
func askDatabase(u urlcore.Z3950) error {
	ask := protocols.AskOne(u, "Database at "+u.Host, "Database", func(names string) urlcore.URL { return u.Session(strings.Split(names, "+")...) })
	ask.Fields[0].Value = "Default"
	return ask
}

// askPlace returns the question for a place in the index of a field.
func askPlace(u urlcore.Z3950) error {
	ask := &protocols.Ask{URL: u, Title: "Index of " + databaseName(u) + " at " + u.Host, Server: u.Host}
	choice := protocols.Field{Label: "Field", Input: protocols.InputChoice, Value: fields[1].label}
	for _, f := range fields {
		choice.Choices = append(choice.Choices, f.label)
	}
	ask.Fields = []protocols.Field{choice, {Label: "From"}}
	ask.With = func(answers []string) (urlcore.URL, error) {
		if len(answers) != len(ask.Fields) {
			return nil, errors.New("no field given")
		}
		i := slices.IndexFunc(fields, func(f field) bool { return f.label == answers[0] })
		return scanURL(u, fields[max(i, 0)], strings.TrimSpace(answers[1])), nil
	}
	return ask
}

func databaseName(u urlcore.Z3950) string { return strings.Join(u.DatabaseNames(), ", ") }

// quote returns a term as one term of a query.
func quote(text string) string {
	text = strings.ReplaceAll(text, `"`, " ")
	if strings.ContainsAny(text, " \t") {
		return `"` + text + `"`
	}
	return text
}
