// Package syncstate merges the newsrc files, bookmarks, score rules and known links of
// several machines of one user. It does not read or write files.
//
// A State maps names to entries with stamps. It also has an entry for each name that was removed. A
// change since the last common state gets a higher stamp, and of two entries the entry with the
// higher stamp wins. Articles are merged one by one; see [Toggles]. So [Join] is commutative,
// associative and idempotent: machines that have joined the same states in any order have the same
// result, and joining an old state again changes nothing. A clock only decides which of two
// concurrent changes wins.
package syncstate

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"gofer/history/bookmarks"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/usenet/score"
)

// The kinds of entries, with the name and the value of an entry.
const (
	Newsrc   = "newsrc "  // followed by "host:port". Name: a group; value: ":" if it is subscribed
	Rule     = "rule"     // name: a rule as score.Split returns it; value: "+"
	Bookmark = "bookmark" // see bookmarks.Exchanged
	Order    = "order"    // see bookmarks.Exchanged
	Page     = "page"     // name: the URL of a bookmark; value: the links of its last visit in base64
)

// State holds entries by kind.
type State map[string]Entries

// Entries holds entries of one kind by name.
type Entries map[string]Entry

// Entry is the last known value of a name. The value is "" if the name was removed.
type Entry struct {
	Stamp uint64  `json:"stamp"` // the higher of the number of changes and the time of the last change in ms
	Value string  `json:"value,omitempty"`
	Read  Toggles `json:"read,omitempty"` // the articles of a group
}

// Toggles is a list of sets of articles. The first set has all articles that were ever marked as read.
// The second has the articles of the first that were later marked as unread, the third has the
// articles of the second that were marked as read again, and so on.
type Toggles []newsrc.Numbers

// Read returns the articles that are read. They are in an odd number of sets.
func (t Toggles) Read() (read newsrc.Numbers) {
	for i, set := range t {
		if i%2 == 0 {
			read = read.Union(set)
		} else {
			read = read.Subtract(set)
		}
	}
	return read
}

// withRead returns a copy of t in which exactly the given articles are read.
func (t Toggles) withRead(articles newsrc.Numbers) Toggles {
	t = slices.Clone(t)
	read := t.Read()
	changed := read.Subtract(articles).Union(articles.Subtract(read))
	for i := 0; len(changed) > 0; i++ {
		if i == len(t) {
			t = append(t, nil)
		}
		again := changed.Subtract(changed.Subtract(t[i]))
		t[i], changed = t[i].Union(changed), again
	}
	return t
}

func (t Toggles) join(other Toggles) Toggles {
	t = slices.Concat(t, make(Toggles, max(0, len(other)-len(t))))
	for i, set := range other {
		t[i] = t[i].Union(set)
	}
	return t
}

// Equal reports whether the entries are the same.
func (e Entry) Equal(other Entry) bool {
	return e.compare(other) == 0 && slices.EqualFunc(e.Read, other.Read, slices.Equal)
}

func (e Entry) compare(other Entry) int {
	return cmp.Or(cmp.Compare(e.Stamp, other.Stamp), cmp.Compare(e.Value, other.Value))
}

// Join merges states: the higher stamp wins, and sets of articles are united.
func Join(states ...State) State {
	all := make(State)
	for _, s := range states {
		for kind, entries := range s {
			all[kind] = join(all[kind], entries)
		}
	}
	return all
}

func join(a, b Entries) Entries {
	all := make(Entries, max(len(a), len(b)))
	maps.Copy(all, a)
	for name, e := range b {
		if mine, ok := all[name]; ok {
			read := mine.Read.join(e.Read)
			if mine.compare(e) > 0 {
				e = mine
			}
			e.Read = read
		}
		all[name] = e
	}
	return all
}

// Values returns the values of a kind by name, without the names that were removed.
func (s State) Values(kind string) map[string]string {
	values := make(map[string]string)
	for name, e := range s[kind] {
		if e.Value != "" {
			values[name] = e.Value
		}
	}
	return values
}

// Decode parses the JSON of a State from another machine. It drops entries that this machine cannot
// store. Entries of unknown kinds stay.
func Decode(data []byte) (s State, err error) {
	err = json.Unmarshal(data, &s)
	for kind, entries := range s {
		maps.DeleteFunc(entries, func(name string, e Entry) bool { return !isValid(kind, name, e) })
	}
	return s, err
}

// serverKind returns a pattern for the kind of a newsrc file.
var serverKind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^newsrc (?:[a-z0-9][a-z0-9._-]*|\[[0-9a-f:.]+\]):[0-9]{1,5}$`)
})

// Bounds of an entry: maxStamp leaves room for changes.
const (
	maxStamp   = 1 << 62
	maxToggles = 10_000
)

// isValid reports whether an entry can be written as JSON and in a user's file, and read again with the
// same name.
func isValid(kind, name string, e Entry) bool {
	if e.Stamp > maxStamp || len(e.Read) > maxToggles || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return false
	}
	switch {
	case kind == Rule:
		return slices.Equal(score.Split([]byte(name)), []string{name})
	case kind == Bookmark:
		return e.Value == "" || bookmarks.IsValidURL(name)
	case kind == Page:
		links, err := base64.StdEncoding.DecodeString(e.Value)
		return err == nil && len(links)%8 == 0
	case strings.HasPrefix(kind, Newsrc):
		groups := newsrc.Parse([]byte(name + ":")).Groups()
		return serverKind().MatchString(kind) && len(groups) == 1 && groups[0].Name == name && len(groups[0].Read) == 0
	}
	return true
}
