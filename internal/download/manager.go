package download

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

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

	maxFiles int // of a tree, in place of maxTreeFiles

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
	Notes       []string  // what is remarkable
	LeftOut     []LeftOut // of a tree: what is not saved, all of it
}

// Left is how long the rest takes at the present rate, or 0 if that is not known.
func (s *Status) Left() time.Duration {
	if s.State != Running || s.Rate <= 0 || s.Size < s.Done {
		return 0
	}
	return time.Duration(float64(s.Size-s.Done) / float64(s.Rate) * float64(time.Second))
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

// unfinished is what the list is to have.
func (m *Manager) unfinished() (entries []entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, it := range m.items {
		s := &it.status
		if s.State == Saved || s.Private || m.Keep != nil && !m.Keep(s.URL) {
			continue
		}
		_, partial := errors.AsType[*PartialError](s.Err)
		if s.State == Failed && (s.Done == 0 || partial) && !protocols.ReasonOf(s.Err).Network() {
			continue // there is nothing to go on with
		}
		entries = append(entries, entry{URL: urlcore.Redact(s.URL).String(), Path: s.Path, Begun: it.fixed, Tree: s.Tree, Force: s.Overwrite, Size: s.Size})
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

// change changes what others read, and what is listed.
func (m *Manager) change(do func()) {
	m.mu.Lock()
	do()
	m.mu.Unlock()
	m.list.set(m.unfinished)
}
