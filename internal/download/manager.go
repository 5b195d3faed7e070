package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// What a Manager does at a time, unless it is told otherwise.
const (
	DefaultParallel  = 4 // transfers
	defaultPerServer = 2 // of one server
)

// Manager saves documents, and whole directories, as files, some at a time. It
// is safe for concurrent use. Its fields are not changed after the first use;
// nothing is read or written before it.
type Manager struct {
	Fetcher protocols.Fetcher
	// Folder is where files are saved that have no other place.
	Folder string
	// List is the folder of the lists of what programs have to save, which
	// outlast them; "": nothing outlasts this one.
	List string
	// Parallel is how many transfers run at a time; 0: [DefaultParallel].
	Parallel int
	// Rate is how many octets a second may come, all transfers together; 0: any.
	Rate int64
	// Depth is how many levels of a directory are saved, Quota how much of what
	// is of unknown size, and Delay the time between two requests to a Gopher
	// server for all of it; 0: the defaults.
	Depth int
	Quota int64
	Delay time.Duration
	// Keep reports whether a download is worth being listed; nil: each is.
	Keep func(urlcore.URL) bool

	once   sync.Once
	ctx    context.Context
	cancel context.CancelCauseFunc
	slots  slots
	limit  *limiter
	list   list

	mu     sync.Mutex
	items  []*Item
	closed bool
	wg     sync.WaitGroup
}

// State is what becomes of an Item.
type State uint8

// The states. From Paused on nothing is done.
const (
	Queued  State = iota // waits for its turn
	Running              // octets are coming
	Paused               // what has come is kept
	Failed               // what has come is kept; Err says why
	Left                 // unfinished, by a program that has ended
	Counted              // a directory has been counted, nothing of it saved
	Saved                // done
	Removed              // cancelled or taken from the list
)

// Resting reports whether nothing happens by itself any more.
func (s State) Resting() bool { return s >= Paused }

// ErrPaused, ErrCancelled and ErrClosed are why a transfer has ended.
var (
	ErrPaused    = errors.New("paused")
	ErrCancelled = errors.New("cancelled")
	ErrClosed    = errors.New("the program has ended")
)

// ErrDiskFull is wrapped in the error of a download that was paused because there
// is no room, as all others are then.
var ErrDiskFull = errors.New("the disk is full: make room, then resume it")

// Request says what to save.
type Request struct {
	URL  urlcore.URL
	Path string // the file or directory; "": in Folder, under a free name made of the URL
	// Overwrite lets the file take the place of one that is there.
	Overwrite bool
	// Continue goes on with a file at Path that is a beginning, and leaves one
	// alone that is whole.
	Continue bool
	// Tree saves all that is in a directory or menu. With Count it is only
	// counted at first.
	Tree, Count bool
	// Private is for another program, and not listed. Dir makes its folder, which
	// is the caller's to remove; nil: Folder.
	Private bool
	Dir     func() (string, error)
}

// Status is a moment of an Item.
type Status struct {
	Request
	State State
	Path  string // of the file, as soon as it is known
	Media string // of a document that has answered

	Done, Size  int64 // octets; Size is -1 if unknown
	Files, Last int   // of a tree: how many are saved, how many there are
	Unknown     int   // of a tree: how many are of unknown size
	Rate        int64 // octets a second, lately
	Begun       time.Time
	Err         error
	Notes       []string // what is remarkable
}

// Left is how long the rest takes at the present rate, or 0 if that is not known.
func (s *Status) Left() time.Duration {
	if s.State != Running || s.Rate <= 0 || s.Size < s.Done {
		return 0
	}
	return time.Duration(float64(s.Size-s.Done) / float64(s.Rate) * float64(time.Second))
}

// Item is one download of a Manager.
type Item struct {
	m      *Manager
	status Status
	rate   meter
	stop   context.CancelCauseFunc
	ended  chan struct{} // closed when the goroutine that works on it has ended
	fixed  bool          // the path is not chosen any more

	tree    *Tree    // what has been counted
	created []string // the files of the tree that this program has saved
}

func (m *Manager) init() {
	m.once.Do(func() {
		m.ctx, m.cancel = context.WithCancelCause(context.Background())
		m.Parallel = cmp.Or(m.Parallel, DefaultParallel)
		m.Depth = cmp.Or(m.Depth, DefaultDepth)
		m.Quota = cmp.Or(m.Quota, DefaultQuota)
		m.Delay = cmp.Or(m.Delay, DefaultDelay)
		m.slots.all, m.slots.perServer = m.Parallel, defaultPerServer
		m.limit = newLimiter(m.Rate)
		m.list.dir = m.List
	})
}

// Add begins to save something. It does no I/O itself. Of a document that is
// being saved already, under any name, or under one that was asked for, the
// Item is returned that there is.
func (m *Manager) Add(r Request) (it *Item, added bool) {
	m.init()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, it := range m.items {
		s := &it.status
		if s.URL == r.URL && (r.Path == "" || r.Path == s.Request.Path || r.Path == s.Path) && s.Tree == r.Tree && s.Private == r.Private && s.State < Saved {
			if s.State.Resting() && s.State != Counted {
				it.resume()
				return it, true
			}
			return it, false
		}
	}
	it = &Item{m: m, status: Status{Request: r, Path: r.Path, Size: -1}}
	m.items = append(m.items, it)
	it.start()
	return it, true
}

// Items are all that there are, in the order in which they were added.
func (m *Manager) Items() []*Item {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.items)
}

// Active is the Item that was added last of those that do not rest, or nil, and
// how many there are.
func (m *Manager) Active() (last *Item, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, it := range m.items {
		if it.status.State.Resting() {
			continue
		}
		if n++; last == nil || it.status.State == Running || last.status.State != Running {
			last = it
		}
	}
	return last, n
}

// Close ends all transfers and returns when they have. What is unfinished stays
// listed, for another time.
func (m *Manager) Close() {
	m.init()
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.cancel(ErrClosed)
	m.wg.Wait()
	m.list.close()
}

// Status returns the present moment.
func (it *Item) Status() Status {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	s := it.status
	s.Notes = slices.Clone(s.Notes)
	if s.State == Running {
		s.Rate = it.rate.now(time.Now())
	}
	return s
}

// Wait returns when the Item rests.
func (it *Item) Wait() Status {
	for {
		it.m.mu.Lock()
		ended := it.ended
		it.m.mu.Unlock()
		if ended != nil {
			<-ended
		}
		if s := it.Status(); ended == nil || s.State.Resting() || it.m.ctx.Err() != nil {
			return s
		}
	}
}

// Pause stops the transfer and keeps what has come.
func (it *Item) Pause() { it.end(ErrPaused) }

// Cancel stops the transfer, removes what has come and takes it off the list. Of
// one that is saved, nothing but its place in the list goes.
func (it *Item) Cancel() {
	if !it.end(ErrCancelled) {
		it.m.mu.Lock()
		defer it.m.mu.Unlock()
		it.work(func(context.Context) error { return ErrCancelled })
	}
}

// end stops what runs, if it does.
func (it *Item) end(cause error) bool {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	if it.status.State.Resting() {
		return false
	}
	it.stop(cause)
	return true
}

// Resume goes on with what rests, or tries it again.
func (it *Item) Resume() {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	it.resume()
}

func (it *Item) resume() {
	if s := &it.status; s.State.Resting() && s.State < Saved {
		s.Count = false
		it.start()
	}
}

// start begins the work; the Manager is locked.
func (it *Item) start() {
	it.status.State, it.status.Err = Queued, nil
	if it.m.closed {
		return
	}
	turn := it.m.slots.ask(server(it.status.URL)) // in the order of the keys that were pressed
	it.work(func(ctx context.Context) error {
		if err := it.m.slots.wait(ctx, turn); err != nil {
			return err
		}
		return it.run(ctx)
	})
}

// work runs do in the background, after what is still under way.
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
		m.list.set(m.unfinished) // what waits is to outlast the program too
		it.rest(guarded(ctx, do))
	})
}

// guarded does do; a panic costs the download.
func guarded(ctx context.Context, do func(context.Context) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &protocols.Error{Op: "save", Err: &nav.Panic{Value: v, Stack: debug.Stack()}}
		}
	}()
	return do(ctx)
}

// rest notes how the work has ended.
func (it *Item) rest(err error) {
	m := it.m
	m.mu.Lock()
	saved := it.status.State == Saved
	m.mu.Unlock()
	if errors.Is(err, ErrCancelled) && !saved {
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
				if other != it && !other.status.State.Resting() {
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

// unfinished is what the list is to have.
func (m *Manager) unfinished() (entries []entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, it := range m.items {
		s := &it.status
		if s.State == Saved || s.Private || m.Keep != nil && !m.Keep(s.URL) {
			continue
		}
		var e *protocols.Error
		if s.State == Failed && s.Done == 0 && !(errors.As(s.Err, &e) && e.Reason.Network()) {
			continue // there is nothing to go on with
		}
		entries = append(entries, entry{URL: urlcore.Redact(s.URL).String(), Path: s.Path, Begun: it.fixed, Tree: s.Tree, Size: s.Size})
	}
	return entries
}

// server is what slots are counted by.
func server(u urlcore.URL) string {
	if addr, ok := urlcore.Addr(u); ok {
		return addr
	}
	return u.Scheme()
}

// run saves what the Item is of. It has a slot, which it releases.
func (it *Item) run(ctx context.Context) error {
	m, addr := it.m, server(it.status.URL)
	if it.status.Tree {
		err := it.count(ctx)
		m.slots.release(addr)
		if err != nil || it.status.Count {
			return err
		}
		return it.saveTree(ctx)
	}
	defer m.slots.release(addr)
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
	t := &transfer{fetcher: m.Fetcher, url: it.status.URL, limit: m.limit, note: it.note, report: it.progress}
	err = t.save(ctx, p)
	m.mu.Lock()
	it.status.Media = t.media
	m.mu.Unlock()
	return err
}

// change changes what others read, and what is listed.
func (m *Manager) change(do func()) {
	m.mu.Lock()
	do()
	m.mu.Unlock()
	m.list.set(m.unfinished)
}

func (it *Item) progress(done, size int64) {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	it.status.Done, it.status.Size = done, size
	it.rate.add(time.Now(), done)
}

func (it *Item) note(text string) {
	it.m.mu.Lock()
	defer it.m.mu.Unlock()
	if len(it.status.Notes) < maxNotes && !slices.Contains(it.status.Notes, text) {
		it.status.Notes = append(it.status.Notes, text)
	}
}

// maxNames bounds how many names are tried.
const maxNames = 10_000

// part opens the file: the one that was asked for or begun, or the first of
// name.ext, name(1).ext and so on that is free, or that an earlier download of
// the same document has left unfinished.
func (it *Item) part() (*part, error) {
	s := &it.status
	if s.Request.Path != "" || it.fixed {
		if s.Continue {
			if err := continueFile(s.Path, s.URL); err != nil {
				return nil, err
			}
		}
		return openPart(s.Path, s.URL, s.Overwrite)
	}
	folder, err := filepath.Abs(it.m.Folder)
	if s.Dir != nil {
		folder, err = s.Dir()
	}
	if err != nil {
		return nil, protocols.LocalError("save to "+it.m.Folder, err)
	}
	name := FileName(s.URL)
	for i := range maxNames {
		p, err := openPart(filepath.Join(folder, Numbered(name, i)), s.URL, false)
		if !errors.Is(err, ErrExists) && !errors.Is(err, ErrUnfinished) && !errors.Is(err, errNoFile) {
			return p, err
		}
	}
	return nil, protocols.LocalError("save "+filepath.Join(folder, name), ErrExists)
}

// discard removes what has come of it.
func (it *Item) discard() {
	if it.status.Tree {
		it.discardTree()
		return
	}
	if it.status.Path == "" || !there(it.status.Path+recordSuffix) {
		return
	}
	// What belongs to another program stays.
	if p, err := openPart(it.status.Path, it.status.URL, false); err == nil {
		_ = p.discard()
	}
}

// meter tells how fast octets have come lately.
type meter struct {
	samples [8]sample // the oldest first
}

type sample struct {
	at   time.Time
	done int64
}

// meterStep is the time between two samples.
const meterStep = 500 * time.Millisecond

func (m *meter) add(now time.Time, done int64) {
	last := &m.samples[len(m.samples)-1]
	if now.Sub(last.at) < meterStep {
		return
	}
	copy(m.samples[:], m.samples[1:])
	*last = sample{now, done}
}

// now is the rate in octets a second, 0 if nothing is known.
func (m *meter) now(now time.Time) int64 {
	last := m.samples[len(m.samples)-1]
	for _, first := range m.samples {
		if first.at.IsZero() || !first.at.Before(last.at) || now.Sub(first.at) > 2*meterStep*time.Duration(len(m.samples)) {
			continue
		}
		until := last.at
		if now.Sub(until) > 2*meterStep { // it stands still
			until = now
		}
		return int64(float64(last.done-first.done) / until.Sub(first.at).Seconds())
	}
	return 0
}
