package download

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gofer/internal/text/clean"
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
		err = s.replace(path, []string{path}, func() error { return s.makeDir(path, at) })
	}
	return protocols.LocalError("create "+at, err)
}

// makeDir makes a directory where there is nothing.
func (s *treeSaver) makeDir(path, at string) error {
	if !s.dry("make directory", path, "") {
		if err := os.Mkdir(at, 0o777); errors.Is(err, fs.ErrExist) { // in a directory that ignores case
			return errNameTaken
		} else if err != nil {
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

// The prefixes of new directories beside an item. A number follows.
const (
	partDir     = ".gofer-part-"   // holds the new item until it is complete
	replacedDir = ".gofer-mirror-" // holds the old item until it is removed
)

// isAside reports whether name is that of a new directory with a prefix.
func isAside(name, prefix string) bool {
	n, ok := strings.CutPrefix(name, prefix)
	return ok && n != "" && strings.Trim(n, "0123456789") == ""
}

// asideOf returns the path that a file is saved at first: path, or one in a new directory if there is a
// directory at path or a .part file of the user.
func (s *treeSaver) asideOf(path string) (at, aside string, err error) {
	info, err := os.Lstat(path)
	if s.updates() == nil || (err != nil || !info.IsDir()) && (!there(path+partSuffix) || recorded(path)) {
		return path, "", nil
	}
	aside, err = os.MkdirTemp(filepath.Dir(path), partDir)
	return filepath.Join(aside, filepath.Base(path)), aside, protocols.LocalError("save "+path, err)
}

// place moves a complete item to the path of f, where it replaces a file, a link or a directory without items to keep.
func (s *treeSaver) place(item string, f *TreeFile) error {
	gone, err := s.clashing(f)
	if err != nil {
		return err
	} else if len(gone) == 0 {
		return claim(item, s.path(f.Path), forceUpdate)
	}
	return s.replace(f.Path, gone, func() error { return claim(item, s.path(f.Path), forceNothing) })
}

// replace calls put, which puts a new item at the path of a local one. gone are the paths of the local item and
// all that is in it: they are moved to a new directory first, and removed after put. If put fails, they are moved
// back, unless another program has taken the path.
func (s *treeSaver) replace(at string, gone []string, put func() error) error {
	if s.updates().Plan != nil {
		s.remove(gone, "", "")
		return put()
	}
	path := s.path(at)
	aside, err := os.MkdirTemp(filepath.Dir(path), replacedDir)
	if err != nil {
		return protocols.LocalError("rename "+path, err)
	}
	defer os.Remove(aside)
	old := filepath.Join(aside, filepath.Base(path))
	if err := os.Rename(path, old); err != nil {
		return protocols.LocalError("rename "+path, err)
	}
	holder := join(parent(at), filepath.Base(aside))
	if err := put(); err != nil {
		s.held.Store(holder, true)
		return errors.Join(err, claim(old, path, forceNothing))
	}
	s.remove(gone, at, holder+"/"+filepath.Base(path))
	return nil
}

// originalPath returns the path that an item had before replace moved it, or path.
func originalPath(path string) string {
	names := strings.Split(path, "/")
	i := slices.IndexFunc(names[:len(names)-1], func(name string) bool { return isAside(name, replacedDir) })
	return strings.Join(slices.Delete(names, max(i, 0), i+1), "/")
}

// findAside finds the directories of programs that were killed. It removes the unfinished files of this program. An
// old item is named, and left out if nothing has taken its place: removeGone keeps it then.
func (s *treeSaver) findAside() {
	_ = filepath.WalkDir(s.root, func(at string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(s.root, at)
		if rel = filepath.ToSlash(rel); err != nil || relErr != nil || !d.IsDir() || s.it.tree.names.used[fold(runtime.GOOS, rel)] {
			return nil //nolint:nilerr // removeGone names what cannot be read
		}
		parts := s.updates().Plan == nil && holdsParts(at, d)
		if !parts && !isAside(d.Name(), replacedDir) {
			return nil
		}
		items, _ := os.ReadDir(at)
		for _, item := range items {
			switch name := join(rel, item.Name()); {
			case parts:
				s.it.discardPart(filepath.Join(at, strings.TrimSuffix(item.Name(), recordSuffix)))
			case there(s.path(join(parent(rel), item.Name()))):
				s.it.note("moved aside by a mirror that was interrupted: " + clean.Name(name))
			default:
				s.leaveItem(&TreeFile{Path: name}, errMovedAside)
				s.held.Store(rel, true)
			}
		}
		if parts {
			_ = os.Remove(at)
		}
		return fs.SkipDir
	})
}

// holdsParts reports whether a directory has unfinished files of this program and nothing else.
func holdsParts(at string, d fs.DirEntry) bool {
	if !d.IsDir() || !isAside(d.Name(), partDir) {
		return false
	}
	items, err := os.ReadDir(at)
	return err == nil && len(items) > 0 && !slices.ContainsFunc(items, func(i fs.DirEntry) bool {
		stem, ok := strings.CutSuffix(strings.TrimSuffix(i.Name(), ".info"), partSuffix)
		return !ok || !recorded(filepath.Join(at, stem))
	})
}
