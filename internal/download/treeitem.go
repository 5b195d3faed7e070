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

// errNoDirectory reports that the path for a tree is not a directory.
var errNoDirectory = errors.New("it is not a directory; choose another name")

// listTree releases the slot of the server, and lists the tree unless that was done already.
func (it *Item) listTree(ctx context.Context, addr string) error {
	m := it.m
	m.slots.Release(addr) // each request takes a slot
	if it.tree == nil {
		m.update(func() {
			it.status.State, it.status.StartTime = Running, time.Now()
			it.status.Notes, it.status.LeftOut = nil, nil
		})
		if _, err := it.rootExists(); err != nil {
			return err
		}
		w := walker{
			fetcher: m.Fetcher, root: it.status.URL, earlierDir: it.earlierDir(), noParent: it.status.NoParent, depth: m.Depth, depthGiven: m.DepthGiven,
			delay: m.Delay, retry: m.newRetry(addr), waitRecorder: it.waitRecorder, slots: &m.slots, maxFiles: cmp.Or(m.maxFiles, maxTreeFiles), addNote: it.addNote, reportFound: it.reportListing,
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
	m.update(func() {
		it.status.TotalFiles, it.status.Size, it.status.UnknownSizes = len(it.tree.Files), it.tree.Size, it.tree.UnknownSizes
		it.status.LeftOut = slices.Clip(it.tree.leftOut)
	})
	return nil
}

// saveTree saves the listed tree.
func (it *Item) saveTree(ctx context.Context) error {
	m := it.m
	isNewDir := !it.pathFinal && (it.status.Request.Path == "" || !exists(it.status.Path))
	root, err := it.makeTreeRoot()
	if err != nil {
		return err
	}
	if it.startedHere = it.startedHere || !it.pathFinal; isNewDir && exists(root) {
		it.addCreated(root, false)
	}
	m.update(func() {
		it.status.Path, it.status.State, it.pathFinal = root, Running, true
		it.status.Done, it.status.Files, it.status.Changes, it.rate = 0, 0, Changes{}, meter{}
	})
	s := &treeSaver{it: it, root: root, hasResult: make([]bool, len(it.tree.Files))}
	err = s.save(ctx)
	if _, ok := errors.AsType[*mirror.PartialError](err); ok || errors.Is(err, errSavedMeanwhile) {
		it.tree = nil // so that a retry lists the tree again
	}
	return err
}

// reportListing sets the status while the tree is listed.
func (it *Item) reportListing(files int, size int64) {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	it.status.TotalFiles, it.status.Done = files, size
}

// makeTreeRoot makes the directory for the tree, and returns its path.
func (it *Item) makeTreeRoot() (string, error) {
	s := &it.status
	if it.pathFinal || s.Request.Path != "" {
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
		path := filepath.Join(folder, NumberedName(name, i))
		if err := os.Mkdir(path, 0o777); !errors.Is(err, fs.ErrExist) {
			return path, protocols.LocalError("save "+path, err)
		}
	}
	return "", protocols.LocalError("save "+filepath.Join(folder, name), errDirectoryExists)
}

// rootExists reports whether the directory for the tree exists. It returns an error if the tree cannot be saved
// there.
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
	case !it.pathFinal && !s.Continue && !s.Overwrite && s.Mirror == nil:
		err = errDirectoryExists
	}
	return true, protocols.LocalError("save "+s.Path, err)
}

// addCreated records a file or directory that this program has made.
func (it *Item) addCreated(path string, isFile bool) {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	if it.created = append(it.created, path); isFile {
		it.createdFiles++
	}
}

// CreatedFiles returns the number of files of a tree that this program has made. [Item.Cancel] removes them.
func (it *Item) CreatedFiles() int {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	return it.createdFiles
}

// discardTree removes the files and directories that this program has made for a canceled tree, and its
// unfinished files. If an earlier program began the tree, it removes all unfinished files of the tree.
func (it *Item) discardTree() {
	if !it.pathFinal {
		return
	}
	if !it.startedHere {
		_ = filepath.WalkDir(it.status.Path, func(path string, _ fs.DirEntry, err error) error {
			if stem, ok := strings.CutSuffix(path, recordSuffix); ok && err == nil {
				it.startedParts = append(it.startedParts, stem)
			}
			return nil
		})
	}
	for _, path := range it.startedParts {
		it.discardPart(path)
	}
	for _, path := range slices.Backward(it.created) {
		_ = os.Remove(path) // fails for a directory that is not empty
	}
}

// discardPart removes an unfinished file of the tree, unless another program uses it.
func (it *Item) discardPart(path string) {
	if !exists(path + recordSuffix) {
		return
	}
	info, err := openLocked(path + recordSuffix)
	if err != nil {
		return
	}
	defer info.Close()
	data, err := info.read(maxRecord)
	rec, noRecord := decodeRecord(data)
	if u, noURL := urlcore.Parse(rec.URL); errors.Join(err, noRecord, noURL) == nil && isInTree(it.status.URL, u) {
		_ = os.Remove(path + partSuffix)
		_ = info.remove()
	}
}
