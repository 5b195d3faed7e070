package file

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

// findGophermap returns the name of the file with the menu of the directory dir, or "". The function stat describes a
// file. findGophermap does not list the directory, because a menu may have many items that lead to large directories.
func findGophermap(dir string, stat func(path string) (fs.FileInfo, error)) string {
	for _, name := range protocols.MenuFiles() {
		if info, err := stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// findNamedGophermap returns the name of the only file NAME.gophermap in the directory dir, or "".
func findNamedGophermap(dir string) string {
	found, _ := filepath.Glob(filepath.Join(escapeGlob(dir), "*.gophermap"))
	if len(found) == 1 {
		return filepath.Base(found[0])
	}
	return ""
}

// escapeGlob returns the pattern that matches only path.
func escapeGlob(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}

// maxParents is the largest number of directories above a gophermap that may belong to its tree.
const maxParents = 32

// menuTree finds the local files of the items of a gophermap. The tree of a gophermap is the topmost directory that is
// reached from the gophermap through directories with gophermaps: a mirror has one in each directory, and its
// selectors begin at its top. No directory above the index of a mirror and none that another user may write to is of
// the tree. No item leads out of the tree, neither by ".." nor by a symbolic link.
type menuTree struct {
	dirs     []string // the directory of the gophermap, and its parents up to the top of the tree
	isMirror bool     // the top of the tree has the index of a mirror
}

func newMenuTree(gophermap string) menuTree {
	dir := filepath.Dir(gophermap)
	t := menuTree{dirs: []string{dir}}
	start, err := os.Stat(gophermap)
	for range maxParents {
		if _, indexErr := os.Lstat(filepath.Join(dir, mirrorIndex)); indexErr == nil {
			t.isMirror = true
			break
		}
		parent := filepath.Dir(dir)
		if err != nil || parent == dir || !isMenuOf(start, parent) {
			break
		}
		dir = parent
		t.dirs = append(t.dirs, dir)
	}
	return t
}

// mirrorIndex is the name of the index at the top of a mirror.
const mirrorIndex = ".gofer-mirror.json"

// isMenuOf reports whether the directory dir has a gophermap, and only the owner of the file start and root may write
// to both.
func isMenuOf(start fs.FileInfo, dir string) bool {
	name := findGophermap(dir, os.Stat)
	if name == "" {
		return false
	}
	menu, menuErr := os.Stat(filepath.Join(dir, name))
	info, err := os.Stat(dir)
	return errors.Join(menuErr, err) == nil && userfile.IsClosed(menu, start) && userfile.IsClosed(info, start)
}

// item returns the URL of the file or directory that a selector names, or nil if there must be no link to it. A
// selector that begins with a slash begins at the top of a mirror, or otherwise at the nearest directory of the tree that
// has such a file. A directory with a gophermap is opened as its menu.
func (t menuTree) item(typ byte, selector string) urlcore.URL {
	if strings.IndexByte("278T+", typ) >= 0 || strings.Contains(selector, "\x00") { // items of a server
		return nil
	}
	top := t.dirs[len(t.dirs)-1]
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil
	}
	defer root.Close()
	from := t.dirs[:1]
	if strings.HasPrefix(selector, "/") {
		from = slices.Clone(t.dirs)
	}
	if t.isMirror {
		slices.Reverse(from)
	}
	missing := ""
	for _, dir := range from {
		name, err := filepath.Rel(top, filepath.Join(dir, filepath.FromSlash(selector)))
		if err != nil || !filepath.IsLocal(name) {
			continue
		}
		info, err := root.Stat(name)
		switch {
		case err == nil && (info.IsDir() || info.Mode().IsRegular()):
			return itemURL(root, name, info.IsDir())
		case errors.Is(err, fs.ErrNotExist) && missing == "":
			missing = name
		}
	}
	if missing == "" {
		return nil
	}
	return itemURL(root, missing, false)
}

// itemURL returns the URL of the file name below root, the top of the tree, or of the menu of a directory. A gophermap
// that is a link out of the tree is not the menu of its directory.
func itemURL(root *os.Root, name string, isDir bool) urlcore.URL {
	if isDir {
		if gophermap := findGophermap(name, root.Stat); gophermap != "" {
			name, isDir = filepath.Join(name, gophermap), false
		}
	}
	path := filepath.Join(root.Name(), name)
	dirs := strings.Split(strings.TrimPrefix(filepath.ToSlash(path), "/"), "/")
	name = dirs[len(dirs)-1]
	if dirs = dirs[:len(dirs)-1]; isDir {
		dirs, name = append(dirs, name), ""
	}
	u, err := urlcore.NewFile("", dirs, name)
	if err != nil {
		return nil
	}
	return u
}

// menuLine returns the line of a directory that opens its gophermap as a menu.
func (d *directory) menuLine() (protocols.Line, bool) {
	name := cmp.Or(findGophermap(d.path, os.Stat), findNamedGophermap(d.path))
	if name == "" {
		return protocols.Line{}, false
	}
	return protocols.Line{Kind: protocols.Menu, Text: "Read " + name + " as a menu", Link: d.linkTo(name, false)}, true
}
