package syncstate

import (
	"maps"
	"slices"
	"time"

	"gofer/history/bookmarks"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/usenet/score"
)

// Merge is a three-way merge of one of the user's files with the states of other machines.
type Merge struct {
	Base   State // the result of the last merge of the file
	Others State // the joined states of the other machines
	First  bool  // the file was never merged, so Merge removes nothing from it

	Result         State // the merged entries of the kinds in the file
	Sent, Received int   // numbers of changes
}

// merge merges local, the entries in a file, with m.Base and m.Others. The stamps in local are times or
// 0. merge returns the result and the names of the entries that must change in the file. An entry that is
// missing in local counts as unchanged. If additive is set, merge removes nothing, and adds missing
// entries to the file again.
func (m *Merge) merge(kind string, local Entries, additive bool) (result Entries, received []string) {
	maps.DeleteFunc(local, func(name string, e Entry) bool { return !isValid(kind, name, e) })
	base, others := m.Base[kind], m.Others[kind]
	known := base
	if additive {
		known = join(base, others)
	}
	mine := maps.Clone(known)
	if mine == nil {
		mine = make(Entries)
	}
	for name, h := range local {
		if e := known[name].update(h, additive); !e.Equal(known[name]) {
			mine[name] = e
			m.Sent++
		}
	}
	result = join(mine, others)
	for name, e := range result {
		h := local[name]
		same := e.Value == h.Value && slices.Equal(e.Read.Read(), h.Read.Read())
		if !same && (additive || !e.Equal(base[name])) {
			received = append(received, name)
		}
	}
	slices.Sort(received)
	m.Received += len(received)
	if m.Result == nil {
		m.Result = make(State)
	}
	m.Result[kind] = result
	return result, received
}

// update returns e with the value and the read articles of h. If additive is set, the read articles of
// e stay read, and the value with the higher stamp wins.
func (e Entry) update(h Entry, additive bool) Entry {
	read := h.Read.Read()
	if additive {
		read = read.Union(e.Read.Read())
	}
	e.Read = e.Read.withRead(read)
	switch {
	case additive && e.Value != "":
		if h.compare(e) > 0 {
			e.Value, e.Stamp = h.Value, h.Stamp
		}
	case e.Value != h.Value:
		e.Value, e.Stamp = h.Value, max(h.Stamp, e.Stamp+1)
	}
	return e
}

// Groups merges the newsrc file of a server. A group that is missing in the file counts as unchanged,
// because newsreaders drop groups that are not on the server.
func (m *Merge) Groups(f *newsrc.File, server string) {
	have := make(Entries)
	for _, g := range f.Groups() {
		e := Entry{Read: Toggles{g.Read}}
		if g.Subscribed {
			e.Value = ":"
		}
		have[g.Name] = e
	}
	result, received := m.merge(Newsrc+server, have, m.First || len(have) == 0)
	for _, name := range received {
		f.Set(newsrc.Group{Name: name, Subscribed: result[name].Value == ":", Read: result[name].Read.Read()})
	}
}

// Bookmarks merges the text of a bookmark file and returns the new text. The time modified is zero if
// there is no file.
func (m *Merge) Bookmarks(text []byte, modified time.Time) []byte {
	stamp := uint64(max(0, modified.UnixMilli()))
	have := bookmarks.Exchange(text)
	known := bookmarks.Exchanged{Marks: m.Base.Values(Bookmark), Order: m.Base.Values(Order)}.FileOrder()
	moved := make(Entries)
	for folder, urls := range have.Order {
		if known[folder] != urls {
			moved[folder] = Entry{Stamp: stamp, Value: urls}
		}
	}
	m.merge(Order, moved, false)
	lost := modified.IsZero() || len(text) == 0 && len(m.Base.Values(Bookmark)) > 1
	marks := m.mergeLines(Bookmark, have.Marks, stamp, lost)
	return bookmarks.Exchanged{Marks: marks, Order: m.Result.Values(Order)}.Write(text)
}

// Rules merges a score file and returns the new file.
func (m *Merge) Rules(file []byte) []byte {
	rules := make(map[string]string)
	for _, rule := range score.Split(file) {
		rules[rule] = "+"
	}
	want := m.mergeLines(Rule, rules, 0, len(file) == 0 && len(m.Base.Values(Rule)) > 1)
	keep := func(rule string) bool { return want[rule] != "" || !isValid(Rule, rule, Entry{}) }
	added := slices.DeleteFunc(slices.Sorted(maps.Keys(want)), func(rule string) bool { return rules[rule] != "" })
	return score.Merge(file, keep, added)
}

// mergeLines merges the values in a file of lines, and returns the result. The parameter stamp is the
// time of the file, or 0. A name that is missing in values was removed, unless m.First or lost is true.
// lost means that the file may be missing, or that an editor may have emptied it for a moment.
func (m *Merge) mergeLines(kind string, values map[string]string, stamp uint64, lost bool) map[string]string {
	entries := make(Entries)
	for name, value := range values {
		entries[name] = Entry{Stamp: stamp, Value: value}
	}
	additive := m.First || lost
	for name := range m.Base.Values(kind) {
		if values[name] == "" && !additive {
			entries[name] = Entry{Stamp: stamp}
		}
	}
	m.merge(kind, entries, additive)
	return m.Result.Values(kind)
}

// Pages merges the entries in have, the links of bookmarked pages. It returns the entries that other
// machines have changed. It drops the links of pages that are not in marked, the bookmarks by URL.
func (m *Merge) Pages(have Entries, marked map[string]string) Entries {
	result, received := m.merge(Page, have, false)
	maps.DeleteFunc(result, func(url string, _ Entry) bool { return marked[url] == "" })
	changed := make(Entries)
	for _, url := range received {
		if e, ok := result[url]; ok {
			changed[url] = e
		}
	}
	return changed
}
