package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"gofer/internal/transfer/mirror"
	"gofer/internal/userfile"
	"gofer/protocols"
)

// errNoList reports that there is no file for the downloads to hand over.
var errNoList = errors.New("the list of downloads cannot be written")

// HandOver closes m like Close. The downloads that were queued or running then go on in another process, which the
// function start starts. The function start returns when this process has called Handover.Ready, with a function that
// closes Handover.Released of this process and waits for its call of Handover.Taken. HandOver returns the number of
// downloads that it has handed over. After an error they are in the list, and the next run of gofer goes on with them.
func (m *Manager) HandOver(start func() (release func() error, err error)) (n int, err error) {
	m.init()
	m.mu.Lock()
	for _, it := range m.items {
		s := &it.status
		if it.forQueue = s.SavedBy == ThisRun && !s.State.IsIdle() && !s.CountOnly && it.isListed(); it.forQueue {
			n++
		}
	}
	m.mu.Unlock()
	m.stop()
	defer m.list.close()
	switch {
	case n == 0:
		return 0, nil
	case !m.list.update(m.unfinishedEntries):
		return 0, errNoList
	}
	release, err := start()
	m.list.close() // unlocks the list, so that the other process can take it
	if err == nil {
		err = release()
	}
	return n, err
}

// Handover is how a process hands downloads over to the process that it has started.
type Handover struct {
	Ready    func()          // called when lists that are handed over from now on are taken
	Released <-chan struct{} // closed when the list of the other process is not locked any more
	Taken    func()          // called when the list is taken after that
}

// ServeQueue saves the downloads that other runs of gofer hand over, until there are none. It leaves each download that
// has ended in the list of a run that has ended, so that the next screen shows the result. Only one run of a user does
// this at a time; another one waits until that one has taken all downloads, at most answerTime. With all, it also goes on with the unfinished
// downloads of all runs that have ended; if another run has taken these, the error is a *RunningQueue. The function report is
// called for each download that has ended, and may be nil.
func (m *Manager) ServeQueue(ctx context.Context, h Handover, all bool, report func(*Status)) error {
	m.init()
	m.isQueue, m.list.isQueue, m.takesAll = true, true, all
	if err := userfile.MakePrivate(m.ListFolder); err != nil {
		return err
	}
	q := queueServer{Manager: m, Handover: h, report: report}
	defer q.withdraw()
	for waitsSince := time.Now(); ; mirror.Sleep(ctx, queueInterval) {
		lock, err := openLocked(m.list.queueLock())
		switch {
		case errors.Is(err, errNoFile):
			return protocols.LocalError("lock "+m.list.queueLock(), errors.New("it is no regular file; remove it"))
		case err != nil && !errors.Is(err, errLocked):
			return protocols.LocalError("lock "+m.list.queueLock(), err)
		}
		q.callReady()
		served := err == nil
		if served {
			_ = lock.overwrite([]byte(strconv.Itoa(os.Getpid()) + "\n")) // for other runs and the user; only the lock counts
			q.serve(ctx)
			_ = lock.remove()
		}
		if served || !q.isReleased() {
			waitsSince = time.Now()
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case q.hasAll() && (served || !all):
			return nil
		case !served && all:
			if taken, err := q.leaveAll(); taken != nil || err != nil {
				return cmp.Or[error](err, taken)
			}
		}
		if time.Since(waitsSince) > answerTime {
			return fmt.Errorf("%s does not answer: end it, and the next gofer goes on with the downloads", (&RunningQueue{Process: m.list.queueProcess()}).Name())
		}
	}
}

// answerTime is the time in which the run without a screen answers another one. It is shorter than the time that the
// parent of that one waits.
const answerTime = 15 * time.Second

// RunningQueue is the run without a screen that saves the downloads. It is the error of another one.
type RunningQueue struct {
	Process   int // its number; 0 if it has not written it yet
	Downloads int // number of downloads that it saves
}

func (q *RunningQueue) Error() string {
	return q.Name() + " is running already: it saves " + english.Plural(q.Downloads, "download", "")
}

// Name names the process.
func (q *RunningQueue) Name() string {
	if q.Process == 0 {
		return "another gofer queue"
	}
	return fmt.Sprintf("gofer queue (process %d)", q.Process)
}

// RunningQueue returns the run without a screen, or nil if none is running.
func (m *Manager) RunningQueue() *RunningQueue {
	m.init()
	defer m.list.lockFolder()()
	if !m.list.hasQueue() {
		return nil
	}
	q := &RunningQueue{Process: m.list.queueProcess()}
	others := m.list.readOthers(func([]entry) bool { return false })
	for path, entries := range others.running {
		if savedBy(path) == QueueProcess {
			q.Downloads += len(entries)
		}
	}
	return q
}

// queueProcess returns the number of the process of the run without a screen, or 0 if it has not written it yet.
func (l *list) queueProcess() int {
	data, _ := userfile.ReadNoFollow(l.queueLock(), maxAskSize, true)
	n, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return n
}

// queueInterval is the time between two looks at the queue.
const queueInterval = 200 * time.Millisecond

// queueServer is the state of ServeQueue.
type queueServer struct {
	*Manager
	Handover
	report    func(*Status)
	request   string // path of the request to the run without a screen to take all downloads, or ""
	asked     int    // the process of this run
	endedList string // path of the list of the downloads that have ended
}

func (q *queueServer) callReady() {
	if q.Ready != nil {
		q.Ready()
		q.Ready = nil
	}
}

// leaveAll asks the run without a screen to go on with the downloads of all runs that have ended. It returns this run when
// it has taken them.
func (q *queueServer) leaveAll() (runs *RunningQueue, err error) {
	if q.request != "" {
		if _, err := os.Lstat(q.request); !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if runs = q.RunningQueue(); runs != nil && runs.Process == q.asked {
			return runs, nil
		}
		q.request = "" // the run has ended without taking them
	}
	if q.asked = q.list.queueProcess(); q.asked != 0 {
		q.request, err = q.list.writeRequest(&runRequest{List: queueLockName, Number: q.asked, Do: doTakeAll})
	}
	return nil, err
}

// withdraw removes the request that the run without a screen has not obeyed.
func (q *queueServer) withdraw() {
	if q.request != "" {
		_ = os.Remove(q.request)
	}
}

// isReleased reports whether the list of the other process, if there is one, is not locked any more.
func (q *queueServer) isReleased() bool { return q.Released == nil || isClosed(q.Released) }

// hasAll reports whether no more downloads are handed over, and calls Taken the first time.
func (q *queueServer) hasAll() bool {
	if !q.isReleased() || q.list.hasForQueue() {
		return false
	}
	if q.Taken != nil {
		q.Taken()
		q.Taken = nil
	}
	return true
}

// serve saves downloads until there are none, or ctx ends.
func (q *queueServer) serve(ctx context.Context) {
	for next := time.Now(); ; mirror.Sleep(ctx, queueInterval) {
		if now := time.Now(); !now.Before(next) || q.list.hasForQueue() {
			next = now.Add(watchInterval)
			q.obey()
			q.refresh()
			q.takesAll = false
		}
		n := q.ActiveHere()
		q.leaveEnded()
		if ctx.Err() != nil || q.hasAll() && n == 0 {
			return
		}
	}
}

// hasForQueue reports whether there is a list of a run that has ended with downloads for the run without a screen.
func (l *list) hasForQueue() bool {
	defer l.lockFolder()()
	found := false
	l.readOthers(func(entries []entry) bool {
		found = found || areForQueue(entries)
		return false
	})
	return found
}

// areForQueue reports whether there are downloads for the run without a screen among the entries.
func areForQueue(entries []entry) bool {
	return slices.ContainsFunc(entries, func(e entry) bool { return e.ForQueue })
}

// ended returns the Items that have ended.
func (q *queueServer) ended() (ended []*Item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, it := range q.items {
		if it.status.SavedBy == ThisRun && it.status.State.IsIdle() && !it.removing {
			ended = append(ended, it)
		}
	}
	return ended
}

// leaveEnded moves the downloads that have ended to the list q.endedList, which is not locked. If it cannot be written, they
// stay in the list of this run.
func (q *queueServer) leaveEnded() {
	ended := q.ended()
	if len(ended) == 0 || !q.move(ended) || q.report == nil {
		return
	}
	for _, it := range ended {
		s := it.Status()
		q.report(&s)
	}
}

// move moves the downloads to the list q.endedList. It reports whether it has.
func (q *queueServer) move(ended []*Item) bool {
	defer q.list.lockFolder()()
	var entries []entry
	q.mu.Lock()
	for _, it := range ended {
		it.forQueue = false
		entries = append(entries, it.entry())
	}
	q.mu.Unlock()
	if q.endedList == "" {
		q.endedList = newListPath(q.ListFolder, false)
	}
	if !addToList(q.endedList, entries) { // a screen may be taking the list
		if q.endedList = newListPath(q.ListFolder, false); !addToList(q.endedList, entries) {
			return false
		}
	}
	q.update(func() {
		q.items = slices.DeleteFunc(q.items, func(it *Item) bool { return slices.Contains(ended, it) })
	})
	return true
}

// addToList adds entries to the list at path, which it locks only for this time.
func addToList(path string, entries []entry) bool {
	f, err := openLocked(path)
	if err != nil {
		return false
	}
	data, err := f.read(maxListSize)
	all := append(decodeList(data), entries...)
	all = all[max(0, len(all)-maxEntries):]
	if err == nil {
		err = f.replace(encodeList(all))
	}
	if err != nil && len(data) == 0 {
		_ = f.remove()
		return false
	}
	_ = f.Close()
	return err == nil
}
