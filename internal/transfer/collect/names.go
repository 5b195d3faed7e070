package collect

import (
	"io/fs"
	"path"
	"strings"

	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
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

// uniqueName returns a name in a folder that is no name of an entry.
func (c *Collector) uniqueName(dir, name string) string {
	return c.unique(strings.TrimPrefix(dir+"/"+name, "/"))
}

// unique returns name, or name with a number if an entry has the name already. The result is a valid path.
func (c *Collector) unique(name string) string {
	dir, last := path.Split(validPath(name))
	n := dir + last
	for base := strings.ToLower(n); c.taken[strings.ToLower(n)]; { // ends: each number makes another name
		c.numbers[base]++
		n = dir + download.NumberedName(last, c.numbers[base])
	}
	c.taken[strings.ToLower(n)] = true
	return n
}

// validPath returns name as an [fs.ValidPath]: with "_" in place of octets that are not UTF-8, and of elements that a path
// must not have.
func validPath(name string) string {
	elements := strings.Split(strings.ToValidUTF8(name, "_"), "/")
	for i, e := range elements {
		if e == "." || !fs.ValidPath(e) {
			elements[i] = "_"
		}
	}
	return strings.Join(elements, "/")
}
