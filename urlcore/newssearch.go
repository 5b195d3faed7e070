package urlcore

import (
	"strings"
	"time"
	"unicode/utf8"
)

// NewsSearch is a search in a newsgroup, which an extension of RFC 1738 writes behind
// the group:
//
//	news:<newsgroup-name>?from=<words>&subject=<words>&message-id=<words>&since=<day>&before=<day>
//
// Empty fields match all articles; the others must all match. In the Search of [News]
// and [NNTP] it is written as String does.
type NewsSearch struct {
	From, Subject, MessageID string // words in UTF-8, single blanks between; the header field has them all
	Since, Before            string // as 2006-01-02, in UTC: the first day, and the day after the last
}

// SearchField is a field of a NewsSearch.
type SearchField struct {
	Key, Meaning string
	Value        *string
}

// Fields are the fields in the order of String.
func (s *NewsSearch) Fields() [5]SearchField {
	return [...]SearchField{
		{"from", "words that the author or the address has", &s.From},
		{"subject", "words that the subject has", &s.Subject},
		{"message-id", "a part of the Message-ID", &s.MessageID},
		{"since", "the first day", &s.Since},
		{"before", "the day after the last", &s.Before},
	}
}

// String is the text behind the "?", or "" without a field.
func (s NewsSearch) String() string {
	text := ""
	for _, f := range s.Fields() {
		if *f.Value != "" {
			text += "&" + f.Key + "=" + escape(*f.Value, inText)
		}
	}
	return strings.TrimPrefix(text, "&")
}

// SearchOf is the search that a URL of news names; its fields are empty if u names none.
func SearchOf(u URL) (s NewsSearch) {
	if text := NewsGroup(u).Search; text != "" {
		s, _ = parseNewsSearch(text, 0)
	}
	return s
}

// parseNewsSearch reads key=value with "&" between. The fields of s are canonical.
func parseNewsSearch(text string, off int) (s NewsSearch, err *Error) {
	fields := s.Fields()
	for pair := range strings.SplitSeq(text, "&") {
		key, value, _ := strings.Cut(pair, "=")
		i := 0
		for i < len(fields) && fields[i].Key != key {
			i++
		}
		if i == len(fields) || *fields[i].Value != "" {
			return s, fail(BadPath, off, "a search in a group has from=, subject=, message-id=, since= and before=, each once, with & between")
		}
		if *fields[i].Value, err = searchValue(key, unescape(value), off+len(key)+1); err != nil {
			return s, err
		}
		off += len(pair) + 1
	}
	return s, nil
}

// searchValue checks a value of a search and makes it canonical.
func searchValue(key, value string, off int) (string, *Error) {
	if !utf8.ValidString(value) || scan(value)&markControl != 0 {
		return "", fail(IllegalOctet, off, "words of a search are UTF-8 without control characters")
	}
	value = strings.Join(strings.Fields(value), " ")
	if key == "message-id" {
		value = strings.Trim(value, "<> ")
	}
	if _, err := time.Parse(time.DateOnly, value); err != nil && value != "" && (key == "since" || key == "before") {
		return "", fail(BadPath, off, "a day is written as 2006-01-02")
	}
	return value, nil
}

// groupSearch cuts a search off the text of a group. Without "?" nothing changes.
func (st *state) groupSearch(s string, off int) (group, search string, err *Error) {
	group, text, has := strings.Cut(s, "?")
	if !has || !st.extended() {
		return s, "", nil
	}
	found, err := parseNewsSearch(text, off+len(group)+1)
	return group, found.String(), err
}

// canonSearch makes the text of a search canonical. An article and all groups have none.
func canonSearch(text string, none bool) (string, *Error) {
	switch {
	case text == "":
		return "", nil
	case none:
		return "", fail(BadPath, 0, "a search is one in a group")
	case badEscape(text) >= 0:
		return "", fail(BadEscape, 0, `"%" begins no escape in the search`)
	}
	s, err := parseNewsSearch(text, 0)
	return s.String(), err
}

// withSearch is the text of a group, b, with its search.
func withSearch(b []byte, search string) string {
	if search != "" {
		b = append(b, '?')
	}
	return string(append(b, search...))
}

// search adds the parts of a search.
func (b *partList) search(u URL) {
	s, mark := SearchOf(u), "?"
	for _, f := range s.Fields() {
		if *f.Value != "" {
			b.mark(mark+f.Key+"=", "3.6", "begins a field of the search")
			b.octets(f.Key, *f.Value, inText, "3.6", f.Meaning)
			b.parts[len(b.parts)-1].Rule, mark = "beyond RFC 1738", "&"
		}
	}
}
