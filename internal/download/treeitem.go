package download

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gofer/internal/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// errNoDirectory says that a tree cannot be saved at a path.
var errNoDirectory = errors.New("there is something of that name that is no directory; choose another name")

// count lists the tree, unless that was done, and releases the slot of its server.
func (it *Item) count(ctx context.Context, addr string) error {
	m := it.m
	m.slots.Release(addr) // each directory takes one
	if it.tree == nil {
		m.change(func() {
			it.status.State, it.status.Begun = Running, time.Now()
			it.status.Notes, it.status.LeftOut = nil, nil
		})
		if _, err := it.rootExists(); err != nil {
			return err
		}
		w := walker{
			fetcher: m.Fetcher, root: it.status.URL, dir: it.earlier(), noParent: it.status.NoParent, depth: m.Depth, given: m.DepthGiven,
			delay: m.Delay, retry: m.retry(addr), waits: it.waits, slots: &m.slots, max: cmp.Or(m.maxFiles, maxTreeFiles), note: it.note, found: it.counted,
		}
		if it.status.Mirror != nil {
			w.filter = &it.status.Mirror.Filter
		}
		tree, err := w.walk(ctx)
		if err != nil {
			return err
		}
		tree.indexPaths(it.status.URL)
		it.tree = tree
	}
	m.change(func() {
		it.status.Last, it.status.Size, it.status.Unknown = len(it.tree.Files), it.tree.Size, it.tree.Unknown
		it.status.LeftOut = slices.Clip(it.tree.left)
	})
	return nil
}

// saveTree saves the listed tree.
func (it *Item) saveTree(ctx context.Context) error {
	m := it.m
	root, err := it.treeRoot()
	if err != nil {
		return err
	}
	m.change(func() {
		it.status.Path, it.status.State, it.fixed = root, Running, true
		it.status.Done, it.status.Files, it.status.Changes, it.rate = 0, 0, Changes{}, meter{}
	})
	s := &treeSaver{it: it, root: root, settled: make([]bool, len(it.tree.Files))}
	err = s.save(ctx)
	if _, ok := errors.AsType[*mirror.PartialError](err); ok || errors.Is(err, errSavedMeanwhile) {
		it.tree = nil // a retry lists the tree again
	}
	return err
}

// counted reports the progress of the listing.
func (it *Item) counted(files int, size int64) {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	it.status.Last, it.status.Done = files, size
}

// treeRoot makes the directory for the tree.
func (it *Item) treeRoot() (string, error) {
	s := &it.status
	if it.fixed || s.Request.Path != "" {
		exists, err := it.rootExists()
		switch {
		case err != nil || exists:
		case s.Mirror == nil:
			err = protocols.LocalError("save "+s.Path, os.Mkdir(s.Path, 0o777))
		case s.Mirror.Plan == nil:
			err = protocols.LocalError("save "+s.Path, os.MkdirAll(s.Path, 0o777))
		}
		return s.Path, err
	}
	folder, err := filepath.Abs(it.m.Folder)
	if err == nil {
		err = os.MkdirAll(folder, 0o777)
	}
	if err != nil {
		return "", protocols.LocalError("save "+it.m.Folder, err)
	}
	name := FileName(s.URL)
	for i := range maxNames {
		path := filepath.Join(folder, Numbered(name, i))
		if err := os.Mkdir(path, 0o777); !errors.Is(err, fs.ErrExist) {
			return path, protocols.LocalError("save "+path, err)
		}
	}
	return "", protocols.LocalError("save "+filepath.Join(folder, name), errDirectoryExists)
}

// rootExists reports whether the directory for the tree exists, or an error if the tree cannot be
// saved there.
func (it *Item) rootExists() (bool, error) {
	s := &it.status
	info, err := os.Lstat(s.Path)
	switch {
	case s.Path == "" || err != nil:
		return false, nil
	case !info.IsDir():
		err = errNoDirectory
	case !it.fixed && !s.Continue && !s.Overwrite && s.Mirror == nil:
		err = errDirectoryExists
	}
	return true, protocols.LocalError("save "+s.Path, err)
}

// discardTree removes the saved files of a cancelled tree, and the unfinished files of
// earlier programs.
func (it *Item) discardTree() {
	root := it.status.Path
	if root == "" {
		return
	}
	for _, path := range it.created {
		_ = os.Remove(path)
	}
	var dirs []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir():
			dirs = append(dirs, path)
		case strings.HasSuffix(path, recordSuffix):
			it.discardPart(strings.TrimSuffix(path, recordSuffix))
		}
		return nil
	})
	for _, dir := range slices.Backward(dirs) {
		_ = os.Remove(dir) // fails if it is not empty
	}
}

// discardPart removes an unfinished file of the tree, unless another program uses it.
func (it *Item) discardPart(path string) {
	info, err := openLocked(path + recordSuffix)
	if err != nil {
		return
	}
	defer info.Close()
	data, err := info.read(maxRecord)
	if err != nil {
		return
	}
	rec, err := decodeRecord(data)
	if err != nil {
		return
	}
	if u, err := urlcore.Parse(rec.URL); err == nil && belongs(it.status.URL, u) {
		_ = os.Remove(path + partSuffix)
		_ = info.remove()
	}
}
