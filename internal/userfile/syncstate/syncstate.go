// Package syncstate merges what several machines of one user know of newsgroups,
// bookmarks, score rules and pages. It reads and writes no files.
//
// A State has an entry for each thing, also for what was removed. What a machine has
// changed since its last State gets a higher stamp, and of two entries the one with the
// higher stamp wins; each article of a group is counted by itself. So machines that have
// seen the same States have the same one, in whatever order they saw them, and to see an
// old State again does no harm. It is a three-way merge in which the last State of a
// machine is the common one.
//
// A group that a newsrc file lacks is no change: newsreaders drop groups that are not on
// the server.
package syncstate

import (
	"cmp"
	"math"
	"slices"

	"gofer/internal/usenet/newsrc"
)

// The kinds of things, with their names and values.
const (
	Group    = "group"    // "host:port name"; ":" or "!" as in newsrc files
	Rule     = "rule"     // a rule of score.Split; "+"
	Bookmark = "bookmark" // as in bookmarks.Exchanged.Marks
	Order    = "order"    // and in Order
	Page     = "page"     // a bookmarked URL; its links when it was last loaded, in base64
)

// Key names a thing.
type Key struct{ Kind, Name string }

// Entry is what is known of a thing. The value of one that was removed is "".
type Entry struct {
	Stamp uint64 // at least the number of changes; a time in milliseconds for bookmarks and pages
	Value string
	Read  Toggled // of a group
}

// State is what a machine knows.
type State map[Key]Entry

// Toggled are the articles of a group by the number of their changes: the first set has
// all that were ever read, the next those that were then marked unread, and so on.
type Toggled []newsrc.Numbers

// Read returns the articles that are read: those in an odd number of sets.
func (t Toggled) Read() (read newsrc.Numbers) {
	for i, set := range t {
		if i%2 == 0 {
			read = read.With(set)
		} else {
			read = read.Without(set)
		}
	}
	return read
}

// To returns t with the changes after which now is read.
func (t Toggled) To(now newsrc.Numbers) Toggled {
	t = slices.Clone(t)
	was := t.Read()
	changed := was.Without(now).With(now.Without(was))
	for i := 0; len(changed) > 0; i++ {
		if i == len(t) {
			t = append(t, nil)
		}
		again := changed.Without(changed.Without(t[i]))
		t[i], changed = t[i].With(changed), again
	}
	return t
}

// Join returns what t and other know of.
func (t Toggled) Join(other Toggled) Toggled {
	t = slices.Concat(t, make(Toggled, max(0, len(other)-len(t))))
	for i, set := range other {
		t[i] = t[i].With(set)
	}
	return t
}

// Equal reports whether two entries are the same.
func (e Entry) Equal(other Entry) bool {
	return e.Stamp == other.Stamp && e.Value == other.Value && slices.EqualFunc(e.Read, other.Read, slices.Equal)
}

func (e Entry) group(name string) newsrc.Group {
	return newsrc.Group{Name: name, Subscribed: e.Value == ":", Read: e.Read.Read()}
}

// Joined returns what the states know together.
func Joined(states ...State) State {
	all := make(State)
	for _, s := range states {
		for key, e := range s {
			mine := all[key]
			if cmp.Or(cmp.Compare(e.Stamp, mine.Stamp), cmp.Compare(e.Value, mine.Value)) > 0 {
				mine.Stamp, mine.Value = e.Stamp, e.Value
			}
			mine.Read = mine.Read.Join(e.Read)
			all[key] = mine
		}
	}
	return all
}

// set notes the value of a thing, which has changed at a time, or since s. If it is
// additional and s has a value, the later one wins.
func (s State) set(key Key, value string, at uint64, additional bool) {
	e := s[key]
	switch {
	case additional && e.Value != "":
		s[key] = Joined(State{key: e}, State{key: {Stamp: at, Value: value}})[key]
	case e.Value != value:
		e.Value, e.Stamp = value, max(at, e.Stamp+min(1, math.MaxUint64-e.Stamp))
		s[key] = e
	}
}

// setGroup notes what a newsrc file says of a group. If it is additional, what s has
// more stays: the first time, when there is no common state, nothing was taken away.
func (s State) setGroup(key Key, g newsrc.Group, additional bool) {
	read := s[key].Read
	if additional {
		g.Read = g.Read.With(read.Read())
		g.Subscribed = g.Subscribed || s[key].Value == ":"
	}
	value := "!"
	if g.Subscribed {
		value = ":"
	}
	s.set(key, value, 0, false)
	e := s[key]
	e.Read = read.To(g.Read)
	s[key] = e
}

// setAll notes the values of all things of a kind. Others are removed, unless these are
// additional.
func (s State) setAll(kind string, have map[string]string, at uint64, additional bool) {
	for name, value := range have {
		s.set(Key{kind, name}, value, at, additional)
	}
	for name := range s.Values(kind) {
		if have[name] == "" && !additional {
			s.set(Key{kind, name}, "", at, false)
		}
	}
}

// Values returns the things of a kind that were not removed.
func (s State) Values(kind string) map[string]string {
	values := make(map[string]string)
	for key, e := range s {
		if key.Kind == kind && e.Value != "" {
			values[key.Name] = e.Value
		}
	}
	return values
}
