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

// Exchanged holds bookmarks in the form that machines exchange.
type Exchanged struct {
	Marks map[string]string // by URL; one line for each folder that contains the URL: the folder, a tab, the title with tags
	Order map[string]string // by folder; the URLs in the folder, in order, one on each line
}

// Merge replaces the text of the file with the result of merge. The parameter modified of merge is the
// time of the last change of the file, or zero if there is no file.
func (b *Store) Merge(merge func(text []byte, modified time.Time) []byte) error {
	return b.rewrite(b.recordChange, func(old []byte) ([]byte, error) {
		var modified time.Time
		if fi, err := os.Stat(b.path); err == nil {
			modified = fi.ModTime()
		}
		text := withoutBOM(old)
		return slices.Concat(old[:len(old)-len(text)], merge(text, modified)), nil
	})
}

// Exchange returns the bookmarks in the text of a file. It leaves out URLs with a password.
func Exchange(text []byte) Exchanged {
	items, _ := itemsOf(slices.Collect(bytes.Lines(text)))
	return exchange(items)
}

// FileOrder returns the field Order that [Exchange] would return for a text with the bookmarks of e.
func (e Exchanged) FileOrder() map[string]string { return exchange(e.items()).Order }

// IsValidURL reports whether url can be a key of Marks.
func IsValidURL(url string) bool {
	m, ok := itemOf([]byte(url), "")
	return ok && m.url == url
}

type item struct{ url, folder, text string }

func (m item) withoutText() item { return item{url: m.url, folder: m.folder} }

// itemOf reads a line of a folder. It returns false if the line is not a bookmark, or if its URL has a
// password or is not UTF-8.
func itemOf(line []byte, folder string) (item, bool) {
	u, title, ok := splitBookmark(line)
	if !ok || urlcore.Redact(u) != u || !utf8.ValidString(u.String()) {
		return item{}, false
	}
	var m Bookmark
	m.Title, m.Tags = SplitTags(NormalizeTitle(title))
	return item{urlcore.Outward(u).String(), cleanFolder(folder), m.Text()}, true
}

// itemsOf returns the items in the lines, and the indexes of their lines.
func itemsOf(lines [][]byte) (items []item, at []int) {
	folder := ""
	for i, line := range lines {
		if name, ok := parseHeading(line); ok {
			folder = name
		}
		if m, ok := itemOf(line, folder); ok {
			items, at = append(items, m), append(at, i)
		}
	}
	return items, at
}

func exchange(items []item) Exchanged {
	e := Exchanged{make(map[string]string), make(map[string]string)}
	for _, m := range items {
		e.Order[m.folder] = strings.TrimPrefix(e.Order[m.folder]+"\n"+m.url, "\n")
	}
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.folder, b.folder), cmp.Compare(a.text, b.text))
	})
	for _, m := range items {
		e.Marks[m.url] = strings.TrimPrefix(e.Marks[m.url]+"\n"+m.folder+"\t"+m.text, "\n")
	}
	return e
}

// items returns the items sorted by folder, and in each folder by Order. Items that Order lacks
// come last.
func (e Exchanged) items() (items []item) {
	for _, url := range slices.Sorted(maps.Keys(e.Marks)) {
		for mark := range strings.SplitSeq(e.Marks[url], "\n") {
			folder, text, _ := strings.Cut(mark, "\t")
			if m, ok := itemOf([]byte(url+" "+text), folder); ok {
				items = append(items, m)
			}
		}
	}
	rank := make(map[item]int)
	for folder, order := range e.Order {
		urls := strings.Split(order, "\n")
		for i, url := range slices.Backward(urls) {
			rank[item{url: url, folder: folder}] = i - len(urls)
		}
	}
	slices.SortStableFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.folder, b.folder), cmp.Compare(rank[a.withoutText()], rank[b.withoutText()]))
	})
	return items
}

// Write returns text with the bookmarks of e. They replace the bookmarks that [Exchange] finds in text.
// All other lines stay. The line of an unchanged bookmark stays byte for byte, and moves only if the order
// in its folder changes.
func (e Exchanged) Write(text []byte) []byte {
	want := e.items()
	have, _ := itemsOf(slices.Collect(bytes.Lines(text)))
	slices.SortStableFunc(have, func(a, b item) int { return cmp.Compare(a.folder, b.folder) })
	if slices.Equal(have, want) {
		return text
	}
	if len(text) > 0 && lineEnd(text) == "" {
		text = slices.Concat(text, []byte("\n"))
	}
	lines := slices.Collect(bytes.Lines(text))
	have, at := itemsOf(lines)
	oldLines, inText, inResult := make(map[item][]byte), make(map[item]bool), make(map[item]bool)
	for i, m := range have {
		oldLines[m], inText[m.withoutText()] = lines[at[i]], true
	}
	chunks := make(map[string][][]byte) // new lines by folder, in chunks; each chunk ends with a bookmark that is also in the parameter text
	added := make(map[string][][]byte)  // the lines after the last chunk
	for _, m := range want {
		line := cmp.Or(string(oldLines[m]), strings.TrimRight(m.url+" "+m.text, " ")+"\n")
		added[m.folder] = append(added[m.folder], []byte(line))
		if inResult[m.withoutText()] = true; inText[m.withoutText()] {
			chunks[m.folder] = append(chunks[m.folder], bytes.Join(added[m.folder], nil))
			added[m.folder] = nil
		}
	}
	for i, m := range have {
		lines[at[i]] = nil
		if c := chunks[m.folder]; inResult[m.withoutText()] && len(c) > 0 {
			lines[at[i]], chunks[m.folder] = c[0], c[1:]
		}
	}
	var sections []section
	for _, folder := range slices.Sorted(maps.Keys(added)) {
		if rest := slices.Concat(chunks[folder], added[folder]); len(rest) > 0 {
			sections = append(sections, section{folder, rest})
		}
	}
	return bytes.Join(insert(lines, sections), nil)
}
