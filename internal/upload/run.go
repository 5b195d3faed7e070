package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gofer/internal/mirror"
	"gofer/internal/text/clean"
	"gofer/protocols"
)

// Run stores the items that Plan found. After an error that is a question it can be called again. The
// error is a *[mirror.PartialError] if some items were not stored.
func (t *Tree) Run(ctx context.Context) error {
	var err error
	do := func(steps ...func(context.Context) error) {
		for _, step := range steps {
			if err == nil {
				err = step(ctx)
			}
		}
	}
	do(t.moveClashing, t.makeDirectories, t.sendFiles, t.check)
	t.settleClashing(ctx, err)
	if !t.unstored {
		do(t.keepRenamed, func(ctx context.Context) error { return t.removeAll(ctx, t.surplus) })
	}
	do(t.finish)
	switch {
	case protocols.QuestionOf(err) != nil:
		return err
	case err != nil:
		for _, f := range t.files {
			if f.state <= doubtful {
				t.leave(f, err)
			}
		}
	}
	if len(t.leftOut) > 0 {
		done := "stored"
		if t.Delete {
			done = "stored or removed"
		}
		return &mirror.PartialError{LeftOut: t.leftOut, Items: len(t.local) + t.removals, Done: done, Cause: err}
	}
	return err
}

func (t *Tree) makeDirectories(ctx context.Context) error {
	for _, d := range slices.Concat(t.parents, t.dirs) {
		if d.remote != nil || d.state != waiting || t.orphan(d) || !t.act("make directory %s", cmp.Or(d.path, d.url.Path, ".")) {
			continue
		}
		parent, _ := d.url.Up()
		name := d.url.FileName()
		err := t.change(ctx, &protocols.Change{Kind: protocols.MakeDirectory, URL: parent, Name: name})
		if err != nil && !fatal(ctx, err) { // an attempt before may have made it
			if items, _, failed := t.list(ctx, d.url); failed == nil && len(items) == 0 {
				err = nil
			}
		}
		if err == nil && clean.Text(name) != name { // pure-ftpd replaces blanks at the ends, and control characters
			items, _, failed := t.list(ctx, parent)
			if err = failed; err == nil && items[name] == nil {
				err = errRenamed
			} else if errors.Is(err, errIncomplete) { // the directory may be in the other part
				err = nil
			}
		}
		switch {
		case err == nil:
			d.state, d.touched = sent, true
			t.update(func(p *Progress) { p.Made++ })
		case fatal(ctx, err) || d.path == "":
			return err
		default:
			t.leave(d, err)
		}
	}
	return nil
}

// orphan leaves out an item whose directory was left out.
func (t *Tree) orphan(i *item) bool {
	if i.path == "" || t.parent(i).state != omitted {
		return false
	}
	t.leave(i, errNoParent)
	return true
}

// maxBroken is the number of consecutive files with broken connections before the server and not
// the files is taken for the cause.
const maxBroken = 3

// sendFiles sends the files over several connections.
func (t *Tree) sendFiles(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan *item)
	var workers sync.WaitGroup
	var broken atomic.Int32 // consecutive files
	for range max(t.Parallel, 1) {
		workers.Go(func() {
			for f := range next {
				err := t.send(ctx, f)
				switch confirm, _ := errors.AsType[*protocols.Confirm](err); {
				case err == nil:
					broken.Store(0)
				case ctx.Err() == nil && mirror.Reached(err) && broken.Add(1) < maxBroken:
					t.leave(f, err)
				case fatal(ctx, err):
					stop(err)
				case confirm != nil:
					t.leave(f, errors.New(confirm.Reason))
				default:
					t.leave(f, err)
				}
			}
		})
	}
	for _, f := range t.files {
		if f.state > doubtful || t.orphan(f) {
			continue
		}
		select {
		case next <- f:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// check compares the sizes of the stored files with one listing of each directory. A listing may lack
// files or exact sizes: then the server is asked for them. Files that are not whole are sent again.
func (t *Tree) check(ctx context.Context) error {
	for _, f := range t.files {
		if f.state != sent || t.DryRun {
			continue
		}
		items, err := t.listAfter(ctx, t.parent(f))
		if err != nil {
			return err
		}
		f.remote = items[f.url.FileName()]
		if size := f.info.Size(); f.remote == nil || f.remote.note.Size != size {
			f.state = doubtful
			t.update(func(p *Progress) { p.Files, p.Done = p.Files-1, p.Done-size })
		}
		if name := f.url.FileName(); f.remote == nil && len(items) > 0 && !t.parent(f).incomplete && clean.Text(name) != name {
			t.leave(f, errRenamed) // pure-ftpd opens the file by both names
		}
	}
	return t.sendFiles(ctx)
}

// listAfter lists a directory once after the files were sent, and records whether the listing is incomplete. A
// listing that fails has no items.
func (t *Tree) listAfter(ctx context.Context, d *item) (items map[string]*remote, err error) {
	if items, ok := t.after[d]; ok {
		return items, nil
	}
	if items, _, err = t.list(ctx, d.url); err != nil && fatal(ctx, err) {
		return nil, err
	}
	t.after[d], d.incomplete = items, errors.Is(err, errIncomplete)
	return items, nil
}

// finish sets the modes of items that were there before, and the modes and dates of directories,
// whose dates change with their content.
func (t *Tree) finish(ctx context.Context) error {
	for _, i := range slices.Concat(t.files, t.dirs) {
		if !t.wantsMode(i) || !t.act("chmod %s %s", mode(i.info), cmp.Or(i.path, ".")) {
			continue
		}
		err := t.change(ctx, &protocols.Change{Kind: protocols.Chmod, URL: i.url, Mode: mode(i.info)})
		if fatal(ctx, err) {
			return err
		}
		t.update(func(p *Progress) {
			if t.noModes = t.noModes || err != nil; err == nil && i.remote != nil && i.state != sent {
				p.Modes++
			}
		})
	}
	for _, d := range slices.Backward(t.dirs) {
		if !d.touched || d.state != sent && !t.Update || t.DryRun || t.noDates {
			continue
		}
		err := t.change(ctx, &protocols.Change{Kind: protocols.SetDate, URL: d.url, Modified: d.info.ModTime()})
		if fatal(ctx, err) {
			return err
		}
		t.noFolderDates = t.noFolderDates || err != nil
	}
	return nil
}

// wantsMode reports whether finish sets the mode of i. It does for new directories, for files that
// were sent and, with Update, for other items, unless the server lists the mode.
func (t *Tree) wantsMode(i *item) bool {
	switch {
	case t.noModes || mode(i.info) == "":
		return false
	case i.remote == nil:
		return i.state == sent && (i.info.IsDir() || !t.DryRun)
	case !t.Update && i.state != sent || i.state == omitted:
		return false
	}
	old, ok := protocols.Permissions(i.remote.note.Mode)
	return (ok || i.state == sent) && fmt.Sprintf("%03o", old) != mode(i.info)
}

// mode returns the permissions of a file in octal digits, or "" where there are none.
func mode(info os.FileInfo) string {
	if runtime.GOOS == "windows" {
		return ""
	}
	m := uint32(info.Mode().Perm())
	for i, special := range []os.FileMode{os.ModeSticky, os.ModeSetgid, os.ModeSetuid} {
		if info.Mode()&special != 0 {
			m |= 0o1000 << i
		}
	}
	return fmt.Sprintf("%03o", m)
}
