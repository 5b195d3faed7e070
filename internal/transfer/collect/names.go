package collect

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"gofer/internal/text/document"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// nameOf returns the name for u, as a download gets it.
func (c *Collector) nameOf(u urlcore.URL) string {
	var names mirror.Names
	if c.m.ReadingOf != nil {
		names.Chosen = c.m.ReadingOf(u).Charset
	}
	return download.ProposeName(u, "", &names)
}

// withSuffix returns the name of the document u with the usual suffix of its media type, if it has no suffix. The name of a
// host has none, nor has that of an HTML page one that says something else, as ".php".
func withSuffix(u urlcore.URL, name, media string) string {
	known, _ := protocols.BySuffix(name)
	isHost := document.FileName(u) == ""
	suffix := protocols.SuffixOf(media)
	switch {
	case isHost:
	case known != "", suffix == ".bin", path.Ext(name) != "" && !document.IsHTML(media):
		return name
	}
	return name + suffix
}

// unique returns name, or name with a number if an entry has the name already. The result is a valid path.
func (c *Collector) unique(name string) string { return c.takeName(name, download.NumberedName) }

// uniqueFolder is like unique, for a folder: what follows a dot in its name, as in that of a host, is no suffix.
func (c *Collector) uniqueFolder(name string) string {
	return c.takeName(name, func(name string, n int) string { return fmt.Sprintf("%s(%d)", name, n) })
}

func (c *Collector) takeName(name string, numbered func(string, int) string) string {
	dir, last := path.Split(validPath(name))
	n := dir + last
	for base := strings.ToLower(n); c.taken[strings.ToLower(n)]; { // ends: each number makes another name
		c.numbers[base]++
		n = dir + numbered(last, c.numbers[base])
	}
	c.taken[strings.ToLower(n)] = true
	return n
}

// maxTitle is the length of the beginning of a document that has its title, in octets.
const maxTitle = 64 << 10

// describe returns h with the title and the media type that the document in the given file has on the screen.
func describe(h protocols.Head, file string) protocols.Head {
	f, err := os.Open(file)
	if err != nil {
		return h // the file is opened again to save it
	}
	defer f.Close()
	first, _ := io.ReadAll(io.LimitReader(f, maxTitle))
	doc, err := document.Open(h, bytes.NewReader(first))
	if err != nil {
		return h
	}
	doc.Wait(func() {})
	return doc.Head
}

// validPath returns name as an [fs.ValidPath] whose elements are names on any system: an archive is unpacked also where a backslash
// or a drive leads out of the directory.
func validPath(name string) string {
	elements := strings.Split(strings.ToValidUTF8(name, "_"), "/")
	for i, e := range elements {
		elements[i] = download.PortableName(e)
	}
	return strings.Join(elements, "/")
}
