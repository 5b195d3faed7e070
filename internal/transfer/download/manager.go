package download

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// Default numbers of concurrent transfers.
const (
	DefaultParallel  = 4
	defaultPerServer = 2
)

// Manager saves documents and whole directories as files, several at a time. It is safe
// for concurrent use. The exported fields must not change after the first use.
type Manager struct {
	Fetcher    protocols.Fetcher
	Folder     string // the default folder for files
	ListFolder string // the folder for the lists of unfinished downloads, which all runs of gofer share; "": no lists
	// RecordFolder is the folder for the records of unfinished files. Only the user may write to it. Without it, a later
	// run of gofer does not continue files.
	RecordFolder string
	Parallel     int   // number of concurrent transfers; 0: [DefaultParallel]
	PerServer    int   // number of concurrent transfers from one server; 0: 2
	Rate         int64 // octets per second, see [Manager.RateLimit]; 0: no limit. SetRate changes it.
	Depth        int   // levels of directories in a tree; 0: [DefaultDepth]
	// DepthGiven means that the user set Depth. A note then reports the number of deeper menus. Otherwise deeper
	// menus are recorded as left out.
	DepthGiven bool
	Quota      int64         // limit, in octets, of a tree with files of unknown size; 0: [DefaultQuota]
	Delay      time.Duration // time between the requests to a Gopher server for a tree; 0: [DefaultDelay]
	Tries      int           // attempts without progress after errors of the network; 0: [mirror.DefaultTries]
	// RefusedTries limits the attempts in a row to fetch a document that the server refuses, unless Tries is set; 0: Tries.
	RefusedTries int
	// ShouldList reports whether an unfinished download is kept in the list, and a saved file in the records. It may be
	// nil.
	ShouldList func(urlcore.URL) bool

	// Restore makes the Task that [Task.Encode] has described, of a list whose URL is from. Without it, an entry of a Task
	// becomes a download from that URL, also in the list.
	Restore func(from urlcore.URL, data json.RawMessage) Task

	// RawNames gives files the octets of their names at FTP servers. Otherwise names are decoded to UTF-8, in the
	// charset that ReadingOf returns for the server, or in the charset of the listings if ReadingOf is nil or
	// returns Auto.
	RawNames  bool
	ReadingOf func(u urlcore.URL) clean.Reading

	// Holds means that the Manager saves nothing itself: it only hands downloads over, see [Manager.HandOver].
	Holds bool

	maxFiles int           // replaces maxTreeFiles if not 0
	bounds   *bounds       // replaces the bounds of a run without a screen if not nil
	pause    time.Duration // the field Pause of mirror.Retry

	once   sync.Once
	ctx    context.Context
	cancel context.CancelCauseFunc
	slots  mirror.Slots
	limit  limiter // the part of this run of rate
	list   list

	records, privateRecords records

	mu         sync.Mutex
	items      []*Item
	rate       sharedRate
	lastNumber int // number of the last Item
	closed     bool
	isQueue    bool // see [Manager.ServeQueue]
	takesAll   bool // the queue takes all lists of runs that have ended
	watching   bool // a goroutine runs watch
	wg         sync.WaitGroup

	refreshMu   sync.Mutex
	refreshTime time.Time // the time of the last refresh
}

// State is the state of an Item.
type State uint8

// The states of an Item. An Item in the state Paused or a state after it in this list is idle.
const (
	Queued      State = iota // waiting for a slot
	Running                  // being transferred
	Paused                   // stopped by the user, by a full disk, or by a bound of a run without a screen; the unfinished file is kept
	Failed                   // stopped by Status.Err; the unfinished file is kept
	Interrupted              // left unfinished by a run of gofer that has ended
	Counted                  // a tree was listed, but not saved
	Saved                    // complete
	Removed                  // canceled, or removed from the list
)

// IsIdle reports whether an Item in this state does nothing. Resume starts an idle Item, except in the states Saved
// and Removed.
func (s State) IsIdle() bool { return s >= Paused }

// ErrPaused, ErrCanceled and ErrClosed are the causes for stopping a transfer.
var (
	ErrPaused   = errors.New("paused")
	ErrCanceled = errors.New("canceled")
	ErrClosed   = errors.New("the program has ended")
)

// ErrOtherSaves is the error of a download of a file that another run of gofer is saving.
var ErrOtherSaves = errors.New("another gofer is saving it already")

// ErrDiskFull is wrapped in the error of a download that found the disk full. All downloads are then paused.
var ErrDiskFull = errors.New("the disk is full; free some space, then resume it")

// Request describes a download.
type Request struct {
	URL       urlcore.URL
	Path      string         // of the file or directory; "": a free name in Folder, made from the URL
	Overwrite bool           // replace an existing file
	Shown     string         // the name of the file on the page, decoded; "": decode the name in URL
	Continue  bool           // continue an incomplete file at Path; keep a complete file
	Tree      bool           // save the whole directory or menu
	NoParent  bool           // save only the items of a Gopher tree that are below the selector of URL
	CountOnly bool           // only list the tree; Resume saves it
	Private   bool           // fetch the file for another program; do not list it
	Mirror    *UpdateOptions // update the directory at Path; nil: save to a new directory
	Task      Task           // is run in place of a download from URL; nil: none
	// Dir makes and returns the folder for a file if Path is "". The Manager does not remove it. If Dir is nil, the
	// Manager uses its Folder.
	Dir func() (string, error)
}

// Status is a snapshot of the status of an Item.
type Status struct {
	Request
	State State
	Path  string // of the file or directory, or "" if not known yet
	Part  string // path of the file with the received octets of a document, or "" if not known yet
	Media string // the media type that the server sent

	SavedBy SavedBy // the run of gofer that saves the download

	Received, Size    int64 // octets received, and size of the document or tree; Size is -1 if unknown
	Files, TotalFiles int   // of a tree: number of saved files, and number of all files
	UnknownSizes      int   // of a tree: number of files of unknown size
	Rate              int64 // recent rate in octets per second
	StartTime         time.Time
	Wait              mirror.Wait // pause before another attempt
	Err               error
	Changes           Changes // of a tree
	Notes             []string
	LeftOut           []mirror.LeftOut // of a tree: the items that were not saved
}

// timeLeft returns the time that the rest of the download takes at the current rate, or 0 if it is unknown.
func (s *Status) timeLeft() time.Duration {
	if s.State != Running || s.Rate <= 0 || s.Size < s.Received {
		return 0
	}
	return time.Duration(float64(s.Size-s.Received) / float64(s.Rate) * float64(time.Second))
}

func (m *Manager) init() {
	m.once.Do(func() {
		m.ctx, m.cancel = context.WithCancelCause(context.Background())
		m.Parallel = cmp.Or(m.Parallel, DefaultParallel)
		m.Depth = cmp.Or(m.Depth, DefaultDepth)
		m.Quota = cmp.Or(m.Quota, DefaultQuota)
		m.Delay = cmp.Or(m.Delay, DefaultDelay)
		m.slots.Total, m.slots.PerServer = m.Parallel, cmp.Or(m.PerServer, defaultPerServer)
		m.rate.total = m.Rate
		m.limit.set(m.Rate)
		m.list.dir = m.ListFolder
		m.records.dir, m.records.keep = m.RecordFolder, m.shouldList
	})
}

// Add queues a download. It does no I/O itself. If there is an unfinished Item of the same kind for the same URL, and
// r.Path is "" or the path of this Item, Add returns the Item, which may be of another run of gofer. Add resumes it if
// it is idle and not in the state Counted. A resumed tree gets the fields Mirror and NoParent of r. The result added is
// false if Add has neither queued nor resumed a download.
func (m *Manager) Add(r Request) (item *Item, added bool) {
	m.init()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, item := range m.items {
		s := &item.status
		if r.Task == nil && item.isUnfinishedFor(&r) {
			if s.State.IsIdle() && s.State != Counted {
				if s.SavedBy != ThisRun {
					item.askToResume()
					return item, true
				}
				s.URL = r.URL // it may have a password, which is not in a list
				if r.Mirror != nil || r.NoParent != s.NoParent {
					s.Mirror, s.NoParent, item.tree = r.Mirror, r.NoParent, nil
				}
				item.resume()
				return item, true
			}
			return item, false
		}
	}
	item = &Item{m: m, status: Status{Request: r, Path: r.Path, Size: -1}}
	m.append(item)
	item.start()
	return item, true
}

// isFor reports whether s is of the download that r describes: of the same document or tree, and at the path of r unless
// that is "".
func (s *Status) isFor(r *Request) bool {
	same := s.URL == r.URL || urlcore.Redact(s.URL) == urlcore.Redact(r.URL)
	return same && s.Tree == r.Tree && (s.Mirror == nil) == (r.Mirror == nil) && s.Private == r.Private && sameTask(s.Task, r.Task) &&
		(r.Path == "" || r.Path == s.Request.Path || r.Path == s.Path)
}

// atPath returns the Request of s with the path that is known now.
func (s *Status) atPath() *Request {
	r := s.Request
	r.Path = s.Path
	return &r
}

// isUnfinishedFor reports whether the Item is unfinished and of the download that r describes. The caller must have locked
// the Manager.
func (item *Item) isUnfinishedFor(r *Request) bool {
	return item.status.State < Saved && item.status.isFor(r)
}

// append adds an Item to m.items. The caller must have locked the Manager.
func (m *Manager) append(item *Item) {
	m.lastNumber++
	item.number = m.lastNumber
	m.items = append(m.items, item)
}

// Items returns all Items in the order of their addition.
func (m *Manager) Items() []*Item {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.items)
}

// Active returns the latest Item that is running. If no Item is running, it returns the latest Item that is not
// idle, or nil. It also returns the number of Items that are not idle.
func (m *Manager) Active() (last *Item, n int) {
	return m.active(func(*Item) bool { return true })
}

// ActiveHere returns the number of Items of this run that are not idle.
func (m *Manager) ActiveHere() int {
	_, n := m.active(func(it *Item) bool { return it.status.SavedBy == ThisRun })
	return n
}

func (m *Manager) active(selects func(*Item) bool) (last *Item, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, it := range m.items {
		if it.status.State.IsIdle() || !selects(it) {
			continue
		}
		if n++; last == nil || it.status.State == Running || last.status.State != Running {
			last = it
		}
	}
	return last, n
}

// Close stops all transfers and waits until they have ended. Unfinished downloads stay in the list.
func (m *Manager) Close() {
	m.stop()
	m.list.update(m.unfinishedEntries)
	m.list.close()
	m.forgetRate()
}

// Keep adds downloads that this run does not begin any more, so that they are in the list. Only [Manager.HandOver] and
// Close may be called after it.
func (m *Manager) Keep(requests []Request) {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	for _, r := range requests {
		m.Add(r)
	}
}

// stop stops all transfers and waits until they have ended.
func (m *Manager) stop() {
	m.init()
	m.mu.Lock()
	m.closed = true
	for _, it := range m.items {
		if it.status.SavedBy != ThisRun {
			it.endWait()
		}
	}
	m.mu.Unlock()
	m.cancel(ErrClosed)
	m.wg.Wait()
}

// unfinishedEntries returns the list entries of the unfinished downloads of this run.
func (m *Manager) unfinishedEntries() (entries []entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, it := range m.items {
		if it.isListed() {
			entries = append(entries, it.entry())
		}
	}
	return entries
}

// isListed reports whether the Item is in the list of this run. The caller must have locked the Manager.
func (item *Item) isListed() bool {
	s, m := &item.status, item.m
	switch {
	case s.SavedBy != ThisRun, s.Private, s.Mirror != nil && s.Mirror.Plan != nil, !m.shouldList(s.URL),
		s.Task != nil && !m.shouldList(s.Task.Target()):
		return false
	case m.isQueue: // until a screen shows the result
		return true
	case s.State == Failed:
		return item.keepsResult || s.isResumable()
	}
	return s.State != Saved
}

// isResumable reports whether there is something to resume after the failure s.Err. There is nothing if no octets were
// received, or if the tree is saved except for the items left out.
func (s *Status) isResumable() bool {
	_, partial := errors.AsType[*mirror.PartialError](s.Err)
	return s.Received > 0 && !partial || protocols.ReasonOf(s.Err).IsNetworkFailure()
}

func (m *Manager) shouldList(u urlcore.URL) bool { return m.ShouldList == nil || m.ShouldList(u) }

// newRetry returns the retry policy for transfers from a server.
func (m *Manager) newRetry(server string) mirror.Retry {
	return mirror.Retry{Tries: m.Tries, ItemTries: 1 + maxBreaks, Pause: m.pause, Yield: func(ctx context.Context) bool { return m.slots.Yield(ctx, server) }}
}

// documentRetry returns the retry policy for a single document from a server.
func (m *Manager) documentRetry(server string) mirror.Retry {
	r := m.newRetry(server)
	if m.Tries > 0 { // the user has chosen how often
		r.ItemTries = 0
	} else {
		r.RefusedTries = m.RefusedTries
	}
	return r
}

// serverKey returns the key of a server in mirror.Slots: its address, or the scheme of a URL without one.
func serverKey(u urlcore.URL) string {
	if addr, ok := urlcore.Addr(u); ok {
		return addr
	}
	return u.Scheme()
}

// update calls change with the Manager locked, and then updates the list of unfinished downloads.
func (m *Manager) update(change func()) {
	m.mu.Lock()
	change()
	m.mu.Unlock()
	m.list.update(m.unfinishedEntries)
}
