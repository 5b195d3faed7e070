package loopback

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The limits of a search.
const (
	gopherMaxHits     = 200
	gopherMaxSearched = 4 << 20 // octets of one file
)

// gopherMapName is the file that describes its directory.
const gopherMapName = "gophermap"

// directory sends the menu of the directory name.
func (s *GopherServer) directory(w *bufio.Writer, name, own string) {
	text, err := fs.ReadFile(s.root, path.Join(name, gopherMapName))
	switch {
	case err == nil:
		s.gophermap(w, name, string(text), own)
	case errors.Is(err, fs.ErrNotExist):
		s.listing(w, name, own)
	default:
		gopherError(w, "'"+name+"' cannot be read")
		return
	}
	_, _ = w.WriteString(".\r\n")
}

// gophermap sends the lines of a gophermap file in the common dialect: a line without a tab is
// info text, a line that begins with # a comment; "*" is replaced by the listing of the
// directory, and "." is the end. The default selector is the title; a relative selector begins
// at the directory. The default host and port are those of the server.
func (s *GopherServer) gophermap(w *bufio.Writer, dir, text, own string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == ".":
			return
		case line == "*":
			s.listing(w, dir, own)
			continue
		case strings.HasPrefix(line, "#"):
			continue
		case !strings.Contains(line, "\t"):
			_, _ = w.WriteString("i" + line + "\tfake\t(NULL)\t0\r\n")
			continue
		}
		f := strings.Split(line, "\t")
		for len(f) < 4 {
			f = append(f, "")
		}
		if f[1] == "" && f[2] == "" && len(f[0]) > 0 && f[0][0] != 'i' && f[0][0] != '8' && f[0][0] != 'T' {
			f[1] = f[0][1:]
		}
		if f[2] == "" {
			f[1] = gopherSelector(dir, f[0], f[1])
			_, _ = w.WriteString(f[0] + "\t" + f[1] + own)
			continue
		}
		f[3] = cmp.Or(f[3], "70")
		_, _ = w.WriteString(strings.Join(f, "\t") + "\r\n")
	}
}

// gopherSelector completes the selector of a gophermap's item without a host.
func gopherSelector(dir, title, selector string) string {
	if title == "" || strings.HasPrefix(selector, "/") || strings.HasPrefix(selector, "URL:") {
		return selector
	}
	switch title[0] {
	case 'i', '3', '8', 'T':
		return selector
	}
	return path.Join("/", dir, selector)
}

// listing sends one line for each entry of the directory name.
func (s *GopherServer) listing(w *bufio.Writer, name, own string) {
	entries, err := fs.ReadDir(s.root, name)
	if err != nil {
		gopherError(w, "'"+name+"' cannot be read")
		return
	}
	for _, e := range entries {
		n := e.Name()
		if n == gopherMapName || strings.HasPrefix(n, ".") || strings.ContainsAny(n, "\t\r\n") {
			continue
		}
		at, typ := path.Join(name, n), byte('1')
		if !e.IsDir() {
			typ = gopherType(n, s.head(at))
		}
		_, _ = w.WriteString(string(typ) + n + "\t/" + at + own)
	}
}

// search sends a menu of the texts that hold all words, in any letter case.
func (s *GopherServer) search(w *bufio.Writer, words, own string) {
	wanted := strings.Fields(strings.ToLower(words))
	if len(wanted) == 0 {
		gopherError(w, "say what to search for")
		return
	}
	hits := 0
	_ = fs.WalkDir(s.root, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.ContainsAny(name, "\t\r\n") {
			return nil
		}
		if gopherType(name, s.head(name)) != '0' || e.Name() == gopherMapName {
			return nil
		}
		line, found := s.find(name, wanted)
		if !found {
			return nil
		}
		_, _ = w.WriteString("0" + name + "\t/" + name + own)
		_, _ = w.WriteString("i    " + gopherClean(line) + "\tfake\t(NULL)\t0\r\n")
		hits++
		if hits == gopherMaxHits {
			return fs.SkipAll
		}
		return nil
	})
	if hits == 0 {
		_, _ = w.WriteString("iNothing found for: " + gopherClean(words) + "\tfake\t(NULL)\t0\r\n")
	}
	_, _ = w.WriteString(".\r\n")
}

// find reports whether the file holds all words, and returns its first line with the
// first of them.
func (s *GopherServer) find(name string, words []string) (line string, ok bool) {
	f, err := s.root.Open(name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, gopherMaxSearched))
	if err != nil {
		return "", false
	}
	lower := strings.ToLower(string(text))
	for _, word := range words {
		if !strings.Contains(lower, word) {
			return "", false
		}
	}
	for l := range strings.Lines(string(text)) {
		if strings.Contains(strings.ToLower(l), words[0]) {
			return strings.TrimSpace(l), true
		}
	}
	return "", true
}

// head returns the beginning of a file.
func (s *GopherServer) head(name string) []byte {
	f, err := s.root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, 512)
	n, _ := io.ReadFull(f, b)
	return b[:n]
}

// suffixes are the suffixes of file names by item type.
var suffixes = map[byte]string{
	'0': ".txt .md .asc", 'g': ".gif", 'I': ".png .jpg .jpeg .webp .bmp", 's': ".wav .mp3 .ogg .flac .au",
	';': ".mpg .mp4 .avi .mov .webm", 'h': ".html .htm", 'd': ".pdf .ps .doc .odt .rtf", '5': ".zip .arj .lzh",
	'9': ".gz .bz2 .xz .tar .tgz .zst .bin .exe",
}

// gopherType returns the item type of a file by its name, or else by its
// first octets.
func gopherType(name string, head []byte) byte {
	suffix := strings.ToLower(path.Ext(name))
	for typ, known := range suffixes {
		if slices.Contains(strings.Fields(known), suffix) {
			return typ
		}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return '9'
	}
	return '0'
}
