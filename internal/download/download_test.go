package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

const somewhere = fetchtest.URL("test:somewhere")

// files returns the names and contents of a directory.
func files(t *testing.T, dir string) string {
	t.Helper()
	entries := fetchtest.Must(os.ReadDir(dir))(t)
	out := []string{}
	for _, e := range entries {
		b := fetchtest.Must(os.ReadFile(filepath.Join(dir, e.Name())))(t)
		out = append(out, fmt.Sprintf("%s=%q", e.Name(), b))
	}
	return strings.Join(out, " ")
}

// saveAs saves u at a path and waits for the end.
func saveAs(t *testing.T, f protocols.Fetcher, u urlcore.URL, path string, more ...func(*Request)) Status {
	t.Helper()
	m := &Manager{Fetcher: f}
	defer m.Close()
	r := Request{URL: u, Path: path}
	for _, change := range more {
		change(&r)
	}
	it, _ := m.Add(r)
	return it.Wait()
}

func overwrite(r *Request) { r.Overwrite = true }

// put writes files, "name=content" or "name", of the content "old".
func put(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		name, content, ok := strings.Cut(name, "=")
		if !ok {
			content = "old"
		}
		fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
}

func TestSave(t *testing.T) {
	broken := &protocols.Error{Reason: protocols.Broken, Op: "read"}
	refused := fetchtest.Func(func(context.Context, urlcore.URL) (*protocols.Resource, error) { return nil, broken })
	file := func(err error, blocks ...string) protocols.Fetcher {
		return fetchtest.File(new(atomic.Int32), "", err, blocks...)
	}
	const info = `f.part.info={"url":"test:somewhere","size":-1}`
	const other = `f.part.info={"url":"test:elsewhere","size":-1}`
	const left = `f.part.info="{\"url\":\"test:somewhere\",\"size\":-1}\n"`
	for _, tt := range []struct {
		name   string
		before []string // files that are there
		force  bool
		f      protocols.Fetcher
		n      int64
		err    error // errors.Is
		after  string
	}{
		{"whole", nil, false, file(nil, "a\r\n", "\x00b"), 5, nil, `f="a\r\n\x00b"`},
		{"empty", nil, false, file(nil), 0, nil, `f=""`},
		{"taken", []string{"f"}, false, file(nil, "a"), 0, ErrExists, `f="old"`},
		{"another program's .part", []string{"f.part"}, false, file(nil, "a"), 0, ErrUnfinished, `f.part="old"`},
		{"of another URL", []string{"f.part", other}, false, file(nil, "a"), 0, ErrUnfinished, `f.part="old" f.part.info="{\"url\":\"test:elsewhere\",\"size\":-1}"`},
		{"an odd record", []string{"f.part", "f.part.info=what"}, false, file(nil, "a"), 0, ErrUnfinished, `f.part="old" f.part.info="what"`},
		{"begun, and nothing came", []string{info}, false, file(nil, "a"), 1, nil, `f="a"`},
		{"begun, without resuming", []string{"f.part", info}, false, file(nil, "new"), 3, nil, `f="new"`},
		{"begun, and taken", []string{"f", "f.part=o", info}, false, file(nil, "new"), 0, ErrExists, `f="old" f.part="o" f.part.info="{\"url\":\"test:somewhere\",\"size\":-1}"`},
		{"whole but for its name", []string{"f.part", `f.part.info={"url":"test:somewhere","size":3,"whole":true}`}, false, refused, 3, nil, `f="old"`},
		{"whole but for its record", []string{"f", `f.part.info={"url":"test:somewhere","size":3,"whole":true}`}, false, refused, 0, nil, `f="old"`},
		{"whole, and gone", []string{`f.part.info={"url":"test:somewhere","size":3,"whole":true}`}, false, file(nil, "new"), 3, nil, `f="new"`},
		{"broken at once", nil, false, file(broken), 0, broken, ``},
		{"broken", nil, false, file(broken, "ab", "c"), 3, broken, `f.part="abc" ` + left},
		{"no answer", nil, false, refused, 0, broken, ``},
		{"list", nil, false, fetchtest.Menu(new(atomic.Int32), nil), 0, nav.ErrNoOctets, ``},
		{"overwrite nothing", nil, true, file(nil, "new"), 3, nil, `f="new"`},
		{"overwrite all", []string{"f", "f.part"}, true, file(nil, "new"), 3, nil, `f="new"`},
		{"overwrite, broken", []string{"f"}, true, file(broken, "ne"), 2, broken, `f="old" f.part="ne" ` + left},
		{"overwrite, no answer", []string{"f"}, true, refused, 0, broken, `f="old"`},
		{"overwrite another's", []string{"f.part", other}, true, file(nil, "new"), 3, nil, `f="new"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, tt.before...)
			s := saveAs(t, tt.f, somewhere, filepath.Join(dir, "f"), func(r *Request) { r.Overwrite = tt.force })
			if s.Done != tt.n || !errors.Is(s.Err, tt.err) || (s.Err == nil) != (tt.err == nil) || (s.State == Saved) != (tt.err == nil) {
				t.Errorf("got %d octets, state %d, %v; want %d, %v", s.Done, s.State, s.Err, tt.n, tt.err)
			}
			fetchtest.Equal(t, files(t, dir), tt.after, "files")
		})
	}
}

// What is no file is not overwritten: a folder, a device, a link.
func TestOverwriteNoFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"folder", "half.part", "record.part.info"} {
		fetchtest.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	fetchtest.NoError(t, os.Symlink("folder", filepath.Join(dir, "link")))
	for _, name := range []string{"folder", "half", "link", "record", "no/f", "/dev/null", "/dev/null/f"} {
		path := filepath.Join(dir, name)
		if filepath.IsAbs(name) {
			path = name
		}
		s := saveAs(t, fetchtest.Func(nil), somewhere, path, overwrite) // would panic
		var e *protocols.Error
		if !errors.As(s.Err, &e) || e.Reason != protocols.LocalFailure {
			t.Errorf("%s: %v, want reason LocalFailure before anything is fetched", path, s.Err)
		}
	}
}

// TestInterference: what others put in the way while a file comes stays.
func TestInterference(t *testing.T) {
	for _, tt := range []struct {
		name  string
		do    func(path string) error
		err   error
		after string
	}{
		{
			"the name is taken", func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) }, ErrExists,
			`f="theirs" f.part="new" f.part.info="{\"url\":\"test:somewhere\",\"size\":-1,\"whole\":true}\n"`,
		},
		{"the .part is replaced", func(path string) error {
			return errors.Join(os.Remove(path+partSuffix), os.WriteFile(path+partSuffix, []byte("theirs"), 0o600))
		}, errReplaced, `f.part="theirs" f.part.info="{\"url\":\"test:somewhere\",\"size\":-1}\n"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			f := &remote{body: "new", reading: func() {
				if err := tt.do(path); err != nil {
					t.Error(err)
				}
			}}
			if s := saveAs(t, f, somewhere, path); !errors.Is(s.Err, tt.err) {
				t.Errorf("got %v, want %v", s.Err, tt.err)
			}
			fetchtest.Equal(t, files(t, filepath.Dir(path)), tt.after, "files")
		})
	}
}

// remote is a server with one document, whose transfers can be resumed.
type remote struct {
	body     string
	size     bool // it tells the size
	modified time.Time
	reading  func() // called at each first read
	refuse   error  // of Resume
	cuts     []int  // how many octets of each transfer come before it breaks off

	mu      sync.Mutex
	offsets []int64 // of the transfers
}

func (r *remote) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	return r.from(ctx, u, 0)
}

func (r *remote) Resume(ctx context.Context, u urlcore.URL, from int64) (*protocols.Resource, error) {
	if r.refuse != nil {
		return nil, r.refuse
	}
	if from > int64(len(r.body)) {
		return nil, &protocols.Error{Reason: protocols.NotThere, Op: "resume"}
	}
	return r.from(ctx, u, from)
}

func (r *remote) Resumes(urlcore.URL) bool { return true }

func (r *remote) from(_ context.Context, u urlcore.URL, from int64) (*protocols.Resource, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.offsets = append(r.offsets, from)
	head := protocols.Head{URL: u, Size: -1, Modified: r.modified}
	if r.size {
		head.Size = int64(len(r.body)) - from
	}
	body := io.Reader(strings.NewReader(r.body[from:]))
	if n := len(r.offsets); n <= len(r.cuts) {
		body = io.MultiReader(io.LimitReader(body, int64(r.cuts[n-1])), failing{})
	}
	if r.reading != nil {
		body = &hooked{body, r.reading}
	}
	return &protocols.Resource{Head: head, Body: body, Closer: io.NopCloser(nil)}, nil
}

type failing struct{}

func (failing) Read([]byte) (int, error) {
	return 0, &protocols.Error{Reason: protocols.Broken, Op: "read"}
}

type hooked struct {
	io.Reader
	hook func()
}

func (h *hooked) Read(p []byte) (int, error) {
	if h.hook != nil {
		h.hook()
		h.hook = nil
	}
	return h.Reader.Read(p)
}

// TestResume goes on with what has come before, if it is of the same document.
func TestResume(t *testing.T) {
	body := strings.Repeat("0123456789abcdef", 1<<10)
	at := time.Date(2024, 2, 29, 12, 0, 1, 0, time.UTC)
	unsupported := &protocols.Error{Reason: protocols.Unsupported, Op: "resume"}
	info := func(size int, at string) string {
		return fmt.Sprintf(`f.part.info={"url":"test:somewhere","size":%d%s}`, size, at)
	}
	for _, tt := range []struct {
		name    string
		r       *remote
		before  []string
		more    func(*Request)
		offsets string
		notes   string
		err     string
	}{
		{"whole", &remote{}, nil, nil, "[0]", "", ""},
		{"the rest", &remote{size: true}, []string{"f.part=" + body[:10000], info(-1, "")}, nil, "[5904]", "", ""},
		{"the same size and date", &remote{size: true, modified: at}, []string{"f.part=" + body[:10000], info(len(body), `,"modified":"2024-02-29T12:00:01Z"`)}, nil, "[5904]", "", ""},
		{"nothing is left", &remote{size: true}, []string{"f.part=" + body, info(len(body), "")}, nil, "[12288]", "", ""},
		{"a few octets", &remote{size: true}, []string{"f.part=" + body[:3], info(-1, "")}, nil, "[0]", "", ""},
		{"another size", &remote{size: true}, []string{"f.part=" + body[:10000], info(len(body)+1, "")}, nil, "[5904 0]", noteChanged, ""},
		{"another date", &remote{modified: at}, []string{"f.part=" + body[:10000], info(-1, `,"modified":"2024-02-29T12:00:02Z"`)}, nil, "[5904 0]", noteChanged, ""},
		{"other octets", &remote{}, []string{"f.part=" + strings.Repeat("x", 10000), info(-1, "")}, nil, "[5904 0]", noteChanged, ""},
		{"it was longer", &remote{}, []string{"f.part=" + body + body, info(-1, "")}, nil, "[0]", noteNoResume, ""},
		{"it was a little longer", &remote{}, []string{"f.part=" + body + "x", info(-1, "")}, nil, "[12289 0]", noteChanged, ""},
		{"no resuming", &remote{refuse: unsupported}, []string{"f.part=" + body[:10000], info(-1, "")}, nil, "[0]", noteNoResume, ""},
		{"breaks", &remote{size: true, cuts: []int{5000, 8000, 4200}}, nil, nil, "[0 904 4808 4912]", "", ""},
		{"breaks without size", &remote{cuts: []int{5000}}, nil, nil, "[0 904]", "", ""},
		{"a beginning that is not ours", &remote{size: true}, []string{"f=" + body[:10000]}, func(r *Request) { r.Continue = true }, "[5904]", "", ""},
		{"a whole file that is not ours", &remote{size: true}, []string{"f=" + body}, func(r *Request) { r.Continue = true }, "[12288]", "", ""},
		{
			"beside an older file", &remote{refuse: unsupported},
			[]string{"f=old", "f.part=" + body[:10000], info(-1, "")},
			func(r *Request) { r.Overwrite = true }, "[0]", noteNoResume, "",
		},
		{"no beginning", &remote{}, []string{"f=" + strings.Repeat("x", 10000)}, func(r *Request) { r.Continue = true }, "[5904]", "", "has changed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				put(t, dir, tt.before...)
				r := tt.r
				r.body = body
				more := tt.more
				if more == nil {
					more = func(*Request) {}
				}
				s := saveAs(t, r, somewhere, filepath.Join(dir, "f"), more)
				if tt.err != "" {
					if s.Err == nil || !strings.Contains(s.Err.Error(), tt.err) {
						t.Errorf("got %v, want an error with %q", s.Err, tt.err)
					}
					if got, want := files(t, dir), fmt.Sprintf("f=%q", strings.TrimPrefix(tt.before[0], "f=")); got != want {
						t.Errorf("files are not as before")
					}
					return
				}
				fetchtest.Equal(t, files(t, dir), fmt.Sprintf("f=%q", body), "%v: the file", s.Err)
				fetchtest.Equal(t, fmt.Sprint(r.offsets), tt.offsets, "fetched from")
				fetchtest.Equal(t, strings.Join(s.Notes, "|"), tt.notes, "notes")
				if info, err := os.Stat(filepath.Join(dir, "f")); err == nil && !r.modified.IsZero() && !info.ModTime().Equal(r.modified) {
					t.Errorf("the date is %v, want %v", info.ModTime(), r.modified)
				}
			})
		})
	}
}

// TestBreaksEnd: a transfer of which nothing comes any more is given up, and what
// has come stays.
func TestBreaksEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		r := &remote{body: "0123456789", cuts: []int{4, 4, 4, 4, 4, 4, 4, 4}}
		s := saveAs(t, r, somewhere, filepath.Join(dir, "f"))
		var e *protocols.Error
		if !errors.As(s.Err, &e) || e.Reason != protocols.Broken || len(r.offsets) != 1+maxBreaks {
			t.Errorf("got %v after %d transfers, want a break after %d", s.Err, len(r.offsets), 1+maxBreaks)
		}
		fetchtest.Equal(t, files(t, dir), `f.part="0123" f.part.info="{\"url\":\"test:somewhere\",\"size\":-1}\n"`, "files")
	})
}

// TestPauseAndCancel: what is paused can be gone on with; of what is cancelled
// nothing is left.
func TestPauseAndCancel(t *testing.T) {
	dir := t.TempDir()
	f := fetchtest.File(new(atomic.Int32), "", fetchtest.ErrStall, "abc")
	m := &Manager{Fetcher: f, Folder: dir, List: t.TempDir()}
	u := urlcore.Gopher{Type: '9', Selector: "/f", HostPort: urlcore.HostPort{Host: "h"}}
	synctest.Test(t, func(t *testing.T) {
		defer m.Close()
		it, _ := m.Add(Request{URL: u})
		synctest.Wait()
		if s := it.Status(); s.State != Running || s.Done != 3 || s.Path != filepath.Join(dir, "f") {
			t.Errorf("status %+v", s)
		}
		if _, added := m.Add(Request{URL: u}); added {
			t.Error("it is saved twice")
		}
		it.Pause()
		if s := it.Wait(); s.State != Paused || s.Err != nil {
			t.Errorf("state %d, %v, want paused", s.State, s.Err)
		}
		fetchtest.Equal(t, files(t, dir), `f.part="abc" f.part.info="{\"url\":\"gopher://h/9/f\",\"size\":-1}\n"`, "files")
		it.Resume()
		synctest.Wait()
		if s := it.Status(); s.State != Running {
			t.Errorf("state %d, want running", s.State)
		}
		it.Cancel()
		if s := it.Wait(); s.State != Removed {
			t.Errorf("state %d, want removed", s.State)
		}
		it, _ = m.Add(Request{URL: u})
		synctest.Wait()
		it.Pause()
		it.Wait()
		it.Cancel()
		it.Wait()
	})
	fetchtest.Equal(t, files(t, dir), "", "left")
	if len(m.Items()) > 0 {
		t.Errorf("listed: %v", m.Items())
	}
	fetchtest.Equal(t, files(t, m.List), "", "left in the list")
}

// TestRecover: what a program has left unfinished is in the list of the next one.
func TestRecover(t *testing.T) {
	dir, lists := t.TempDir(), t.TempDir()
	body := strings.Repeat("x", 10000)
	u := urlcore.Gopher{Type: '9', Selector: "/f", HostPort: urlcore.HostPort{Host: "h"}}
	synctest.Test(t, func(t *testing.T) {
		first := &Manager{Fetcher: fetchtest.File(new(atomic.Int32), "", fetchtest.ErrStall, "abc"), Folder: dir, List: lists}
		first.Add(Request{URL: u})
		first.Add(Request{URL: u, Private: true, Path: filepath.Join(t.TempDir(), "p")})
		synctest.Wait()
		second := &Manager{Fetcher: &remote{body: body}, Folder: dir, List: lists}
		if n := second.Recover(); n > 0 {
			t.Errorf("%d are taken from a program that runs", n)
		}
		first.Close()
		if n := second.Recover(); n != 1 {
			t.Fatalf("%d are left, want 1", n)
		}
		it := second.Items()[0]
		if s := it.Status(); s.State != Left || s.URL != u || s.Done != 3 || s.Path != filepath.Join(dir, "f") {
			t.Errorf("left: %+v", s)
		}
		if same, added := second.Add(Request{URL: u}); same != it || !added {
			t.Error("saving it again does not go on with it")
		}
		if s := it.Wait(); s.State != Saved {
			t.Errorf("state %d, %v", s.State, s.Err)
		}
		second.Close()
	})
	fetchtest.Equal(t, files(t, dir), fmt.Sprintf("f=%q", body), "files")
	fetchtest.Equal(t, files(t, lists), "", "left in the list")
}

// TestRecoverNoParent goes on with a menu of which only a part is to be saved, unless the new request is for
// all of it.
func TestRecoverNoParent(t *testing.T) {
	u := gopherAt('1', "/top")
	for _, all := range []bool{false, true} {
		dir, lists := t.TempDir(), t.TempDir()
		asked := make(chan bool)
		first := &Manager{Folder: dir, List: lists, Fetcher: fetchtest.Func(func(ctx context.Context, _ urlcore.URL) (*protocols.Resource, error) {
			asked <- true
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})}
		first.Add(Request{URL: u, Path: filepath.Join(dir, "m"), Tree: true, NoParent: true})
		<-asked
		first.Close()
		second := &Manager{Folder: dir, List: lists, Delay: 1, Fetcher: fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
			if u == gopherAt('1', "/top") {
				return listing(u, protocols.LayoutMenu, protocols.Line{Text: "a", Link: gopherAt('0', "/top/a")}, protocols.Line{Text: "b", Link: gopherAt('0', "/b")}), nil
			}
			return document(u, "x"), nil
		})}
		fetchtest.Equal(t, second.Recover(), 1, "left")
		it := second.Items()[0]
		want := []string{"a=x"}
		if all {
			second.Add(Request{URL: u, Tree: true})
			want = append(want, "b=x")
		} else {
			it.Resume()
		}
		fetchtest.NoError(t, it.Wait().Err)
		second.Close()
		got := slices.DeleteFunc(state(t, filepath.Join(dir, "m")), func(item string) bool { return !strings.Contains(item, "=x") })
		fetchtest.EqualSlices(t, got, want, "all: %v", all)
	}
}

// TestRecoverUnlisted: what a program has left stays in its list until it is in
// another one.
func TestRecoverUnlisted(t *testing.T) {
	lists := t.TempDir()
	put(t, lists, `a.list={"url":"gopher://h/9/f","size":-1}`)
	recovered := func(m *Manager, want int, when string) {
		t.Helper()
		fetchtest.Equal(t, m.Recover(), want, when)
	}
	closed := &Manager{List: lists}
	closed.Close()
	recovered(closed, 0, "closed")

	path := filepath.Join(t.TempDir(), "own")
	put(t, filepath.Dir(path), "own=")
	full := &Manager{List: lists}
	full.init()
	full.list.file = &lockedFile{fetchtest.Must(os.Open(path))(t)} // which cannot be written
	recovered(full, 1, "on a full disk")
	recovered(full, 1, "on a full disk, again")
	recovered(new(Manager{List: lists}), 0, "while another program has it")
	full.Close()

	next := &Manager{List: lists}
	recovered(next, 1, "by the next program")
	if there(filepath.Join(lists, "a.list")) {
		t.Error("the old list is still there")
	}
	next.Close()
}

// TestNames: what is saved again gets a number, what was left unfinished goes on,
// and what another program is saving is left alone.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	u := urlcore.Gopher{Type: '9', Selector: "/f.tar.gz", HostPort: urlcore.HostPort{Host: "h"}}
	body := strings.Repeat("x", 5000)
	save := func() string {
		t.Helper()
		m := &Manager{Fetcher: &remote{body: body}, Folder: dir}
		defer m.Close()
		it, _ := m.Add(Request{URL: u})
		s := it.Wait()
		if s.Err != nil {
			t.Error(s.Err)
		}
		return filepath.Base(s.Path)
	}
	fetchtest.Equal(t, save(), "f.tar.gz", "the first")
	put(t, dir, "f(1).tar.gz.part="+body[:4500], `f(1).tar.gz.part.info={"url":"gopher://h/9/f.tar.gz","size":-1}`)
	lock := fetchtest.Must(openLocked(filepath.Join(dir, "f(1).tar.gz.part.info")))(t)
	fetchtest.Equal(t, save(), "f(2).tar.gz", "beside another program's")
	_ = lock.Close()
	fetchtest.Equal(t, save(), "f(1).tar.gz", "the unfinished one")
	for _, e := range []string{"f.tar.gz", "f(1).tar.gz", "f(2).tar.gz"} {
		fetchtest.GivesText(t, body, "%s", e)(os.ReadFile(filepath.Join(dir, e)))
	}
}

// TestSlots: of one server two transfers run at a time, of all as many as are
// allowed, in order.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		release := make(chan struct{})
		f := fetchtest.Func(func(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
			if n := running.Add(1); n > most.Load() {
				most.Store(n)
			}
			<-release
			running.Add(-1)
			return fetchtest.File(new(atomic.Int32), "", nil, "a").Fetch(ctx, u)
		})
		m := &Manager{Fetcher: f, Folder: t.TempDir(), Parallel: 3}
		defer m.Close()
		for i := range 10 {
			host := "one"
			if i > 6 {
				host = "two"
			}
			m.Add(Request{URL: urlcore.Gopher{Type: '9', Selector: fmt.Sprint("/", i), HostPort: urlcore.HostPort{Host: host}}})
		}
		synctest.Wait()
		states := ""
		for _, it := range m.Items() {
			states += fmt.Sprint(it.Status().State)
		}
		fetchtest.Equal(t, states, "1100000100", "states")
		close(release)
		for _, it := range m.Items() {
			if s := it.Wait(); s.State != Saved {
				t.Errorf("%s: %v", s.URL, s.Err)
			}
		}
		fetchtest.Equal(t, most.Load(), 3, "transfers at a time")
	})
}

// TestLimit: so many octets a second come, whatever the transfers.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &Manager{Fetcher: &remote{body: strings.Repeat("x", 640<<10)}, Folder: t.TempDir(), Rate: 64 << 10}
		defer m.Close()
		begun := time.Now()
		it, _ := m.Add(Request{URL: somewhere})
		if s := it.Wait(); s.Err != nil {
			t.Fatal(s.Err)
		}
		if took := time.Since(begun); took < 9*time.Second || took > 10*time.Second {
			t.Errorf("640 kB at 64 kB/s took %v", took)
		}
	})
}

func TestFileName(t *testing.T) {
	tests := []struct {
		u    urlcore.URL
		want string
	}{
		{urlcore.Gopher{Type: '9', Selector: "/pub/a b.zip"}, "a b.zip"},
		{urlcore.Gopher{Type: '0', HostPort: urlcore.HostPort{Host: "example.org"}}, "example.org"},
		{urlcore.Gopher{Type: '0', Selector: "/a/../.."}, "download"},
		{urlcore.Gopher{Type: '0', Selector: "/.bashrc"}, "bashrc"},
		{urlcore.Gopher{Type: '0', Selector: "-rf"}, "rf"},
		{urlcore.Gopher{Type: '0', Selector: `C:\autoexec.bat`}, "C__autoexec.bat"},
		{urlcore.Gopher{Type: '0', Selector: "a\x1b[31m\u202egpj.exe"}, "a_[31mgpj.exe"},
		{urlcore.Gopher{Type: '0', Selector: "/x/Gr\xfc\xdfe.txt/"}, "Grüße.txt"},
		{urlcore.Gopher{Type: '0', Selector: "nul.txt"}, "_nul.txt"},
		{urlcore.Gopher{Type: '0', Selector: "COM1"}, "_COM1"},
		{urlcore.Gopher{Type: '0', Selector: "trailing. . "}, "trailing"},
		{urlcore.Gopher{Type: '0', Selector: strings.Repeat("ü", 300) + ".tar.gz"}, strings.Repeat("ü", 96) + ".tar.gz"},
		{urlcore.Gopher{Type: '0', Selector: "a." + strings.Repeat("x", 300)}, "a." + strings.Repeat("x", 198)},
		{urlcore.FTP{Path: "pub/a%2Fb.bin"}, "b.bin"},
		{urlcore.FTP{Path: "pub/"}, "pub"},
		{urlcore.FTP{Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h.example"}}, Path: "%2F"}, "h.example"},
		{urlcore.News{MessageID: "1/2@example.org"}, "1_2@example.org.eml"},
		{urlcore.NNTP{Group: "a.b", Article: 7, HasArticle: true}, "a.b-7.eml"},
		{urlcore.Generic{Name: "x", Rest: "//h/dir/name?q=/z"}, "name"},
		{nil, "download"},
	}
	for _, tt := range tests {
		fetchtest.Equal(t, FileName(tt.u), tt.want, "FileName(%#v)", tt.u)
	}
}

func FuzzFileName(f *testing.F) {
	for _, s := range []string{"", "/a/b.txt", "..", "con", strings.Repeat("é", 200), "a\x00b", "\u0301", "x." + strings.Repeat("\u0301", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, u := range []urlcore.URL{urlcore.Gopher{Type: '0', Selector: s}, urlcore.News{MessageID: s}} {
			name := FileName(u)
			switch {
			case name == "" || len(name) > maxName || !utf8.ValidString(name):
				t.Errorf("FileName of %q is %q", s, name)
			case strings.ContainsAny(name, "/\\:\x00\r\n\x1b*?\"<>|"), strings.ContainsAny(name[:1], ".-~ "), strings.ContainsAny(name[len(name)-1:], ". "):
				t.Errorf("FileName of %q is %q", s, name)
			case clean.Text(name) != name, reserved(name):
				t.Errorf("FileName of %q is %q", s, name)
			}
		}
	})
}

func TestNumbered(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int
		want string
	}{
		{"a.tar.gz", 0, "a.tar.gz"},
		{"a.tar.gz", 2, "a(2).tar.gz"},
		{"1MB.bin.sha256", 1, "1MB.bin(1).sha256"},
		{"README", 1, "README(1)"},
		{".cap", 1, ".cap(1)"},
	} {
		fetchtest.Equal(t, Numbered(tt.name, tt.n), tt.want, "Numbered(%s, %d)", tt.name, tt.n)
	}
}

// TestDiskFull pauses all that is under way.
func TestDiskFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fetchtest.Func(func(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
			err := fetchtest.ErrStall
			if u != somewhere {
				err = protocols.LocalError("write", syscall.ENOSPC)
			}
			return fetchtest.File(new(atomic.Int32), "", err, "abc").Fetch(ctx, u)
		})
		m := &Manager{Fetcher: f, Folder: t.TempDir()}
		defer m.Close()
		other, _ := m.Add(Request{URL: somewhere})
		synctest.Wait()
		it, _ := m.Add(Request{URL: fetchtest.URL("test:large")})
		if s := it.Wait(); s.State != Paused || !errors.Is(s.Err, ErrDiskFull) {
			t.Errorf("state %d, %v, want paused for the disk", s.State, s.Err)
		}
		if s := other.Wait(); s.State != Paused || s.Err != nil {
			t.Errorf("the other is in state %d, %v, want paused", s.State, s.Err)
		}
	})
}

// FuzzRecord: what is written is read again, and of what is not understood nothing
// is taken.
func FuzzRecord(f *testing.F) {
	for _, s := range []string{
		`{"url":"gopher://h/9/f","size":-1}`, `{"url":"ftp://h/f","size":12,"modified":"2024-02-29T12:00:01Z","whole":true}` + "\n}",
		"", "{", "[]", "null", `{"url":""}`, `{"url":"x","size":-2}`, `{"url":"x","size":1e99}`, `{"url":"\ud800","size":1}`, `{"url":"x","modified":"1"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decodeRecord(data)
		if err != nil {
			return
		}
		if r.URL == "" || r.Size < -1 {
			t.Errorf("%q is read as %+v", data, r)
		}
		out, err := r.encode()
		if err != nil {
			return
		}
		fetchtest.Gives(t, r, "%q, read, written and read again", data)(decodeRecord(append(out, data...)))
		_ = decodeList(data)
	})
}

// TestPageFolder: the page says where files are saved, not only that it is here.
func TestPageFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	here := fetchtest.Must(os.Getwd())(t)
	m := &Manager{Fetcher: &remote{body: "abc"}, Folder: "."}
	defer m.Close()
	it, _ := m.Add(Request{URL: urlcore.Gopher{Type: '9', Selector: "/f", HostPort: urlcore.HostPort{Host: "h"}}})
	it.Wait()
	want := "Files are saved in " + here + "."
	if lines := m.Lines(""); !slices.ContainsFunc(lines, func(l protocols.Line) bool { return l.Text == want }) {
		t.Errorf("no line %q in %v", want, lines)
	}
}
