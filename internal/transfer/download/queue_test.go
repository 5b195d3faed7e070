package download

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// runs are Managers that share the folders of a user, as several runs of gofer do.
type runs struct {
	t                *testing.T
	files, lists     string
	stalled, flowing protocols.Fetcher // sends three octets, and all of them
}

func newRuns(t *testing.T) *runs {
	r := &runs{t: t, files: t.TempDir(), lists: t.TempDir()}
	r.stalled = fetchtest.File(new(atomic.Int32), "", fetchtest.ErrStall, "abc")
	r.flowing = &resumableServer{body: strings.Repeat("abc", 3000)}
	return r
}

// start returns the Manager of another run. It is closed at the end of the test.
func (r *runs) start(f protocols.Fetcher) *Manager {
	m := &Manager{Fetcher: f, Folder: r.files, ListFolder: r.lists, RecordFolder: recordsOf(r.files)}
	r.t.Cleanup(m.Close)
	return m
}

// serve runs ServeQueue with m until it ends, and returns what it has reported.
func (r *runs) serve(m *Manager, h Handover, all bool) (reported []Status) {
	r.t.Helper()
	fetchtest.NoError(r.t, m.ServeQueue(r.t.Context(), h, all, func(s *Status) { reported = append(reported, *s) }))
	m.Close()
	return reported
}

// handOver hands the downloads of m over to another run, and returns the channel that is closed when this one has ended.
func (r *runs) handOver(m *Manager, f protocols.Fetcher, want int) (ended <-chan struct{}) {
	r.t.Helper()
	done := make(chan struct{})
	n, err := m.HandOver(func() (func() error, error) {
		ready, released, taken := make(chan struct{}), make(chan struct{}), make(chan struct{})
		queue := &Manager{Fetcher: f, Folder: "elsewhere", ListFolder: r.lists, RecordFolder: recordsOf(r.files)}
		go func() {
			defer close(done)
			r.serve(queue, Handover{func() { close(ready) }, released, func() { close(taken) }}, false)
		}()
		<-ready
		return func() error {
			close(released)
			<-taken
			return nil
		}, nil
	})
	fetchtest.NoError(r.t, err)
	fetchtest.Equal(r.t, n, want, "downloads handed over")
	return done
}

func gopherFile(name string) urlcore.Gopher {
	return urlcore.Gopher{Type: '9', Selector: "/" + name, HostPort: urlcore.HostPort{Host: "h"}}
}

// states returns the names and states of the Items of m, sorted, after it has read the lists.
func states(m *Manager) string {
	m.Recover()
	var all []string
	for _, it := range m.Items() {
		s := it.Status()
		text := s.Name() + " " + stateNames[s.State]
		if s.SavedBy != ThisRun {
			text += map[SavedBy]string{QueueProcess: " in the queue", OtherScreen: " elsewhere"}[s.SavedBy]
		}
		if s.Err != nil {
			text += ": " + s.Failure()
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// TestHandOver hands a running, a waiting and a paused download over. It checks that the first two are saved, in the
// folder of the first run, and that the next run shows all of them.
func TestHandOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		screen := r.start(r.stalled)
		screen.Parallel = 1
		screen.Add(Request{URL: gopherFile("paused")})
		synctest.Wait()
		screen.Items()[0].Pause()
		synctest.Wait()
		screen.Add(Request{URL: gopherFile("running")})
		screen.Add(Request{URL: gopherFile("waiting")})
		synctest.Wait()
		<-r.handOver(screen, r.flowing, 2)
		next := r.start(r.stalled)
		fetchtest.Equal(t, states(next), "paused unfinished, running saved, waiting saved", "downloads of the next run")
		for name, want := range map[string]int64{"running": 9000, "waiting": 9000, "paused.part": 3} {
			info := fetchtest.Must(os.Stat(filepath.Join(r.files, name)))(t)
			fetchtest.Equal(t, info.Size(), want, "size of %s", name)
		}
		fetchtest.Equal(t, next.Recover(), 1, "unfinished downloads")
		next.Close()
		fetchtest.Equal(t, states(r.start(r.stalled)), "paused unfinished", "downloads of the run after that")
	})
}

// TestHandOverToRunningQueue checks that a second handover is taken by the run without a screen that goes on.
func TestHandOverToRunningQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		var ended []<-chan struct{}
		for _, name := range []string{"a", "b"} {
			screen := r.start(r.stalled)
			screen.Add(Request{URL: gopherFile(name)})
			synctest.Wait()
			ended = append(ended, r.handOver(screen, r.stalled, 1))
		}
		<-ended[1]
		next := r.start(r.stalled)
		time.Sleep(2 * watchInterval)
		fetchtest.Equal(t, states(next), "a saving in the queue, b saving in the queue", "downloads")
		for _, it := range next.Items() {
			it.Cancel()
			it.Wait()
		}
		<-ended[0]
		fetchtest.Equal(t, states(next), "", "downloads after Cancel")
		next.Close()
		fetchtest.Equal(t, listFiles(t, r.files), "", "files after Cancel")
		fetchtest.Equal(t, listFiles(t, r.lists), "", "lists after Cancel")
	})
}

// TestHandOverFails checks that the next run goes on with the downloads if no process could be started.
func TestHandOverFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, failed := newRuns(t), errors.New("no process")
		screen := r.start(r.stalled)
		screen.Add(Request{URL: gopherFile("a")})
		synctest.Wait()
		if _, err := screen.HandOver(func() (func() error, error) { return nil, failed }); !errors.Is(err, failed) {
			t.Errorf("HandOver: error %v, want %v", err, failed)
		}
		next := r.start(r.flowing)
		next.Recover()
		synctest.Wait()
		fetchtest.Equal(t, states(next), "a saved", "downloads of the next run")
	})
}

// TestFailsWhileClosing checks that the next run shows a download that has failed while its run ended, or goes on with it
// if it was handed over.
func TestFailsWhileClosing(t *testing.T) {
	failsLater := func() (string, error) {
		time.Sleep(time.Second)
		return "", errors.New("no such folder")
	}
	for want, end := range map[string]func(*Manager){
		"a failed: error on this machine: no such folder": (*Manager).Close,
		"a saved": func(m *Manager) {
			_, _ = m.HandOver(func() (func() error, error) { return nil, errors.New("no process") })
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRuns(t)
			screen := r.start(r.flowing)
			screen.Add(Request{URL: gopherFile("a"), Dir: failsLater})
			synctest.Wait()
			end(screen)
			next := r.start(r.flowing)
			next.Recover()
			synctest.Wait()
			fetchtest.Equal(t, states(next), want, "downloads of the next run")
		})
	}
}

// TestQueueKeepsReasons checks that the next run shows why downloads without a screen have failed, and that one that needs
// an answer can be resumed there.
func TestQueueKeepsReasons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		screen := r.start(r.stalled)
		for _, name := range []string{"gone", "login", "full", "blocked"} {
			screen.Add(Request{URL: gopherFile(name), Path: filepath.Join(r.files, name)})
		}
		synctest.Wait()
		fetchtest.NoError(t, os.WriteFile(filepath.Join(r.files, "blocked"), nil, 0o600))
		ended := r.handOver(screen, fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			switch req.URL.(urlcore.Gopher).Selector {
			case "/gone":
				return nil, protocols.NewError(protocols.NotFound, "fetch", "no such file")
			case "/login":
				return nil, &protocols.Login{Server: "h:70"}
			}
			return r.stalled.Fetch(ctx, req)
		}), 4)
		next := r.start(r.stalled)
		synctest.Wait() // the three downloads have ended
		time.Sleep(3 * watchInterval / 2)
		got := states(next)
		for _, want := range []string{"gone unfinished: not found: no such file", "blocked failed: error on this machine: file exists", "login unfinished: ", "full saving in the queue"} {
			if !strings.Contains(got, want) {
				t.Errorf("got %s; want %s", got, want)
			}
		}
		for _, it := range next.Items() {
			it.Cancel()
		}
		<-ended
	})
}

// TestQueueKilled checks that the downloads of a killed run without a screen are offered, and that gofer queue resumes
// them.
func TestQueueKilled(t *testing.T) {
	r := newRuns(t)
	const line = `{"url":"gopher://h/9/a","number":1,"state":"running","size":-1}`
	writeFiles(t, r.lists, "1-1-queue.list="+line, "2-1.list="+line) // killed while it took the entry from another list
	next := r.start(r.flowing)
	fetchtest.Equal(t, next.Recover(), 1, "unfinished downloads")
	next.Close()
	reported := r.serve(r.start(r.flowing), Handover{}, true)
	fetchtest.Equal(t, len(reported), 1, "reported downloads")
	fetchtest.Equal(t, states(r.start(r.flowing)), "a saved", "downloads")
}

// TestSecondQueue checks that gofer queue beside a running one leaves the unfinished downloads to it, says so and ends.
func TestSecondQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		screen := r.start(r.stalled)
		screen.Add(Request{URL: gopherFile("running")})
		synctest.Wait()
		ended := r.handOver(screen, r.stalled, 1)
		writeFiles(t, r.lists, fmt.Sprintf(`1-1.list={"url":"gopher://h/9/unfinished","folder":%q,"number":1,"state":"paused","size":-1}`, r.files))
		err := r.start(r.stalled).ServeQueue(t.Context(), Handover{}, true, nil)
		runs, ok := errors.AsType[*RunningQueue](err)
		if !ok || *runs != (RunningQueue{Process: os.Getpid(), Downloads: 2}) {
			t.Errorf("ServeQueue: got %v, want a queue with two downloads", err)
		}
		next := r.start(r.stalled)
		time.Sleep(2 * watchInterval)
		fetchtest.Equal(t, states(next), "running saving in the queue, unfinished saving in the queue", "downloads")
		for _, it := range next.Items() {
			it.Cancel()
		}
		<-ended
		fetchtest.Equal(t, next.RunningQueue(), nil, "running queue at the end")
	})
}

// TestSharedRate checks that runs share a rate limit, that a run without a screen that replaces a killed one obeys it, and
// that it is forgotten with the last download.
func TestSharedRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		part := func(m *Manager, want int64, when string) {
			t.Helper()
			time.Sleep(3 * watchInterval)
			fetchtest.Equal(t, m.limit.get(), want, "rate of this run %s", when)
		}
		queue, screen := r.start(r.stalled), r.start(r.stalled)
		queue.Rate, screen.Rate = 5000, 5000
		ctx, kill := context.WithCancel(t.Context())
		writeFiles(t, r.lists, `1-1.list={"url":"gopher://h/9/a","number":1,"state":"running","size":-1}`)
		ended := make(chan error)
		go func() { ended <- queue.ServeQueue(ctx, Handover{}, true, nil) }()
		part(queue, 5000, "alone")
		b, _ := screen.Add(Request{URL: gopherFile("b")})
		screen.SetRate(1000)
		part(queue, 500, "beside a screen")
		part(screen, 500, "beside a queue")
		fetchtest.Equal(t, queue.RateLimit(), 1000, "limit of all runs")
		kill()
		<-ended
		queue.Close()
		part(screen, 1000, "after the end of the queue")
		b.Pause()
		screen.Close()
		next := r.start(r.stalled)
		next.Rate = 5000
		next.Recover()
		fetchtest.Equal(t, next.RateLimit(), 1000, "limit of the next run")
		for _, it := range next.Items() {
			it.Cancel()
			it.Wait()
		}
		next.Close()
		last := r.start(r.stalled)
		last.Rate = 5000
		last.Recover()
		fetchtest.Equal(t, last.RateLimit(), 5000, "limit without downloads")
	})
}

// TestOtherRuns checks what a run sees of the downloads of another run, and how it can change them.
func TestOtherRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		first, other := r.start(r.stalled), r.start(r.flowing)
		item, _ := first.Add(Request{URL: gopherFile("a")})
		time.Sleep(2 * watchInterval)
		check := func(want, when string) {
			t.Helper()
			time.Sleep(3 * watchInterval)
			fetchtest.Equal(t, states(other), want, "downloads %s", when)
		}
		check("a saving elsewhere", "at first")
		seen := other.Items()[0]
		fetchtest.Equal(t, seen.Status().Received, 3, "octets received")
		if same, added := other.Add(Request{URL: gopherFile("a")}); same != seen || added {
			t.Error("Add has added a download that another run has")
		}
		fetchtest.Equal(t, other.ActiveHere(), 0, "downloads of this run")
		other.SetRate(1000)
		seen.Pause()
		fetchtest.Equal(t, seen.Wait().State, Paused, "state after Pause")
		check("a paused elsewhere", "after Pause")
		fetchtest.Equal(t, item.Status().State, Paused, "state in its run after Pause")
		fetchtest.Equal(t, first.RateLimit(), 1000, "rate limit of the other run")
		if _, added := other.Add(Request{URL: gopherFile("a")}); !added {
			t.Error("Add has not resumed the download of the other run")
		}
		check("a saving elsewhere", "after Add")
		other.SetRate(0)
		first.Close()
		check("a unfinished", "after the end of the other run")
		other.Add(Request{URL: gopherFile("a")})
		check("a saved", "after Add again")
	})
}

// TestAddAtTheSameTime checks that two runs that begin to save the same file at the same time save it once.
func TestAddAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		first, second := r.start(r.stalled), r.start(r.stalled)
		first.Recover()
		second.Recover() // both know of no other download
		time.Sleep(2 * watchInterval)
		a, _ := first.Add(Request{URL: gopherFile("a")})
		synctest.Wait()
		b, _ := second.Add(Request{URL: gopherFile("a")})
		if s := b.Wait(); !errors.Is(s.Err, ErrOtherSaves) {
			t.Errorf("the second download ended with error %v, want %v", s.Err, ErrOtherSaves)
		}
		fetchtest.Equal(t, a.Status().State, Running, "state of the first download")
		fetchtest.Equal(t, listFiles(t, r.files), `a.part="abc" record=a.part,gopher://h/9/a,-1,false`, "files")
	})
}

// TestIdleColumns checks that the names of downloads get the room of the rates when nothing is saved.
func TestIdleColumns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		m := r.start(r.stalled)
		item, _ := m.Add(Request{URL: gopherFile("a")})
		synctest.Wait()
		hidden := func() (n int) {
			for _, c := range (Row{Item: item}).Columns() {
				if c.Width == protocols.Hidden {
					n++
				}
			}
			return n
		}
		fetchtest.Equal(t, hidden(), 0, "hidden columns while it is saved")
		item.Pause()
		item.Wait()
		fetchtest.Equal(t, hidden(), 2, "hidden columns of a paused download")
	})
}

// TestSetRate checks that a new limit applies to a transfer that waits because of the old one.
func TestSetRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &Manager{Fetcher: &resumableServer{body: strings.Repeat("x", 100_000)}, Folder: t.TempDir(), Rate: 1}
		defer m.Close()
		it, _ := m.Add(Request{URL: gopherFile("a")})
		time.Sleep(time.Minute)
		m.SetRate(0)
		began := time.Now()
		fetchtest.Equal(t, it.Wait().State, Saved, "state")
		fetchtest.Equal(t, time.Since(began) < time.Minute, true, "saved at once")
	})
}

// TestQueueBounds checks that a run without a screen pauses downloads that would fill the disk, that the next run shows
// why, and that a screen has no such bounds.
func TestQueueBounds(t *testing.T) {
	endless := fetchtest.File(new(atomic.Int32), "", fetchtest.ErrStall, strings.Repeat("abc", 3000))
	roomy := func(string) (free, size uint64, ok bool) { return 2 << 30, 1 << 50, true }
	for name, tt := range map[string]struct {
		server protocols.Fetcher
		bounds bounds
		want   string
	}{
		"endless":   {endless, bounds{8000, roomy}, "x unfinished: " + errEndless.Error()},
		"disk full": {&resumableServer{body: "abcdef"}, bounds{8000, func(string) (free, size uint64, ok bool) { return 49, 1000, true }}, "x unfinished: " + errLowSpace.Error()},
		"small":     {&resumableServer{body: "abcdef"}, bounds{8000, func(string) (free, size uint64, ok bool) { return 50, 1000, true }}, "x saved"},
		"no answer": {&resumableServer{body: "abc"}, bounds{8000, func(string) (free, size uint64, ok bool) { return 0, 0, false }}, "x saved"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRuns(t)
				first := r.start(r.stalled)
				first.Add(Request{URL: gopherFile("x")})
				synctest.Wait()
				first.Close()
				queue := r.start(tt.server)
				queue.bounds = &tt.bounds
				r.serve(queue, Handover{}, true)
				next := r.start(r.flowing)
				fetchtest.Equal(t, states(next), tt.want, "the download for the next run")
				if item := next.Items()[0]; name == "endless" {
					next.bounds = &tt.bounds
					item.Resume()
					fetchtest.Equal(t, item.Wait().State, Saved, "state after the screen resumed it")
				}
			})
		})
	}
}
