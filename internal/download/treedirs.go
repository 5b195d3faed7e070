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

// mkdir makes a directory of the tree. It does not follow links. An update replaces files by
// directories.
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
	is := err == nil && info.IsDir()
	if err == nil && !is {
		if s.updates() == nil {
			return protocols.LocalError("create "+at, errNoDirectory)
		}
		if !s.remove([]string{path}, "", "") {
			return protocols.LocalError("remove "+at, fs.ErrPermission)
		}
	}
	if !is && !s.dry("make directory", path, "") {
		if err = os.Mkdir(at, 0o777); errors.Is(err, fs.ErrExist) {
			err = errNoDirectory
		}
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) && !is {
		s.mu.Lock()
		s.made[path] = !is
		s.mu.Unlock()
		return nil
	}
	return protocols.LocalError("create "+at, err)
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
	if m == nil || err != nil || info.Mode()&^fs.ModeSymlink&fs.ModeType == 0 {
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

// replacedSuffix is added to the name of a directory until the file is saved that replaces it.
const replacedSuffix = ".replaced"

// replaceDirectory saves file i in place of a local directory, which has the items gone. They are
// removed when the file is there, and stay if it is not saved.
func (s *treeSaver) replaceDirectory(ctx context.Context, i int, gone []string) error {
	at := s.it.tree.Files[i].Path
	path, old := s.path(at), s.path(at+replacedSuffix)
	if s.updates().Plan != nil {
		s.remove(gone, "", "")
		return s.saveFile(ctx, i, false)
	}
	err := fs.ErrExist
	if !there(old) {
		err = os.Rename(path, old)
	}
	if err != nil {
		s.leave(i, protocols.LocalError("rename "+path, err))
		return nil
	}
	err = s.saveFile(ctx, i, false)
	if !there(path) {
		return cmp.Or(err, os.Rename(old, path))
	}
	s.remove(gone, at, at+replacedSuffix)
	return err
}
