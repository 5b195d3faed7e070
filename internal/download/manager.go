package download

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"gofer/internal/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// The default numbers of concurrent transfers.
const (
	DefaultParallel  = 4
	defaultPerServer = 2
)

// Manager saves documents and whole directories as files, several at a time. It is safe
// for concurrent use. Its fields must not change after the first use.
type Manager struct {
	Fetcher   protocols.Fetcher
	Folder    string // the default folder for files
	List      string // the folder of the lists of unfinished downloads; "": none
	Parallel  int    // the concurrent transfers; 0: [DefaultParallel]
	OneServer int    // of one server; 0: 2
	Rate      int64  // octets a second, all transfers together; 0: no limit
	Depth     int    // levels of a directory; 0: [DefaultDepth]
	// DepthGiven means that the user gave Depth: the menus below it are counted in a note, and not
	// left out.
	DepthGiven bool
	Quota      int64         // octets of a tree's files of unknown size; 0: [DefaultQuota]
	Delay      time.Duration // between requests to a Gopher server for a tree; 0: [DefaultDelay]
	Tries      int           // attempts without progress while the network fails; 0: [mirror.DefaultTries]
	// Keep reports whether a download is listed; it may be nil.
	Keep func(urlcore.URL) bool

	maxFiles int           // of a tree, in place of maxTreeFiles
	pause    time.Duration // as in mirror.Retry

	once   sync.Once
	ctx    context.Context
	cancel context.CancelCauseFunc
	slots  mirror.Slots
	limit  *limiter
	list   list

	mu     sync.Mutex
	items  []*Item
	added  int // Items, also those that were removed
	closed bool
	wg     sync.WaitGroup
}

// State is the state of an Item.
type State uint8

// The states. An Item rests from Paused on.
const (
	Queued  State = iota // waiting for a slot
	Running              // being transferred
	Paused               // stopped; the unfinished file is kept
	Failed               // stopped because of Err; the unfinished file is kept
	Left                 // unfinished, by a program that has ended
	Counted              // a directory was listed, nothing of it saved
	Saved                // done
	Removed              // cancelled or removed from the list
)

// Idle reports whether the Item does not continue without Resume.
func (s State) Idle() bool { return s >= Paused }

// ErrPaused, ErrCancelled and ErrClosed are the causes of the end of a transfer.
var (
	ErrPaused    = errors.New("paused")
	ErrCancelled = errors.New("cancelled")
	ErrClosed    = errors.New("the program has ended")
)

// ErrDiskFull is wrapped in the error of a download when all are paused because the disk
// is full.
var ErrDiskFull = errors.New("the disk is full: make room, then resume it")

// Request describes a download.
type Request struct {
	URL       urlcore.URL
	Path      string  // the file or directory; "": in Folder, under a free name made of the URL
	Overwrite bool    // an existing file is replaced
	Continue  bool    // an incomplete file at Path is continued, a complete one is kept
	Tree      bool    // the whole directory or menu is saved
	NoParent  bool    // of a menu only the selectors below its own are saved
	Count     bool    // a tree is only listed at first
	Private   bool    // for another program, and not listed
	Mirror    *Mirror // a tree updates the directory at Path; nil: it does not
	// Dir makes the folder, which the caller removes; nil: Folder.
	Dir func() (string, error)
}

// Status is the status of an Item at one moment.
type Status struct {
	Request
	State State
	Path  string // of the file, as soon as it is known
	Media string // the media type in the answer

	Done, Size  int64 // octets; Size is -1 if unknown
	Files, Last int   // of a tree: the number of saved files, and of all
	Unknown     int   // of a tree: the number of files of unknown size
	Rate        int64 // the recent rate, in octets a second
	Begun       time.Time
	Wait        mirror.Wait // for another attempt
	Err         error
	Changes     Changes // of a tree
	Notes       []string
	LeftOut     []mirror.LeftOut // of a tree: all items that are not saved
}

// Left returns the time for the rest at the current rate, or 0 if unknown.
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
		m.slots.All, m.slots.PerServer = m.Parallel, cmp.Or(m.OneServer, defaultPerServer)
		if m.Rate > 0 {
			m.limit = &limiter{rate: m.Rate}
		}
		m.list.dir = m.List
	})
}

// Add begins a download. It does no I/O itself. If there is an unfinished Item for the
// document, under the requested name if there is one, Add returns that. A tree takes the options
// of the new Request.
func (m *Manager) Add(r Request) (it *Item, added bool) {
	m.init()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, it := range m.items {
		s := &it.status
		same := s.URL == r.URL && s.Tree == r.Tree && (s.Mirror == nil) == (r.Mirror == nil) && s.Private == r.Private
		if same && (r.Path == "" || r.Path == s.Request.Path || r.Path == s.Path) && s.State < Saved {
			if s.State.Idle() && s.State != Counted {
				if r.Mirror != nil || r.NoParent != s.NoParent {
					s.Mirror, s.NoParent, it.tree = r.Mirror, r.NoParent, nil
				}
				it.resume()
				return it, true
			}
			return it, false
		}
	}
	it = &Item{m: m, status: Status{Request: r, Path: r.Path, Size: -1}}
	m.append(it)
	it.start()
	return it, true
}

// append adds an Item to the list; the Manager is locked.
func (m *Manager) append(it *Item) {
	m.added++
	it.number = m.added
	m.items = append(m.items, it)
}

// Items returns all Items in the order of their addition.
func (m *Manager) Items() []*Item {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.items)
}

// Active returns the last added Item that is not resting, or nil, and the number of such
// Items.
func (m *Manager) Active() (last *Item, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, it := range m.items {
		if it.status.State.Idle() {
			continue
		}
		if n++; last == nil || it.status.State == Running || last.status.State != Running {
			last = it
		}
	}
	return last, n
}

// Close ends all transfers and waits for them. Unfinished ones stay listed.
func (m *Manager) Close() {
	m.init()
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.cancel(ErrClosed)
	m.wg.Wait()
	m.list.close()
}

// unfinished returns the entries of the list.
func (m *Manager) unfinished() (entries []entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, it := range m.items {
		s := &it.status
		if s.State == Saved || s.Private || s.Mirror != nil && s.Mirror.Plan != nil || m.Keep != nil && !m.Keep(s.URL) {
			continue
		}
		_, partial := errors.AsType[*mirror.PartialError](s.Err)
		if s.State == Failed && (s.Done == 0 || partial) && !protocols.ReasonOf(s.Err).Network() {
			continue // there is nothing to continue
		}
		entries = append(entries, entry{URL: urlcore.Redact(s.URL).String(), Path: s.Path, Begun: it.fixed, Tree: s.Tree, NoParent: s.NoParent, Force: s.Overwrite, Mirror: s.Mirror, Size: s.Size})
	}
	return entries
}

// retry returns how often to try an item again.
func (m *Manager) retry(server string) mirror.Retry {
	return mirror.Retry{Tries: m.Tries, ItemTries: 1 + maxBreaks, Pause: m.pause, Yield: func(ctx context.Context) bool { return m.slots.Yield(ctx, server) }}
}

// server returns the key for slots.
func server(u urlcore.URL) string {
	if addr, ok := urlcore.Addr(u); ok {
		return addr
	}
	return u.Scheme()
}

// change calls do with the Manager locked and updates the list.
func (m *Manager) change(do func()) {
	m.mu.Lock()
	do()
	m.mu.Unlock()
	m.list.set(m.unfinished)
}
