package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

var _ protocols.Changer = (*Client)(nil)

// Change changes an item of a directory. It implements [protocols.Changer]. A link is removed or renamed itself, not its target. A move
// to another file system fails with the reason [protocols.NotSupported].
func (c *Client) Change(_ context.Context, ch *protocols.Change) (urlcore.URL, error) {
	f, path, err := c.findFile(ch.URL)
	if err != nil {
		return nil, err
	}
	for path != "" && os.IsPathSeparator(path[len(path)-1]) { // a final slash would name the target of a link
		path = path[:len(path)-1]
	}
	if path == "" && ch.Kind != protocols.MakeDirectory {
		return nil, protocols.NewError(protocols.BadURL, ch.Kind.String(), "the URL names the root directory")
	}
	op := ch.Kind.String() + " " + clean.Name(filepath.Base(path))
	switch ch.Kind {
	case protocols.Remove:
		return f, protocols.LocalError(op, os.Remove(path))
	case protocols.Chmod:
		mode, err := strconv.ParseUint(ch.Mode, 8, 12)
		if err != nil {
			return nil, &protocols.Error{Reason: protocols.BadURL, Op: op, Err: protocols.ErrMode}
		}
		return f, protocols.LocalError(op, os.Chmod(path, fileMode(mode)))
	case protocols.SetDate:
		return f, protocols.LocalError(op, os.Chtimes(path, time.Time{}, ch.Modified))
	case protocols.MakeDirectory:
		target, u, err := c.newItem(f, ch.Name, true)
		if err == nil {
			err = protocols.LocalError("make the directory "+clean.Name(ch.Name), os.Mkdir(target, 0o777))
		}
		return u, err
	}
	return c.rename(f, path, op, ch)
}

// rename renames or moves the item at path.
func (c *Client) rename(f urlcore.File, path, op string, ch *protocols.Change) (urlcore.URL, error) {
	dir, _ := f.Up()
	if ch.Dir != nil {
		dir = ch.Dir
	}
	name := ch.Name
	if name == "" {
		name = filepath.Base(path)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, protocols.LocalError(op, err)
	}
	parent, _, err := c.findFile(dir)
	if err != nil {
		return nil, err
	}
	target, u, err := c.newItem(parent, name, info.IsDir())
	if err != nil {
		return nil, err
	}
	if there, err := os.Lstat(target); err == nil && !os.SameFile(there, info) && !ch.Replace {
		return nil, confirmReplace(u, -1, func() { ch.Replace = true })
	}
	err = os.Rename(path, target)
	if errors.Is(err, syscall.EXDEV) {
		return nil, &protocols.Error{Reason: protocols.NotSupported, Op: op, Err: errors.New("the directory is on another file system")}
	}
	return u, protocols.LocalError(op, err)
}

// newItem returns the path and the URL of an item of a directory.
func (c *Client) newItem(dir urlcore.File, name string, isDir bool) (path string, u urlcore.File, err error) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00"+string(os.PathSeparator)) {
		return "", u, protocols.NewError(protocols.BadURL, "name an item", clean.Name(name)+" is not a name")
	}
	child, err := dir.Child(name)
	if err != nil {
		return "", u, &protocols.Error{Reason: protocols.BadURL, Op: "name an item", Err: err}
	}
	u, path, err = c.findFile(child)
	if isDir {
		u.Path += "/"
	}
	return path, u, err
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
