package download

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// targetPath returns the path of the target of a symbolic link. It returns false if the target is not an item
// of the tree.
func (t *Tree) targetPath(f *TreeFile) (string, bool) {
	u, isFTP := f.URL.(urlcore.FTP)
	if !isFTP || f.target == "" || strings.HasPrefix(f.target, "/") {
		return "", false
	}
	target, ok := t.byPath[path.Join(strings.Join(u.CWDs(), "/"), f.target)]
	return target, ok
}

// indexPaths fills byPath if the tree has symbolic links.
func (t *Tree) indexPaths(root urlcore.URL) {
	if !slices.ContainsFunc(t.Files, func(f TreeFile) bool { return f.target != "" }) {
		return
	}
	t.byPath = make(map[string]string)
	for _, list := range [][]TreeFile{{{URL: root, Path: "."}}, t.skipped, t.Dirs, t.Files} {
		for _, item := range list {
			if u, ok := item.URL.(urlcore.FTP); ok {
				t.byPath[path.Join(strings.Join(u.CWDs(), "/"), u.Name())] = item.Path
			}
		}
	}
}

// leaveOutDirectory leaves out file i, which is a directory or a link to a directory. If the target of the link
// is an item of the tree, it adds a note instead.
func (s *treeSaver) leaveOutDirectory(i int) {
	f := &s.item.tree.Files[i]
	dir, ok := s.item.tree.targetPath(f)
	switch {
	case ok:
		s.item.addNote("not saved twice: " + clean.Name(f.Path) + ": it is a link to the directory " + clean.Name(dir))
	case f.target != "":
		s.leaveOutFile(i, errDirLink)
	default:
		s.leaveOutFile(i, errUnlistedDir)
	}
}

// linkTarget returns the local target for the symbolic link f, relative to its directory. It returns false if
// the target is not in the tree, or may lead out of it through another link or through ".." after a name.
func (s *treeSaver) linkTarget(f *TreeFile) (target string, ok bool) {
	if f.target == "" || s.updateOptions() == nil {
		return "", false
	}
	listed := strings.TrimSuffix(f.target, "/")
	targetPath, ok := s.item.tree.targetPath(f)
	if !ok || path.Clean(listed) != listed || targetPath == f.Path {
		return "", false
	}
	target, err := filepath.Rel(filepath.FromSlash(path.Dir(f.Path)), filepath.FromSlash(targetPath))
	return target, err == nil
}

// danglingTarget returns the target of a symbolic link whose target does not exist at the server. It returns
// false if the target may lead out of the local directory or has an unsafe name, or if the link would replace a
// local file and Delete is not set.
func (s *treeSaver) danglingTarget(f *TreeFile) (target string, ok bool) {
	target = strings.TrimSuffix(f.target, "/")
	m, local := s.updateOptions(), s.path(f.Path)
	isChanged := func(name string) bool { return name != ".." && treeName(name) != name }
	ok = m != nil && (m.Delete || !exists(local) || checkRegular(local) != nil) && !slices.ContainsFunc(strings.Split(target, "/"), isChanged)
	return filepath.FromSlash(target), ok && path.Clean(target) == target && filepath.IsLocal(path.Join(path.Dir(f.Path), target))
}

// saveLink saves file i as a symbolic link. The link replaces a local file or another link. It returns false
// if the system cannot make links.
func (s *treeSaver) saveLink(i int, path, target string, diff difference) (ok bool, err error) {
	current, err := os.Readlink(path)
	switch {
	case err == nil && current == target:
		s.updateChanges(func(c *Changes) { c.Unchanged++ })
		s.markSaved(i, 0)
		return true, nil
	case s.planAction("link", s.item.tree.Files[i].Path, " -> "+clean.Text(target)):
	default:
		aside, err := os.MkdirTemp(filepath.Dir(path), partDir)
		if err != nil {
			return false, protocols.LocalError("save "+path, err)
		}
		defer os.Remove(aside)
		temporary := filepath.Join(aside, filepath.Base(path))
		if os.Symlink(target, temporary) != nil {
			return false, nil
		}
		if err := s.moveIntoPlace(temporary, &s.item.tree.Files[i]); err != nil {
			return false, errors.Join(err, os.Remove(temporary))
		}
		if diff == missing {
			s.item.addCreated(path, true)
		}
	}
	s.countFetched(i, diff, 0)
	return true, nil
}
