package download

import (
	"context"
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

	"gofer/internal/text/clean"
	"gofer/internal/transfer"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
)

// UpdateOptions are the options for updating a directory from a tree. New and changed files are fetched, and get the dates
// and modes of the server. A mirror of Gopher menus fetches only files that are missing here, whose size has
// changed here, or whose Gopher+ attributes have changed.
type UpdateOptions struct {
	Filter mirror.Filter       `json:"filter,omitzero"`
	Delete bool                `json:"delete,omitempty"` // remove local items that the server no longer lists
	Plan   func(action string) `json:"-"`                // if not nil, Plan is called with each action, and nothing is changed
}

// Changes counts the changes of an update.
type Changes struct {
	New, Changed, Unchanged, Removed int
	Octets                           int64 // octets fetched
}

// updateOptions returns the options for updating a directory from an FTP server, or nil for other downloads.
func (item *Item) updateOptions() *UpdateOptions {
	if item.tree.polite {
		return nil
	}
	return item.status.Mirror
}

func (s *treeSaver) updateOptions() *UpdateOptions { return s.item.updateOptions() }

// planAction passes an action to Plan and returns true. Without a Plan it returns false.
func (s *treeSaver) planAction(verb, path, suffix string) bool {
	m := s.item.status.Mirror
	if m == nil || m.Plan == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m.Plan(verb + " " + clean.Text(path) + suffix)
	return true
}

// difference is the result of comparing a file of the tree with a local file.
type difference uint8

const (
	missing difference = iota
	differs
	doubtful // the listed size or date is missing or not exact: the server must be asked
	equal
)

// compare compares a file of the tree with the local file by the listed size and date. In an update, a file without
// a listed size is doubtful. Listings do not have the size of a link's target.
func (s *treeSaver) compare(path string, f *TreeFile) (difference, fs.FileInfo) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return missing, nil
	case !info.Mode().IsRegular(), f.Size >= 0 && info.Size() != f.Size, s.hasPart(path), s.item.tree.takenPaths[f.Path]:
		return differs, info
	case s.updateOptions() == nil:
		if size, known := s.item.tree.index.Sizes[f.Path]; known && (info.Size() != size || s.changedAtServer(f.Path, info)) || f.compareDate(info.ModTime()) == differs {
			return differs, info
		}
		return equal, info
	case f.Size < 0:
		return doubtful, info
	}
	return f.compareDate(info.ModTime()), info
}

// hasPart reports whether gofer has begun to save the file at path.
func (s *treeSaver) hasPart(path string) bool {
	_, _, ok := s.item.m.records.findPart(path)
	return ok
}

// compareDate compares the date of f with the date of the local file.
func (f *TreeFile) compareDate(local time.Time) difference {
	switch same, sure := mirror.CompareDates(local, &protocols.FileNote{Modified: f.Modified, DateOnly: f.dateOnly, Local: f.localTime}); {
	case same:
		return equal
	case !sure:
		return doubtful
	}
	return differs
}

// compareOnServer asks the server for the size and date of a file, and compares them with the local file. What the server does not
// tell counts as equal.
func (s *treeSaver) compareOnServer(ctx context.Context, f *TreeFile, info fs.FileInfo) (difference, error) {
	head, err := s.fetchFacts(ctx, f, f.Size)
	diff := time.Duration(0)
	switch {
	case err != nil:
		return differs, err
	case !head.Modified.IsZero():
		diff = info.ModTime().Truncate(time.Second).Sub(head.Modified.Truncate(time.Second))
	case f.localTime && !f.dateOnly: // the local file got the listed date
		diff = info.ModTime().Truncate(time.Minute).Sub(f.Modified.Truncate(time.Minute))
	}
	if diff != 0 || f.target != "" && head.Size < 0 && head.Modified.IsZero() || head.Size >= 0 && head.Size != info.Size() {
		return differs, nil
	}
	return equal, nil
}

// fetchFacts asks the server for the date of a file, and for its size if the parameter size is negative.
func (s *treeSaver) fetchFacts(ctx context.Context, f *TreeFile, size int64) (head protocols.Head, err error) {
	req := protocols.Request{URL: f.URL, Facts: true, Modified: true, Known: &protocols.FileFacts{Size: size}}
	err = s.fileRetry(f, false).Do(ctx, s.item.waitRecorder(f), func() (bool, error) {
		res, err := s.item.m.Fetcher.Fetch(ctx, req)
		if err == nil {
			head, err = res.Head, res.Closer.Close()
			head.Modified = storableDate(head.Modified)
		}
		return false, err
	})
	return head, err
}

// planFetch plans to fetch a file. If the size is unknown, as for a link, planFetch asks the server, and returns an
// error if the file is a directory or does not exist.
func (s *treeSaver) planFetch(ctx context.Context, f *TreeFile) error {
	if f.Size >= 0 {
		s.planAction("get", f.Path, " ("+humanize.Bytes(uint64(f.Size))+")")
		return nil
	}
	head, err := s.fetchFacts(ctx, f, -1)
	if f.Size = head.Size; err == nil && f.Size >= 0 {
		return s.planFetch(ctx, f)
	}
	_, err = transfer.Save(ctx, s.item.m.Fetcher, protocols.Request{URL: f.URL}, nil, func(protocols.Head) error { return fs.SkipAll })
	if err == nil {
		s.planAction("get", f.Path, "")
	}
	return err
}

// keepFile counts file i as unchanged and as saved, and gives the local file the listed mode.
func (s *treeSaver) keepFile(i int, info fs.FileInfo) {
	s.chmod(&s.item.tree.Files[i], info.Mode().Perm())
	s.updateChanges(func(c *Changes) { c.Unchanged++ })
	s.reportOctets(i, info.Size(), false)
	if path := s.item.tree.Files[i].Path; !s.changedAtServer(path, info) { // a file that is not known to be gofer's is kept in any case
		s.rememberAttributes(path, true)
	}
	s.markSaved(i, info.Size())
}

func (s *treeSaver) updateChanges(add func(*Changes)) {
	s.item.m.mu.Lock()
	defer s.item.m.mu.Unlock()
	add(&s.item.status.Changes)
}

// chmod gives a file or directory the listed permissions without the bits of the umask, unless the parameter current
// has these permissions already. It does not set other bits of the mode.
func (s *treeSaver) chmod(f *TreeFile, current fs.FileMode) {
	bits, ok := protocols.ParsePermissions(f.mode)
	perm := fs.FileMode(bits) & 0o777 &^ s.umask
	if !ok || f.target != "" || s.updateOptions() == nil || runtime.GOOS == "windows" || perm == current || s.planAction("chmod", fmt.Sprintf("%o", perm), " "+clean.Text(f.Path)) {
		return
	}
	if err := s.inTree(func(dir *os.Root) error { return dir.Chmod(filepath.FromSlash(f.Path), perm) }); err != nil {
		s.item.addNote("the mode of " + clean.Name(f.Path) + " is not set: " + err.Error())
	}
}

// umask returns the umask of this program. The system call that returns the umask also changes it.
func umask() fs.FileMode {
	mode, ok := modeOfNamed(os.TempDir(), 0o777)
	if !ok {
		return 0o022 // the usual umask
	}
	return 0o777 &^ mode
}

// modeOfNamed makes a file in dir with the permissions perm, and returns the mode that the file gets.
func modeOfNamed(dir string, perm fs.FileMode) (mode fs.FileMode, ok bool) {
	name := filepath.Join(dir, fmt.Sprintf(".gofer-%d-%d", os.Getpid(), time.Now().UnixNano()))
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return 0, false
	}
	defer os.Remove(name)
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, false
	}
	return info.Mode().Perm(), true
}

// remove removes the local items at paths, each directory after its content. If the items were moved, newPrefix
// replaces oldPrefix at the beginning of their paths. Items that cannot be removed are left out.
func (s *treeSaver) remove(paths []string, oldPrefix, newPrefix string) {
	for _, path := range slices.Backward(paths) {
		localPath := s.path(newPrefix + strings.TrimPrefix(path, oldPrefix))
		if !s.planAction("remove", path, "") {
			if err := s.inTree(func(dir *os.Root) error {
				return dir.Remove(filepath.FromSlash(newPrefix + strings.TrimPrefix(path, oldPrefix)))
			}); err != nil {
				s.leaveOut(&TreeFile{Path: path}, protocols.LocalError("remove "+localPath, err))
				continue
			}
			s.item.addNote("removed: " + clean.Name(path))
		}
		s.updateChanges(func(c *Changes) { c.Removed++ })
	}
}

// removeGone removes the local items that the tree does not have, except items below a directory that could not
// be listed and items that the filter does not select. If the listing is empty, or incomplete because of the
// network or a busy server, or if the server did not mark its end, removeGone removes nothing.
func (s *treeSaver) removeGone() {
	tree := s.item.tree
	reason := ""
	for _, l := range tree.leftOut {
		if r := protocols.ReasonOf(l.Err); r.IsNetworkFailure() || r == protocols.EndUnmarked || mirror.IsTemporary(l.Err) {
			reason = "the listing is incomplete"
		}
	}
	if len(tree.Files)+len(tree.Dirs)+len(tree.leftOut) == 0 {
		reason = "the listing is empty"
	}
	if reason != "" {
		s.item.addNote("nothing was removed: " + reason)
		return
	}
	listed := make(map[string]bool)
	for _, d := range tree.Dirs {
		listed[foldPath(runtime.GOOS, d.Path)] = true
	}
	var gone []string
	hasKept := map[string]bool{".": true} // directories with items to keep
	_ = filepath.WalkDir(s.root, func(localPath string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(s.root, localPath)
		if rel = filepath.ToSlash(rel); relErr != nil || rel == "." {
			return nil //nolint:nilerr // keep items that cannot be read
		} else if err != nil {
			s.leaveOut(&TreeFile{Path: rel}, protocols.LocalError("read "+localPath, err))
			hasKept[rel] = true
		}
		key := foldPath(runtime.GOOS, rel)
		isListed := tree.names.used[key] || s.isUnfinished(rel)
		original := originalPath(rel)
		_, isKeptAside := s.keptAside.Load(rel)
		keep := rel == indexName || isKeptAside || s.hasOnlyParts(localPath, d) || isListed && d.IsDir() && !listed[key] || !isListed && (tree.withUnnamed[path.Dir(original)] || !s.item.status.Mirror.Filter.Selects(original, d.IsDir(), time.Time{}))
		if !isListed && !keep && err == nil {
			gone = append(gone, rel)
		}
		for dir := path.Dir(rel); (keep || hasKept[rel]) && !hasKept[dir]; dir = path.Dir(dir) {
			hasKept[dir] = true
		}
		if d.IsDir() && keep {
			return fs.SkipDir
		}
		return nil
	})
	s.remove(slices.DeleteFunc(gone, func(path string) bool { return hasKept[path] }), "", "")
}

// isUnfinished reports whether path is the .part file of an unfinished file of the tree.
func (s *treeSaver) isUnfinished(path string) bool {
	for _, base := range partBases(path) {
		name, _, ok := s.item.m.records.findPart(s.path(base))
		if ok && name == s.path(path) && s.item.tree.names.used[foldPath(runtime.GOOS, base)] {
			return true
		}
	}
	return false
}
