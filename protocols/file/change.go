package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

var _ protocols.Changer = (*Client)(nil)

// Change changes an item of a directory. It implements [protocols.Changer]. A link is removed or renamed itself, not its target, and
// an item of another kind than the URL has is not removed. A move to another file system fails with the reason
// [protocols.NotSupported].
func (c *Client) Change(_ context.Context, ch *protocols.Change) (urlcore.URL, error) {
	f, _, err := c.findFile(ch.URL)
	if err != nil {
		return nil, err
	}
	if ch.Kind == protocols.MakeDirectory || ch.Kind == protocols.MakeLink {
		return c.makeItem(f, ch)
	}
	dirs, name := split(f)
	if len(dirs) == 0 && name == "" {
		return nil, protocols.NewError(protocols.BadURL, ch.Kind.String(), "the URL names the root directory")
	}
	op := ch.Kind.String() + " " + clean.Name(name)
	dir, name, err := c.openParent(f, ch.Within)
	if err != nil {
		return nil, asLocal(op, err)
	}
	defer dir.Close()
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, protocols.LocalError(op, err)
	}
	isLink := info.Mode()&fs.ModeSymlink != 0
	switch ch.Kind {
	case protocols.Remove:
		if info.IsDir() != isDirectory(f) && !isLink {
			return nil, protocols.LocalError(op, errKind)
		}
		return f, protocols.LocalError(op, dir.Remove(name))
	case protocols.Chmod, protocols.SetDate:
		if isLink {
			return nil, protocols.LocalError(op, errLink)
		}
		return f, setProperty(dir, name, op, ch)
	}
	return c.rename(f, dir, info, op, ch)
}

// setProperty sets the mode or the date of an item that is not a link.
func setProperty(dir *os.Root, name, op string, ch *protocols.Change) error {
	if ch.Kind == protocols.SetDate {
		return protocols.LocalError(op, dir.Chtimes(name, time.Time{}, ch.Modified))
	}
	mode, err := strconv.ParseUint(ch.Mode, 8, 12)
	if err != nil {
		return &protocols.Error{Reason: protocols.BadURL, Op: op, Err: protocols.ErrMode}
	}
	return protocols.LocalError(op, dir.Chmod(name, fileMode(mode)))
}

// makeItem makes a link or a directory in f. The owner of a directory may always use it, and its mode has no more than that of ch and
// the umask.
func (c *Client) makeItem(f urlcore.File, ch *protocols.Change) (urlcore.URL, error) {
	isDir := ch.Kind == protocols.MakeDirectory
	u, err := c.newItem(f, ch.Name, isDir)
	if err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o777)
	if n, bad := strconv.ParseUint(ch.Mode, 8, 12); bad == nil {
		mode = fs.FileMode(n)&fs.ModePerm | 0o700
	}
	op := ch.Kind.String() + " " + clean.Name(ch.Name)
	dir, err := c.openFolder(namesOf(f), ch.Within)
	if err != nil {
		return nil, asLocal(op, err)
	}
	defer dir.Close()
	if isDir {
		err = dir.Mkdir(ch.Name, mode)
	} else {
		err = dir.Symlink(ch.Target, ch.Name)
	}
	if err != nil {
		return nil, protocols.LocalError(op, err)
	}
	c.forget(u)
	return u, nil
}

// rename renames or moves the item of f, which info describes, from the directory from.
func (c *Client) rename(f urlcore.File, from *os.Root, info fs.FileInfo, op string, ch *protocols.Change) (urlcore.URL, error) {
	to, within, name := ch.Dir, urlcore.URL(nil), ch.Name
	if to == nil {
		to, _ = f.Up()
		within = ch.Within
	}
	if name == "" {
		name = info.Name()
	}
	parent, _, err := c.findFile(to)
	if err != nil {
		return nil, err
	}
	u, err := c.newItem(parent, name, info.IsDir())
	if err != nil {
		return nil, err
	}
	target, err := c.openFolder(namesOf(parent), within)
	if err != nil {
		return nil, asLocal(op, err)
	}
	defer target.Close()
	if there, err := target.Lstat(name); err == nil && !os.SameFile(there, info) && !ch.Replace {
		return nil, confirmReplace(u, -1, func() { ch.Replace = true })
	}
	err = renameBetween(from, info.Name(), target, name)
	if errors.Is(err, syscall.EXDEV) {
		return nil, &protocols.Error{Reason: protocols.NotSupported, Op: op, Err: errors.New("the directory is on another file system")}
	}
	if err == nil {
		c.forget(u)
	}
	return u, protocols.LocalError(op, err)
}

// forget forgets which directory was listed at u.
func (c *Client) forget(u urlcore.File) {
	if path, ok := makeNativePath(u.Segments()); ok {
		c.listings.forget(path)
	}
}

// newItem returns the URL of an item of a directory.
func (c *Client) newItem(dir urlcore.File, name string, isDir bool) (u urlcore.File, err error) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00"+string(os.PathSeparator)) {
		return u, protocols.NewError(protocols.BadURL, "name an item", clean.Name(name)+" is not a name")
	}
	child, err := dir.Child(name)
	if err != nil {
		return u, &protocols.Error{Reason: protocols.BadURL, Op: "name an item", Err: err}
	}
	u, _, err = c.findFile(child)
	if isDir {
		u.Path += "/"
	}
	return u, err
}

// fileMode returns the mode with the permissions of 12 octal bits.
func fileMode(bits uint64) fs.FileMode {
	mode := fs.FileMode(bits) & fs.ModePerm
	for i, special := range []fs.FileMode{fs.ModeSticky, fs.ModeSetgid, fs.ModeSetuid} {
		if bits&(0o1000<<i) != 0 {
			mode |= special
		}
	}
	return mode
}
