package upload

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// Plan finds out what is to be sent: it reads the directory here and lists those of the server.
// [Tree.Run] and [Tree.Close] follow. After an error that is a question it can be called again.
func (t *Tree) Plan(ctx context.Context) error {
	t.reset()
	if err := t.scan(ctx); err != nil {
		return err
	}
	found := make(map[string]*there)
	for _, d := range t.dirs {
		if d.path != "" {
			if d.there = found[d.path]; d.there == nil {
				continue
			}
			if !d.there.dir {
				t.leave(d, errKind)
				continue
			}
		}
		items, err := t.list(ctx, d.url)
		switch {
		case err == nil:
		case d.path == "" && protocols.ReasonOf(err) == protocols.NotThere:
			continue
		case d.path == "" || fatal(ctx, err):
			return err
		default:
			t.leave(d, err)
			continue
		}
		if d.path == "" {
			d.there = &there{url: d.url, dir: true}
		}
		for name, item := range items {
			found[path.Join(d.path, name)] = item
		}
		if err := t.findSurplus(ctx, d, items); err != nil {
			return err
		}
	}
	for _, f := range t.files {
		f.there = found[f.path]
		t.compare(f)
	}
	return nil
}

// reset forgets what an earlier Plan has found.
func (t *Tree) reset() {
	t.Close()
	t.root, t.dirs, t.files, t.surplus, t.copies, t.unread = nil, nil, nil, nil, 0, false
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done, t.leftOut = Progress{}, nil
}

// Close frees what Plan has opened.
func (t *Tree) Close() {
	if t.root != nil {
		_ = t.root.Close()
	}
}

// Missing returns the number of directories that are to be made.
func (t *Tree) Missing() (n int) {
	for _, d := range t.dirs {
		if d.there == nil && d.state == waiting {
			n++
		}
	}
	return n
}

// Progress returns how far t is.
func (t *Tree) Progress() Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.done
}

// LeftOut returns what is not stored, as far as it is known.
func (t *Tree) LeftOut() []LeftOut {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.leftOut)
}

// scan reads the directory here.
func (t *Tree) scan(ctx context.Context) (err error) {
	dir, err := filepath.EvalSymlinks(t.Dir)
	if info, failed := os.Stat(dir); err == nil && failed == nil && !info.IsDir() {
		err = errNoDirectory
	}
	if err == nil {
		t.root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return protocols.LocalError("read "+t.Dir, err)
	}
	t.here, t.folded = make(map[string]*item), make(map[string]bool)
	return filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		i := &item{path: filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(name, dir), string(filepath.Separator)))}
		if err == nil {
			i.info, err = entry.Info()
		}
		switch {
		case err != nil && i.path == "":
			return protocols.LocalError("read "+t.Dir, err)
		case err != nil:
			t.unread, t.here[i.path] = true, i
			t.leave(i, protocols.LocalError("read it", err))
			return nil
		}
		t.here[i.path], t.folded[strings.ToLower(i.path)] = i, true
		if i.path != "" && !t.Filter.Selects(i.path, entry.IsDir(), i.info.ModTime()) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		err = t.add(i)
		if err != nil {
			t.leave(i, err)
			if entry.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
}

// add appends an item that was found here. An error says why it is left out.
func (t *Tree) add(i *item) error {
	if i.path == "" {
		i.url = t.URL
	} else {
		u, err := t.parent(i).url.Child(path.Base(i.path))
		if err != nil {
			return err
		}
		i.url = u.(urlcore.FTP)
	}
	switch kind := i.info.Mode().Type(); {
	case kind == fs.ModeSymlink:
		info, err := t.root.Stat(i.path)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && !info.Mode().IsRegular():
			return errLink
		case err != nil:
			return errOutside
		}
		i.info = info
		t.copies++
	case i.info.IsDir():
		i.url.Type = 'd'
		t.dirs = append(t.dirs, i)
		return nil
	case kind != 0:
		return errSpecial
	}
	t.files = append(t.files, i)
	t.done.Of++
	t.done.Size += i.info.Size()
	return nil
}

// compare decides about a file from what the server has of its name.
func (t *Tree) compare(f *item) {
	switch s := f.there; {
	case s == nil || f.state != waiting:
		return
	case s.dir || s.note.Target != "":
		t.leave(f, errKind)
	case t.Force:
		return
	case !t.Update && !t.Continue:
		t.leave(f, errThere)
	case s.note.Size != f.info.Size(), s.note.DateOnly, s.note.Local, !s.note.Modified.Equal(f.info.ModTime().Truncate(time.Second)):
		return
	default:
		t.keep(f)
		return
	}
	t.done.Of--
	t.done.Size -= f.info.Size()
}

// list returns the items of a directory of the server by their names.
func (t *Tree) list(ctx context.Context, u urlcore.URL) (items map[string]*there, err error) {
	err = t.try(ctx, func() (_ bool, err error) {
		items, err = list(ctx, t.Server, u)
		return false, err
	})
	return items, err
}

func list(ctx context.Context, server protocols.Fetcher, u urlcore.URL) (map[string]*there, error) {
	load := nav.Open(protocols.WithHidden(ctx), server, u)
	defer load.Cancel()
	head, err := load.Wait()
	if err == nil && head.Layout != protocols.LayoutDirectory {
		err = protocols.NewError(protocols.NotThere, "list the directory", "it is none")
	}
	if err != nil {
		return nil, err
	}
	items := make(map[string]*there)
	for {
		lines, err := load.Next()
		if errors.Is(err, io.EOF) {
			return items, nil
		}
		if err != nil {
			return nil, err
		}
		for _, line := range lines.All(0) {
			u, ok := line.Link.(urlcore.FTP)
			if !ok {
				continue
			}
			item := &there{url: u, dir: line.Kind == protocols.Directory}
			if note, ok := line.Note.(*protocols.FileNote); ok {
				item.note = *note
			}
			// A line end in a name can forge a line that calls a link a directory: of two lines
			// with the same name the one of a file or link counts.
			if other := items[u.FileName()]; other == nil || other.dir {
				items[u.FileName()] = item
			}
		}
	}
}
