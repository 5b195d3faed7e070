package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

// Changes are made in a directory that is held open, and not by the path of an item: another user who may write to a directory
// above the item could replace the directory by a link to one of this user at any time.

// The reasons why an item is not the one that the user has seen.
var (
	errReplaced = errors.New("it is not the directory that was listed: list it again")
	errOutside  = errors.New("it is not below the directory that was listed")
	errKind     = errors.New("it is another kind of item than the list shows: list it again")
	errLink     = errors.New("it is a link: change what it leads to")
)

// maxListings limits listings. The oldest one is forgotten first.
const maxListings = 4096

// listings remembers which directories were listed for the user, by path.
type listings struct {
	mu     sync.Mutex
	byPath map[string]fs.FileInfo
	paths  []string // of byPath, the one that was listed first before the others
}

func (l *listings) add(path string, dir fs.FileInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byPath == nil {
		l.byPath = make(map[string]fs.FileInfo)
	}
	path = filepath.Clean(path)
	l.paths = append(slices.DeleteFunc(l.paths, func(p string) bool { return p == path }), path)
	if len(l.paths) > maxListings {
		delete(l.byPath, l.paths[0])
		l.paths = slices.Delete(l.paths, 0, 1)
	}
	l.byPath[path] = dir
}

// allows reports whether the directory dir may be at path: none or this one was listed there last.
func (l *listings) allows(path string, dir fs.FileInfo) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	listed := l.byPath[filepath.Clean(path)]
	return listed == nil || os.SameFile(listed, dir)
}

// forget forgets the directories at and below path, because this program has put another one there.
func (l *listings) forget(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	path = filepath.Clean(path)
	l.paths = slices.DeleteFunc(l.paths, func(p string) bool {
		isBelow := p == path || strings.HasPrefix(p, path+string(os.PathSeparator))
		if isBelow {
			delete(l.byPath, p)
		}
		return isBelow
	})
}

// split returns the names of the directories of f, and the name of its item. The name is "" for the root directory.
func split(f urlcore.File) (dirs []string, name string) {
	dirs = f.Segments()
	last := len(dirs) - 1
	if dirs[last] == "" && last > 0 { // a directory
		last--
	}
	return dirs[:last], dirs[last]
}

// openParent opens the directory of the item of f, and returns the name of the item.
func (c *Client) openParent(f urlcore.File, within urlcore.URL) (dir *os.Root, name string, err error) {
	dirs, name := split(f)
	if name == "" || name == "." || name == ".." {
		return nil, "", errName
	}
	dir, err = c.openFolder(dirs, within)
	return dir, name, err
}

// openFolder opens the directory with the names dirs, from the root directory on. The directory within, or the opened one if
// within is nil, must be the one that was listed last, and no link below within is followed.
func (c *Client) openFolder(dirs []string, within urlcore.URL) (*os.Root, error) {
	top := dirs
	if within != nil {
		w, _, err := c.findFile(within)
		if err != nil {
			return nil, err
		}
		if top = namesOf(w); len(dirs) < len(top) || !slices.Equal(dirs[:len(top)], top) {
			return nil, errOutside
		}
	}
	dir, err := c.openListed(top)
	for _, name := range dirs[len(top):] {
		if err != nil {
			break
		}
		dir, err = enter(dir, name)
	}
	return dir, err
}

// namesOf returns the names of a directory and of those above it.
func namesOf(f urlcore.File) []string {
	dirs, name := split(f)
	if name == "" {
		return dirs
	}
	return append(slices.Clone(dirs), name)
}

// openListed opens a directory by its path, unless it is not the one that was listed there last.
func (c *Client) openListed(dirs []string) (*os.Root, error) {
	path, ok := makeNativePath(append(slices.Clone(dirs), ""))
	if !ok {
		return nil, errName
	}
	if info, err := os.Stat(path); err != nil { // opening a named pipe would wait
		return nil, err
	} else if !info.IsDir() {
		return nil, errReplaced
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	if info, err := dir.Stat("."); err != nil || !c.listings.allows(path, info) {
		return nil, errors.Join(err, errReplaced, dir.Close())
	}
	return dir, nil
}

// enter opens a subdirectory of dir, which is not a link, and closes dir.
func enter(dir *os.Root, name string) (*os.Root, error) {
	defer dir.Close()
	if name == "" || name == "." || name == ".." {
		return nil, errName
	}
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, errReplaced
	}
	child, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := child.Stat("."); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(err, errReplaced, child.Close())
	}
	return child, nil
}

// openBelow opens the file or directory of f, of which req knows that it is below a listed directory. The directory is not
// recorded as listed, because the user sees the one above it.
func (c *Client) openBelow(f urlcore.File, path string, req *protocols.Request) (*os.File, error) {
	if isDirectory(f) {
		dir, err := c.openFolder(namesOf(f), req.Within)
		if err != nil {
			return nil, err
		}
		defer dir.Close()
		return dir.Open(".")
	}
	dir, name, err := c.openParent(f, req.Within)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if req.Known == nil || req.Known.Size < 0 { // the size of a link is not listed
		return openThroughLink(dir, name, path)
	}
	return openRegular(dir, name, os.O_RDONLY)
}

// openRegular opens a regular file of dir, and not through a link.
func openRegular(dir *os.Root, name string, flag int) (*os.File, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errKind
	}
	file, err := dir.OpenFile(name, flag|userfile.NoFollow, 0)
	if err != nil {
		return nil, err
	}
	if opened, err := file.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(err, errKind, file.Close())
	}
	return file, nil
}

// isDirectory reports whether the URL of a listed item is that of a directory, or of a link to one.
func isDirectory(f urlcore.File) bool { return f.Path == "" || f.Path[len(f.Path)-1] == '/' }

// asLocal returns err as an error of the operation op, unless it is one already.
func asLocal(op string, err error) error {
	if _, ok := errors.AsType[*protocols.Error](err); ok {
		return err
	}
	return protocols.LocalError(op, err)
}
