package cso

import (
	"errors"
	"slices"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// field describes a field of the entries of a phone book.
type field struct {
	id          int // the number of the field
	name        string
	description string
	truncated   bool // the description is incomplete
	indexed     bool // a query needs at least one indexed field
	lookup      bool // the field is allowed in a query
}

// defaultCharset is the charset of queries to a server whose texts are ASCII. RFC 2378 specifies no
// charset, but ISO 8859-1 was usual at that time.
const defaultCharset = "ISO-8859-1"

// The limits for a list of fields.
const (
	maxFields      = 256
	maxForm        = 1 << 20 // octets of the answer
	maxDescription = 1000    // octets of a description
)

var errTooMany = &protocols.Error{Reason: protocols.TooBig, Op: "read the fields of the phone book"}

// askFields requests the fields of the server and returns a *[protocols.Ask] or another error.
func (s *session) askFields() error {
	if err := s.send(fieldsCommand); err != nil {
		return err
	}
	var fields []field
	for size := 0; ; {
		r, err := s.next()
		size += len("-200:\r\n") + len(r.row)
		switch {
		case err != nil:
			return err
		case r.code >= 500 && !r.more: // the server refuses to answer
			return s.newAsk(nil)
		case r.isFailure():
			return s.failureError(r)
		case r.code == 0:
			return &protocols.Error{
				Reason: protocols.Malformed, Op: "read the fields of the phone book", Text: r.text,
				Err: errors.New("the server does not speak its protocol"),
			}
		case r.isFinal():
			return s.newAsk(fields)
		case size > maxForm:
			return errTooMany
		case r.code >= 400, r.index == 0 && r.field == "": // a remark, also between the lines of a field
			continue
		}
		if n := len(fields); n > 0 && fields[n-1].id == r.index {
			fields[n-1].describe(strings.TrimSpace(r.text))
			continue
		}
		if len(fields) == maxFields {
			return errTooMany
		}
		words := strings.Fields(strings.ToLower(r.text))
		f := field{id: r.index, name: r.field, indexed: slices.Contains(words, "indexed")}
		f.lookup = f.indexed || slices.Contains(words, "lookup")
		fields = append(fields, f)
	}
}

// describe appends line to the description. If the description would be longer than maxDescription, describe
// omits line and all later lines.
func (f *field) describe(line string) {
	if f.truncated = f.truncated || len(f.description)+1+len(line) > maxDescription; !f.truncated {
		f.description = strings.TrimSpace(f.description + " " + line)
	}
}

// newAsk returns a form with the fields that a query may have: the name first, which most queries use, then the other
// indexed fields. If there are no such fields, the form asks for a whole query.
func (s *session) newAsk(fields []field) *protocols.Ask {
	fields = slices.DeleteFunc(fields, func(f field) bool { return !f.lookup || !isName(f.name) })
	rank := func(f field) int {
		switch {
		case strings.EqualFold(f.name, "name"):
			return 0
		case f.indexed:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(fields, func(a, b field) int { return rank(a) - rank(b) })
	a := &protocols.Ask{URL: s.url, Title: "Phone book at " + s.url.Addr(), Server: s.url.Addr(), Charset: defaultCharset}
	if len(fields) == 0 {
		a.Fields = []protocols.Field{{Label: "Query, as in name=smith"}}
		a.With = func(answers []string) (urlcore.URL, error) { return s.queryURL(strings.Join(answers, " ")) }
		return a
	}
	for _, f := range fields {
		label := f.name
		if f.description != "" && !strings.EqualFold(f.description, f.name) {
			label += ": " + strings.TrimRight(f.description, ".: ")
		}
		if f.truncated {
			label += " ..."
		}
		a.Fields = append(a.Fields, protocols.Field{ServerLabel: label})
	}
	a.Fields = append(a.Fields, protocols.Field{Label: "Show all fields", Value: "0", Input: protocols.InputCheck})
	a.With = func(answers []string) (urlcore.URL, error) { return s.filledQuery(fields, answers) }
	return a
}

// isName reports whether s can be the name of a field in a query.
func isName(s string) bool { return s != "" && !strings.ContainsAny(s, " \t\"=\\") }

// filledQuery returns the URL of the query for the answers.
func (s *session) filledQuery(fields []field, answers []string) (urlcore.URL, error) {
	var terms, indexed []string
	found := false
	for i, f := range fields {
		if f.indexed {
			indexed = append(indexed, f.name)
		}
		if i < len(answers) && strings.TrimSpace(answers[i]) != "" {
			terms = append(terms, f.name+"="+quote(strings.TrimSpace(answers[i])))
			found = found || f.indexed
		}
	}
	if !found && len(indexed) > 0 {
		return nil, errors.New("fill in at least one of: " + strings.Join(indexed[:min(len(indexed), 8)], ", "))
	}
	if n := len(fields); n < len(answers) && answers[n] == "1" {
		terms = append(terms, "return all")
	}
	return s.queryURL(strings.Join(terms, " "))
}

func (s *session) queryURL(query string) (urlcore.URL, error) {
	g := s.url
	g.Search, g.HasSearch = query, true
	if _, err := checkURL(g); err != nil {
		return nil, err
	}
	return urlcore.Canon(g)
}
