package download

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"gofer/internal/mirror"
	"gofer/nav"
	"gofer/protocols"
)

// Item is one download of a Manager.
type Item struct {
	m         *Manager
	number    int // counted by the Manager, from 1
	status    Status
	rate      meter
	stop      context.CancelCauseFunc
	finished  chan struct{} // closed when the last goroutine of runInBackground has ended
	pathFinal bool          // status.Path is final
	removing  bool          // Cancel is removing it from the list

	waits        map[any]mirror.Wait // pauses before another attempt, by the key of the transfer
	tree         *Tree               // the listed tree
	keptOctets   int64               // octets of the tree that were saved earlier and do not count for the rate
	startedHere  bool                // this program began to save the tree
	created      []string            // directories and files of the tree that this program has made
	createdFiles int                 // number of files in created
	startedParts []string            // files of the tree of which this program has left .part files
}

// Status returns the current Status.
func (it *Item) Status() Status {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	s := it.status
	s.Notes, s.LeftOut = slices.Clip(s.Notes), slices.Clip(s.LeftOut)
	if s.State == Running {
		s.Rate = it.rate.rateAt(time.Now())
	}
	for _, w := range it.waits {
		if w.Pause > s.Wait.Pause {
			s.Wait = w
		}
	}
	return s
}

// Wait waits until the Item is idle.
func (it *Item) Wait() Status {
	for {
		it.m.mu.Lock()
		ended := it.finished
		it.m.mu.Unlock()
		if ended != nil {
			<-ended
		}
		if s := it.Status(); ended == nil || s.State.Idle() || it.m.ctx.Err() != nil {
			return s
		}
	}
}

// Pause stops the transfer and keeps the unfinished file.
func (it *Item) Pause() { it.stopRunning(ErrPaused) }

// Cancel stops the transfer, removes the unfinished file, and removes the Item from the list.
// A complete file is kept.
func (it *Item) Cancel() {
	if !it.stopRunning(ErrCanceled) {
		it.m.mu.Lock()
		defer it.m.mu.Unlock()
		it.removing = true
		it.runInBackground(func(context.Context) error { return ErrCanceled })
	}
}

// stopRunning stops the Item with a cause. It returns false if the Item is idle.
func (it *Item) stopRunning(cause error) bool {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	if it.status.State.Idle() {
		return false
	}
	it.stop(cause)
	return true
}

// Resume continues or retries an idle Item.
func (it *Item) Resume() {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	it.resume()
}

func (it *Item) resume() {
	if s := &it.status; s.State.Idle() && s.State < Saved && !it.removing {
		s.CountOnly = false
		it.start()
	}
}

// start queues the Item. The caller must have locked the Manager.
func (it *Item) start() {
	it.status.State, it.status.Err = Queued, nil
	if !it.status.Tree { // a tree keeps the notes of its listing
		it.status.Notes = nil
	}
	if it.m.closed {
		return
	}
	turn := it.m.slots.Enqueue(serverKey(it.status.URL)) // called here, not in the goroutine, so that the queue has the order of the calls
	it.runInBackground(func(ctx context.Context) error {
		if err := it.m.slots.Wait(ctx, turn); err != nil {
			return err
		}
		return it.run(ctx)
	})
}

// runInBackground runs task in a goroutine, after the earlier goroutine of the Item has ended, and records the
// result of task.
func (it *Item) runInBackground(task func(context.Context) error) {
	m := it.m
	if m.closed {
		return
	}
	earlier, ended := it.finished, make(chan struct{})
	ctx, cancel := context.WithCancelCause(m.ctx)
	it.stop, it.finished = cancel, ended
	m.wg.Go(func() {
		defer close(ended)
		defer cancel(nil)
		if earlier != nil {
			<-earlier
		}
		m.list.update(m.unfinishedEntries) // so that queued downloads are listed too
		it.recordResult(catchPanic(ctx, task))
	})
}

// catchPanic calls task and returns its error. If task panics, catchPanic returns an error with the panic.
func catchPanic(ctx context.Context, task func(context.Context) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &protocols.Error{Op: "save", Err: &nav.Panic{Value: v, Stack: debug.Stack()}}
		}
	}()
	return task(ctx)
}

// recordResult sets the State of the Item after a transfer that ended with err.
func (it *Item) recordResult(err error) {
	m := it.m
	if errors.Is(err, ErrCanceled) && it.Status().State != Saved {
		it.discard()
	}
	m.update(func() {
		s := &it.status
		s.Err = err
		switch {
		case err == nil && s.CountOnly:
			s.State = Counted
		case err == nil:
			s.State = Saved
		case errors.Is(err, ErrCanceled):
			s.State, s.Err = Removed, nil
		case errors.Is(err, ErrPaused), errors.Is(err, ErrClosed):
			s.State, s.Err = Paused, nil
		case diskFull(err):
			s.State, s.Err = Paused, fmt.Errorf("%w (%w)", ErrDiskFull, err)
			for _, other := range m.items {
				if other != it && !other.status.State.Idle() {
					other.stop(ErrPaused)
				}
			}
		default:
			s.State = Failed
		}
		if s.State == Removed || s.Private {
			m.items = slices.DeleteFunc(m.items, func(other *Item) bool { return other == it })
		}
	})
}

// run saves the Item and releases its slot.
func (it *Item) run(ctx context.Context) error {
	m, addr := it.m, serverKey(it.status.URL)
	if it.status.Tree {
		if err := it.listTree(ctx, addr); err != nil || it.status.CountOnly {
			return err
		}
		return it.saveTree(ctx)
	}
	defer m.slots.Release(addr)
	p, err := it.openPart()
	if err != nil {
		return err
	}
	m.update(func() {
		it.status.Path, it.status.State, it.pathFinal = p.path, Running, true
		it.status.Done, it.status.Size = p.size, p.record.Size
		if it.status.StartTime.IsZero() {
			it.status.StartTime = time.Now()
		}
		it.rate = meter{}
	})
	t := &transfer{fetcher: m.Fetcher, url: it.status.URL, limit: m.limit, retry: m.newRetry(addr), addNote: it.addNote, report: it.setProgress, waitRecorder: it.waitRecorder(&it.status)}
	err = t.save(ctx, p)
	m.mu.Lock()
	it.status.Media = t.media
	m.mu.Unlock()
	return err
}

func (it *Item) setProgress(octets, size int64) {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	it.status.Done, it.status.Size = octets, size
	it.rate.add(time.Now(), octets-it.keptOctets)
}

// waitRecorder returns a function that records the pauses of the transfer with the given key.
func (it *Item) waitRecorder(key any) func(mirror.Wait) {
	return func(w mirror.Wait) {
		it.m.mu.Lock()
		defer it.m.mu.Unlock()
		if w.Err == nil {
			delete(it.waits, key)
			return
		}
		if it.waits == nil {
			it.waits = make(map[any]mirror.Wait)
		}
		it.waits[key] = w
	}
}

// maxNotes limits the notes of an Item. A note equal to one of the last recentNotes is dropped.
const (
	maxNotes    = maxTreeFiles
	recentNotes = 20
)

func (it *Item) addNote(text string) {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	if n := len(it.status.Notes); n < maxNotes && !slices.Contains(it.status.Notes[max(0, n-recentNotes):], text) {
		it.status.Notes = append(it.status.Notes, text)
	}
}

// maxNames limits the numbers that are tried to find a free name.
const maxNames = 10_000

// openPart opens the unfinished file of the Item. If no path was requested, it tries name.ext, name(1).ext and
// so on, until a path is free or belongs to an unfinished download of the same document.
func (it *Item) openPart() (*part, error) {
	s := &it.status
	if s.Request.Path != "" || it.pathFinal {
		if s.Continue {
			if err := continueFile(s.Path, s.URL); err != nil {
				return nil, err
			}
		}
		return openPart(s.Path, s.URL, map[bool]force{true: forceAll}[s.Overwrite])
	}
	folder, err := filepath.Abs(it.m.Folder)
	if s.Dir != nil {
		folder, err = s.Dir()
	}
	if err != nil {
		return nil, protocols.LocalError("save to "+it.m.Folder, err)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, protocols.LocalError("create "+folder, err)
	}
	name := FileName(s.URL)
	for i := range maxNames {
		p, err := openPart(filepath.Join(folder, NumberedName(name, i)), s.URL, forceNothing)
		if !errors.Is(err, ErrExists) && !errors.Is(err, ErrUnfinished) && !errors.Is(err, errNoFile) {
			return p, err
		}
	}
	return nil, protocols.LocalError("save "+filepath.Join(folder, name), errFileExists)
}

// discard removes the unfinished files.
func (it *Item) discard() {
	if it.status.Tree {
		it.discardTree()
		return
	}
	if it.status.Path == "" || !exists(it.status.Path+recordSuffix) {
		return
	}
	// openPart returns an error if another program is using the file.
	if p, err := openPart(it.status.Path, it.status.URL, forceNothing); err == nil {
		_ = p.discard()
	}
}
