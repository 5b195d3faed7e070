package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gofer/internal/transfer"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
)

// Item is one download of a Manager.
type Item struct {
	m         *Manager
	number    int // assigned by the Manager, from 1
	status    Status
	rate      meter
	stop      context.CancelCauseFunc
	finished  chan struct{} // closed when the latest goroutine of startTask has ended
	pathFinal bool          // status.Path is final
	folder    string        // the absolute folder for the file or directory if no path was requested, also in later runs; "" if it is not known
	removing  bool          // Cancel is removing the Item from the list

	otherList   string    // path of the list of the run that has the Item, if Status.SavedBy is not ThisRun
	otherNumber int       // the number of the Item there
	resumeUntil time.Time // the time until which the run that has the Item may be resuming it
	forQueue    bool      // HandOver leaves the Item to the process of gofer queue
	keepsResult bool      // the Item failed where no screen showed it, and stays in the list until it is resumed or removed

	waits        map[any]mirror.Wait // pauses before another attempt, by the key of the transfer
	tree         *Tree               // the listed tree
	keptOctets   int64               // octets of the tree that were saved earlier and do not count for the rate
	startedHere  bool                // this run of gofer began to save the tree
	created      []string            // directories and files of the tree that this run of gofer has made
	createdFiles int                 // number of files in created
	startedParts []string            // files of the tree that this run of gofer has begun and not finished
}

// Status returns the current Status.
func (item *Item) Status() Status {
	item.m.mu.Lock()
	defer item.m.mu.Unlock()
	s := item.status
	s.Notes, s.LeftOut = slices.Clip(s.Notes), slices.Clip(s.LeftOut)
	if s.State == Running {
		s.Rate = item.rate.rateAt(time.Now())
	}
	for _, w := range item.waits {
		if w.Pause > s.Wait.Pause {
			s.Wait = w
		}
	}
	return s
}

// Wait waits until the Item is idle or the Manager is closed, and returns the Status.
func (item *Item) Wait() Status {
	for {
		item.m.mu.Lock()
		ended := item.finished
		item.m.mu.Unlock()
		if ended != nil {
			<-ended
		}
		if s := item.Status(); ended == nil || s.State.IsIdle() || item.m.ctx.Err() != nil {
			return s
		}
	}
}

// Pause stops the transfer and keeps the unfinished file. For an Item of another run of gofer, Pause, Cancel and Resume
// only ask this run, and return at once.
func (item *Item) Pause() {
	if !item.askOther(doPause) {
		item.stopRunning(ErrPaused)
	}
}

// Cancel stops the transfer, removes the unfinished file, and removes the Item from the list. It also removes the
// files of an unfinished tree that this run of gofer has made. A saved document or tree is kept. If an unfinished file
// stays, Status.Err then says why.
func (item *Item) Cancel() {
	if item.askOther(doCancel) {
		return
	}
	if !item.stopRunning(ErrCanceled) {
		item.m.mu.Lock()
		defer item.m.mu.Unlock()
		item.removing = true
		item.startTask(func(context.Context) error { return ErrCanceled })
	}
}

// stopRunning stops the Item with a cause. It returns false if the Item is idle.
func (item *Item) stopRunning(cause error) bool {
	item.m.mu.Lock()
	defer item.m.mu.Unlock()
	if item.status.State.IsIdle() {
		return false
	}
	item.stop(cause)
	return true
}

// Resume continues or retries an idle Item.
func (item *Item) Resume() {
	if item.askOther(doResume) {
		return
	}
	item.m.mu.Lock()
	defer item.m.mu.Unlock()
	item.resume()
}

func (item *Item) resume() {
	if s := &item.status; s.State.IsIdle() && s.State < Saved && !item.removing {
		s.CountOnly = false
		item.start()
	}
}

// start queues the Item. The caller must have locked the Manager.
func (item *Item) start() {
	item.status.State, item.status.Err, item.keepsResult = Queued, nil, false
	item.folder = cmp.Or(item.folder, item.m.absFolder())
	if !item.status.Tree { // the notes from the listing of a tree are kept
		item.status.Notes = nil
	}
	if item.m.closed || item.m.Holds {
		return
	}
	turn := item.m.slots.Enqueue(serverKey(item.status.URL)) // not in the goroutine, so that the queue has the order of the calls of start
	item.startTask(func(ctx context.Context) error {
		if err := item.m.slots.Wait(ctx, turn); err != nil {
			return err
		}
		return item.run(ctx)
	})
}

// startTask runs task in a goroutine, after the earlier goroutine of the Item has ended, and records the
// result of task.
func (item *Item) startTask(task func(context.Context) error) {
	m := item.m
	if m.closed {
		return
	}
	earlier, ended := item.finished, make(chan struct{})
	ctx, cancel := context.WithCancelCause(m.ctx)
	item.stop, item.finished = cancel, ended
	m.wg.Go(func() {
		defer close(ended)
		defer cancel(nil)
		if earlier != nil {
			<-earlier
		}
		m.list.updateOnce(m.unfinishedEntries) // so that queued downloads are listed too
		m.watch()
		item.recordResult(transfer.Catch("save", func() error { return task(ctx) }))
	})
}

// recordResult sets the State of the Item after a transfer that ended with err.
func (item *Item) recordResult(err error) {
	m := item.m
	var notRemoved error
	if errors.Is(err, ErrCanceled) && item.Status().State != Saved {
		notRemoved = item.discard()
	}
	m.update(func() {
		s := &item.status
		s.Err = err
		switch {
		case err == nil && s.CountOnly:
			s.State = Counted
		case err == nil:
			s.State = Saved
		case errors.Is(err, ErrCanceled):
			s.State, s.Err = Removed, notRemoved
		case errors.Is(err, ErrOtherSaves):
			s.State = Removed
		case errors.Is(err, ErrPaused), errors.Is(err, ErrClosed):
			s.State, s.Err = Paused, nil
		case errors.Is(err, errUnwatched):
			s.State = Paused
		case IsDiskFull(err):
			s.State, s.Err = Paused, fmt.Errorf("%w (%w)", ErrDiskFull, err)
			for _, other := range m.items {
				if other != item && other.status.SavedBy == ThisRun && !other.status.State.IsIdle() {
					other.stop(ErrPaused)
				}
			}
		default:
			s.State, item.keepsResult = Failed, m.closed // while it closes, nobody sees the result
		}
		if s.State == Removed || s.Private {
			m.items = slices.DeleteFunc(m.items, func(other *Item) bool { return other == item })
		}
	})
}

// run saves the Item and releases its slot.
func (item *Item) run(ctx context.Context) error {
	m, addr := item.m, serverKey(item.status.URL)
	if err := item.takeOver(); err != nil {
		m.slots.Release(addr)
		return err
	}
	if item.status.Task != nil {
		defer m.slots.Release(addr)
		return item.runTask(ctx, addr)
	}
	if item.status.Tree {
		if err := item.listTree(ctx, addr); err != nil || item.status.CountOnly {
			return err
		}
		return item.saveTree(ctx)
	}
	defer m.slots.Release(addr)
	p, err := item.openPart()
	if err != nil {
		return err
	}
	m.update(func() {
		item.status.Path, item.status.State, item.pathFinal = p.path, Running, true
		item.status.Received, item.status.Size, item.status.Part = p.trusted, p.record.Size, p.workingPath()
		if item.status.StartTime.IsZero() {
			item.status.StartTime = time.Now()
		}
		item.rate = meter{}
	})
	t := &saver{fetcher: m.Fetcher, url: item.status.URL, limit: &m.limit, bounds: m.newBounds(), retry: m.documentRetry(addr), addNote: item.addNote, report: item.setProgress, waitRecorder: item.waitRecorder(&item.status)}
	err = t.save(ctx, p)
	m.mu.Lock()
	item.status.Media = t.media
	m.mu.Unlock()
	return err
}

func (item *Item) setProgress(octets, size int64) {
	item.m.mu.Lock()
	defer item.m.mu.Unlock()
	item.status.Received, item.status.Size = octets, size
	item.rate.add(time.Now(), octets-item.keptOctets)
}

// waitRecorder returns a function that records the pauses of the transfer with the given key.
func (item *Item) waitRecorder(key any) func(mirror.Wait) {
	return func(w mirror.Wait) {
		item.m.mu.Lock()
		defer item.m.mu.Unlock()
		if w.Err == nil {
			delete(item.waits, key)
			return
		}
		if item.waits == nil {
			item.waits = make(map[any]mirror.Wait)
		}
		item.waits[key] = w
	}
}

// maxNotes limits the notes of an Item. A note that equals a recent one is dropped: recentNotes is the number of
// earlier notes that are compared.
const (
	maxNotes    = maxTreeFiles
	recentNotes = 20
)

func (item *Item) addNote(text string) {
	item.m.mu.Lock()
	defer item.m.mu.Unlock()
	if n := len(item.status.Notes); n < maxNotes && !slices.Contains(item.status.Notes[max(0, n-recentNotes):], text) {
		item.status.Notes = append(item.status.Notes, text)
	}
}

// maxNames limits the numbers that are tried to find a free name.
const maxNames = 10_000

// openPart opens the unfinished file of the Item. If no path was requested, it tries name.ext, name(1).ext and
// so on, until a path is free or belongs to an unfinished download of the same document.
func (item *Item) openPart() (*part, error) {
	s := &item.status
	if s.Request.Path != "" || item.pathFinal {
		return openPart(place{path: s.Path, force: map[bool]force{true: forceAll}[s.Overwrite], continues: s.Continue, records: item.records()}, s.URL)
	}
	folder, err := item.makeFolder()
	if err != nil {
		return nil, err
	}
	name := item.proposedName()
	for i := range maxNames {
		p, err := openPart(place{path: filepath.Join(folder, NumberedName(name, i)), yields: true, records: item.records()}, s.URL)
		if !errors.Is(err, ErrExists) && !errors.Is(err, ErrUnfinished) && !errors.Is(err, errNoFile) {
			return p, err
		}
	}
	return nil, protocols.LocalError("save "+filepath.Join(folder, name), errFileExists)
}

// errNoFolder is the error of a download that would have to be saved in the working directory of a run without a screen.
var errNoFolder = errors.New("the folder for it is not known; resume it on the screen, or give an absolute downloads.folder in the settings")

// makeFolder makes and returns the folder for the file or directory if no path was requested.
func (item *Item) makeFolder() (string, error) {
	name := FileName(item.status.URL)
	if dir := item.status.Dir; dir != nil {
		folder, err := dir()
		return folder, protocols.LocalError("save "+name, err)
	}
	item.m.mu.Lock()
	folder := item.folder
	item.m.mu.Unlock()
	if folder == "" {
		return "", protocols.LocalError("save "+name, errNoFolder)
	}
	return folder, protocols.LocalError("create "+folder, os.MkdirAll(folder, 0o777))
}

// absFolder returns the absolute path of Folder, or "" if it is not known. The working directory of a run without a screen
// is no folder for files.
func (m *Manager) absFolder() string {
	if m.isQueue && !filepath.IsAbs(m.Folder) {
		return ""
	}
	folder, err := filepath.Abs(m.Folder)
	if err != nil {
		return ""
	}
	return folder
}

// proposedName returns the name for the file or directory if no path was requested.
func (item *Item) proposedName() string {
	names := item.m.serverNames(item.status.URL)
	return ProposeName(item.status.URL, item.status.Shown, &names)
}

// discard removes the unfinished files. The error says why an unfinished file stays.
func (item *Item) discard() error {
	path, u := item.status.Path, item.status.URL
	if task := item.status.Task; task != nil {
		return task.Discard(item.m.ctx)
	}
	if item.status.Tree {
		return item.discardTree()
	}
	if _, _, ok := item.records().findPart(path); path == "" || !ok {
		return nil
	}
	return item.records().discardPart(path, func(rec *record) bool { return rec.isOf(u) })
}

// records returns the records of the files of the Item. Nothing is recorded about a file for another program.
func (item *Item) records() *records {
	if item.status.Private {
		return &item.m.privateRecords
	}
	return &item.m.records
}
