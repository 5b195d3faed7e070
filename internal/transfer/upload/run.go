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

	"gofer/internal/text/clean"
	"gofer/internal/transfer"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
)

// Run stores the items that Plan found. The error is a *[mirror.PartialError] if some items were left out.
// If the error is a [protocols.Question], Run can be called again after the answer.
func (t *Tree) Run(ctx context.Context) error {
	var err error
	do := func(steps ...func(context.Context) error) {
		for _, step := range steps {
			if err == nil {
				err = step(ctx)
			}
		}
	}
	do(t.renameClashing, t.makeDirectories, t.sendFiles, t.checkSizes)
	t.finishClashing(ctx, err)
	if !t.storeFailed {
		do(t.keepUncertain, func(ctx context.Context) error { return t.removeAll(ctx, t.surplus) })
	}
	do(t.setModesAndDates)
	switch {
	case protocols.QuestionOf(err) != nil:
		return err
	case err != nil:
		for _, d := range t.dirs {
			if d.remote == nil && d.state == waiting {
				t.leaveOut(d, err)
			}
		}
		for _, f := range t.files {
			if f.state <= doubtful {
				t.leaveOut(f, err)
			}
		}
	}
	if len(t.leftOut) > 0 {
		done := "stored"
		if t.Delete {
			done = "stored or removed"
		}
		return &mirror.PartialError{LeftOut: t.leftOut, Total: len(t.localItems) + t.removalsLeftOut, Verb: done, Cause: err}
	}
	return err
}

func (t *Tree) makeDirectories(ctx context.Context) error {
	for _, d := range slices.Concat(t.parents, t.dirs) {
		if d.remote != nil || d.state != waiting || t.leaveOutOrphan(d) {
			continue
		}
		if t.isFull() {
			t.leaveOut(d, errFull)
			continue
		}
		if !t.printAction("make directory %s", cmp.Or(d.path, d.url.Path, ".")) {
			continue
		}
		parent, _ := d.url.Up()
		name := d.url.FileName()
		err := t.makeChange(ctx, &protocols.Change{Kind: protocols.MakeDirectory, URL: parent, Name: name})
		if err != nil && !isFatal(ctx, err) { // an earlier attempt may have made the directory
			if items, _, listErr := t.list(ctx, d.url); listErr == nil && len(items) == 0 {
				err = nil
			}
		}
		if err == nil && clean.Text(name) != name { // pure-ftpd replaces control characters, and blanks at the ends of names
			items, _, listErr := t.list(ctx, parent)
			if err = listErr; err == nil && items[name] == nil {
				err = errRenamed
			} else if errors.Is(err, errIncomplete) { // the directory may exist although it is not listed
				err = nil
			}
		}
		switch {
		case err == nil:
			d.state, d.contentChanged = sent, true
			t.update(func(p *Progress) { p.MadeDirs++ })
		case isFatal(ctx, err) || d.path == "":
			return err
		default:
			t.leaveOut(d, err)
		}
	}
	return nil
}

// leaveOutOrphan leaves out the item i if its directory was left out, and reports whether it did so.
func (t *Tree) leaveOutOrphan(i *item) bool {
	if i.path == "" || t.parent(i).state != leftOut {
		return false
	}
	t.leaveOut(i, errParentLeftOut)
	return true
}

// maxBreaks is the number of consecutive files with lost connections that ends the transfers. The cause must then
// be the server, not a file.
const maxBreaks = 3

// workers returns the number of files that are sent at a time.
func (t *Tree) workers() int {
	if t.Parallel > 1 && transfer.SharesConnection(t.URL) {
		return transfer.SharedWorkers
	}
	return max(t.Parallel, 1)
}

// sendFiles sends the files over several connections.
func (t *Tree) sendFiles(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan *item)
	var workers sync.WaitGroup
	var lostConnections atomic.Int32   // consecutive files whose connections were lost
	last := make([]*item, t.workers()) // the last files that the workers have sent
	for i := range last {
		workers.Go(func() {
			for f := range next {
				err := t.send(ctx, f)
				if f.upload != nil {
					t.finish(ctx, last[i]) // its answers have arrived with those about f
					last[i] = f
				}
				switch confirm, _ := errors.AsType[*protocols.Confirm](err); {
				case err == nil:
					lostConnections.Store(0)
				case ctx.Err() == nil && mirror.IsLostConnection(err) && lostConnections.Add(1) < maxBreaks:
					t.leaveOut(f, err)
				case isFatal(ctx, err):
					stop(err)
				case confirm != nil:
					t.leaveOut(f, errors.New(confirm.Reason))
				default:
					t.leaveOut(f, err)
				}
			}
		})
	}
	for _, f := range t.files {
		if f.state > doubtful || t.leaveOutOrphan(f) {
			continue
		}
		select {
		case next <- f:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	for _, f := range last {
		t.finish(ctx, f)
	}
	return context.Cause(ctx)
}

// checkSizes compares the sizes of the stored files with a new listing of each directory. The server is asked
// for the size of files that are not listed or listed with another size. Incomplete files are sent again.
func (t *Tree) checkSizes(ctx context.Context) error {
	for _, f := range t.files {
		if f.state != sent || t.DryRun {
			continue
		}
		listed, err := t.listAgain(ctx, t.parent(f))
		if err != nil {
			return err
		}
		f.remote = listed[f.url.FileName()]
		if size := f.info.Size(); f.remote == nil || f.remote.note.Size != size {
			f.state = doubtful
			t.update(func(p *Progress) { p.Files, p.Done = p.Files-1, p.Done-size })
		}
		if name := f.url.FileName(); f.remote == nil && len(listed) > 0 && !t.parent(f).incomplete && clean.Text(name) != name {
			t.leaveOut(f, errRenamed) // asking for the size would not show the new name, because pure-ftpd accepts both names
		}
	}
	return t.sendFiles(ctx)
}

// listAgain lists a directory after the files were sent, and caches the result. It records whether the listing
// is incomplete. If the listing fails, it returns no items, and an error only if isFatal is true for the error.
func (t *Tree) listAgain(ctx context.Context, d *item) (items map[string]*remote, err error) {
	if items, ok := t.listedAgain[d]; ok {
		return items, nil
	}
	if items, _, err = t.list(ctx, d.url); err != nil && isFatal(ctx, err) {
		return nil, err
	}
	t.listedAgain[d], d.incomplete = items, errors.Is(err, errIncomplete)
	return items, nil
}

// setModesAndDates sets the modes that were not set when the files were sent. It also sets the dates of
// directories, because the server changed these dates when the content changed.
func (t *Tree) setModesAndDates(ctx context.Context) error {
	for _, i := range slices.Concat(t.files, t.dirs) {
		if !t.wantsMode(i) || !t.printAction("chmod %s %s", octalMode(i.info), cmp.Or(i.path, ".")) {
			continue
		}
		err := t.makeChange(ctx, &protocols.Change{Kind: protocols.Chmod, URL: i.url, Mode: octalMode(i.info)})
		if isFatal(ctx, err) {
			return err
		}
		t.update(func(p *Progress) {
			if t.noModes = t.noModes || err != nil; err == nil && i.remote != nil && i.state != sent {
				p.ChangedModes++
			}
		})
	}
	for _, d := range slices.Backward(t.dirs) {
		if !d.contentChanged || d.state != sent && !t.Update || t.DryRun || t.noDates {
			continue
		}
		err := t.makeChange(ctx, &protocols.Change{Kind: protocols.SetDate, URL: d.url, Modified: d.info.ModTime()})
		if isFatal(ctx, err) {
			return err
		}
		t.noDirDates = t.noDirDates || err != nil
	}
	return nil
}

// wantsMode reports whether setModesAndDates sets the mode of i. The item must be a new directory, a sent file or,
// with Update, any stored item. A mode that the server lists already is not set again, nor one that the server has set and
// does not list.
func (t *Tree) wantsMode(i *item) bool {
	switch {
	case t.noModes || octalMode(i.info) == "":
		return false
	case i.remote == nil:
		return i.state == sent && (i.info.IsDir() || !t.DryRun)
	case !t.Update && i.state != sent || i.state == leftOut:
		return false
	}
	old, ok := protocols.ParsePermissions(i.remote.note.Mode)
	return (ok || i.state == sent && !i.modeKept) && fmt.Sprintf("%03o", old) != octalMode(i.info)
}

// octalMode returns the permissions of a file in octal digits, or "" on Windows.
func octalMode(info os.FileInfo) string {
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
