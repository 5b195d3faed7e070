package external

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// withNames returns res with afs: URLs in place of the file: URLs below the mounted file system.
func (c *Client) withNames(res *protocols.Resource) *protocols.Resource {
	if res == nil {
		return nil
	}
	res.URL = c.nameOf(res.URL)
	if lines := res.Lines; lines != nil {
		res.Lines = func(yield func(protocols.Line, error) bool) {
			for l, err := range lines {
				l.Link = c.nameOf(l.Link)
				if !yield(l, err) {
					return
				}
			}
		}
	}
	return res
}

// nameOf returns the afs: URL of a file of the mounted file system, and any other URL as it is.
func (c *Client) nameOf(u urlcore.URL) urlcore.URL {
	f, _ := u.(urlcore.File)
	root, err := urlcore.NewFile("", strings.Split(c.root()[1:], "/"), "")
	path, below := strings.CutPrefix(f.Path, root.Path)
	if err != nil || !below || f.Host != "" {
		return u
	}
	if name, err := urlcore.Parse("afs://" + path); err == nil {
		return name
	}
	return u
}

// root returns the directory of the Andrew File System.
func (c *Client) root() string { return cmp.Or(c.AFS, "/afs") }

// mountedFile returns the file: URL for an afs: URL. If its cell is not mounted, and for any other URL, it returns the error that
// explains the URL. Symbolic links must not lead out of the mounted file system, because anybody can write its cells.
func (c *Client) mountedFile(u urlcore.URL) (urlcore.URL, error) {
	g, _ := u.(urlcore.Generic)
	s, rest, server := g.Server()
	root, name := c.root(), urlcore.Lookup{Path: rest}.Query()
	if g.Name != "afs" || !server || strings.Trim(s.Host, ".") == "" || s.HasUser || s.Port != 0 || strings.ContainsRune(name, 0) {
		return nil, explainError(u)
	}
	if _, err := os.Stat(path.Join(root, s.Host)); err != nil {
		return nil, explainError(u)
	}
	full := path.Join(root, s.Host, path.Clean("/"+name))
	info, err := os.Stat(full)
	if err == nil && !isBelow(full, root) {
		return nil, protocols.NewError(protocols.Unsupported, "open "+u.String(), "a symbolic link leads out of "+root)
	}
	segments := strings.Split(strings.TrimPrefix(full, "/"), "/")
	last := len(segments) - 1
	dirs, file := segments[:last], segments[last]
	if err == nil && info.IsDir() {
		dirs, file = segments, ""
	}
	return urlcore.NewFile("", dirs, file)
}

// isBelow reports whether a file is below the directory root when all symbolic links are followed.
func isBelow(file, root string) bool {
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		return false
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return false
	}
	inside, err := filepath.Rel(root, file)
	return err == nil && filepath.IsLocal(inside)
}
