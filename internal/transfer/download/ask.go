package download

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gofer/internal/userfile"
)

// runRequest is what a run of gofer asks the run that has an Item to do. It is a file in the folder of the lists,
// which the other run removes.
type runRequest struct {
	List   string `json:"list"`             // the name of the list of the run that is asked, or queueLockName
	Number int    `json:"number,omitempty"` // of the Item, or of the process that has queueLockName
	Do     string `json:"do"`               // one of the following words
}

const (
	doPause  = "pause"
	doResume = "resume"
	doCancel = "cancel"

	doTakeAll = "takeall" // go on with the unfinished downloads of all runs that have ended; only the run without a screen
)

const (
	askSuffix  = ".ask"
	maxAsks    = 1000    // requests that are read at a time
	maxAskSize = 4 << 10 // octets of a request
)

// askOther asks the run that has the Item. It returns false if this run has it.
func (item *Item) askOther(do string) bool {
	item.m.mu.Lock()
	defer item.m.mu.Unlock()
	switch {
	case item.status.SavedBy == ThisRun:
		return false
	case do == doResume:
		item.askToResume()
	default:
		item.ask(runRequest{Do: do})
	}
	return true
}

// askTime is the time in which another run should have done what it was asked to do.
const askTime = 5 * watchInterval

// askToResume asks the run that has the idle Item to resume it. Until it has done so, the Item counts as queued. The
// caller must have locked the Manager.
func (item *Item) askToResume() {
	if s := &item.status; s.State.IsIdle() && s.State < Saved {
		s.State, item.resumeUntil, item.finished = Queued, time.Now().Add(askTime), make(chan struct{})
		item.ask(runRequest{Do: doResume})
	}
}

// ask writes a request in the background. The caller must have locked the Manager.
func (item *Item) ask(r runRequest) {
	m := item.m
	if m.closed {
		return
	}
	r.List, r.Number = filepath.Base(item.otherList), item.otherNumber
	m.wg.Go(func() { // without an error, because the list shows whether the other run has done it
		_, _ = m.list.writeRequest(&r)
		m.watch()
	})
}

// writeRequest writes a request for another run, and returns the path of its file.
func (l *list) writeRequest(r *runRequest) (path string, err error) {
	data, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	path = filepath.Join(l.dir, fmt.Sprintf("%d-%d-%d-%s%s", time.Now().UnixNano(), os.Getpid(), r.Number, r.Do, askSuffix))
	return path, userfile.Replace(path, data)
}

// obey does what other runs have asked this run to do. It also removes requests to runs that have ended.
func (m *Manager) obey() {
	own := filepath.Base(m.list.path())
	paths, _ := filepath.Glob(filepath.Join(m.ListFolder, "*"+askSuffix))
	for _, path := range paths[:min(len(paths), maxAsks)] {
		var r runRequest
		data, err := userfile.ReadNoFollow(path, maxAskSize, true)
		if err != nil || json.Unmarshal(data, &r) != nil {
			continue
		}
		if m.isQueue && r.List == queueLockName && r.Do == doTakeAll {
			if r.Number == os.Getpid() { // not an ended run without a screen
				m.takesAll = true
				m.refresh()
			}
			_ = os.Remove(path) // afterwards, because the other run waits until all is taken
			continue
		}
		if r.List != own {
			if _, err := os.Lstat(filepath.Join(m.ListFolder, filepath.Base(r.List))); errors.Is(err, fs.ErrNotExist) {
				_ = os.Remove(path)
			}
			continue
		}
		if os.Remove(path) == nil {
			m.do(&r)
		}
	}
}

func (m *Manager) do(r *runRequest) {
	for _, it := range m.Items() {
		if it.number != r.Number || it.Status().SavedBy != ThisRun {
			continue
		}
		switch r.Do {
		case doPause:
			it.Pause()
		case doResume:
			it.Resume()
		case doCancel:
			it.Cancel()
		}
	}
}
