package download

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gofer/internal/transfer/mirror"
)

// SavedBy says which run of gofer saves a download.
type SavedBy uint8

// The runs that may save a download.
const (
	ThisRun      SavedBy = iota // this run
	OtherScreen                 // another run with a screen
	QueueProcess                // the run without a screen, see [Manager.ServeQueue]
)

func savedBy(list string) SavedBy {
	if strings.HasSuffix(list, queueSuffix) {
		return QueueProcess
	}
	return OtherScreen
}

// watchInterval is the time between two readings of the lists of other runs, and between two reports of the progress.
const watchInterval = time.Second

// watch starts a goroutine that reports the progress in the list of this run, does what other runs ask for, and reads
// their lists, as long as there are entries in the list or other runs are saving files.
func (m *Manager) watch() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ListFolder == "" || m.watching || m.closed || m.isQueue || m.Holds || !m.hasEntries() {
		return
	}
	m.watching = true
	m.wg.Go(func() {
		for mirror.Sleep(m.ctx, watchInterval) {
			m.obey()
			m.refresh()
			m.mu.Lock()
			m.watching = m.hasEntries()
			again := m.watching
			m.mu.Unlock()
			if !again {
				return
			}
		}
	})
}

// hasEntries reports whether the list of this run has entries, or another run is saving files. The caller must have
// locked the Manager.
func (m *Manager) hasEntries() bool {
	return slices.ContainsFunc(m.items, func(it *Item) bool {
		return it.isListed() || it.status.SavedBy != ThisRun && !it.status.State.IsIdle()
	})
}

// refresh writes the list of this run, takes over the lists of runs that have ended, and updates the Items of the
// others.
func (m *Manager) refresh() {
	defer m.list.lockFolder()() // before the mutex, which nobody holds while this run waits
	m.refreshMu.Lock()
	defer m.refreshMu.Unlock()
	m.refreshTime = time.Now()
	m.list.update(m.unfinishedEntries)
	others := m.list.readOthers(m.takes)
	m.mu.Lock()
	m.shareRate(others.running)
	maps.Copy(others.running, others.waiting)
	lost := m.lostItems(others.running)
	var taken []*Item
	for i := range others.entries {
		taken = append(taken, m.takeEntry(&others.entries[i]))
	}
	lost = slices.DeleteFunc(lost, func(it *Item) bool { return it.status.SavedBy == ThisRun })
	for path, entries := range others.running {
		for i := range entries {
			m.showEntry(path, &entries[i], taken, &lost)
		}
	}
	for _, it := range lost {
		it.settle()
	}
	m.mu.Unlock()
	if len(others.ended) > 0 {
		m.list.removeAfterUpdate(others.ended)
		m.list.update(m.unfinishedEntries)
	}
	m.watch()
}

// takes reports whether this run takes over a list with the given entries of a run that has ended. It leaves downloads
// that were handed over to the run without a screen, if there is one.
func (m *Manager) takes(entries []entry) bool {
	forQueue := areForQueue(entries)
	if m.isQueue {
		return forQueue || m.takesAll
	}
	return !forQueue || !m.list.hasQueue()
}

// lostItems returns the Items of other runs that are in none of the given lists.
func (m *Manager) lostItems(running map[string][]entry) (lost []*Item) {
	for _, it := range m.items {
		if it.status.SavedBy != ThisRun && !slices.ContainsFunc(running[it.otherList], func(e entry) bool { return e.Number == it.otherNumber }) {
			lost = append(lost, it)
		}
	}
	return lost
}

// takeEntry adds the Item of an entry of a run that has ended, and returns it. If an Item of another run is for the same
// file, it becomes this Item.
func (m *Manager) takeEntry(e *entry) *Item {
	fresh := &Item{m: m}
	fresh.set(e, false)
	var ofOthers []*Item
	for _, it := range m.items {
		if it.status.SavedBy != ThisRun {
			ofOthers = append(ofOthers, it)
		} else if it.isUnfinishedFor(fresh.status.atPath()) {
			return it // a run that was killed may have left its entries in two lists
		}
	}
	item := m.itemFor(&fresh.status, &ofOthers)
	item.set(e, false)
	item.status.SavedBy, item.otherList = ThisRun, ""
	if e.Begun && !e.Tree && item.status.State == Interrupted {
		item.status.readPartSize(&m.records)
	}
	wanted := time.Now().Before(item.resumeUntil) // the run has ended before it could resume the Item
	if item.endWait(); e.ForQueue || m.takesAll || wanted {
		item.resume()
	}
	return item
}

// showEntry adds or updates the Item of an entry of a run that goes on, unless the run has moved the entry in this moment
// to a list from which the Items in taken come.
func (m *Manager) showEntry(list string, e *entry, taken []*Item, lost *[]*Item) {
	i := slices.IndexFunc(m.items, func(it *Item) bool { return it.otherList == list && it.otherNumber == e.Number })
	var item *Item
	if i >= 0 {
		item = m.items[i]
	} else {
		fresh := &Item{m: m}
		fresh.set(e, true)
		if slices.ContainsFunc(taken, func(it *Item) bool { return fresh.status.isFor(it.status.atPath()) }) {
			return
		}
		item = m.itemFor(&fresh.status, lost)
	}
	if e.Received < item.status.Received {
		item.rate = meter{}
	}
	item.set(e, true)
	if s := &item.status; s.State.IsIdle() && s.State < Saved && time.Now().Before(item.resumeUntil) {
		s.State = Queued
	} else {
		item.resumeUntil = time.Time{}
	}
	item.otherList, item.otherNumber, item.status.SavedBy = list, e.Number, savedBy(list)
	if e.ForQueue {
		item.status.State, item.status.SavedBy = Queued, QueueProcess
	}
	item.rate.add(time.Now(), item.status.Received)
	switch {
	case item.status.State.IsIdle():
		item.endWait()
	case item.finished == nil || isClosed(item.finished):
		item.finished = make(chan struct{})
	}
}

// itemFor returns one of the given Items for the file of s, which it removes from items, or a new Item.
func (m *Manager) itemFor(s *Status, items *[]*Item) *Item {
	for i, it := range *items {
		if s.isFor(it.status.atPath()) {
			*items = slices.Delete(*items, i, i+1)
			return it
		}
	}
	it := &Item{m: m}
	m.append(it)
	return it
}

// settle sets the State of an Item that its run has removed from its list: it is saved or canceled.
func (item *Item) settle() {
	s, m := &item.status, item.m
	saved := (s.Tree || s.Task != nil) && s.Files > 0 && s.Files == s.TotalFiles
	if !s.Tree && s.Path != "" {
		after := *s
		after.State = Removed
		after.readPartSize(&m.records)
		saved = after.State == Saved
	}
	if s.SavedBy, item.otherList, s.State = ThisRun, "", Removed; saved {
		s.State, s.Received = Saved, max(s.Received, s.Size)
	} else {
		m.items = slices.DeleteFunc(m.items, func(other *Item) bool { return other == item })
	}
	item.endWait()
}

// endWait ends the calls of Wait for an Item of another run. The caller must have locked the Manager.
func (item *Item) endWait() {
	if item.finished != nil && !isClosed(item.finished) && item.stop == nil {
		close(item.finished)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// takeOver looks for the same download among those of other runs. The Item goes on with a download of a run that has
// ended. If another run has it, the error is ErrOtherSaves; of two runs that begin it at the same time, the older has it.
func (item *Item) takeOver() error {
	m := item.m
	if m.ListFolder == "" || item.status.Private || item.status.Task != nil || m.isQueue {
		return nil
	}
	m.refreshMu.Lock()
	recent := time.Since(m.refreshTime) < watchInterval
	m.refreshMu.Unlock()
	if !recent {
		m.refresh()
	}
	own := m.list.path()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, other := range m.items {
		s := &other.status
		switch {
		case other == item || !other.isUnfinishedFor(&item.status.Request):
		case s.SavedBy != ThisRun && s.State.IsIdle():
			other.askToResume()
			return ErrOtherSaves
		case s.SavedBy != ThisRun && (other.pathFinal || other.otherList < own):
			return ErrOtherSaves
		case s.SavedBy == ThisRun && s.State == Interrupted:
			item.status.Path, item.status.Received, item.pathFinal = s.Path, s.Received, other.pathFinal
			m.items = slices.DeleteFunc(m.items, func(it *Item) bool { return it == other })
			return nil
		}
	}
	return nil
}

// hasQueue reports whether the run without a screen has its lock. The caller must have called lockFolder.
func (l *list) hasQueue() bool {
	path := l.queueLock()
	if _, err := os.Lstat(path); err != nil {
		return false
	}
	f, err := openLocked(path)
	if err == nil {
		_ = f.remove()
	}
	return errors.Is(err, errLocked)
}

// queueLockName is the name of the lock of the run without a screen.
const queueLockName = "queue.lock"

func (l *list) queueLock() string { return filepath.Join(l.dir, queueLockName) }
