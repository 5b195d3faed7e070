package bookmarks

import (
	"bytes"
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gofer/urlcore"
)

// Exchanged are bookmarks as machines exchange them.
type Exchanged struct {
	Marks map[string]string // by URL, a line for each place: the folder, a tab, the title with tags
	Order map[string]string // by folder, the URLs in their order, a line each
}

// Merge replaces the text of the file by that which merge returns. Modified is zero if
// there is no file.
func (b *Store) Merge(merge func(text []byte, modified time.Time) []byte) error {
	return b.rewrite(b.noteChange, func(old []byte) ([]byte, error) {
		var modified time.Time
		if fi, err := os.Stat(b.path); err == nil {
			modified = fi.ModTime()
		}
		text := withoutBOM(old)
		return slices.Concat(old[:len(old)-len(text)], merge(text, modified)), nil
	})
}

// Exchange returns the bookmarks of a text as it is in the file, without those whose URL
// has a password.
func Exchange(text []byte) Exchanged {
	items, _ := itemsOf(slices.Collect(bytes.Lines(text)))
	return exchange(items)
}

// Write returns text with these bookmarks in the place of those that [Exchange] returns.
// Other lines stay.
func (e Exchanged) Write(text []byte) []byte {
	lines := slices.Collect(bytes.Lines(text))
	have, at := itemsOf(lines)
	return bytes.Join(arrange(lines, have, at, e.items()), nil)
}

// ValidMark reports whether a value is one of Marks.
func ValidMark(url, value string) bool {
	return !slices.ContainsFunc(strings.Split(value, "\n"), func(s string) bool {
		folder, text, _ := strings.Cut(s, "\t")
		_, ok := newItem(url, folder, text)
		return !ok
	})
}

// Sequence returns the Order that the file has, which tells the place of each of Marks.
func (e Exchanged) Sequence() map[string]string { return exchange(e.items()).Order }

type item struct{ url, folder, text string }

// newItem returns the item as it is read from the file; false if it has no canonical URL
// without a password.
func newItem(url, folder, text string) (item, bool) {
	u, rest, ok := splitBookmark([]byte(url))
	if !ok || rest != "" || urlcore.Redact(u).String() != url || !utf8.ValidString(url) {
		return item{}, false
	}
	var m Bookmark
	m.Title, m.Tags = SplitTags(OneLine(text))
	return item{url, cleanFolder(folder), m.Text()}, true
}

// itemsOf returns the items and the indices of their lines.
func itemsOf(lines [][]byte) (items []item, at []int) {
	folder := ""
	for i, line := range lines {
		if name, ok := parseHeading(line); ok {
			folder = name
		}
		if u, title, ok := splitBookmark(line); ok {
			if m, ok := newItem(u.String(), folder, title); ok {
				items, at = append(items, m), append(at, i)
			}
		}
	}
	return items, at
}

func exchange(items []item) Exchanged {
	e := Exchanged{make(map[string]string), make(map[string]string)}
	for _, m := range items {
		marks := append(strings.Split(e.Marks[m.url], "\n"), m.folder+"\t"+m.text)
		slices.Sort(marks)
		e.Marks[m.url] = strings.TrimPrefix(strings.Join(marks, "\n"), "\n")
		e.Order[m.folder] = strings.TrimPrefix(e.Order[m.folder]+"\n"+m.url, "\n")
	}
	return e
}

// place is a bookmark in a folder; n counts those of the same URL there.
type place struct {
	url, folder string
	n           int
}

func placesOf(items []item) []place {
	seen := make(map[place]int, len(items))
	list := make([]place, len(items))
	for i, m := range items {
		p := place{m.url, m.folder, 0}
		seen[p]++
		list[i] = place{m.url, m.folder, seen[p]}
	}
	return list
}

// items returns the items by folder, in their order; what Order lacks comes last.
func (e Exchanged) items() []item {
	var ordered, items []item
	for folder, urls := range e.Order {
		for url := range strings.SplitSeq(urls, "\n") {
			ordered = append(ordered, item{url, folder, ""})
		}
	}
	for _, url := range slices.Sorted(maps.Keys(e.Marks)) {
		for s := range strings.SplitSeq(e.Marks[url], "\n") {
			folder, text, _ := strings.Cut(s, "\t")
			if m, ok := newItem(url, folder, text); ok {
				items = append(items, m)
			}
		}
	}
	rank := make(map[place]int, len(items))
	for i, p := range placesOf(ordered) {
		rank[p] = i - len(ordered)
	}
	places, order := placesOf(items), make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(places[a].folder, places[b].folder), cmp.Compare(rank[places[a]], rank[places[b]]))
	})
	sorted := make([]item, len(items))
	for i, k := range order {
		sorted[i] = items[k]
	}
	return sorted
}

// arrange makes the items have, of the lines with the indices at, those of want: what
// stays keeps its line, and takes the place of another one only if the order has changed.
func arrange(lines [][]byte, have []item, at []int, want []item) [][]byte {
	wanted := make(map[place]bool, len(want))
	for _, p := range placesOf(want) {
		wanted[p] = true
	}
	out := make([][][]byte, len(lines)) // what each line becomes
	for i, line := range lines {
		out[i] = [][]byte{line}
	}
	stays := make(map[place]int)     // indices of have
	slots := make(map[string][]int)  // lines by folder
	emptied := make(map[string]bool) // folders
	for i, p := range placesOf(have) {
		if out[at[i]] = nil; wanted[p] {
			stays[p], slots[p.folder] = i, append(slots[p.folder], at[i])
		}
		emptied[p.folder] = true
	}
	anchor := make(map[string]int) // the line of the last item that stays, by folder, plus 1
	first := make(map[string][][]byte)
	for k, p := range placesOf(want) {
		emptied[p.folder] = false
		line := []byte(strings.TrimRight(p.url+" "+want[k].text, " ") + "\n")
		i, ok := stays[p]
		switch a := anchor[p.folder]; {
		case ok:
			if want[k].text == have[i].text {
				line = lines[at[i]]
			} else {
				line = append(bytes.TrimRight(line, "\n"), lineEnd(lines[at[i]])...)
			}
			slot := slots[p.folder][0]
			out[slot] = slices.Concat(first[p.folder], [][]byte{line})
			slots[p.folder], anchor[p.folder], first[p.folder] = slots[p.folder][1:], slot+1, nil
		case a > 0:
			out[a-1] = append(out[a-1], line)
		default:
			first[p.folder] = append(first[p.folder], line)
		}
	}
	for i, line := range lines { // a folder goes with its bookmarks, unless it has other lines
		if name, ok := parseHeading(line); ok {
			rest := slices.IndexFunc(lines[i+1:], func(l []byte) bool { _, ok := parseHeading(l); return ok })
			if rest < 0 {
				rest = len(lines) - i - 1
			}
			if emptied[name] && len(bytes.TrimSpace(bytes.Join(slices.Concat(out[i+1:i+1+rest]...), nil))) == 0 {
				clear(out[i : i+1+rest])
			}
		}
	}
	lines = slices.Concat(out...)
	for i, line := range lines {
		if lineEnd(line) == "" && i < len(lines)-1 {
			lines[i] = append(bytes.Clone(line), '\n')
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(first)) {
		if len(first[folder]) > 0 {
			lines = insert(lines, folder, first[folder])
		}
	}
	return lines
}
