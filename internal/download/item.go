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
	m      *Manager
	number int // among all that the Manager had
	status Status
	rate   meter
	stop   context.CancelCauseFunc
	ended  chan struct{} // closed when its goroutine has ended
	fixed  bool          // the path is final
	gone   bool          // it is being removed from the list

	waiting map[any]mirror.Wait // for another attempt
	tree    *Tree               // the listed tree
	kept    int64               // octets of the tree that were not received just now
	began   bool                // this program began the tree
	created []string            // the directories and files of the tree that this program has made
	files   int                 // of created
	parts   []string            // the files whose .part files it began and left
}

// Status returns the current Status.
func (it *Item) Status() Status {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	s := it.status
	s.Notes, s.LeftOut = slices.Clip(s.Notes), slices.Clip(s.LeftOut)
	if s.State == Running {
		s.Rate = it.rate.now(time.Now())
	}
	for _, w := range it.waiting {
		if w.Pause > s.Wait.Pause {
			s.Wait = w
		}
	}
	return s
}

// Wait returns when the Item is resting.
func (it *Item) Wait() Status {
	for {
		it.m.mu.Lock()
		ended := it.ended
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
func (it *Item) Pause() { it.end(ErrPaused) }

// Cancel stops the transfer, removes the unfinished file and takes the Item off the list.
// It keeps a file that was saved.
func (it *Item) Cancel() {
	if !it.end(ErrCancelled) {
		it.m.mu.Lock()
		defer it.m.mu.Unlock()
		it.gone = true
		it.work(func(context.Context) error { return ErrCancelled })
	}
}

// end stops the Item unless it is resting.
func (it *Item) end(cause error) bool {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	if it.status.State.Idle() {
		return false
	}
	it.stop(cause)
	return true
}

// Resume continues or retries a resting Item.
func (it *Item) Resume() {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	it.resume()
}

func (it *Item) resume() {
	if s := &it.status; s.State.Idle() && s.State < Saved && !it.gone {
		s.Count = false
		it.start()
	}
}

// start begins the work; the Manager is locked.
func (it *Item) start() {
	it.status.State, it.status.Err = Queued, nil
	if !it.status.Tree { // a tree keeps the notes of its listing
		it.status.Notes = nil
	}
	if it.m.closed {
		return
	}
	turn := it.m.slots.Ask(server(it.status.URL)) // in the order of the keys that were pressed
	it.work(func(ctx context.Context) error {
		if err := it.m.slots.Wait(ctx, turn); err != nil {
			return err
		}
		return it.run(ctx)
	})
}

// work runs do in the background, after the work before it.
func (it *Item) work(do func(context.Context) error) {
	m := it.m
	if m.closed {
		return
	}
	before, ended := it.ended, make(chan struct{})
	ctx, cancel := context.WithCancelCause(m.ctx)
	it.stop, it.ended = cancel, ended
	m.wg.Go(func() {
		defer close(ended)
		defer cancel(nil)
		if before != nil {
			<-before
		}
		m.list.set(m.unfinished) // waiting downloads outlast the program too
		it.rest(guarded(ctx, do))
	})
}

// guarded calls do and returns a panic as an error.
func guarded(ctx context.Context, do func(context.Context) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &protocols.Error{Op: "save", Err: &nav.Panic{Value: v, Stack: debug.Stack()}}
		}
	}()
	return do(ctx)
}

// rest records the result of the work.
func (it *Item) rest(err error) {
	m := it.m
	if errors.Is(err, ErrCancelled) && it.Status().State != Saved {
		it.discard()
	}
	m.change(func() {
		s := &it.status
		s.Err = err
		switch {
		case err == nil && s.Count:
			s.State = Counted
		case err == nil:
			s.State = Saved
		case errors.Is(err, ErrCancelled):
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
	m, addr := it.m, server(it.status.URL)
	if it.status.Tree {
		if err := it.count(ctx, addr); err != nil || it.status.Count {
			return err
		}
		return it.saveTree(ctx)
	}
	defer m.slots.Release(addr)
	p, err := it.part()
	if err != nil {
		return err
	}
	m.change(func() {
		it.status.Path, it.status.State, it.fixed = p.path, Running, true
		it.status.Done, it.status.Size = p.have, p.rec.Size
		if it.status.Begun.IsZero() {
			it.status.Begun = time.Now()
		}
		it.rate = meter{}
	})
	t := &transfer{fetcher: m.Fetcher, url: it.status.URL, limit: m.limit, retry: m.retry(addr), note: it.note, report: it.progress, waits: it.waits(&it.status)}
	err = t.save(ctx, p)
	m.mu.Lock()
	it.status.Media = t.media
	m.mu.Unlock()
	return err
}

func (it *Item) progress(done, size int64) {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	it.status.Done, it.status.Size = done, size
	it.rate.add(time.Now(), done-it.kept)
}

// waits returns a function that records what one transfer, of that key, waits for.
func (it *Item) waits(key any) func(mirror.Wait) {
	return func(w mirror.Wait) {
		it.m.mu.Lock()
		defer it.m.mu.Unlock()
		if w.Err == nil {
			delete(it.waiting, key)
			return
		}
		if it.waiting == nil {
			it.waiting = make(map[any]mirror.Wait)
		}
		it.waiting[key] = w
	}
}

// maxNotes is the maximal number of notes of an Item. A note that is among the last
// recentNotes is not repeated.
const (
	maxNotes    = maxTreeFiles
	recentNotes = 20
)

func (it *Item) note(text string) {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	if n := len(it.status.Notes); n < maxNotes && !slices.Contains(it.status.Notes[max(0, n-recentNotes):], text) {
		it.status.Notes = append(it.status.Notes, text)
	}
}

// maxNames bounds the names that are tried.
const maxNames = 10_000

// part opens the file that was requested or begun, or the first of name.ext, name(1).ext
// and so on that is free or an unfinished download of the same document.
func (it *Item) part() (*part, error) {
	s := &it.status
	if s.Request.Path != "" || it.fixed {
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
		p, err := openPart(filepath.Join(folder, Numbered(name, i)), s.URL, forceNothing)
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
	if it.status.Path == "" || !there(it.status.Path+recordSuffix) {
		return
	}
	// openPart fails for the file of another program.
	if p, err := openPart(it.status.Path, it.status.URL, forceNothing); err == nil {
		_ = p.discard()
	}
}
