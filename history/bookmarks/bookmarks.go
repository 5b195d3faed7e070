// Package bookmarks reads and changes the text file of bookmarks, which users may edit
// by hand.
package bookmarks

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gofer/internal/userfile"
	"gofer/urlcore"
)

// MaxURL and maxTitle are the largest lengths, in octets, of the URL and the title of a bookmark or
// a visit.
const MaxURL, maxTitle = 16 << 10, 512

// maxBookmarks is the largest size of the file of bookmarks, in octets.
const maxBookmarks = 16 << 20

// Store is a text file of bookmarks that users can edit. Each line has a URL and, after a blank, a
// title and optional tags, "#like #this". A line "## Name" begins a folder, and "## Name/Part" a
// folder inside it. "#" begins a comment. Other lines and a byte order mark are kept byte for byte.
//
// Several processes may share the file. A change is made under a lock and replaces the whole file.
// If the path is a symbolic link, its target is replaced. A Store is safe for concurrent use. A nil
// *Store is empty and stores nothing; Create and Merge must not be called on it.
type Store struct {
	path   string
	latest *Change // where the latest change is stored, or nil
}

// Bookmark is one line of a Store.
type Bookmark struct {
	URL   urlcore.URL
	Title string // UTF-8 on one line, perhaps empty
	// Fragment is the place in the page of the URL, or "". There is one bookmark for each URL.
	Fragment string
	Folder   string   // the heading above the bookmark, "Name/Part"; may be empty
	Tags     []string // without "#" and blanks
}

// Open returns the bookmarks in the file at path, or nil if path is empty. The file need not exist. Open
// does not read it.
func Open(path string) *Store {
	if path == "" {
		return nil
	}
	return &Store{path: path}
}

// File returns the path of the file, or "" if b is nil.
func (b *Store) File() string {
	if b == nil {
		return ""
	}
	return b.path
}

// beginning is the text of a new file before the user edits it.
const beginning = `# Bookmarks of gofer: on each line a URL, a blank, a title and perhaps tags.
# A line "## Name" begins a folder. For example:
# gopher://gopher.example.org/ A place to return to #like #this

`

// Create creates the file if it does not exist. A comment in the new file explains the format.
func (b *Store) Create() error {
	if _, err := os.Lstat(b.path); err == nil {
		return nil
	}
	return b.rewrite(func(old []byte) ([]byte, error) {
		if len(old) > 0 {
			return old, nil
		}
		return []byte(beginning), nil
	})
}

// List reads the bookmarks in the order of the file.
func (b *Store) List() ([]Bookmark, error) {
	data, err := b.read()
	var list []Bookmark
	folder := ""
	for line := range bytes.Lines(data) {
		if name, ok := parseHeading(line); ok {
			folder = name
		}
		if m, ok := parseBookmark(line); ok {
			m.Folder = folder
			list = append(list, m)
		}
	}
	return list, err
}

// read returns the text of the file without its byte order mark.
func (b *Store) read() ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	data, err := userfile.Read(b.path, maxBookmarks)
	if err != nil {
		return nil, b.wrap(err)
	}
	return withoutBOM(data), nil
}

// SkippedLines holds the numbers, from 1, of lines that List skips or changes. The lines stay in the
// file byte for byte.
type SkippedLines struct {
	Invalid   []int // neither a bookmark nor a heading, comment or blank line
	Passwords []int // bookmarks whose URL has a password; List removes the password
}

// SkippedLines returns the lines that List skips or changes.
func (b *Store) SkippedLines() (SkippedLines, error) {
	var skipped SkippedLines
	data, err := b.read()
	n := 0
	for line := range bytes.Lines(data) {
		n++
		u, _, ok := splitBookmark(line)
		text := bytes.TrimSpace(line)
		switch {
		case ok && urlcore.Redact(u) != u:
			skipped.Passwords = append(skipped.Passwords, n)
		case !ok && len(text) > 0 && text[0] != '#':
			skipped.Invalid = append(skipped.Invalid, n)
		}
	}
	return skipped, err
}

// change applies edit to the lines of the file, including their line ends.
func (b *Store) change(edit func(lines [][]byte) [][]byte) error {
	return b.rewrite(func(old []byte) ([]byte, error) {
		var lines [][]byte
		text := withoutBOM(old)
		for line := range bytes.Lines(text) {
			lines = append(lines, line)
		}
		return slices.Concat(old[:len(old)-len(text)], bytes.Join(edit(lines), nil)), nil
	})
}

// rewrite replaces the content of the file with the result of edit.
func (b *Store) rewrite(edit func(old []byte) ([]byte, error)) error {
	var before, after []byte
	err := userfile.Change(b.path, maxBookmarks, func(old []byte) (data []byte, err error) {
		before = old
		after, err = edit(old)
		return after, err
	})
	if err == nil && b.latest != nil && !bytes.Equal(before, after) {
		*b.latest = Change{before, after}
	}
	return b.wrap(err)
}

func (b *Store) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("bookmarks %s: %w", b.path, err)
}

func withoutBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte(userfile.BOM)) }

func parseHeading(line []byte) (string, bool) {
	name, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "##")
	if !ok {
		return "", false
	}
	return cleanFolder(strings.TrimLeft(name, "#")), true
}

// cleanFolder returns the name of a folder in the form "Name/Part".
func cleanFolder(name string) string {
	parts := strings.Split(NormalizeTitle(name), "/")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "/")
}

// parseBookmark parses one line. The URL is as [urlcore.Outward] returns it.
func parseBookmark(line []byte) (Bookmark, bool) {
	u, title, ok := splitBookmark(line)
	if !ok {
		return Bookmark{}, false
	}
	m := Bookmark{URL: urlcore.Outward(u)}
	if words := strings.Fields(string(line)); len(words) > 0 {
		m.Fragment = urlcore.WrittenFragment(words[0])
	}
	m.Title, m.Tags = SplitTags(NormalizeTitle(title))
	return m, true
}

// SplitTags splits text into a title and the tags at its end. A tag is a word that begins with "#"
// and a letter, and has no other "#".
func SplitTags(text string) (title string, tags []string) {
	words := strings.Fields(text)
	n := len(words)
	for n > 0 && isTag(words[n-1]) {
		n--
	}
	for _, w := range words[n:] {
		if !slices.Contains(tags, w[1:]) {
			tags = append(tags, w[1:])
		}
	}
	return strings.Join(words[:n], " "), tags
}

func isTag(word string) bool {
	rest, ok := strings.CutPrefix(word, "#")
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && unicode.IsLetter(first) && !strings.Contains(rest, "#")
}

// Text returns the title and the tags as they are written in the file.
func (m *Bookmark) Text() string {
	text := m.Title
	for _, tag := range m.Tags {
		if tag = "#" + strings.Trim(NormalizeTitle(tag), "#"); isTag(tag) && !strings.Contains(tag, " ") {
			text += " " + tag
		}
	}
	return NormalizeTitle(text)
}

// splitBookmark splits one line into a URL and a title. The result ok is false if the first word is
// not a URL, is only a scheme ("Note: ..."), or is longer than MaxURL.
func splitBookmark(line []byte) (u urlcore.URL, title string, ok bool) {
	text := strings.TrimSpace(string(line))
	if text == "" || text[0] == '#' {
		return nil, "", false
	}
	word := text
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		word, title = text[:i], text[i:]
	}
	if i := strings.IndexByte(word, ':'); i < 1 || i == len(word)-1 || len(word) > MaxURL {
		return nil, "", false
	}
	u, err := urlcore.Parse(word)
	return u, title, err == nil
}

// lineEnd returns the line end of line: LF, CR LF or none.
func lineEnd(line []byte) string {
	switch {
	case bytes.HasSuffix(line, []byte("\r\n")):
		return "\r\n"
	case bytes.HasSuffix(line, []byte("\n")):
		return "\n"
	}
	return ""
}

// NormalizeTitle converts s to one line of valid UTF-8 of at most maxTitle octets, without control
// characters and with single blanks.
func NormalizeTitle(s string) string {
	if len(s) > 4*maxTitle {
		s = s[:4*maxTitle]
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxTitle {
		return s
	}
	s = s[:maxTitle]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s
}
