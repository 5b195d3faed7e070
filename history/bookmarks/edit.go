package bookmarks

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"gofer/urlcore"
)

// Find returns the bookmark of u, if there is one. It compares canonical texts, because the
// file does not have the type of a URL with a scheme that urlcore does not know.
func (b *Store) Find(u urlcore.URL) (m Bookmark, ok bool, err error) {
	list, err := b.List()
	if u == nil || err != nil {
		return Bookmark{}, false, err
	}
	name := urlcore.Redact(u).String()
	i := slices.IndexFunc(list, func(m Bookmark) bool { return m.URL.String() == name })
	if i < 0 {
		return Bookmark{}, false, nil
	}
	return list[i], true, nil
}

// Put adds m to its folder, which it makes if necessary. The bookmark of old is replaced; nil
// means the URL of m. Passwords of URLs are not written.
func (b *Store) Put(old urlcore.URL, m Bookmark) error {
	if b == nil || m.URL == nil {
		return nil
	}
	return b.change(func(lines [][]byte) [][]byte {
		if old == nil {
			old = m.URL
		}
		if old := urlcore.Redact(old).String(); old != urlcore.Redact(m.URL).String() {
			lines = without(lines, m.URL) // m replaces the bookmark of old
		}
		return put(lines, urlcore.Redact(old).String(), m)
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
		var sections sections
		for _, m := range list {
			if name := urlcore.Redact(m.URL).String(); !known[name] && len(name) <= MaxURL {
				known[name] = true
				sections.add(m)
				added++
			}
		}
		for _, s := range sections {
			lines = insert(lines, s.folder, s.lines)
		}
		return lines
	})
	return added, err
}

// sections holds new lines by folder, in the order in which the folders were added.
type sections []section

type section struct {
	folder string
	lines  [][]byte
}

func (s *sections) add(m Bookmark) {
	folder := cleanFolder(m.Folder)
	i := slices.IndexFunc(*s, func(s section) bool { return s.folder == folder })
	if i < 0 {
		i = len(*s)
		*s = append(*s, section{folder: folder})
	}
	(*s)[i].lines = append((*s)[i].lines, []byte(lineOf(m)+"\n"))
}

// lineOf returns the line of a bookmark without its line end.
func lineOf(m Bookmark) string {
	return strings.TrimRight(urlcore.Redact(m.URL).String()+" "+m.Text(), " ")
}

// put replaces the bookmark of old by m, or adds m to its folder.
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
	return insert(lines, want, [][]byte{[]byte(lineOf(m) + "\n")})
}

// insert adds new lines at the end of a folder. A new folder goes after the last folder with
// the same parent, or to the end of the file.
func insert(lines [][]byte, folder string, fresh [][]byte) [][]byte {
	place, beside, current, headed := -1, len(lines), "", false
	top, _, _ := strings.Cut(folder, "/")
	if folder == "" {
		place = 0
	}
	for i, line := range lines {
		name, heading := parseHeading(line)
		if heading {
			current, headed = name, true
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if current == folder && (folder != "" || !headed) {
			place = i + 1
		}
		if inFolder(current, top) && top != "" {
			beside = i + 1
		}
	}
	if place < 0 {
		place = beside
		fresh = append([][]byte{[]byte("## " + folder + "\n")}, fresh...)
		if place > 0 {
			fresh = append([][]byte{{'\n'}}, fresh...)
		}
	}
	lines = slices.Clone(lines)
	if place > 0 && lineEnd(lines[place-1]) == "" {
		lines[place-1] = append(bytes.Clone(lines[place-1]), '\n')
	}
	return slices.Insert(lines, place, fresh...)
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
	return b.change(func(lines [][]byte) [][]byte { return without(lines, u) })
}

func without(lines [][]byte, u urlcore.URL) [][]byte {
	name := urlcore.Redact(u).String()
	kept := make([][]byte, 0, len(lines))
	for _, line := range lines {
		if m, ok := parseBookmark(line); !ok || m.URL.String() != name {
			kept = append(kept, line)
		}
	}
	return kept
}

// RenameFolder renames a folder and thereby the folders inside it. If the folder to exists,
// they are merged.
func (b *Store) RenameFolder(from, to string) error {
	from, to = cleanFolder(from), cleanFolder(to)
	if b == nil || from == "" {
		return nil
	}
	if to == "" {
		return b.wrap(errors.New("a folder needs a name"))
	}
	return b.change(func(lines [][]byte) [][]byte {
		for i, line := range lines {
			if name, ok := parseHeading(line); ok && inFolder(name, from) {
				lines[i] = []byte("## " + to + name[len(from):] + lineEnd(line))
			}
		}
		return lines
	})
}

// RemoveFolder removes a folder, the folders inside it and their bookmarks. It returns the
// number of removed bookmarks. Comments and lines that are no bookmarks stay.
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

// change is the content of the file before and after a change.
type change struct{ before, after []byte }

// The limits of the changes that can be undone: their number and their octets.
const maxChanges, maxChangeBytes = 50, 32 << 20

func (b *Store) noteChange(before, after []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes = append(b.changes, change{before, after})
	size := 0
	for i, c := range slices.Backward(b.changes) {
		size += len(c.before) + len(c.after)
		if len(b.changes)-i > maxChanges || size > maxChangeBytes && i < len(b.changes)-1 {
			b.changes = slices.Delete(b.changes, 0, i+1)
			break
		}
	}
}

// ErrNothingToUndo reports that this process has changed nothing.
var ErrNothingToUndo = errors.New("nothing to undo")

// Undo reverts the last change of this process, unless the file has been changed otherwise
// since then.
func (b *Store) Undo() error {
	if b == nil {
		return ErrNothingToUndo
	}
	undone := func([]byte, []byte) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.changes = b.changes[:len(b.changes)-1]
	}
	return b.rewrite(undone, func(old []byte) ([]byte, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.changes) == 0 {
			return nil, ErrNothingToUndo
		}
		last := b.changes[len(b.changes)-1]
		if !bytes.Equal(old, last.after) {
			return nil, errors.New("the file has been changed since, so nothing was undone")
		}
		return last.before, nil
	})
}
