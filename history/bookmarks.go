// Package history remembers where the reader has been and what is worth returning
// to: the visits in a SQLite database that several running programs share, and
// the bookmarks in a text file that a person can edit.
package history

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gofer/internal/userfile"
	"gofer/urlcore"
)

// maxBookmarks bounds the file of bookmarks, in octets.
const maxBookmarks = 16 << 20

// Bookmarks is a text file that a person can edit: on each line a URL and,
// after a blank, a title. A line "## Name" begins a folder; "#" begins a
// comment. Lines that are none of this are kept byte for byte,
// and so is a byte order mark. Several running
// programs may share the file: a change is made under a lock and replaces the
// file as a whole, and what a symbolic link names is changed, not the link. It
// is safe for concurrent use; a nil *Bookmarks is empty and keeps nothing.
type Bookmarks struct{ path string }

// Bookmark is one line of Bookmarks.
type Bookmark struct {
	URL    urlcore.URL
	Title  string // UTF-8 on one line, perhaps empty
	Folder string // the heading it stands under, perhaps empty
}

// OpenBookmarks returns the bookmarks in the file at path, which need not
// exist. It does not read it yet.
func OpenBookmarks(path string) *Bookmarks {
	if path == "" {
		return nil
	}
	return &Bookmarks{path}
}

// List reads the bookmarks in the order of the file.
func (b *Bookmarks) List() ([]Bookmark, error) {
	if b == nil {
		return nil, nil
	}
	data, err := userfile.Read(b.path, maxBookmarks)
	if err != nil {
		return nil, b.wrap(err)
	}
	var list []Bookmark
	folder := ""
	for line := range bytes.Lines(withoutBOM(data)) {
		if name, ok := parseHeading(line); ok {
			folder = name
		}
		if m, ok := parseBookmark(line); ok {
			m.Folder = folder
			list = append(list, m)
		}
	}
	return list, nil
}

// SkippedLines are lines of the file, by their numbers from 1, that List does not
// take as they are. They are kept byte for byte all the same.
type SkippedLines struct {
	Unread    []int // neither a bookmark nor a heading, comment or blank line
	Passwords []int // bookmarks whose URL holds a password, which List leaves out
}

// SkippedLines reads the file for what List leaves out.
func (b *Bookmarks) SkippedLines() (SkippedLines, error) {
	var skipped SkippedLines
	if b == nil {
		return skipped, nil
	}
	data, err := userfile.Read(b.path, maxBookmarks)
	if err != nil {
		return skipped, b.wrap(err)
	}
	n := 0
	for line := range bytes.Lines(withoutBOM(data)) {
		n++
		u, _, ok := splitBookmark(line)
		text := bytes.TrimSpace(line)
		switch {
		case ok && urlcore.Redact(u) != u:
			skipped.Passwords = append(skipped.Passwords, n)
		case !ok && len(text) > 0 && text[0] != '#':
			skipped.Unread = append(skipped.Unread, n)
		}
	}
	return skipped, nil
}

// Has reports whether u is bookmarked: the canonical texts decide, for the type
// of a URL whose scheme urlcore does not read is not in the file.
func (b *Bookmarks) Has(u urlcore.URL) (bool, error) {
	list, err := b.List()
	if u == nil || err != nil {
		return false, err
	}
	name := urlcore.Redact(u).String()
	for _, m := range list {
		if m.URL.String() == name {
			return true, nil
		}
	}
	return false, nil
}

// Add bookmarks u, in front of the first folder. If it is bookmarked already,
// only its title changes, unless title is empty. The password of u is not
// written.
func (b *Bookmarks) Add(u urlcore.URL, title string) error {
	if b == nil || u == nil {
		return nil
	}
	name := urlcore.Redact(u).String()
	text := strings.TrimRight(name+" "+oneLine(title, maxTitle), " ")
	return b.change(func(lines [][]byte) [][]byte {
		found, place, headed := false, 0, false
		for i, line := range lines {
			if _, ok := parseHeading(line); ok {
				headed = true
			}
			if !headed && len(bytes.TrimSpace(line)) > 0 {
				place = i + 1
			}
			if m, ok := parseBookmark(line); ok && m.URL.String() == name {
				found = true
				if title != "" {
					lines[i] = []byte(text + lineEnd(line))
				}
			}
		}
		if found {
			return lines
		}
		if place > 0 && lineEnd(lines[place-1]) == "" {
			lines[place-1] = append(bytes.Clone(lines[place-1]), '\n')
		}
		grown := append([][]byte{}, lines[:place]...)
		grown = append(grown, []byte(text+"\n"))
		return append(grown, lines[place:]...)
	})
}

// Remove removes u from the bookmarks; it need not be there.
func (b *Bookmarks) Remove(u urlcore.URL) error {
	if b == nil || u == nil {
		return nil
	}
	name := urlcore.Redact(u).String()
	return b.change(func(lines [][]byte) [][]byte {
		kept := make([][]byte, 0, len(lines))
		for _, line := range lines {
			if m, ok := parseBookmark(line); !ok || m.URL.String() != name {
				kept = append(kept, line)
			}
		}
		return kept
	})
}

// change reads the file, lets edit work on its lines, which keep their line
// ends, and replaces the file, all under one lock.
func (b *Bookmarks) change(edit func(lines [][]byte) [][]byte) error {
	target, err := resolve(b.path)
	if err != nil {
		return b.wrap(err)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return b.wrap(err)
	}
	lock, err := lockFor(context.Background(), target)
	if err != nil {
		return b.wrap(err)
	}
	defer lock.Unlock()
	old, err := userfile.Read(target, maxBookmarks)
	if err != nil {
		return b.wrap(err)
	}
	var lines [][]byte
	text := withoutBOM(old)
	for line := range bytes.Lines(text) {
		lines = append(lines, line)
	}
	data := slices.Concat(old[:len(old)-len(text)], bytes.Join(edit(lines), nil))
	if bytes.Equal(data, old) {
		return nil
	}
	return b.wrap(userfile.Replace(target, data))
}

func (b *Bookmarks) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("bookmarks %s: %w", b.path, err)
}

// resolve follows the symbolic links at path, whose end need not exist.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range 40 {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path, nil
}

func withoutBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte(userfile.BOM)) }

func parseHeading(line []byte) (string, bool) {
	name, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "##")
	return oneLine(strings.TrimLeft(name, "#"), maxTitle), ok
}

// parseBookmark reads one line; the URL is without its password.
func parseBookmark(line []byte) (Bookmark, bool) {
	u, title, ok := splitBookmark(line)
	if !ok {
		return Bookmark{}, false
	}
	return Bookmark{URL: urlcore.Redact(u), Title: oneLine(title, maxTitle)}, true
}

// splitBookmark takes one line apart. A first word that is no URL, or a scheme
// with nothing after it ("Note: ..."), is no bookmark.
func splitBookmark(line []byte) (u urlcore.URL, title string, ok bool) {
	text := strings.TrimSpace(string(line))
	if text == "" || text[0] == '#' {
		return nil, "", false
	}
	word := text
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		word, title = text[:i], text[i:]
	}
	if i := strings.IndexByte(word, ':'); i < 1 || i == len(word)-1 || len(word) > maxURL {
		return nil, "", false
	}
	u, err := urlcore.Parse(word)
	return u, title, err == nil
}

// lineEnd returns the line end that line has: LF, CR LF or none.
func lineEnd(line []byte) string {
	switch {
	case bytes.HasSuffix(line, []byte("\r\n")):
		return "\r\n"
	case bytes.HasSuffix(line, []byte("\n")):
		return "\n"
	}
	return ""
}
