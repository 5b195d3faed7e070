// Package bookmarkfile reads and writes the bookmark files of other programs. It does not trust the
// authors of the files: it limits the size of a file and skips texts that are not URLs.
package bookmarkfile

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"gofer/history/bookmarks"
	"gofer/internal/userfile"
	"gofer/urlcore"
)

// MaxSize bounds the size of a file that is read, in octets.
const MaxSize = 16 << 20

const maxDepth = 16 // largest depth of folders; bookmarks in deeper folders go to the folder at this depth

// format is a format of bookmark files. The function write gets bookmarks whose titles have one line.
// The function read passes the text of each URL to its parameter keep, without parsing the URL.
type format struct {
	name, about string
	write       func(w *bufio.Writer, list []bookmarks.Bookmark)
	read        func(data []byte, keep func(url string, b bookmarks.Bookmark)) error
}

var formats = [...]format{
	{"text", "gofer's own", writeText, readText},
	{"gophermap", "a menu to publish; the bookmarks of phetch", writeGophermap, readGophermap},
	{"xbel", "XML Bookmark Exchange Language: Amfora, elinks, Konqueror", writeXBEL, readXBEL},
	{"html", "Netscape bookmarks: what web browsers export and import", writeHTML, readHTML},
	{"lynx", "a bookmark file of Lynx, without folders", writeLynx, readHTML},
	{"bombadillo", "the bookmarks in .bombadillo.ini, without folders", writeBombadillo, readBombadillo},
	{"lagrange", "bookmarks.ini of Lagrange", writeLagrange, readLagrange},
	{"gemtext", "a text/gemini page of links", writeGemtext, readGemtext},
	{"opml", "an outline of links: feed readers", writeOPML, readOPML},
}

func formatOf(name string) (format, error) {
	for _, f := range formats {
		if f.name == name {
			return f, nil
		}
	}
	return format{}, fmt.Errorf("unknown format %q: use %s", name, strings.Join(Names(), ", "))
}

// Names returns the names of the formats; the first is gofer's own.
func Names() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Help returns a text with a line for each format: its name and what it is.
func Help() string {
	var lines []string
	for _, f := range formats {
		lines = append(lines, fmt.Sprintf("  %-10s  %s", f.name, f.about))
	}
	return strings.Join(lines, "\n")
}

// Write writes the bookmarks in the named format, without passwords.
func Write(w io.Writer, name string, list []bookmarks.Bookmark) error {
	f, err := formatOf(name)
	if err != nil {
		return err
	}
	buf := bufio.NewWriter(w)
	f.write(buf, list)
	return buf.Flush()
}

// Read reads bookmarks in the named format. If name is "", Read guesses the format. The result skipped
// is the number of entries without a valid URL.
func Read(r io.Reader, name string) (list []bookmarks.Bookmark, skipped int, err error) {
	return read(r, name, readOPML)
}

// ReadFollowed is like Read, but an entry of an OPML file with both a feed and a page leads to the feed.
func ReadFollowed(r io.Reader, name string) (list []bookmarks.Bookmark, skipped int, err error) {
	return read(r, name, readOPMLFeeds)
}

// WriteFollowed writes an OPML file. Those for which isFeed returns true are feeds, which feed readers import.
func WriteFollowed(w io.Writer, list []bookmarks.Bookmark, isFeed func(u urlcore.URL) bool) error {
	buf := bufio.NewWriter(w)
	writeOutline(buf, list, "Followed pages", func(b *bookmarks.Bookmark) string {
		if isFeed(b.URL) {
			return `type="rss" xmlUrl`
		}
		return outlineLink
	})
	return buf.Flush()
}

func read(r io.Reader, name string, readOPML func([]byte, func(string, bookmarks.Bookmark)) error) (list []bookmarks.Bookmark, skipped int, err error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	switch {
	case err != nil:
		return nil, 0, err
	case len(data) > MaxSize:
		return nil, 0, fmt.Errorf("it has more than %d MiB", MaxSize>>20)
	}
	data = bytes.TrimPrefix(data, []byte(userfile.BOM))
	if name == "" {
		name = guessFormat(data)
	}
	keep := func(text string, b bookmarks.Bookmark) {
		text = strings.TrimSpace(text)
		u, err := urlcore.Parse(text)
		if err != nil || slices.Contains([]string{"javascript", "vbscript", "data"}, u.Scheme()) { // scripts and contents of web browsers, not addresses
			skipped++
			return
		}
		b.URL = urlcore.Outward(u)
		b.Fragment = urlcore.WrittenFragment(text)
		if len(b.Tags) == 0 {
			b.Title, b.Tags = bookmarks.SplitTags(b.Title)
		}
		if b.Title == reference(&b) { // titleOf writes the URL in place of a missing title
			b.Title = ""
		}
		list = append(list, b)
	}
	f, err := formatOf(name)
	if err != nil {
		return nil, 0, err
	}
	if f.name == "opml" {
		f.read = readOPML
	}
	err = f.read(data, keep)
	return list, skipped, err
}

var lagrangeTable = regexp.MustCompile(`(?m)^\[\d+\]\s*$`)

func guessFormat(data []byte) string {
	head := strings.ToLower(string(data[:min(len(data), 4096)]))
	switch {
	case strings.Contains(head, "<xbel"):
		return "xbel"
	case strings.Contains(head, "<opml"):
		return "opml"
	case strings.Contains(head, "<a ") || strings.Contains(head, "netscape-bookmark") || strings.Contains(head, "<html"):
		return "html"
	case strings.Contains(head, "[bookmarks]"):
		return "bombadillo"
	case lagrangeTable.MatchString(head):
		return "lagrange"
	case strings.HasPrefix(head, "=>") || strings.Contains(head, "\n=>"):
		return "gemtext"
	case strings.Count(head, "\t") > strings.Count(head, "\n"):
		return "gophermap"
	}
	return "text"
}

// reference returns the URL of a bookmark with its fragment, without a password.
func reference(b *bookmarks.Bookmark) string { return urlcore.Reference(b.URL, b.Fragment) }

// titleOf returns the title with the tags. If the title is empty, titleOf returns the URL with the
// tags.
func titleOf(b *bookmarks.Bookmark) string {
	named := *b
	if named.Title == "" {
		named.Title = reference(b)
	}
	return named.Text()
}

// walkFolders calls bookmark for each bookmark of the list. If a bookmark is in another folder than the
// previous one, walkFolders first calls leave and enter for the folders that end and begin there.
func walkFolders(list []bookmarks.Bookmark, enter func(name string, depth int), leave func(depth int), bookmark func(b *bookmarks.Bookmark, depth int)) {
	var open []string
	for i := range list {
		var path []string
		if list[i].Folder != "" {
			path = strings.Split(list[i].Folder, "/")
		}
		same := 0
		for same < len(open) && same < len(path) && open[same] == path[same] {
			same++
		}
		for len(open) > same {
			open = open[:len(open)-1]
			leave(len(open))
		}
		for _, name := range path[same:] {
			enter(name, len(open))
			open = append(open, name)
		}
		bookmark(&list[i], len(open))
	}
	for len(open) > 0 {
		open = open[:len(open)-1]
		leave(len(open))
	}
}

// folders holds the open folders while a file is read.
type folders struct {
	names []string
	depth int // number of open folders, including folders deeper than maxDepth
}

func (f *folders) enter(name string) {
	if f.depth++; f.depth <= maxDepth {
		name = strings.ReplaceAll(strings.Join(strings.Fields(name), " "), "/", "-")
		f.names = append(f.names, name)
	}
}

func (f *folders) leave() {
	if f.depth == 0 {
		return
	}
	f.depth--
	f.names = f.names[:min(len(f.names), f.depth)]
}

func (f *folders) String() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(f.names), func(name string) bool { return name == "" }), "/")
}
