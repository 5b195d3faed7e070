package download

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"gofer/internal/mirror"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// Mirror describes how a tree updates a directory: files that are new or changed are fetched, and
// get the dates and modes of the server. In a mirror of Gopher menus only new ones are.
type Mirror struct {
	Filter mirror.Filter       `json:"filter,omitzero"`
	Delete bool                `json:"delete,omitempty"` // remove local items that the server no longer lists
	Plan   func(action string) `json:"-"`                // is called for what would be done, and nothing is done; or nil
}

// Changes are the results of an update.
type Changes struct {
	New, Changed, Same, Removed int
	Octets                      int64 // that were fetched
}

// updates returns how s updates a directory of FTP files, or nil if it does not.
func (s *treeSaver) updates() *Mirror {
	if s.it.tree.polite {
		return nil
	}
	return s.it.status.Mirror
}

// dry passes an action to Plan, and reports whether there is one.
func (s *treeSaver) dry(verb, path, more string) bool {
	m := s.it.status.Mirror
	if m == nil || m.Plan == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m.Plan(verb + " " + clean.Text(path) + more)
	return true
}

// difference is the result of comparing a file of the tree with the local file.
type difference uint8

const (
	missing  difference = iota
	differs             // it is fetched again
	doubtful            // the server knows more than its listing says
	equal
)

// compare compares a file with the local file. Listings have sizes, and dates that are
// exact, to the minute, to the day or in an unknown zone; sizes of links are not known.
func (s *treeSaver) compare(path string, f *TreeFile) (difference, fs.FileInfo) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return missing, nil
	case !info.Mode().IsRegular(), f.Size >= 0 && info.Size() != f.Size, there(path + recordSuffix), s.it.tree.taken[f.Path]:
		return differs, info
	case s.updates() == nil:
		if size, known := s.it.tree.index.Sizes[f.Path]; known && info.Size() != size || f.dated(info.ModTime()) == differs {
			return differs, info
		}
		return equal, info
	case f.Size < 0:
		return doubtful, info
	}
	return f.dated(info.ModTime()), info
}

// dated compares the date of f with the date of the local file.
func (f *TreeFile) dated(local time.Time) difference {
	switch same, sure := mirror.SameDate(local, &protocols.FileNote{Modified: f.Modified, DateOnly: f.dateOnly, Local: f.local}); {
	case same:
		return equal
	case !sure:
		return doubtful
	}
	return differs
}

// asked compares a file with the local file by the size and date that the server answers.
func (s *treeSaver) asked(ctx context.Context, f *TreeFile, info fs.FileInfo) (difference, error) {
	if _, ok := f.URL.(urlcore.FTP); !ok {
		return equal, nil
	}
	head, err := s.facts(ctx, f, f.Size)
	off := time.Duration(0)
	switch {
	case err != nil:
		return differs, err
	case !head.Modified.IsZero():
		off = info.ModTime().Truncate(time.Second).Sub(head.Modified)
	case f.local && !f.dateOnly: // the date was saved as it was listed
		off = info.ModTime().Truncate(time.Minute).Sub(f.Modified.Truncate(time.Minute))
	}
	if off != 0 || f.target != "" && head.Size < 0 && head.Modified.IsZero() || head.Size >= 0 && head.Size != info.Size() {
		return differs, nil
	}
	return equal, nil
}

// facts asks the server for the date of a file, and for its size unless that is known.
func (s *treeSaver) facts(ctx context.Context, f *TreeFile, size int64) (head protocols.Head, err error) {
	ctx = protocols.WithKnown(protocols.WithFacts(protocols.WithModified(ctx)), protocols.Known{Size: size})
	err = s.retry(f, false).Do(ctx, s.it.waits(f), func() (bool, error) {
		res, err := s.it.m.Fetcher.Fetch(ctx, f.URL)
		if err == nil {
			head, err = res.Head, res.Closer.Close()
			head.Modified = storable(head.Modified)
		}
		return false, err
	})
	return head, err
}

// plan plans to fetch a file. It asks the server for the target of a link, and returns an error for
// a link to a directory or to nothing.
func (s *treeSaver) plan(ctx context.Context, f *TreeFile) error {
	if f.Size >= 0 {
		s.dry("get", f.Path, " ("+humanize.Bytes(uint64(f.Size))+")")
		return nil
	}
	head, err := s.facts(ctx, f, -1)
	if f.Size = head.Size; err == nil && f.Size >= 0 {
		return s.plan(ctx, f)
	}
	l := nav.Open(ctx, s.it.m.Fetcher, f.URL)
	defer l.Cancel()
	if head, err = l.Wait(); err == nil && !head.Layout.Document() {
		err = nav.ErrNoOctets
	} else if err == nil {
		s.dry("get", f.Path, "")
	}
	return err
}

// keep counts a file that is equal, and gives it the mode that the server lists.
func (s *treeSaver) keep(i int, path string, info fs.FileInfo) {
	s.chmod(&s.it.tree.Files[i], path, info.Mode().Perm())
	s.count(func(c *Changes) { c.Same++ })
	s.report(i, info.Size(), false)
	s.saved(i, info.Size())
}

func (s *treeSaver) count(add func(*Changes)) {
	s.it.m.mu.Lock()
	defer s.it.m.mu.Unlock()
	add(&s.it.status.Changes)
}

// chmod sets the permissions of a file or directory to the listed permissions without the bits of
// the umask, unless they are equal to now. It sets no other bits.
func (s *treeSaver) chmod(f *TreeFile, path string, now fs.FileMode) {
	bits, ok := protocols.Permissions(f.mode)
	perm := fs.FileMode(bits) & 0o777 &^ s.umask
	if !ok || f.target != "" || s.updates() == nil || runtime.GOOS == "windows" || perm == now || s.dry("chmod", fmt.Sprintf("%o", perm), " "+clean.Text(f.Path)) {
		return
	}
	if err := os.Chmod(path, perm); err != nil {
		s.it.note("the mode of " + clean.Name(f.Path) + " is not set: " + err.Error())
	}
}

// umask returns the permissions that new files do not get.
func umask() fs.FileMode {
	name := filepath.Join(os.TempDir(), fmt.Sprintf("gofer-%d-%d", os.Getpid(), time.Now().UnixNano()))
	if f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o777); err == nil {
		defer os.Remove(name)
		defer f.Close()
		if info, err := f.Stat(); err == nil {
			return 0o777 &^ info.Mode().Perm()
		}
	}
	return 0o022 // the usual one
}

// local returns the path of the target of a symbolic link. It returns false if that is no item of
// the tree.
func (t *Tree) local(f *TreeFile) (string, bool) {
	u, isFTP := f.URL.(urlcore.FTP)
	if !isFTP || f.target == "" || strings.HasPrefix(f.target, "/") {
		return "", false
	}
	at, ok := t.byPath[path.Join(strings.Join(u.CWDs(), "/"), f.target)]
	return at, ok
}

// indexPaths fills byPath if the tree has a link.
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

// leaveDirectory records that file i is a directory: a note if the tree has that
// directory under its own name, else an omission.
func (s *treeSaver) leaveDirectory(i int) {
	f := &s.it.tree.Files[i]
	dir, ok := s.it.tree.local(f)
	switch {
	case ok:
		s.it.note("not saved twice: " + clean.Name(f.Path) + ": it is a link to the directory " + clean.Name(dir))
	case f.target != "":
		s.leave(i, errDirLink)
	default:
		s.leave(i, errUntold)
	}
}

// linked returns the local target of a symbolic link whose target is in the tree, relative to the
// directory of the link. A target that leads through a link, or back from a name, may lead out:
// it is not such a target.
func (s *treeSaver) linked(f *TreeFile) (to string, ok bool) {
	if f.target == "" || s.updates() == nil {
		return "", false
	}
	target := strings.TrimSuffix(f.target, "/")
	at, ok := s.it.tree.local(f)
	if !ok || path.Clean(target) != target || at == f.Path {
		return "", false
	}
	to, err := filepath.Rel(filepath.FromSlash(path.Dir(f.Path)), filepath.FromSlash(at))
	return to, err == nil
}

// dangling returns the target of a symbolic link that leads to nothing at the server, if the link
// cannot lead out of the directory here: the target begins below the directory, and no ".." follows
// a name. A local file gives way to such a link with Delete only.
func (s *treeSaver) dangling(f *TreeFile) (to string, ok bool) {
	to = strings.TrimSuffix(f.target, "/")
	m, at := s.updates(), s.path(f.Path)
	odd := func(name string) bool { return name != ".." && treeName(name) != name }
	ok = m != nil && (m.Delete || !there(at) || notFile(at) != nil) && !slices.ContainsFunc(strings.Split(to, "/"), odd)
	return filepath.FromSlash(to), ok && path.Clean(to) == to && filepath.IsLocal(path.Join(path.Dir(f.Path), to))
}

// link makes a symbolic link. Unless was is missing, the link replaces a file or another link. It returns false if the system does not make links.
func (s *treeSaver) link(i int, path, to string, was difference) (ok bool, err error) {
	now, err := os.Readlink(path)
	switch {
	case err == nil && now == to:
		s.count(func(c *Changes) { c.Same++ })
		s.saved(i, 0)
		return true, nil
	case s.dry("link", s.it.tree.Files[i].Path, " -> "+clean.Text(to)):
	default:
		aside, err := os.MkdirTemp(filepath.Dir(path), partDir)
		if err != nil {
			return false, protocols.LocalError("save "+path, err)
		}
		defer os.Remove(aside)
		temporary := filepath.Join(aside, filepath.Base(path))
		if os.Symlink(to, temporary) != nil {
			return false, nil
		}
		if err := s.place(temporary, &s.it.tree.Files[i]); err != nil {
			return false, errors.Join(err, os.Remove(temporary))
		}
		if was == missing {
			s.it.addCreated(path, true)
		}
	}
	s.fetched(i, was, 0)
	return true, nil
}

// remove removes items, directories after their content, where the beginning from of their paths is now
// to. What cannot be removed is left out.
func (s *treeSaver) remove(paths []string, from, to string) {
	for _, path := range slices.Backward(paths) {
		at := s.path(to + strings.TrimPrefix(path, from))
		if !s.dry("remove", path, "") {
			if err := os.Remove(at); err != nil {
				s.leaveItem(&TreeFile{Path: path}, protocols.LocalError("remove "+at, err))
				continue
			}
			s.it.note("removed: " + clean.Name(path))
		}
		s.count(func(c *Changes) { c.Removed++ })
	}
}

// removeGone removes the local items that the tree does not have, except items below a directory
// that was not listed and items that the filter does not select.
func (s *treeSaver) removeGone() {
	tree := s.it.tree
	why := ""
	for _, l := range tree.left {
		if protocols.ReasonOf(l.Err).Network() || mirror.Temporary(l.Err) {
			why = "the listing is not complete"
		}
	}
	if len(tree.Files)+len(tree.Dirs)+len(tree.left) == 0 {
		why = "the server lists nothing"
	}
	if why != "" {
		s.it.note("nothing was removed: " + why)
		return
	}
	listed := make(map[string]bool)
	for _, d := range tree.Dirs {
		listed[fold(runtime.GOOS, d.Path)] = true
	}
	var gone []string
	holds := map[string]bool{".": true} // directories with items that stay
	_ = filepath.WalkDir(s.root, func(at string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(s.root, at)
		if rel = filepath.ToSlash(rel); relErr != nil || rel == "." {
			return nil //nolint:nilerr // what cannot be read stays
		} else if err != nil {
			s.leaveItem(&TreeFile{Path: rel}, protocols.LocalError("read "+at, err))
			holds[rel] = true
		}
		key := fold(runtime.GOOS, rel)
		has := tree.names.used[key] || s.unfinished(rel)
		was := originalPath(rel)
		_, held := s.held.Load(rel)
		stays := held || holdsParts(at, d) || has && d.IsDir() && !listed[key] || !has && (tree.unnamed[path.Dir(was)] || !s.it.status.Mirror.Filter.Selects(was, d.IsDir(), time.Time{}))
		if !has && !stays && err == nil {
			gone = append(gone, rel)
		}
		for dir := path.Dir(rel); (stays || holds[rel]) && !holds[dir]; dir = path.Dir(dir) {
			holds[dir] = true
		}
		if d.IsDir() && stays {
			return fs.SkipDir
		}
		return nil
	})
	s.remove(slices.DeleteFunc(gone, func(path string) bool { return holds[path] }), "", "")
}

// unfinished reports whether a path is the .part file or the record of an unfinished file of the tree.
func (s *treeSaver) unfinished(path string) bool {
	stem, ok := strings.CutSuffix(strings.TrimSuffix(path, ".info"), partSuffix)
	return ok && s.it.tree.names.used[fold(runtime.GOOS, stem)] && recorded(s.path(stem))
}
