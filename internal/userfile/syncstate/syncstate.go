// Package syncstate merges the newsrc files, bookmarks, score rules and known links of
// several machines of one user. It does not read or write files.
//
// A State maps names to entries with stamps, and keeps an entry for each name that was
// removed. A change made since the last common state gets a higher stamp; of two entries
// the one with the higher stamp wins. Articles are merged one by one: see [Toggles]. So
// [Join] is commutative, associative and idempotent: machines that have joined the same
// states in any order have the same result, and joining an old state again changes nothing. A
// clock only decides which of two concurrent changes wins.
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

// The kinds of entries: their names and values.
const (
	Newsrc   = "newsrc "  // followed by "host:port"; a group: ":" if it is subscribed
	Rule     = "rule"     // a rule as score.Split returns it: "+"
	Bookmark = "bookmark" // see bookmarks.Exchanged
	Order    = "order"    // see bookmarks.Exchanged
	Page     = "page"     // the URL of a bookmark: the links of its last visit in base64
)

// State holds entries by kind.
type State map[string]Entries

// Entries holds entries of one kind by name.
type Entries map[string]Entry

// Entry is the last known value of a name, "" if it was removed.
type Entry struct {
	Stamp uint64  `json:"stamp"` // the number of changes or, if higher, the time of the last one in ms
	Value string  `json:"value,omitempty"`
	Read  Toggles `json:"read,omitempty"` // the articles of a group
}

// Toggles is a list of sets of articles: the first has all that were ever marked as read, the
// second the ones later marked as unread, the third the ones marked as read again, and so on.
type Toggles []newsrc.Numbers

// Read returns the articles that are read: those in an odd number of sets.
func (t Toggles) Read() (read newsrc.Numbers) {
	for i, set := range t {
		if i%2 == 0 {
			read = read.With(set)
		} else {
			read = read.Without(set)
		}
	}
	return read
}

// mark returns a copy of t in which exactly the given articles are read.
func (t Toggles) mark(articles newsrc.Numbers) Toggles {
	t = slices.Clone(t)
	read := t.Read()
	changed := read.Without(articles).With(articles.Without(read))
	for i := 0; len(changed) > 0; i++ {
		if i == len(t) {
			t = append(t, nil)
		}
		again := changed.Without(changed.Without(t[i]))
		t[i], changed = t[i].With(changed), again
	}
	return t
}

func (t Toggles) join(other Toggles) Toggles {
	t = slices.Concat(t, make(Toggles, max(0, len(other)-len(t))))
	for i, set := range other {
		t[i] = t[i].With(set)
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

// Join merges states.
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

// Values returns the values of a kind by name.
func (s State) Values(kind string) map[string]string {
	values := make(map[string]string)
	for name, e := range s[kind] {
		if e.Value != "" {
			values[name] = e.Value
		}
	}
	return values
}

// Decode reads the JSON of a State of another machine. It drops entries that this machine
// cannot store, but keeps unknown kinds.
func Decode(data []byte) (s State, err error) {
	err = json.Unmarshal(data, &s)
	for kind, entries := range s {
		maps.DeleteFunc(entries, func(name string, e Entry) bool { return !valid(kind, name, e) })
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

// valid reports whether an entry keeps its name in JSON and in a user's file.
func valid(kind, name string, e Entry) bool {
	if e.Stamp > maxStamp || len(e.Read) > maxToggles || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return false
	}
	switch {
	case kind == Rule:
		return slices.Equal(score.Split([]byte(name)), []string{name})
	case kind == Bookmark:
		return e.Value == "" || bookmarks.Valid(name)
	case kind == Page:
		links, err := base64.StdEncoding.DecodeString(e.Value)
		return err == nil && len(links)%8 == 0
	case strings.HasPrefix(kind, Newsrc):
		groups := newsrc.Parse([]byte(name + ":")).Groups()
		return serverKind().MatchString(kind) && len(groups) == 1 && groups[0].Name == name && len(groups[0].Read) == 0
	}
	return true
}
