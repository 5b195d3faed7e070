package file

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

// batchSize is the number of entries of a directory that are read at once.
const batchSize = 4096

type directory struct {
	ctx   context.Context
	file  *os.File
	path  string // with a final slash
	url   urlcore.File
	dirs  []string // the directories in path
	names names
}

// openDirectory lists a directory for the user.
func (c *Client) openDirectory(ctx context.Context, f urlcore.File, path string, identify bool) (*protocols.Resource, error) {
	file, err := userfile.OpenFolder(path)
	if err != nil {
		return nil, newFailureError(f, err)
	}
	if info, err := file.Stat(); err == nil {
		c.listings.add(path, info)
	}
	return newListing(ctx, f, path, file, identify), nil
}

// newListing returns the list of a directory. The URL of the result ends in a slash, because the URLs of the entries
// are relative to this URL.
func newListing(ctx context.Context, f urlcore.File, path string, file *os.File, identify bool) *protocols.Resource {
	if f.Path != "" && !strings.HasSuffix(f.Path, "/") {
		f.Path += "/"
	}
	title := cmp.Or(f.FileName(), "/")
	if !os.IsPathSeparator(path[len(path)-1]) {
		path += string(os.PathSeparator)
	}
	segments := f.Segments()
	d := &directory{ctx: ctx, file: file, path: path, url: f, dirs: segments[:len(segments)-1]}
	head := protocols.Head{URL: f, Title: title, Layout: protocols.LayoutDirectory, Size: -1}
	if identify {
		head.Identity, _ = filepath.EvalSymlinks(path)
	}
	return &protocols.Resource{Head: head, Lines: d.yieldLines, Closer: file}
}

// yieldLines yields the entries. Each batch is sorted by name.
func (d *directory) yieldLines(yield func(protocols.Line, error) bool) {
	if menu, ok := d.menuLine(); ok && !yield(menu, nil) {
		return
	}
	for {
		entries, err := d.file.ReadDir(batchSize)
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, e := range entries {
			if d.ctx.Err() != nil {
				break
			}
			if !yield(d.makeLine(e), nil) {
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return
		case d.ctx.Err() != nil:
			yield(protocols.Line{}, context.Cause(d.ctx))
			return
		case err != nil:
			yield(protocols.Line{}, newFailureError(d.url, err))
			return
		}
	}
}

// makeLine returns the line of an entry.
func (d *directory) makeLine(e fs.DirEntry) protocols.Line {
	name, path := e.Name(), d.path+e.Name()
	note := &protocols.FileNote{Size: -1}
	isDir, special := e.IsDir(), false
	if info, err := e.Info(); err == nil {
		note.Modified, note.Mode = info.ModTime(), formatMode(info.Mode())
		note.Owner, note.Group = d.names.ownerOf(info)
		special = info.Mode()&(fs.ModeType&^fs.ModeDir&^fs.ModeSymlink) != 0
		if info.Mode().IsRegular() {
			note.Size = info.Size()
		}
	}
	if e.Type()&fs.ModeSymlink != 0 {
		note.Link = true
		note.Target, _ = os.Readlink(path)
		if info, err := os.Stat(path); err == nil {
			isDir = info.IsDir()
			special = !isDir && !info.Mode().IsRegular()
		}
	}
	kind := kindOf(name, isDir, special)
	if kind == protocols.Binary && note.Target != "" {
		kind = kindOf(filepath.Base(note.Target), isDir, special)
	}
	return protocols.Line{Kind: kind, Text: name, Note: note, Link: d.linkTo(name, isDir)}
}

func (d *directory) linkTo(name string, isDir bool) urlcore.URL {
	dirs := d.dirs[:len(d.dirs):len(d.dirs)]
	if isDir {
		dirs, name = append(dirs, name), ""
	}
	u, err := urlcore.NewFile("", dirs, name)
	if err != nil {
		return nil
	}
	return u
}

// kindOf returns the kind of an entry from its name and type.
func kindOf(name string, isDir, special bool) protocols.Kind {
	_, kind := protocols.BySuffix(name)
	switch {
	case isDir:
		return protocols.Directory
	case special:
		return protocols.Other
	case kind == protocols.Other:
		return protocols.Binary
	}
	return kind
}

// formatMode formats permissions as ls does.
func formatMode(m fs.FileMode) string {
	mode := []byte(m.Perm().String()[1:])
	for i, s := range []struct {
		bit           fs.FileMode
		with, without byte
	}{{fs.ModeSetuid, 's', 'S'}, {fs.ModeSetgid, 's', 'S'}, {fs.ModeSticky, 't', 'T'}} {
		index := 3*i + 2
		switch {
		case m&s.bit == 0:
		case mode[index] == 'x':
			mode[index] = s.with
		default:
			mode[index] = s.without
		}
	}
	return string(mode)
}
