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

	"gofer/internal/mirror"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// Plan reads the directory and lists the directories of the server. [Tree.Run] and [Tree.Close]
// follow. After an error that is a question it can be called again.
func (t *Tree) Plan(ctx context.Context) error {
	t.Close()
	t.plan = plan{local: make(map[string]*item), folded: make(map[string]*item), after: make(map[*item]map[string]*remote)}
	t.mu.Lock()
	t.done, t.leftOut = Progress{resumes: t.Continue}, nil
	t.mu.Unlock()
	if err := t.scan(ctx); err != nil {
		return err
	}
	found := map[string]*remote{"": {url: t.URL, dir: true}}
	for _, d := range t.dirs {
		if d.remote = found[d.path]; d.remote == nil {
			continue
		}
		if !d.remote.dir {
			t.leave(d, t.kindError(d.remote))
			continue
		}
		items, place, err := t.list(ctx, d.url)
		if d.incomplete = errors.Is(err, errIncomplete); d.incomplete {
			err = nil
		}
		if d.place = place; err == nil && d.path != "" && elsewhere(t.parent(d).place, place, d.url.FileName()) {
			err = errKind
		}
		switch {
		case err == nil:
		case d.path == "" && protocols.ReasonOf(err) == protocols.NotThere:
			d.remote = nil
			t.findParents(ctx)
			continue
		case d.path == "" || fatal(ctx, err):
			return err
		default:
			t.leave(d, err)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(items)) {
			at, item := path.Join(d.path, name), items[name]
			found[at] = item
			if err := t.findSurplus(ctx, d, at, item, found); err != nil {
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

// findParents records the directories above the directory of the server that are not there.
func (t *Tree) findParents(ctx context.Context) {
	for u, ok := t.URL.Up(); ok && u.(urlcore.FTP).Path != ""; {
		if _, _, err := t.list(ctx, u); protocols.ReasonOf(err) != protocols.NotThere {
			break
		}
		dir := u.(urlcore.FTP)
		t.parents = append([]*item{{url: dir}}, t.parents...)
		u, ok = dir.Up()
	}
}

// findSurplus records that an item of the server in the directory d is removed, with Delete: Dir does not
// have it, or has an item of another kind in its place.
func (t *Tree) findSurplus(ctx context.Context, d *item, at string, r *remote, found map[string]*remote) error {
	here := t.local[at]
	if !t.Delete || here != nil && !t.replaces(here, r) || !t.Filter.Selects(at, r.dir, time.Time{}) {
		return nil
	}
	if strings.HasPrefix(path.Base(at), temporaryName) {
		t.leave(&item{path: at}, errReplacing)
		return nil
	}
	removal := &Removal{heir: cmp.Or(here, t.folded[strings.ToLower(at)]), list: t.list, filter: t.Filter, root: item{path: at, remote: r}}
	if err := removal.add(ctx, at, r, d.place); err != nil {
		return err
	}
	switch {
	case here != nil && r.stays: // because of the filter
		return nil
	case here != nil:
		delete(found, at)
		fallthrough
	case removal.heir != nil && !r.stays:
		t.clashing = append(t.clashing, removal)
	default:
		t.surplus = append(t.surplus, removal)
	}
	d.touched = true
	return nil
}

// scan reads the directory of this machine.
func (t *Tree) scan(ctx context.Context) (err error) {
	dir, err := filepath.EvalSymlinks(t.Dir)
	if info, failed := os.Stat(dir); err == nil && failed == nil && !info.IsDir() {
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
		if err != nil && i.path == "" {
			return protocols.LocalError("read "+t.Dir, err)
		}
		t.local[i.path] = i
		switch {
		case err != nil:
			t.unread = true
			t.leave(i, protocols.LocalError("read it", err))
		case i.path != "" && !t.Filter.Selects(i.path, entry.IsDir(), i.info.ModTime()):
			t.skips = t.skips || !t.Filter.Selects(i.path, entry.IsDir(), time.Time{})
		default:
			if err = t.add(i); err == nil {
				t.folded[strings.ToLower(i.path)] = i
				return nil
			}
			t.leave(i, err)
		}
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// add appends an item of this machine. The error says why it is left out.
func (t *Tree) add(i *item) error {
	i.url = t.URL
	if i.path != "" {
		u, err := t.parent(i).url.Child(path.Base(i.path))
		if err != nil {
			return err
		}
		i.url = u.(urlcore.FTP)
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
		t.copies++
	case kind == fs.ModeDir:
		i.url.Type = 'd'
		t.dirs = append(t.dirs, i)
		return nil
	case kind != 0:
		return errSpecial
	}
	t.files = append(t.files, i)
	t.done.Of++
	t.done.Size += i.info.Size()
	return nil
}

// compare compares a file with its entry in the listing of the server.
func (t *Tree) compare(f *item) {
	r := f.remote
	if r == nil || f.state != waiting {
		return
	}
	same, _ := mirror.SameDate(f.info.ModTime(), &r.note)
	switch {
	case r.dir || r.note.Target != "":
		t.leave(f, t.kindError(r))
	case !t.Force && !t.Replace && !t.Update && !t.Continue:
		t.leave(f, errExists)
	case t.Force, !same, r.note.Size != f.info.Size():
		if t.done.there++; !t.Force && (t.Continue || r.note.Size == f.info.Size()) {
			t.done.unsure++
		}
		if r.note.Modified.After(f.info.ModTime()) {
			t.done.Newer++
		}
		return
	default:
		f.state = unchanged
		t.done.Unchanged++
	}
	t.done.Of--
	t.done.Size -= f.info.Size()
}

// kindError returns the error of an item in whose place the server has r, of another kind.
func (t *Tree) kindError(r *remote) error {
	if t.Update && !t.Delete && r.note.Target == "" {
		return errKindKept
	}
	return errKind
}

// replaces reports whether i takes the place of r: one is a directory, the other a file. A file that
// cannot be read replaces nothing.
func (t *Tree) replaces(i *item, r *remote) bool {
	if i.state != waiting || t.unread || i.info.IsDir() == r.dir || r.note.Target != "" || !t.Filter.Selects(i.path, i.info.IsDir(), i.info.ModTime()) {
		return false
	}
	if i.info.IsDir() {
		return true
	}
	f, err := t.open(i)
	return err == nil && f.Close() == nil
}

// unchanged compares a file of equal size with its date at the server. It reports whether that is the date
// of the file of this machine or, where the server sets no dates, a later one. With KeepNewer it compares
// files of other sizes too, and the error says that the file of the server is newer.
func (t *Tree) unchanged(ctx context.Context, f *item) (bool, error) {
	at, equal := f.remote.note.Modified, f.remote.note.Size == f.info.Size()
	if _, sure := mirror.SameDate(f.info.ModTime(), &f.remote.note); !sure {
		head, err := t.facts(ctx, f, protocols.Known{Size: f.info.Size()})
		if at = head.Modified; err != nil {
			return false, err
		}
	}
	later := at.Compare(f.info.ModTime().Truncate(time.Second))
	switch {
	case at.IsZero() || later <= 0:
		return equal && later == 0, nil
	case !equal:
		return false, errNewer
	}
	err := t.change(ctx, &protocols.Change{Kind: protocols.SetDate, URL: f.url, Modified: at})
	if fatal(ctx, err) {
		return false, err
	}
	if err == nil && t.KeepNewer {
		err = errNewer
		return false, err
	}
	return protocols.ReasonOf(err) == protocols.NotSupported, nil
}

// stored asks the server for the size of a doubtful file, and reports whether it is stored. If there
// is no answer, the reply to STOR counts, which said so.
func (t *Tree) stored(ctx context.Context, f *item) bool {
	size := f.info.Size()
	head, err := t.facts(ctx, f, protocols.Known{Size: -1, Modified: f.info.ModTime()})
	if err != nil && fatal(ctx, err) || err == nil && head.Size >= 0 && head.Size != size {
		return false
	}
	t.update(func(p *Progress) { f.state, p.Files, p.Done = sent, p.Files+1, p.Done+size })
	return true
}

// facts asks the server for the size and date of a file, unless known has them.
func (t *Tree) facts(ctx context.Context, f *item, known protocols.Known) (head protocols.Head, err error) {
	ctx = protocols.WithKnown(protocols.WithFacts(protocols.WithModified(ctx)), known)
	err = t.try(ctx, func() (bool, error) {
		res, err := t.Server.Fetch(ctx, f.url)
		if err == nil {
			head, err = res.Head, res.Closer.Close()
		}
		return false, err
	})
	return head, err
}

// list returns the items of a directory of the server by their names, and its path at the server if
// that is known. With errIncomplete it returns the items that the server lists.
func (t *Tree) list(ctx context.Context, u urlcore.URL) (_ map[string]*remote, place string, _ error) {
	var head protocols.Head
	var page *nav.Lines
	err := t.try(ctx, func() (_ bool, err error) {
		head, page, err = nav.ReadAll(protocols.WithIdentity(protocols.WithHidden(ctx)), t.Server, u)
		return false, err
	})
	if err == nil && head.Layout != protocols.LayoutDirectory {
		err = protocols.NewError(protocols.NotThere, "list the directory", "it is none")
	}
	if err != nil {
		return nil, "", err
	}
	items := make(map[string]*remote)
	for _, line := range page.All(0) {
		if u, ok := line.Link.(urlcore.FTP); ok {
			r := &remote{url: u, dir: line.Kind == protocols.Directory}
			if note, ok := line.Note.(*protocols.FileNote); ok {
				r.note = *note
			}
			// A line end in a name can forge a line that calls a link a directory: of two lines
			// with the same name the one of a file or link counts.
			if other := items[u.FileName()]; other == nil || other.dir {
				items[u.FileName()] = r
			}
		} else if line.Kind == protocols.Failure {
			err = fmt.Errorf("%w: %s", errIncomplete, clean.Text(line.Text))
		}
	}
	return items, head.Path, err
}

// elsewhere reports whether a directory is not the one of that name in its parent directory, but
// the target of a link. It compares the paths at the server, if they are known and begin with a
// slash. In replies some servers double the octet FF.
func elsewhere(parent, place, name string) bool {
	single := strings.NewReplacer("\xff\xff", "\xff")
	return strings.HasPrefix(parent, "/") && strings.HasPrefix(place, "/") && single.Replace(path.Join(parent, name)) != single.Replace(path.Clean(place))
}
