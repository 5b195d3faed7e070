package download

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// indexed is an item in Tree.byPath.
type indexed struct {
	path  string // in the tree
	isDir bool   // it is a directory of the tree
}

// indexPaths fills byPath if the tree has symbolic links.
func (t *Tree) indexPaths(root urlcore.URL) {
	if len(t.dirLinks) == 0 && !slices.ContainsFunc(t.Files, func(f TreeFile) bool { return f.target != "" }) {
		return
	}
	t.byPath = make(map[string]indexed)
	for _, list := range [][]TreeFile{t.skipped, t.dirLinks, t.Files} {
		for _, item := range list {
			t.byPath[serverPath(item.URL)] = indexed{item.Path, false}
		}
	}
	for _, dir := range append([]TreeFile{{URL: root, Path: "."}}, t.Dirs...) {
		t.byPath[serverPath(dir.URL)] = indexed{dir.Path, true}
	}
}

// serverPath returns the path of an item at its server, without the slash of the root.
func serverPath(u urlcore.URL) string {
	names := ""
	for ok := true; ok; {
		dir, isItem := u.(interface {
			FileName() string
			Up() (urlcore.URL, bool)
		})
		if !isItem {
			break
		}
		names = path.Join(dir.FileName(), names)
		u, ok = dir.Up()
	}
	return names
}

// findTarget returns the item of the tree to which a symbolic link leads. It returns false if its target is unknown or not the
// relative path of an item.
func (t *Tree) findTarget(f *TreeFile) (indexed, bool) {
	if f.target == "" || path.IsAbs(f.target) {
		return indexed{}, false
	}
	target, ok := t.byPath[path.Join(path.Dir(serverPath(f.URL)), f.target)]
	return target, ok
}

// settleLinks leaves out the links to directories, except those that an update saves as links. They are not followed, because they
// may lead out of the directory, and each may lead to the same items again.
func (item *Item) settleLinks() {
	t := item.tree
	for i := range t.dirLinks {
		f := &t.dirLinks[i]
		if _, ok := t.linkTarget(f); ok && item.updateOptions() != nil {
			t.addFile(*f)
		} else if !item.noteLinkedDirectory(f) {
			t.leftOut = append(t.leftOut, mirror.LeftOut{URL: f.URL, Path: f.Path, Err: errDirLink})
		}
	}
	t.dirLinks = nil
}

// noteLinkedDirectory adds a note about a link that is left out, if it leads to a directory of the tree.
func (item *Item) noteLinkedDirectory(f *TreeFile) bool {
	dir, ok := item.tree.findTarget(f)
	if ok = ok && dir.isDir; ok {
		item.addNote("not saved twice: " + clean.Name(f.Path) + ": it is a link to the directory " + clean.Name(dir.path))
	}
	return ok
}

// leaveOutDirectory leaves out file i, which has turned out to be a directory or a link to a directory.
func (s *treeSaver) leaveOutDirectory(i int) {
	switch f := &s.item.tree.Files[i]; {
	case s.item.noteLinkedDirectory(f):
	case f.target != "":
		s.leaveOutFile(i, errDirLink)
	default:
		s.leaveOutFile(i, errUnlistedDir)
	}
}

// linkTarget returns the local target for the symbolic link f, relative to its directory. It returns false if
// the target is not in the tree, or may lead out of it through another link or through ".." after a name.
func (t *Tree) linkTarget(f *TreeFile) (target string, ok bool) {
	listed := strings.TrimSuffix(f.target, "/")
	to, ok := t.findTarget(f)
	if !ok || path.Clean(listed) != listed || to.path == f.Path {
		return "", false
	}
	target, err := filepath.Rel(filepath.FromSlash(path.Dir(f.Path)), filepath.FromSlash(to.path))
	return target, err == nil
}

// linkTarget is like [Tree.linkTarget], but returns false unless the tree updates a directory.
func (s *treeSaver) linkTarget(f *TreeFile) (target string, ok bool) {
	if s.updateOptions() == nil {
		return "", false
	}
	return s.item.tree.linkTarget(f)
}

// whyCopied returns the end of the note about a link whose content is saved in place of the link.
func (s *treeSaver) whyCopied(f *TreeFile) string {
	if _, ok := s.linkTarget(f); ok {
		return ", and no links can be made here"
	}
	return ", which is not the relative path of an item in the directory"
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
