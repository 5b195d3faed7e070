package download

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gofer/protocols"
)

// finishDirs sets the modes and dates of the directories, whose dates change with their content.
func (s *treeSaver) finishDirs() {
	for _, d := range slices.Backward(s.it.tree.Dirs) {
		if info, err := os.Lstat(s.path(d.Path)); err != nil || !info.IsDir() {
			continue
		} else if d.mode != "" {
			d.mode = "rwx" + d.mode[3:] // for the next update
			s.chmod(&d, s.path(d.Path), info.Mode().Perm())
		}
		if m := s.updates(); (m == nil || m.Plan == nil) && !d.Modified.IsZero() {
			_ = os.Chtimes(s.path(d.Path), time.Time{}, d.Modified)
		}
	}
}

// mkdir makes a directory of the tree. It does not follow links. A local file or link gives way to the
// directory if Delete is set and the filter selects the file.
func (s *treeSaver) mkdir(path string) error {
	if path == "" || path == "." {
		return nil
	}
	s.mu.Lock()
	_, done := s.made[path]
	s.mu.Unlock()
	if done {
		return nil
	}
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		if err := s.mkdir(path[:i]); err != nil {
			return err
		}
	}
	at := s.path(path)
	info, err := os.Lstat(at)
	m := s.updates()
	switch {
	case errors.Is(err, fs.ErrNotExist), s.fresh(path):
		err = s.makeDir(path, at)
	case err != nil:
	case info.IsDir():
		s.setMade(path, false)
	case m == nil:
		err = errNoDirectory
	case !m.Delete:
		return errFileHere
	case !m.Filter.Selects(path, false, time.Time{}):
		return errFileKept
	default:
		_, err = s.replace(path, []string{path}, func() error { return s.makeDir(path, at) })
	}
	return protocols.LocalError("create "+at, err)
}

// makeDir makes a directory where there is nothing.
func (s *treeSaver) makeDir(path, at string) error {
	if !s.dry("make directory", path, "") {
		if err := os.Mkdir(at, 0o777); err != nil {
			return err
		}
		s.it.addCreated(at, false)
	}
	s.setMade(path, true)
	return nil
}

func (s *treeSaver) setMade(path string, made bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made[path] = made
}

// fresh reports whether the directory of a path was made by this program and has no unfinished
// file. The program saves each path once, so that it has no file at the path either.
func (s *treeSaver) fresh(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made[parent(path)]
}

// parent returns the directory of a path, "" for the root.
func parent(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }

// clashing returns the local directory at the path of a file of the server, with all of its content, or
// nil if there is none. It is an error if the file must not replace it: if Delete is not set, the
// server does not list a file or link, or the filter does not select all of the content.
func (s *treeSaver) clashing(f *TreeFile) (gone []string, err error) {
	m := s.updates()
	info, err := os.Lstat(s.path(f.Path))
	if m == nil || err != nil || s.fresh(f.Path) || info.Mode()&^fs.ModeSymlink&fs.ModeType == 0 {
		return nil, nil
	}
	_, linked := s.linked(f)
	switch {
	case !info.IsDir():
		return nil, errSpecialHere
	case !m.Delete:
		return nil, errDirHere
	case f.Size < 0 && !linked:
		return nil, errDirUnclear
	}
	err = filepath.WalkDir(s.path(f.Path), func(at string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(s.root, at)
		rel = filepath.ToSlash(rel)
		if err != nil || relErr != nil || !m.Filter.Selects(rel, d.IsDir(), time.Time{}) {
			return errDirKept
		}
		gone = append(gone, rel)
		return nil
	})
	return gone, err
}

// temporaryDir begins the names of new directories for items on their way to or from their paths.
const temporaryDir = ".gofer-mirror-"

// replace calls save, which replaces the local item at a path. gone are the paths of the item and all
// that is in it: they are moved to a new directory meanwhile. They are removed if save has
// put something in their place, and else moved back. If they cannot be moved, save is not called.
func (s *treeSaver) replace(at string, gone []string, save func() error) (moved bool, err error) {
	if s.updates().Plan != nil {
		s.remove(gone, "", "")
		return true, save()
	}
	path := s.path(at)
	aside, err := os.MkdirTemp(filepath.Dir(path), temporaryDir)
	old := filepath.Join(aside, filepath.Base(path))
	if err == nil {
		err = os.Rename(path, old)
	}
	if err != nil {
		_ = os.Remove(aside)
		return false, protocols.LocalError("rename "+path, err)
	}
	err = save()
	if !there(path) {
		err = errors.Join(err, os.Rename(old, path))
	} else {
		s.remove(gone, at, join(parent(at), filepath.Base(aside)+"/"+filepath.Base(path)))
	}
	_ = os.Remove(aside)
	return true, err
}
