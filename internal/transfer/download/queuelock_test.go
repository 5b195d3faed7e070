package download

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
)

const (
	handedOver = `{"url":"gopher://h/9/a","number":1,"state":"paused","for_queue":true,"size":-1}`
	pausedHere = `{"url":"gopher://h/9/b","number":1,"state":"paused","size":-1}`
)

// TestSilentQueue checks that a run without a screen does not wait for ever for one that hangs, that it names that one and
// leaves no request to it, and that the downloads stay visible.
func TestSilentQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		lock := fetchtest.Must(openLocked(filepath.Join(r.lists, queueLockName)))(t)
		defer lock.Close()
		fetchtest.NoError(t, lock.overwrite([]byte("4711\n")))
		writeFiles(t, r.lists, "1-1.list="+handedOver)
		released := make(chan struct{})
		close(released)
		for _, tt := range []struct {
			h   Handover
			all bool
		}{{Handover{}, true}, {Handover{Released: released}, false}} {
			err := r.start(r.flowing).ServeQueue(t.Context(), tt.h, tt.all, nil)
			if err == nil || !strings.Contains(err.Error(), "gofer queue (process 4711) does not answer") {
				t.Errorf("ServeQueue with all %v: error %v", tt.all, err)
			}
		}
		requests, _ := filepath.Glob(filepath.Join(r.lists, "*"+askSuffix))
		fetchtest.Equal(t, len(requests), 0, "requests left")
		next := r.start(r.flowing)
		fetchtest.Equal(t, states(next), "a queued in the queue", "downloads")
		fetchtest.NoError(t, lock.Close())
		next.Recover()
		next.Items()[0].Wait()
		fetchtest.Equal(t, states(next), "a saved", "downloads after the end of the silent run")
	})
}

// TestLeftRequest checks that a run without a screen does not obey a request to an earlier one.
func TestLeftRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		writeFiles(t, r.lists, "1-1.list="+pausedHere, `1-1-0-takeall.ask={"list":"queue.lock","do":"takeall"}`)
		r.serve(r.start(r.flowing), Handover{}, false)
		writeFiles(t, r.lists, "2-1.list="+handedOver)
		r.serve(r.start(r.flowing), Handover{}, false)
		next := r.start(r.flowing)
		fetchtest.Equal(t, states(next), "a saved, b unfinished", "downloads")
	})
}

// TestLookAtLists checks that a run does not take the list of an ended run for that of a running one because another run
// looks at it.
func TestLookAtLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		writeFiles(t, r.lists, "1-1.list="+pausedHere)
		unlockFolder := (&list{dir: r.lists}).lockFolder()
		looked := fetchtest.Must(openLocked(filepath.Join(r.lists, "1-1.list")))(t)
		time.AfterFunc(lookTime/2, func() {
			_ = looked.Close()
			unlockFolder()
		})
		fetchtest.Equal(t, states(r.start(r.stalled)), "b unfinished", "downloads")
	})
}

// TestBlockedQueue checks that a lock that is no file is named, and that the screen then goes on with the downloads.
func TestBlockedQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		lock := filepath.Join(r.lists, queueLockName)
		fetchtest.NoError(t, os.Mkdir(lock, 0o700))
		writeFiles(t, r.lists, "1-1.list="+handedOver)
		err := r.start(r.flowing).ServeQueue(t.Context(), Handover{}, true, nil)
		if err == nil || !strings.Contains(err.Error(), lock+": it is no regular file; remove it") {
			t.Errorf("ServeQueue: error %v", err)
		}
		next := r.start(r.flowing)
		next.Recover()
		synctest.Wait()
		fetchtest.Equal(t, states(next), "a saved", "downloads of the next run")
	})
}

// TestHugeFiles checks that a lock and a list that are huge need no memory.
func TestHugeFiles(t *testing.T) {
	const size = 256 << 20
	r := newRuns(t)
	for name, use := range map[string]func(path string){
		queueLockName: func(string) { r.serve(r.start(r.flowing), Handover{}, true) },
		"1-1.list": func(path string) {
			list := fetchtest.Must(openLocked(path))(t)
			fetchtest.NoError(t, list.replace([]byte(pausedHere)))
			fetchtest.NoError(t, list.remove())
		},
	} {
		path := filepath.Join(r.lists, name)
		fetchtest.NoError(t, os.WriteFile(path, nil, 0o600))
		fetchtest.NoError(t, os.Truncate(path, size))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		use(path)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > size/2 {
			t.Errorf("%s: %d octets allocated", name, n)
		}
	}
}

// TestInterruptedWait checks that a run that is stopped while it waits for the run without a screen leaves no request.
func TestInterruptedWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		lock := fetchtest.Must(openLocked(filepath.Join(r.lists, queueLockName)))(t)
		defer lock.Close()
		fetchtest.NoError(t, lock.overwrite([]byte("4711\n")))
		ctx, cancel := context.WithTimeout(t.Context(), answerTime/2)
		defer cancel()
		fetchtest.ErrorIs(t, r.start(r.flowing).ServeQueue(ctx, Handover{}, true, nil), context.DeadlineExceeded)
		requests, _ := filepath.Glob(filepath.Join(r.lists, "*"+askSuffix))
		fetchtest.Equal(t, len(requests), 0, "requests left")
	})
}
