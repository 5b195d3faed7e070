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

// finishDirs sets the modes and dates of the directories. It is called at the end, because saving files changes
// the dates.
func (s *treeSaver) finishDirs() {
	for _, d := range slices.Backward(s.item.tree.Dirs) {
		if info, err := os.Lstat(s.path(d.Path)); err != nil || !s.hasDir(d.Path) {
			continue
		} else if d.mode != "" {
			d.mode = "rwx" + d.mode[3:] // the next update must be able to change the content
			s.chmod(&d, info.Mode().Perm())
		}
		if m := s.updateOptions(); (m == nil || m.Plan == nil) && !d.Modified.IsZero() {
			_ = s.inTree(func(dir *os.Root) error { return dir.Chtimes(filepath.FromSlash(d.Path), time.Time{}, d.Modified) })
		}
	}
}

// mkdir makes a directory of the tree, and its parents. It does not follow links. The directory replaces a
// local file or link if Delete is set and the filter selects the file. It does not replace the user's link to
// a directory.
func (s *treeSaver) mkdir(path string) error {
	if path == "" || path == "." {
		return nil
	}
	s.mu.Lock()
	_, known := s.knownDirs[path]
	s.mu.Unlock()
	m := s.updateOptions()
	if known && (m != nil && m.Plan != nil || s.hasDir(path)) {
		return nil
	}
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		if err := s.mkdir(path[:i]); err != nil {
			return err
		}
	}
	localPath := s.path(path)
	info, err := os.Lstat(localPath)
	switch {
	case errors.Is(err, fs.ErrNotExist), !known && s.isFresh(path):
		err = s.makeDir(path, localPath)
	case err != nil:
	case info.IsDir():
		s.recordDir(path, false)
	case m == nil:
		err = errNoDirectory
	case !m.Delete:
		return errFileHere
	case s.isForeignDirectory(localPath):
		return errDirLinkHere
	case !m.Filter.Selects(path, false, time.Time{}):
		return errFileKept
	default:
		err = s.replaceLocal(path, []string{path}, func() error { return s.makeDir(path, localPath) })
	}
	return protocols.LocalError("create "+localPath, err)
}

// hasDir reports whether path is a directory of the tree, and neither it nor a directory above it is a link: another
// user may replace a directory by a link while the tree is saved.
func (s *treeSaver) hasDir(path string) bool {
	for ; path != ""; path = parent(path) {
		if info, err := os.Lstat(s.path(path)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// isForeignDirectory reports whether the item at path is a link to a directory outside the mirror. Such a link is the
// user's, because a mirror makes only links within itself.
func (s *treeSaver) isForeignDirectory(path string) bool {
	target, err := filepath.EvalSymlinks(path)
	root, rootErr := filepath.EvalSymlinks(s.root)
	info, statErr := os.Stat(path)
	if errors.Join(err, rootErr, statErr) != nil || !info.IsDir() {
		return false
	}
	rel, err := filepath.Rel(root, target)
	return err != nil || !filepath.IsLocal(rel)
}

// makeDir makes a directory at a free path. If the UpdateOptions have a Plan, makeDir only plans the action.
func (s *treeSaver) makeDir(path, localPath string) error {
	if !s.planAction("make directory", path, "") {
		if err := os.Mkdir(localPath, 0o777); errors.Is(err, fs.ErrExist) { // the file system ignores case
			return errNameTaken
		} else if err != nil {
			return err
		}
		s.item.addCreated(localPath, false)
	}
	s.recordDir(path, true)
	return nil
}

func (s *treeSaver) recordDir(path string, made bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.knownDirs[path] = made
}

// isFresh reports whether s made the directory that contains path and left no unfinished files in it. If so, there
// cannot be a file at path, because s saves each path only once.
func (s *treeSaver) isFresh(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.knownDirs[parent(path)]
}

// parent returns the directory of a path in the tree, or "" for the root.
func parent(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }

// clashingPaths returns the local paths that f replaces if a directory is at its path: the directory and everything
// in it. Without a directory it returns nil. It returns an error if f must not replace the local item: Delete is not
// set, the server may have a directory at this path too, the filter does not select all of the content, or the item
// is a special file.
func (s *treeSaver) clashingPaths(f *TreeFile) (paths []string, err error) {
	m := s.updateOptions()
	info, err := os.Lstat(s.path(f.Path))
	if m == nil || err != nil || s.isFresh(f.Path) || info.Mode()&^fs.ModeSymlink&fs.ModeType == 0 {
		return nil, nil
	}
	_, linked := s.linkTarget(f)
	switch {
	case !info.IsDir():
		return nil, errSpecialHere
	case !m.Delete:
		return nil, errDirHere
	case f.Size < 0 && !linked:
		return nil, errDirUnclear
	}
	err = filepath.WalkDir(s.path(f.Path), func(localPath string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(s.root, localPath)
		rel = filepath.ToSlash(rel)
		if err != nil || relErr != nil || !m.Filter.Selects(rel, d.IsDir(), time.Time{}) {
			return errDirKept
		}
		paths = append(paths, rel)
		return nil
	})
	return paths, err
}

// Prefixes of temporary directories, which are made in the directory of an item. A number follows.
const (
	partDir     = ".gofer-part-"   // holds the new item until it is complete
	replacedDir = ".gofer-mirror-" // holds the old item until it is removed
)

// hasNumberedPrefix reports whether name is prefix followed by a number.
func hasNumberedPrefix(name, prefix string) bool {
	n, ok := strings.CutPrefix(name, prefix)
	return ok && n != "" && strings.Trim(n, "0123456789") == ""
}

// pathToSave returns savePath, the path where the file for path is saved first. If an update finds a directory at
// path, savePath is in the temporary directory tempDir. Otherwise savePath is path, and tempDir is "".
func (s *treeSaver) pathToSave(path string) (savePath, tempDir string, err error) {
	info, err := os.Lstat(path)
	if s.updateOptions() == nil || err != nil || !info.IsDir() {
		return path, "", nil
	}
	tempDir, err = os.MkdirTemp(filepath.Dir(path), partDir)
	return filepath.Join(tempDir, filepath.Base(path)), tempDir, protocols.LocalError("save "+path, err)
}

// moveIntoPlace moves a complete item to the path of f. It replaces a file, a link, or a directory without items
// to keep.
func (s *treeSaver) moveIntoPlace(item string, f *TreeFile) error {
	clashing, err := s.clashingPaths(f)
	if err != nil {
		return err
	} else if len(clashing) == 0 {
		return moveToName(item, s.path(f.Path), forceUpdate)
	}
	return s.replaceLocal(f.Path, clashing, func() error { return moveToName(item, s.path(f.Path), forceNothing) })
}

// replaceLocal replaces the local item at itemPath by the item that the function put makes there. oldPaths
// are the paths of the local item and of its content. The local item is first moved to a temporary directory,
// and is removed after put. If put fails, the local item is moved back unless another program has taken the
// path.
func (s *treeSaver) replaceLocal(itemPath string, oldPaths []string, put func() error) error {
	if s.updateOptions().Plan != nil {
		s.remove(oldPaths, "", "")
		return put()
	}
	path := s.path(itemPath)
	aside, err := os.MkdirTemp(filepath.Dir(path), replacedDir)
	if err != nil {
		return protocols.LocalError("rename "+path, err)
	}
	defer os.Remove(aside)
	old := filepath.Join(aside, filepath.Base(path))
	if err := os.Rename(path, old); err != nil {
		return protocols.LocalError("rename "+path, err)
	}
	holder := joinPath(parent(itemPath), filepath.Base(aside))
	if err := put(); err != nil {
		s.keptAside.Store(holder, true)
		return errors.Join(err, moveToName(old, path, forceNothing))
	}
	s.remove(oldPaths, itemPath, holder+"/"+filepath.Base(path))
	return nil
}

// originalPath returns the path that an item had before replaceLocal moved it to path. If path is not such a
// path, originalPath returns it unchanged.
func originalPath(path string) string {
	names := strings.Split(path, "/")
	i := slices.IndexFunc(names[:len(names)-1], func(name string) bool { return hasNumberedPrefix(name, replacedDir) })
	return strings.Join(slices.Delete(names, max(i, 0), i+1), "/")
}

// findInterrupted finds the temporary directories that killed runs of gofer have left. It removes those that
// contain only unfinished files of gofer. If a directory holds an old item and a new item has replaced it,
// findInterrupted adds a note. If no item has replaced the old item, findInterrupted reports it as left out, and
// removeGone then does not remove it.
func (s *treeSaver) findInterrupted() {
	_ = filepath.WalkDir(s.root, func(localPath string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(s.root, localPath)
		if rel = filepath.ToSlash(rel); err != nil || relErr != nil || !d.IsDir() || s.item.tree.names.used[foldPath(runtime.GOOS, rel)] {
			return nil //nolint:nilerr // removeGone reports directories that cannot be read
		}
		parts := s.updateOptions().Plan == nil && s.hasOnlyParts(localPath, d)
		if !parts && !hasNumberedPrefix(d.Name(), replacedDir) {
			return nil
		}
		items, _ := os.ReadDir(localPath)
		for _, item := range items {
			switch name := joinPath(rel, item.Name()); {
			case parts:
				_ = s.item.discardPart(filepath.Join(localPath, item.Name()))
			case exists(s.path(joinPath(parent(rel), item.Name()))):
				s.item.addNote("left by an interrupted mirror: " + clean.Name(name))
			default:
				s.leaveOut(&TreeFile{Path: name}, errMovedAside)
				s.keptAside.Store(rel, true)
			}
		}
		if parts {
			_ = os.Remove(localPath)
		}
		return fs.SkipDir
	})
}

// hasOnlyParts reports whether d is a temporary directory that contains only unfinished files of gofer.
func (s *treeSaver) hasOnlyParts(localPath string, d fs.DirEntry) bool {
	if !d.IsDir() || !hasNumberedPrefix(d.Name(), partDir) {
		return false
	}
	items, err := os.ReadDir(localPath)
	return err == nil && len(items) > 0 && !slices.ContainsFunc(items, func(i fs.DirEntry) bool {
		_, ok := s.item.m.records.isPart(filepath.Join(localPath, i.Name()))
		return !ok
	})
}
