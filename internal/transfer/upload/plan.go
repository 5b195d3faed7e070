package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"gofer/internal/text/clean"
	"gofer/internal/transfer"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// Plan reads the local directory, lists the directories of the server, and finds the differences. The
// caller then calls [Tree.Run], and [Tree.Close] at the end. If the error is a [protocols.Question],
// Plan can be called again after the answer.
func (t *Tree) Plan(ctx context.Context) error {
	t.Close()
	t.plan = plan{children: make(map[*item][]*item), localItems: make(map[string]*item), byFoldedPath: make(map[string]*item), listedAgain: make(map[*item]map[string]*remote)}
	t.mu.Lock()
	t.progress, t.leftOut, t.full = Progress{resumes: t.Continue}, nil, false
	t.mu.Unlock()
	if err := t.scan(ctx); err != nil {
		return err
	}
	found := map[string]*remote{"": {url: t.URL, dir: true}}
	if !t.Names.Raw {
		t.octets = mirror.ReadNames(t.Dir)
	}
	for _, d := range t.dirs {
		if d.remote = found[d.path]; d.remote == nil {
			t.nameItems(d, nil)
			continue
		}
		if !d.remote.dir {
			t.leaveOut(d, t.kindError(d.remote))
			continue
		}
		items, serverPath, err := t.list(ctx, d.url)
		if d.incomplete = errors.Is(err, errIncomplete); d.incomplete {
			if t.Delete { // the unlisted items are not removed
				t.leftOut = append(t.leftOut, mirror.LeftOut{URL: d.url, Path: cmp.Or(d.path, "."), Err: err})
			}
			err = nil
		}
		local := t.nameItems(d, items)
		if d.serverPath = serverPath; err == nil && d.path != "" && isLinkedDir(t.parent(d).serverPath, serverPath, d.url.FileName()) {
			err = errOtherKind
		}
		switch {
		case err == nil:
		case d.path == "" && protocols.ReasonOf(err) == protocols.NotFound:
			d.remote = nil
			t.findParents(ctx)
			continue
		case d.path == "" || isFatal(ctx, err):
			return err
		default:
			t.leaveOut(d, err)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(items)) {
			itemPath, item := local(name), items[name]
			found[itemPath] = item
			if err := t.findSurplus(ctx, d, itemPath, item, found); err != nil {
				return err
			}
		}
	}
	for _, f := range t.files {
		f.remote = found[f.path]
		t.compare(f)
	}
	return nil
}

// nameItems sets the URLs of the local items in the directory d, whose items at the server are in the parameter items. It
// returns a function that returns the local path for an item at the server.
func (t *Tree) nameItems(d *item, items map[string]*remote) (local func(name string) string) {
	names := slices.Sorted(maps.Keys(items))
	for _, name := range names {
		t.Names.LearnName(name)
	}
	listed := t.Names.ByText(names)
	byName, taken := make(map[string]string), make(map[string]bool)
	for _, i := range t.children[d] {
		name, known := t.octets[i.path]
		if !known {
			name = t.Names.Octets(path.Base(i.path), listed)
		}
		u, err := d.url.Child(name)
		if err != nil {
			t.leaveOut(i, err)
			continue
		}
		typ := i.url.Type
		i.url = u.(urlcore.FTP)
		i.url.Type = typ
		byName[name], taken[i.path] = i.path, true
	}
	return func(name string) string {
		if itemPath, ok := byName[name]; ok {
			return itemPath
		}
		if itemPath := path.Join(d.path, t.Names.Shown(name)); !taken[itemPath] {
			return itemPath
		}
		return path.Join(d.path, name)
	}
}

// findParents records the missing directories above t.URL.
func (t *Tree) findParents(ctx context.Context) {
	for u, ok := t.URL.Up(); ok && u.(urlcore.FTP).Path != ""; {
		if _, _, err := t.list(ctx, u); protocols.ReasonOf(err) != protocols.NotFound {
			break
		}
		dir := u.(urlcore.FTP)
		t.parents = append([]*item{{url: dir}}, t.parents...)
		u, ok = dir.Up()
	}
}

// findSurplus records the server's item r in the directory d for removal, if Delete is set and Filter selects r.
// The local directory must have no item at itemPath, or an item of another kind that replaces r.
func (t *Tree) findSurplus(ctx context.Context, d *item, itemPath string, r *remote, found map[string]*remote) error {
	local := t.localItems[itemPath]
	if !t.Delete || local != nil && !t.canReplace(local, r) || !t.Filter.Selects(itemPath, r.dir, time.Time{}) {
		return nil
	}
	if strings.HasPrefix(path.Base(itemPath), temporaryPrefix) {
		t.leaveOut(&item{path: itemPath}, errTemporaryName)
		return nil
	}
	removal := &Removal{replacement: cmp.Or(local, t.byFoldedPath[strings.ToLower(itemPath)]), list: t.list, filter: t.Filter, root: item{path: itemPath, remote: r}}
	if err := removal.addItem(ctx, itemPath, r, d.serverPath); err != nil {
		return err
	}
	switch {
	case local != nil && r.keep: // the filter keeps an item in r
		return nil
	case local != nil:
		delete(found, itemPath)
		fallthrough
	case removal.replacement != nil && !r.keep:
		t.clashing = append(t.clashing, removal)
	default:
		t.surplus = append(t.surplus, removal)
	}
	d.contentChanged = true
	return nil
}

// scan reads the local directory.
func (t *Tree) scan(ctx context.Context) (err error) {
	dir, err := filepath.EvalSymlinks(t.Dir)
	if info, statErr := os.Stat(dir); err == nil && statErr == nil && !info.IsDir() {
		err = errNoDirectory
	}
	if err == nil {
		t.root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return protocols.LocalError("read "+t.Dir, err)
	}
	return filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		i := new(item)
		if rel, _ := filepath.Rel(dir, name); rel != "." {
			i.path = filepath.ToSlash(rel)
		}
		if err == nil {
			i.info, err = entry.Info()
		}
		if i.path == mirror.IndexName { // it is about this machine
			return nil
		}
		if err != nil && i.path == "" {
			return protocols.LocalError("read "+t.Dir, err)
		}
		t.localItems[i.path] = i
		switch {
		case err != nil:
			t.scanIncomplete = true
			t.leaveOut(i, protocols.LocalError("read it", err))
		case i.path != "" && !t.Filter.Selects(i.path, entry.IsDir(), i.info.ModTime()):
			t.hasExcluded = t.hasExcluded || !t.Filter.Selects(i.path, entry.IsDir(), time.Time{})
		default:
			if err = t.addLocal(i); err == nil {
				t.byFoldedPath[strings.ToLower(i.path)] = i
				return nil
			}
			t.leaveOut(i, err)
		}
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// addLocal appends a local item to t.dirs or t.files. If the item must be left out, addLocal returns the reason.
func (t *Tree) addLocal(i *item) error {
	i.url = t.URL
	if i.path != "" {
		u, err := t.parent(i).url.Child(path.Base(i.path))
		if err != nil {
			return err
		}
		i.url = u.(urlcore.FTP)
		t.children[t.parent(i)] = append(t.children[t.parent(i)], i)
	}
	switch kind := i.info.Mode().Type(); {
	case kind == fs.ModeSymlink:
		info, err := t.root.Stat(i.path)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ELOOP), err == nil && !info.Mode().IsRegular():
			return errLink
		case err != nil:
			return errOutside
		}
		i.info = info
		t.linkCopies++
	case kind == fs.ModeDir:
		i.url.Type = 'd'
		t.dirs = append(t.dirs, i)
		return nil
	case kind != 0:
		return errSpecial
	}
	t.files = append(t.files, i)
	t.progress.TotalFiles++
	t.progress.Size += i.info.Size()
	return nil
}

// compare compares a file with the item of the same name in the listing of the server.
func (t *Tree) compare(f *item) {
	r := f.remote
	if r == nil || f.state != waiting {
		return
	}
	same, _ := mirror.CompareDates(f.info.ModTime(), &r.note)
	switch {
	case r.dir || r.note.IsLink():
		t.leaveOut(f, t.kindError(r))
	case !t.Force && !t.Replace && !t.Update && !t.Continue:
		t.leaveOut(f, errExists)
	case t.Force, !same, r.note.Size != f.info.Size():
		if t.progress.existing++; !t.Force && (t.Continue || r.note.Size == f.info.Size()) {
			t.progress.uncertain++
		}
		if r.note.Modified.After(f.info.ModTime()) {
			t.progress.Newer++
		}
		return
	default:
		f.state = unchanged
		t.progress.Unchanged++
	}
	t.progress.TotalFiles--
	t.progress.Size -= f.info.Size()
}

// kindError returns the error for an item that has the same name as the server's item r but is of another kind.
func (t *Tree) kindError(r *remote) error {
	if t.Update && !t.Delete && !r.note.IsLink() {
		return errOtherKindKept
	}
	return errOtherKind
}

// canReplace reports whether the local item i replaces the server's item r, because one of them is a
// directory and the other is a file. A file that cannot be opened replaces nothing.
func (t *Tree) canReplace(i *item, r *remote) bool {
	if i.state != waiting || t.scanIncomplete || i.info.IsDir() == r.dir || r.note.IsLink() || !t.Filter.Selects(i.path, i.info.IsDir(), i.info.ModTime()) {
		return false
	}
	if i.info.IsDir() {
		return true
	}
	f, err := t.openLocal(i)
	return err == nil && f.Close() == nil
}

// checkUnchanged reports whether the file f on the server is unchanged. Such a file has the same size and the
// same date or, if the server cannot set dates, a later date. If KeepNewer is set and a changed file is newer
// on the server, checkUnchanged returns errNewer.
func (t *Tree) checkUnchanged(ctx context.Context, f *item) (bool, error) {
	serverDate, equalSize := f.remote.note.Modified, f.remote.note.Size == f.info.Size()
	if _, sure := mirror.CompareDates(f.info.ModTime(), &f.remote.note); !sure {
		head, err := t.fetchFacts(ctx, f, protocols.FileFacts{Size: f.info.Size()})
		if serverDate = head.Modified; err != nil {
			return false, err
		}
	}
	later := serverDate.Compare(f.info.ModTime().Truncate(time.Second))
	switch {
	case serverDate.IsZero() || later <= 0:
		return equalSize && later == 0, nil
	case !equalSize:
		return false, errNewer
	}
	err := t.makeChange(ctx, &protocols.Change{Kind: protocols.SetDate, URL: f.url, Modified: serverDate})
	if isFatal(ctx, err) {
		return false, err
	}
	if err == nil && t.KeepNewer {
		err = errNewer
		return false, err
	}
	return protocols.ReasonOf(err) == protocols.NotSupported, nil
}

// checkStored asks the server for the size of a doubtful file, and reports whether the file is stored. If the
// server does not report the size, the file counts as stored, because the reply to STOR confirmed it.
func (t *Tree) checkStored(ctx context.Context, f *item) bool {
	size := f.info.Size()
	head, err := t.fetchFacts(ctx, f, protocols.FileFacts{Size: -1, Modified: f.info.ModTime()})
	if err != nil && isFatal(ctx, err) || err == nil && head.Size >= 0 && head.Size != size {
		return false
	}
	t.update(func(p *Progress) { f.state, p.Files, p.Done = sent, p.Files+1, p.Done+size })
	return true
}

// fetchFacts asks the server for the size and date of a file. It does not ask for a value that is in known.
func (t *Tree) fetchFacts(ctx context.Context, f *item, known protocols.FileFacts) (head protocols.Head, err error) {
	err = t.retry(ctx, func() (bool, error) {
		res, err := t.Server.Fetch(ctx, protocols.Request{URL: f.url, Facts: true, Modified: true, Known: &known})
		if err == nil {
			head, err = res.Head, res.Closer.Close()
		}
		return false, err
	})
	return head, err
}

// list returns the items of a directory of the server by name, and the path of the directory as the server
// reports it, or "". If the error is errIncomplete, it returns the items that are listed.
func (t *Tree) list(ctx context.Context, u urlcore.URL) (_ map[string]*remote, serverPath string, _ error) {
	var head protocols.Head
	var page []protocols.Line
	err := t.retry(ctx, func() (_ bool, err error) {
		head, page, err = transfer.ReadAll(ctx, t.Server, protocols.Request{URL: u, Hidden: true, Identity: true})
		return false, err
	})
	if err == nil && head.Layout != protocols.LayoutDirectory {
		err = protocols.NewError(protocols.NotFound, "list the directory", "it is not a directory")
	}
	if protocols.ReasonOf(err) == protocols.EndUnmarked && page != nil {
		err = fmt.Errorf("%w: %w", errIncomplete, err)
	}
	if err != nil && !errors.Is(err, errIncomplete) {
		return nil, "", err
	}
	items := make(map[string]*remote)
	for _, line := range page {
		if u, ok := line.Link.(urlcore.FTP); ok {
			r := &remote{url: u, dir: line.Kind == protocols.Directory}
			if note, ok := line.Note.(*protocols.FileNote); ok {
				r.note = *note
				r.note.Size = note.ExactSize()
			}
			if r.dir && r.note.IsLink() { // it is removed as a file is, and nothing in it is removed or stored
				r.dir, r.url.Type = false, 0
			}
			// A name with a line end can forge a line that shows a link as a directory. If two lines
			// have the same name, the line of a file or link is used.
			if previous := items[u.FileName()]; previous == nil || previous.dir {
				items[u.FileName()] = r
			}
		} else if line.Kind == protocols.Failure {
			err = fmt.Errorf("%w: %s", errIncomplete, clean.Text(line.Text))
		}
	}
	return items, head.Path, err
}

// isLinkedDir reports whether an item is a link to a directory: serverPath, the path that the server reports for
// the item, differs from the path made of parent and name. isLinkedDir returns false if one of the paths is unknown
// or relative. It treats two octets FF as one, because some servers double this octet.
func isLinkedDir(parent, serverPath, name string) bool {
	single := strings.NewReplacer("\xff\xff", "\xff")
	return strings.HasPrefix(parent, "/") && strings.HasPrefix(serverPath, "/") && single.Replace(path.Join(parent, name)) != single.Replace(path.Clean(serverPath))
}
