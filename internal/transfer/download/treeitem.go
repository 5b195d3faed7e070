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

	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// errNoDirectory reports that the path for a tree is not a directory.
var errNoDirectory = errors.New("it is not a directory; choose another name")

// listTree releases the slot of the server, and lists the tree unless it is listed already.
func (item *Item) listTree(ctx context.Context, addr string) error {
	m := item.m
	m.slots.Release(addr) // each request takes a slot
	if item.tree == nil {
		m.update(func() {
			item.status.State, item.status.StartTime = Running, time.Now()
			item.status.Notes, item.status.LeftOut = nil, nil
		})
		if _, err := item.rootExists(); err != nil {
			return err
		}
		w := walker{
			fetcher: m.Fetcher, root: item.status.URL, earlierDir: item.earlierDir(), noParent: item.status.NoParent, depth: m.Depth, depthGiven: m.DepthGiven,
			delay: m.Delay, retry: m.newRetry(addr), waitRecorder: item.waitRecorder, slots: &m.slots, maxFiles: cmp.Or(m.maxFiles, maxTreeFiles), addNote: item.addNote, reportFound: item.reportListing,
		}
		w.serverNames = m.serverNames(item.status.URL)
		if item.status.Mirror != nil {
			w.filter = &item.status.Mirror.Filter
		}
		tree, err := w.walk(ctx)
		if err != nil {
			return err
		}
		item.tree = tree
		tree.indexPaths(item.status.URL)
		item.settleLinks()
	}
	m.update(func() {
		item.status.TotalFiles, item.status.Size, item.status.UnknownSizes = len(item.tree.Files), item.tree.Size, item.tree.UnknownSizes
		item.status.LeftOut = slices.Clip(item.tree.leftOut)
	})
	return nil
}

// saveTree saves the listed tree.
func (item *Item) saveTree(ctx context.Context) error {
	m := item.m
	isNewDir := !item.pathFinal && (item.status.Request.Path == "" || !exists(item.status.Path))
	root, err := item.makeTreeRoot()
	if err != nil {
		return err
	}
	if item.startedHere = item.startedHere || !item.pathFinal; isNewDir && exists(root) {
		item.addCreated(root, false)
	}
	m.update(func() {
		item.status.Path, item.status.State, item.pathFinal = root, Running, true
		item.status.Received, item.status.Files, item.status.Changes, item.rate = 0, 0, Changes{}, meter{}
	})
	s := &treeSaver{item: item, root: root, hasResult: make([]bool, len(item.tree.Files))}
	err = s.save(ctx)
	if _, ok := errors.AsType[*mirror.PartialError](err); ok || errors.Is(err, errMirrorChanged) {
		item.tree = nil // so that a retry lists the tree again
	}
	return err
}

// reportListing sets the status while the tree is listed.
func (item *Item) reportListing(files int, size int64) {
	item.m.mu.Lock()
	defer item.m.mu.Unlock()
	item.status.TotalFiles, item.status.Received = files, size
}

// makeTreeRoot makes the directory for the tree unless it exists or an update is only planned. It returns the path
// of the directory.
func (item *Item) makeTreeRoot() (string, error) {
	s := &item.status
	if item.pathFinal || s.Request.Path != "" {
		exists, err := item.rootExists()
		switch {
		case err != nil || exists:
		case s.Mirror == nil:
			err = protocols.LocalError("save "+s.Path, os.Mkdir(s.Path, 0o777))
		case s.Mirror.Plan == nil:
			err = protocols.LocalError("save "+s.Path, os.MkdirAll(s.Path, 0o777))
		}
		return s.Path, err
	}
	folder, err := item.makeFolder()
	if err != nil {
		return "", err
	}
	name := item.proposedName()
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
func (item *Item) rootExists() (bool, error) {
	s := &item.status
	info, err := os.Lstat(s.Path)
	switch {
	case s.Path == "" || err != nil:
		return false, nil
	case info.Mode().Type() == fs.ModeSymlink:
		err = errLinkHere
	case !info.IsDir():
		err = errNoDirectory
	case !item.pathFinal && !s.Continue && !s.Overwrite && s.Mirror == nil:
		err = errDirectoryExists
	}
	return true, protocols.LocalError("save "+s.Path, err)
}

// addCreated records a file or directory that this run of gofer has made.
func (item *Item) addCreated(path string, isFile bool) {
	item.m.mu.Lock()
	defer item.m.mu.Unlock()
	if item.created = append(item.created, path); isFile {
		item.createdFiles++
	}
}

// CreatedFiles returns the number of files of a tree that this run of gofer has made. [Item.Cancel] removes them.
func (item *Item) CreatedFiles() int {
	item.m.mu.Lock()
	defer item.m.mu.Unlock()
	return item.createdFiles
}

// discardTree removes the files, unfinished files and directories that this run of gofer has made for a canceled
// tree. If an earlier run began the tree, discardTree removes all unfinished files of the tree.
func (item *Item) discardTree() (err error) {
	if !item.pathFinal {
		return nil
	}
	if !item.startedHere {
		_ = filepath.WalkDir(item.status.Path, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, partSuffix) {
				item.startedParts = append(item.startedParts, path)
			}
			return nil
		})
	}
	for _, path := range item.startedParts {
		err = cmp.Or(err, item.discardPart(path))
	}
	for _, path := range slices.Backward(item.created) { // a directory that is not empty stays
		if path == item.status.Path {
			_ = os.Remove(path)
		} else if name, err := filepath.Rel(item.status.Path, path); err == nil {
			_ = inDir(item.status.Path, func(dir *os.Root) error { return dir.Remove(name) })
		}
	}
	return err
}

// discardPart removes the unfinished file at path, unless it is not of the tree or another run of gofer uses it.
func (item *Item) discardPart(path string) error {
	whole, ok := item.m.records.isPart(path)
	if !ok {
		return nil
	}
	return item.m.records.discardPart(whole, func(rec *record) bool {
		u, err := urlcore.Parse(rec.URL)
		part, _ := rec.partPath(whole)
		return part == path && err == nil && isInTree(item.status.URL, u)
	})
}

// discardPart removes the unfinished file for path and its record, if the function isOurs returns true for the record.
// The error says why the file stays, for example because another run of gofer uses it.
func (s *records) discardPart(path string, isOurs func(*record) bool) error {
	held, rec, _, err := s.hold(path)
	if errors.Is(err, errLocked) {
		err = errUnderWay
	}
	if err != nil {
		return protocols.LocalError("remove "+path+partSuffix, err)
	}
	defer held.release()
	part, ok := rec.partPath(path)
	if !ok || !isOurs(&rec) {
		return nil
	}
	if err := os.Remove(part); err != nil {
		return protocols.LocalError("remove "+part, err)
	}
	held.empty = true
	return nil
}
