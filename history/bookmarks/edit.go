package bookmarks

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"gofer/urlcore"
)

// Find returns the bookmark of u, if there is one. It compares canonical texts, because URLs with the
// same text can have different types: urlcore parses a URL of an unknown scheme as a [urlcore.Generic].
func (b *Store) Find(u urlcore.URL) (m Bookmark, ok bool, err error) {
	list, err := b.List()
	if u == nil || err != nil {
		return Bookmark{}, false, err
	}
	name := urlcore.Outward(u).String()
	i := slices.IndexFunc(list, func(m Bookmark) bool { return m.URL.String() == name })
	if i < 0 {
		return Bookmark{}, false, nil
	}
	return list[i], true, nil
}

// Put adds m to its folder, and makes the folder if necessary. m replaces the bookmark of its own URL, and
// the bookmark of the URL in the parameter old, which may be nil. Passwords of URLs are not written.
func (b *Store) Put(old urlcore.URL, m Bookmark) error {
	if b == nil || m.URL == nil {
		return nil
	}
	return b.change(func(lines [][]byte) [][]byte {
		if old == nil {
			old = m.URL
		}
		if old := urlcore.Outward(old).String(); old != urlcore.Outward(m.URL).String() {
			lines = removeLine(lines, m.URL) // m replaces both bookmarks
		}
		return put(lines, urlcore.Outward(old).String(), m)
	})
}

// Add adds the bookmarks of list whose URLs are not in the file. It returns their number.
func (b *Store) Add(list ...Bookmark) (added int, err error) {
	if b == nil {
		return 0, nil
	}
	err = b.change(func(lines [][]byte) [][]byte {
		known := make(map[string]bool, len(lines))
		for _, line := range lines {
			if m, ok := parseBookmark(line); ok {
				known[m.URL.String()] = true
			}
		}
		added = 0
		var sections []section
		index := make(map[string]int) // index in sections, by folder
		for _, m := range list {
			name := urlcore.Outward(m.URL).String()
			if known[name] || len(name) > MaxURL {
				continue
			}
			known[name] = true
			added++
			folder := cleanFolder(m.Folder)
			i, ok := index[folder]
			if !ok {
				i = len(sections)
				index[folder], sections = i, append(sections, section{folder: folder})
			}
			sections[i].lines = append(sections[i].lines, []byte(lineOf(m)+"\n"))
		}
		return insert(lines, sections)
	})
	return added, err
}

// section holds new lines of a folder.
type section struct {
	folder string
	lines  [][]byte
}

// lineOf returns the line of a bookmark without its line end.
func lineOf(m Bookmark) string {
	return strings.TrimRight(urlcore.Reference(m.URL, m.Fragment)+" "+m.Text(), " ")
}

// put replaces the bookmark of the URL in the parameter old by m, and moves it to the folder of m. If there
// is no bookmark of this URL, put adds m to its folder.
func put(lines [][]byte, old string, m Bookmark) [][]byte {
	folder, want := "", cleanFolder(m.Folder)
	for i, line := range lines {
		if name, ok := parseHeading(line); ok {
			folder = name
		}
		known, ok := parseBookmark(line)
		if !ok || known.URL.String() != old {
			continue
		}
		if folder == want {
			if text := lineOf(m); text != lineOf(known) {
				lines[i] = []byte(text + lineEnd(line))
			}
			return lines
		}
		lines = slices.Delete(slices.Clone(lines), i, i+1)
		break
	}
	return insert(lines, []section{{want, [][]byte{[]byte(lineOf(m) + "\n")}}})
}

// insert adds the lines of each section at the end of its folder. A new folder goes after the last
// folder with the same top folder, or else to the end of the file. The sections must have different
// folders.
func insert(lines [][]byte, sections []section) [][]byte {
	ends, topEnds := map[string]int{"": 0}, make(map[string]int) // counts of the lines up to the end of each folder, and of each top folder
	current, headed := "", false
	for i, line := range lines {
		if name, ok := parseHeading(line); ok {
			current, headed = name, true
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if current != "" || !headed {
			ends[current] = i + 1
		}
		top, _, _ := strings.Cut(current, "/")
		topEnds[top] = i + 1
	}
	last := len(lines)
	old, fresh := make(map[int][][]byte), make(map[int][][]byte) // lines to add to old and to new folders; the key is the number of file lines before them
	for _, s := range sections {
		if end, ok := ends[s.folder]; ok {
			old[end] = append(old[end], s.lines...)
			continue
		}
		top, _, _ := strings.Cut(s.folder, "/")
		end, ok := topEnds[top]
		if !ok {
			last++
			topEnds[top], end = last, last
		}
		fresh[end] = append(append(fresh[end], []byte("\n"), []byte("## "+s.folder+"\n")), s.lines...)
	}
	var all [][]byte
	for i := range last + 1 {
		if 0 < i && i <= len(lines) {
			all = append(all, lines[i-1])
		}
		added := slices.Concat(old[i], fresh[i])
		if n := len(all); n == 0 && len(old[i]) == 0 && len(added) > 0 {
			added = added[1:] // the file does not begin with an empty line
		} else if len(added) > 0 && n > 0 && lineEnd(all[n-1]) == "" {
			all[n-1] = append(bytes.Clone(all[n-1]), '\n')
		}
		all = append(all, added...)
	}
	return all
}

// inFolder reports whether name is folder or a folder inside it.
func inFolder(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

// Remove removes the bookmark of u, if there is one.
func (b *Store) Remove(u urlcore.URL) error {
	if b == nil || u == nil {
		return nil
	}
	return b.change(func(lines [][]byte) [][]byte { return removeLine(lines, u) })
}

func removeLine(lines [][]byte, u urlcore.URL) [][]byte {
	name := urlcore.Outward(u).String()
	kept := make([][]byte, 0, len(lines))
	for _, line := range lines {
		if m, ok := parseBookmark(line); !ok || m.URL.String() != name {
			kept = append(kept, line)
		}
	}
	return kept
}

// RenameFolder renames a folder. The names of the folders inside it change too. If there is a
// folder newName, the folders are merged.
func (b *Store) RenameFolder(oldName, newName string) error {
	oldName, newName = cleanFolder(oldName), cleanFolder(newName)
	if b == nil || oldName == "" {
		return nil
	}
	if newName == "" {
		return b.wrap(errors.New("a folder needs a name"))
	}
	return b.change(func(lines [][]byte) [][]byte {
		for i, line := range lines {
			if name, ok := parseHeading(line); ok && inFolder(name, oldName) {
				lines[i] = []byte("## " + newName + name[len(oldName):] + lineEnd(line))
			}
		}
		return lines
	})
}

// RemoveFolder removes a folder, the folders inside it and their bookmarks. It returns the
// number of removed bookmarks. Comments and lines that are not bookmarks stay.
func (b *Store) RemoveFolder(folder string) (removed int, err error) {
	folder = cleanFolder(folder)
	if b == nil || folder == "" {
		return 0, nil
	}
	err = b.change(func(lines [][]byte) [][]byte {
		removed = 0
		kept := make([][]byte, 0, len(lines))
		inside := false
		for _, line := range lines {
			name, heading := parseHeading(line)
			if heading {
				inside = inFolder(name, folder)
			}
			_, bookmark := parseBookmark(line)
			if inside && bookmark {
				removed++
			}
			if !inside || !heading && !bookmark {
				kept = append(kept, line)
			}
		}
		return kept
	})
	return removed, err
}

// Change is a change of the file that [Store.Revert] can revert. The zero value is no change.
type Change struct{ before, after []byte }

// Size returns the number of octets that c holds. It is 0 for no change.
func (c *Change) Size() int { return len(c.before) + len(c.after) }

// Recording returns a Store of the same file that stores its latest change in c. It is not safe for concurrent use.
func (b *Store) Recording(c *Change) *Store {
	if b == nil {
		return nil
	}
	return &Store{path: b.path, latest: c}
}

// ErrChangedSince reports that lines have been changed since the change that was to be reverted.
var ErrChangedSince = errors.New("the bookmarks were changed since")

// Revert reverts a change. Other changes of the file stay. It returns an error that wraps ErrChangedSince if the user or
// another process has changed the same lines since, and then changes nothing.
func (b *Store) Revert(c *Change) error {
	if b == nil || c.Size() == 0 {
		return nil
	}
	return b.rewrite(func(old []byte) ([]byte, error) {
		if bytes.Equal(old, c.after) {
			return c.before, nil
		}
		after := string(c.after)
		edits, ok := udiff.Merge(udiff.Lines(after, string(c.before)), udiff.Lines(after, string(old)))
		if !ok {
			return nil, ErrChangedSince
		}
		return udiff.ApplyBytes(c.after, edits)
	})
}
