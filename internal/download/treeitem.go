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
	isNew := !it.fixed && (it.status.Request.Path == "" || !there(it.status.Path))
	root, err := it.treeRoot()
	if err != nil {
		return err
	}
	if it.began = it.began || !it.fixed; isNew && there(root) {
		it.addCreated(root, false)
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
	case info.Mode().Type() == fs.ModeSymlink:
		err = errLinkHere
	case !info.IsDir():
		err = errNoDirectory
	case !it.fixed && !s.Continue && !s.Overwrite && s.Mirror == nil:
		err = errDirectoryExists
	}
	return true, protocols.LocalError("save "+s.Path, err)
}

// addCreated records a directory that this program has made, or a file.
func (it *Item) addCreated(path string, isFile bool) {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	if it.created = append(it.created, path); isFile {
		it.files++
	}
}

// CreatedFiles returns the number of files of a tree that this program has made. [Item.Cancel] removes them.
func (it *Item) CreatedFiles() int {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	return it.files
}

// discardTree removes what this program has saved of a cancelled tree. If an earlier program began
// the tree, discardTree removes the unfinished files of that program too.
func (it *Item) discardTree() {
	if !it.fixed {
		return
	}
	if !it.began {
		_ = filepath.WalkDir(it.status.Path, func(path string, _ fs.DirEntry, err error) error {
			if stem, ok := strings.CutSuffix(path, recordSuffix); ok && err == nil {
				it.parts = append(it.parts, stem)
			}
			return nil
		})
	}
	for _, path := range it.parts {
		it.discardPart(path)
	}
	for _, path := range slices.Backward(it.created) {
		_ = os.Remove(path) // fails for a directory that is not empty
	}
}

// discardPart removes an unfinished file of the tree, unless another program uses it.
func (it *Item) discardPart(path string) {
	if !there(path + recordSuffix) {
		return
	}
	info, err := openLocked(path + recordSuffix)
	if err != nil {
		return
	}
	defer info.Close()
	data, err := info.read(maxRecord)
	rec, noRecord := decodeRecord(data)
	if u, noURL := urlcore.Parse(rec.URL); errors.Join(err, noRecord, noURL) == nil && belongs(it.status.URL, u) {
		_ = os.Remove(path + partSuffix)
		_ = info.remove()
	}
}
