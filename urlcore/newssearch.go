package urlcore

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// NewsSearch is a search in a newsgroup. Its text follows the group in the URL, an extension of
// RFC 1738:
//
//	news:<newsgroup-name>?from=<words>&subject=<words>&message-id=<words>&since=<day>&before=<day>
//
// The strings are the values of these keys, in UTF-8. A header field matches if it contains all
// words of the value. A day is written as 2006-01-02, in UTC. The search includes the day of
// "since" and excludes the day of "before". A key with an empty value matches all articles.
type NewsSearch [5]string

// SearchKeys returns the keys in the order of a NewsSearch.
func SearchKeys() [5]string { return [...]string{"from", "subject", "message-id", "since", "before"} }

// String returns the text after the "?", or "" if all values are empty.
func (s NewsSearch) String() string {
	text := ""
	for i, value := range s {
		if value != "" {
			text += "&" + SearchKeys()[i] + "=" + escape(value, inText)
		}
	}
	return strings.TrimPrefix(text, "&")
}

// SearchOf returns the search of a News or NNTP URL, or an empty search.
func SearchOf(u URL) (s NewsSearch) {
	if text := NewsGroup(u).Search; text != "" {
		s, _ = parseNewsSearch(text, 0)
	}
	return s
}

// parseNewsSearch parses key=value pairs with "&" between them and makes the values canonical.
func parseNewsSearch(text string, off int) (s NewsSearch, _ *Error) {
	keys := SearchKeys()
	for pair := range strings.SplitSeq(text, "&") {
		key, value, _ := strings.Cut(pair, "=")
		i, octets := slices.Index(keys[:], key), unescape(value)
		value = strings.Join(strings.Fields(octets), " ")
		if key == "message-id" {
			value = strings.Trim(value, "<> ")
		}
		_, noDay := time.Parse(time.DateOnly, value)
		switch {
		case i < 0 || s[i] != "":
			return s, fail(BadPath, off, "a search in a group has "+strings.Join(keys[:], "=, ")+"=, each once, with & between")
		case !utf8.ValidString(octets) || scan(octets)&markControl != 0:
			return s, fail(IllegalOctet, off, "the words of a search must be UTF-8 without control characters")
		case i > 2 && value != "" && noDay != nil:
			return s, fail(BadPath, off, "a day is written as 2026-01-31")
		}
		s[i] = value
		off += len(pair) + 1
	}
	return s, nil
}

// cutGroupSearch splits s into a group and the search after the "?".
func (st *state) cutGroupSearch(s string, off int) (group, search string, _ *Error) {
	group, text, has := strings.Cut(s, "?")
	if !has || !st.acceptsExtensions() {
		return s, "", nil
	}
	found, err := parseNewsSearch(text, off+len(group)+1)
	return group, found.String(), err
}

// canonSearch returns the canonical text of a search. If the parameter allowed is false, any search
// is an error: articles and the list of all groups cannot be searched.
func canonSearch(text string, allowed bool) (string, *Error) {
	if text == "" {
		return "", nil
	}
	s, err := parseNewsSearch(text, 0)
	if !allowed {
		err = fail(BadPath, 0, "only a group can be searched")
	}
	return s.String(), err
}

// withSearch returns the text b of a URL up to its group. If search is not empty, "?" and the
// search follow it.
func withSearch(b []byte, search string) string {
	if search != "" {
		b = append(b, '?')
	}
	return string(append(b, search...))
}

// addSearch adds the parts of the search of u.
func (b *partList) addSearch(u URL) {
	mark := "?"
	for i, value := range SearchOf(u) {
		if value != "" {
			b.addDelimiter(mark+SearchKeys()[i]+"=", "3.6", "begins a field of the search")
			b.addOctets(SearchKeys()[i], value, inText, "3.6", "the words or the day to search for")
			b.parts[len(b.parts)-1].Rule, mark = "beyond RFC 1738", "&"
		}
	}
}
