package demo

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

// Limits of a search.
const (
	gopherMaxHits     = 200
	gopherMaxSearched = 4 << 20 // octets read from one file
)

// gopherMapName is the name of the file that describes its directory.
const gopherMapName = "gophermap"

// sendDirectory sends the menu of the directory called name.
func (s *GopherServer) sendDirectory(w *bufio.Writer, name, hostPort string) {
	text, err := fs.ReadFile(s.root, path.Join(name, gopherMapName))
	switch {
	case err == nil:
		s.sendGophermap(w, name, string(text), hostPort)
	case errors.Is(err, fs.ErrNotExist):
		s.sendListing(w, name, hostPort)
	default:
		gopherError(w, "'"+name+"' cannot be read")
		return
	}
	_, _ = w.WriteString(".\r\n")
}

// sendGophermap sends the menu of a gophermap file in the common dialect. A line without a tab is
// info text, and a line that begins with # is a comment. A line "*" is replaced by the listing of
// dir, and a line "." ends the file. An item without a host is on this server: its selector is
// relative to dir, and its title is the default selector. The default port of another host is 70.
func (s *GopherServer) sendGophermap(w *bufio.Writer, dir, text, hostPort string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == ".":
			return
		case line == "*":
			s.sendListing(w, dir, hostPort)
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
			_, _ = w.WriteString(f[0] + "\t" + f[1] + hostPort)
			continue
		}
		f[3] = cmp.Or(f[3], "70")
		_, _ = w.WriteString(strings.Join(f, "\t") + "\r\n")
	}
}

// gopherSelector returns the complete selector of an item without a host in the gophermap of dir.
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

// sendListing sends a menu line for each entry of the directory called name.
func (s *GopherServer) sendListing(w *bufio.Writer, name, hostPort string) {
	entries, err := fs.ReadDir(s.root, name)
	if err != nil {
		gopherError(w, "'"+name+"' cannot be read")
		return
	}
	for _, e := range entries {
		base := e.Name()
		if base == gopherMapName || strings.HasPrefix(base, ".") || strings.ContainsAny(base, "\t\r\n") {
			continue
		}
		file, typ := path.Join(name, base), byte('1')
		if !e.IsDir() {
			typ = gopherType(base, s.readHead(file))
		}
		_, _ = w.WriteString(string(typ) + base + "\t/" + file + hostPort)
	}
}

// sendSearchResults sends a menu of text files that contain all words of the query, in any letter
// case. It sends at most gopherMaxHits files.
func (s *GopherServer) sendSearchResults(w *bufio.Writer, words, hostPort string) {
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
		if gopherType(name, s.readHead(name)) != '0' || e.Name() == gopherMapName {
			return nil
		}
		line, found := s.findWords(name, wanted)
		if !found {
			return nil
		}
		_, _ = w.WriteString("0" + name + "\t/" + name + hostPort)
		_, _ = w.WriteString("i    " + cleanMenuField(line) + "\tfake\t(NULL)\t0\r\n")
		hits++
		if hits == gopherMaxHits {
			return fs.SkipAll
		}
		return nil
	})
	if hits == 0 {
		_, _ = w.WriteString("iNothing found for: " + cleanMenuField(words) + "\tfake\t(NULL)\t0\r\n")
	}
	_, _ = w.WriteString(".\r\n")
}

// findWords reports whether the file contains all of words, which must be in lower case. The result
// line is the first line that contains words[0].
func (s *GopherServer) findWords(name string, words []string) (line string, ok bool) {
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

// readHead returns the first 512 octets of a file.
func (s *GopherServer) readHead(name string) []byte {
	f, err := s.root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, 512)
	n, _ := io.ReadFull(f, b)
	return b[:n]
}

// suffixes maps item types to the suffixes of file names.
var suffixes = map[byte]string{
	'0': ".txt .md .asc", 'g': ".gif", 'I': ".png .jpg .jpeg .webp .bmp", 's': ".wav .mp3 .ogg .flac .au",
	';': ".mpg .mp4 .avi .mov .webm", 'h': ".html .htm", 'd': ".pdf .ps .doc .odt .rtf", '5': ".zip .arj .lzh",
	'9': ".gz .bz2 .xz .tar .tgz .zst .bin .exe",
}

// gopherType derives the item type of a file from the suffix of its name, or else from its first
// octets.
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
