package download

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// outageServer is a server with ten files in each of the directories d and d/sub. It breaks the connection of one
// request, and then refuses connections for some time.
type outageServer struct {
	t        *testing.T
	request  int
	duration time.Duration
	mu       sync.Mutex
	requests int
	until    time.Time
}

func (o *outageServer) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	u := req.URL
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.requests++; o.requests == o.request {
		o.until = time.Now().Add(o.duration)
		if protocols.KindOf(u) != protocols.Directory {
			return fetchtest.File(new(atomic.Int32), "", &protocols.Error{Reason: protocols.Broken}, "s").Fetch(ctx, req)
		}
		return nil, &protocols.Error{Reason: protocols.Broken}
	}
	if time.Now().Before(o.until) {
		return nil, &protocols.Error{Reason: protocols.Refused}
	}
	f := u.(urlcore.FTP)
	if protocols.KindOf(u) != protocols.Directory {
		return document(u, "some"), nil
	}
	dirs := append(f.CWDs(), f.Name())
	var lines []protocols.Line
	for i := range 10 {
		lines = append(lines, protocols.Line{
			Kind: protocols.Binary, Link: ftpItem(o.t, dirs, fmt.Sprint(i), 0), Note: &protocols.FileNote{Size: 4},
		})
	}
	if len(dirs) == 1 {
		lines = append(lines, protocols.Line{Kind: protocols.Directory, Link: ftpItem(o.t, dirs, "sub", 'd')})
	}
	return listing(u, protocols.LayoutDirectory, lines...), nil
}

// TestOneConnection checks that the refusals of a server that allows one connection do not delay a tree.
func TestOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, refused, used := &outageServer{t: t}, 0, new(sync.Mutex)
		f := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			if !used.TryLock() {
				refused++
				return nil, &protocols.Error{
					Reason: protocols.ServerFailed, Code: 421,
					Text: "There are too many connections from your internet address.",
				}
			}
			defer used.Unlock()
			time.Sleep(time.Second)
			return o.Fetch(ctx, req)
		})
		begun := time.Now()
		s, paths := saveTree(t, &Manager{Fetcher: f}, ftpItem(t, nil, "d", 'd'), filepath.Join(t.TempDir(), "saved"))
		if took := time.Since(begun); s.Err != nil || len(paths) != 20 || took != 22*time.Second || refused != 1 {
			t.Errorf("saved %d files, %d connections refused, in %v, error %v; want 20 files, 1 refused, in 22 s", len(paths), refused, took, s.Err)
		}
	})
}

// TestOutageStatus checks the Wait in the Status during an outage, and that Pause ends the wait at once.
func TestOutageStatus(t *testing.T) {
	for request, files := range map[int]int{1: 0, 2: 0, 8: 5} {
		synctest.Test(t, func(t *testing.T) {
			m := &Manager{Fetcher: &outageServer{t: t, request: request, duration: 20 * time.Minute}, Tries: 50}
			defer m.Close()
			it, _ := m.Add(Request{URL: ftpItem(t, nil, "d", 'd'), Path: filepath.Join(t.TempDir(), "saved"), Tree: true})
			time.Sleep(4500 * time.Millisecond)
			s := it.Status()
			fetchtest.Equal(t, s.Wait.String(), "connection refused, next try in 4 s (4 of 50)", "outage at request %d: Wait", request)
			it.Pause()
			synctest.Wait()
			s = it.Status()
			fetchtest.Equal(t, s.State, Paused, "state after Pause")
			fetchtest.Equal(t, s.Wait, mirror.Wait{}, "Wait after Pause")
			if s.Files < files {
				t.Errorf("outage at request %d: saved %d files before Pause, want at least %d", request, s.Files, files)
			}
			it.Resume()
			time.Sleep(2 * time.Hour)
			synctest.Wait()
			if s = it.Status(); s.State != Saved || s.Files != 20 {
				t.Errorf("outage at request %d: state %d, %d files, error %v; want Saved (%d), 20 files", request, s.State, s.Files, s.Err, Saved)
			}
		})
	}
}

// TestLostItem checks that a file whose connection is always lost is left out, that the other files are
// saved, and that a file whose connection is lost only a few times is saved in the end.
func TestLostItem(t *testing.T) {
	for _, tt := range []struct {
		dirs        []string
		lost, saved int
		some        string
	}{
		{[]string{"d"}, 1 + maxBreaks, 20, ""},
		{[]string{"d"}, 1000, 19, ""},
		{[]string{"d", "sub"}, 2 + maxBreaks, 20, "s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			server, n := &outageServer{t: t}, atomic.Int32{}
			f := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
				broken := &protocols.Error{Reason: protocols.Broken, Op: "fetch it"}
				switch {
				case req.URL != ftpItem(t, tt.dirs, "3", 0) || int(n.Add(1)) > tt.lost:
					return server.Fetch(ctx, req)
				case tt.some != "":
					return fetchtest.File(new(atomic.Int32), "", broken, tt.some).Fetch(ctx, req)
				}
				return nil, broken
			})
			s, paths := saveTree(t, &Manager{Fetcher: f}, ftpItem(t, nil, "d", 'd'), filepath.Join(t.TempDir(), "saved"))
			fetchtest.Equal(t, len(paths), tt.saved, "saved files (error %v, %d requests, %q)", s.Err, n.Load(), paths)
			fetchtest.Equal(t, len(s.LeftOut), 20-tt.saved, "items left out")
		})
	}
}

// TestSingleOutage checks that the download of a single document survives an outage if some octets were
// received before, and otherwise fails at once.
func TestSingleOutage(t *testing.T) {
	refused := &protocols.Error{Reason: protocols.Refused}
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		begun, until := time.Now(), time.Now().Add(10*time.Minute)
		r := &resumableServer{body: "0123456789", cuts: []int{4}}
		f := flakyServer{r, func() error {
			if len(r.offsets) == 0 || time.Now().After(until) {
				return nil
			}
			return refused
		}}
		s := saveAs(t, f, testURL, filepath.Join(dir, "f"))
		fetchtest.NoError(t, s.Err)
		fetchtest.ReturnsText(t, r.body, "content of the file")(os.ReadFile(filepath.Join(dir, "f")))
		if passed := time.Since(begun); passed > 11*time.Minute {
			t.Errorf("the download took %v, want at most 11 min", passed)
		}
		s = saveAs(t, flakyServer{r, func() error { return refused }}, testURL, filepath.Join(dir, "g"))
		fetchtest.ErrorIs(t, s.Err, refused)
	})
}

// TestTriesOfDocument checks how often a single document is tried if every attempt fails, and that the user's number of tries
// counts also if nothing has been received.
func TestTriesOfDocument(t *testing.T) {
	refused, broken := &protocols.Error{Reason: protocols.Refused}, &protocols.Error{Reason: protocols.Broken}
	for _, tt := range []struct {
		name    string
		tries   int   // of the user
		cuts    []int // the octets that arrive before the first attempt breaks
		err     error // of the other attempts
		wantAll int   // attempts
	}{
		{"refused at once", 0, nil, refused, 1},
		{"refused later", 0, []int{4}, refused, 4},
		{"lost later", 0, []int{4}, broken, 4},
		{"refused at once, with tries", 6, nil, refused, 6},
		{"lost at once, with tries", 6, nil, broken, 6},
		{"lost later, one try", 1, []int{4}, broken, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			r := &resumableServer{body: "0123456789", cuts: tt.cuts}
			m := &Manager{Tries: tt.tries, RefusedTries: 3, Fetcher: flakyServer{r, func() error {
				if n++; n <= len(tt.cuts) {
					return nil
				}
				return tt.err
			}}}
			defer m.Close()
			it, _ := m.Add(Request{URL: testURL, Path: filepath.Join(t.TempDir(), "f")})
			fetchtest.Equal(t, protocols.ReasonOf(it.Wait().Err), protocols.ReasonOf(tt.err), "%s: reason", tt.name)
			fetchtest.Equal(t, n, tt.wantAll, "%s: attempts", tt.name)
		})
	}
}

// TestFileOfAnotherRun checks that a download to a path where another run is saving a file says so, and that a download
// without a path gets another name.
func TestFileOfAnotherRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		first := &Manager{Fetcher: fetchtest.File(new(atomic.Int32), "", fetchtest.ErrStall, "abc"), RecordFolder: recordsOf(dir)}
		defer first.Close()
		first.Add(Request{URL: testURL, Path: filepath.Join(dir, FileName(testURL))})
		synctest.Wait()
		for _, overwrites := range []bool{false, true} {
			s := saveAs(t, &resumableServer{body: "new"}, testURL, filepath.Join(dir, FileName(testURL)), func(r *Request) { r.Overwrite = overwrites })
			fetchtest.ErrorIs(t, s.Err, errUnderWay, "with Overwrite %v", overwrites)
		}
		m := &Manager{Fetcher: &resumableServer{body: "new"}, Folder: dir, RecordFolder: recordsOf(dir)}
		defer m.Close()
		it, _ := m.Add(Request{URL: testURL})
		s := it.Wait()
		fetchtest.NoError(t, s.Err)
		fetchtest.Equal(t, s.Path, filepath.Join(dir, NumberedName(FileName(testURL), 1)), "path")
	})
}

// flakyServer is a resumableServer whose connections fail if connect returns an error.
type flakyServer struct {
	*resumableServer
	connect func() error
}

func (f flakyServer) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if err := f.connect(); err != nil {
		return nil, err
	}
	return f.resumableServer.Fetch(ctx, req)
}

func (f flakyServer) Resume(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if err := f.connect(); err != nil {
		return nil, err
	}
	return f.resumableServer.Resume(ctx, req)
}
