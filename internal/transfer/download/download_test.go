package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
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
	"gofer/protocols"
	"gofer/urlcore"
)

const testURL = fetchtest.URL("test:somewhere")

// listFiles returns the names and contents of the files in a directory, and the records of unfinished files there.
func listFiles(t *testing.T, dir string) string {
	t.Helper()
	entries := fetchtest.Must(os.ReadDir(dir))(t)
	out := []string{}
	for _, e := range entries {
		b := fetchtest.Must(os.ReadFile(filepath.Join(dir, e.Name())))(t)
		out = append(out, fmt.Sprintf("%s=%q", e.Name(), b))
	}
	names, _ := filepath.Glob(filepath.Join(recordsOf(dir), "*"))
	for _, name := range names {
		r, _ := decodeRecord(fetchtest.Must(os.ReadFile(name))(t))
		out = append(out, fmt.Sprintf("record=%s,%s,%d,%v", r.Part, r.URL, r.Size, r.Complete))
	}
	return strings.Join(out, " ")
}

// recordsOf returns the folder of the records for the files in dir.
func recordsOf(dir string) string {
	abs, _ := filepath.Abs(dir)
	return abs + ".records"
}

// saveAs saves u at path and returns the Status at the end.
func saveAs(t *testing.T, f protocols.Fetcher, u urlcore.URL, path string, more ...func(*Request)) Status {
	t.Helper()
	m := &Manager{Fetcher: f, RecordFolder: recordsOf(filepath.Dir(path))}
	defer m.Close()
	r := Request{URL: u, Path: path}
	for _, change := range more {
		change(&r)
	}
	it, _ := m.Add(r)
	return it.Wait()
}

func withOverwrite(r *Request) { r.Overwrite = true }

// writeFiles writes files in dir. Each of names is "name=content", or "name" for a file with the content "old". The name
// "name.part.info" is the record of the file "name.part" or, if it does not exist, of the file "name".
func writeFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		name, content, ok := strings.Cut(name, "=")
		if !ok {
			content = "old"
		}
		if whole, ok := strings.CutSuffix(name, ".part.info"); ok {
			writeRecord(t, dir, filepath.Join(dir, whole), content)
			continue
		}
		fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
}

func writeRecord(t *testing.T, dir, path, content string) {
	t.Helper()
	fetchtest.NoError(t, os.MkdirAll(recordsOf(dir), 0o700))
	if r, ok := decodeRecord([]byte(content)); ok {
		name := path + partSuffix
		if r.Part = filepath.Base(name); !exists(name) {
			name = path
			if !r.Complete {
				r.Part = ""
			}
		}
		if info, err := os.Lstat(name); err == nil {
			r.identify(info)
		}
		content = string(r.encode())
	}
	fetchtest.NoError(t, os.WriteFile(filepath.Join(recordsOf(dir), fileKey(runtime.GOOS, path)), []byte(content), 0o600))
}

func TestSave(t *testing.T) {
	broken := &protocols.Error{Reason: protocols.Broken, Op: "read"}
	refused := fetchtest.FetcherFunc(func(context.Context, protocols.Request) (*protocols.Resource, error) { return nil, broken })
	file := func(err error, blocks ...string) protocols.Fetcher {
		return fetchtest.File(new(atomic.Int32), "", err, blocks...)
	}
	const info = `f.part.info={"url":"test:somewhere","size":-1}`
	const other = `f.part.info={"url":"test:elsewhere","size":-1}`
	const left = `record=f.part,test:somewhere,-1,false`
	for _, tt := range []struct {
		name   string
		before []string // files in the directory before the download
		force  bool
		f      protocols.Fetcher
		n      int64
		err    error // compared by errors.Is
		after  string
	}{
		{"new file", nil, false, file(nil, "a\r\n", "\x00b"), 5, nil, `f="a\r\n\x00b"`},
		{"empty", nil, false, file(nil), 0, nil, `f=""`},
		{"name taken", []string{"f"}, false, file(nil, "a"), 0, ErrExists, `f="old"`},
		{"another program's .part", []string{"f.part"}, false, file(nil, "a"), 1, nil, `f="a" f.part="old"`},
		{
			"another program's .part, broken",
			[]string{"f.part"},
			false, file(broken, "ab", "c"), 3, broken,
			`f.part="old" f~1.part="abc" record=f~1.part,test:somewhere,-1,false`,
		},
		{
			"an unfinished file of another URL",
			[]string{"f.part", other},
			false, file(nil, "a"), 0, ErrUnfinished,
			`f.part="old" record=f.part,test:elsewhere,-1,false`,
		},
		{"a malformed record", []string{"f.part", "f.part.info=what"}, false, file(nil, "a"), 1, nil, `f="a" f.part="old"`},
		{"a record without a .part file", []string{info}, false, file(nil, "a"), 1, nil, `f="a"`},
		{"unfinished, without resuming", []string{"f.part", info}, false, file(nil, "new"), 3, nil, `f="new"`},
		{
			"unfinished, and name taken",
			[]string{"f", "f.part=o", info},
			false, file(nil, "new"), 0, ErrExists,
			`f="old" f.part="o" record=f.part,test:somewhere,-1,false`,
		},
		{
			"complete, but not renamed",
			[]string{"f.part", `f.part.info={"url":"test:somewhere","size":3,"whole":true}`},
			false, refused, 3, broken,
			`f.part="old" record=f.part,test:somewhere,3,true`,
		},
		{
			"complete, but not renamed, and fetched again",
			[]string{"f.part", `f.part.info={"url":"test:somewhere","size":3,"whole":true}`},
			false, file(nil, "new"),
			3, nil, `f="new"`,
		},
		{
			"complete, but its record not removed",
			[]string{"f", `f.part.info={"url":"test:somewhere","size":3,"whole":true}`},
			false, refused, 3, broken,
			`f="old"`,
		},
		{
			"complete, but its record not removed, and equal",
			[]string{"f", `f.part.info={"url":"test:somewhere","size":3,"whole":true}`},
			false, file(nil, "old"), 3,
			nil, `f="old"`,
		},
		{
			"complete, but its record not removed, and changed",
			[]string{"f", `f.part.info={"url":"test:somewhere","size":3,"whole":true}`},
			false, file(nil, "new"), 3,
			errChanged, `f="old"`,
		},
		{
			"complete, but removed",
			[]string{`f.part.info={"url":"test:somewhere","size":3,"whole":true}`},
			false,
			file(nil, "new"), 3, nil, `f="new"`,
		},
		{"broken before the first octet", nil, false, file(broken), 0, broken, ``},
		{"broken", nil, false, file(broken, "ab", "c"), 3, broken, `f.part="abc" ` + left},
		{"no answer", nil, false, refused, 0, broken, ``},
		{"a menu", nil, false, fetchtest.Menu(new(atomic.Int32), nil), 0, protocols.ErrNoOctets, ``},
		{"overwrite nothing", nil, true, file(nil, "new"), 3, nil, `f="new"`},
		{"overwrite all", []string{"f", "f.part"}, true, file(nil, "new"), 3, nil, `f="new" f.part="old"`},
		{"overwrite, broken", []string{"f"}, true, file(broken, "ne"), 2, broken, `f="old" f.part="ne" ` + left},
		{"overwrite, no answer", []string{"f"}, true, refused, 0, broken, `f="old"`},
		{"overwrite an unfinished file of another URL", []string{"f.part", other}, true, file(nil, "new"), 3, nil, `f="new"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, dir, tt.before...)
			s := saveAs(t, tt.f, testURL, filepath.Join(dir, "f"), func(r *Request) { r.Overwrite = tt.force })
			if s.Received != tt.n || !errors.Is(s.Err, tt.err) || (s.Err == nil) != (tt.err == nil) || (s.State == Saved) != (tt.err == nil) {
				t.Errorf("download ended with %d octets, state %d, error %v; want %d octets, error %v", s.Received, s.State, s.Err, tt.n, tt.err)
			}
			fetchtest.Equal(t, listFiles(t, dir), tt.after, "files")
		})
	}
}

// TestFindNumberedPart checks that an unfinished file with a number in its name is found after the file that had taken
// the name has gone.
func TestFindNumberedPart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	writeFiles(t, dir, "f.part")
	broken := &protocols.Error{Reason: protocols.Broken, Op: "read"}
	m := &Manager{Fetcher: fetchtest.File(new(atomic.Int32), "", broken, "01234"), RecordFolder: recordsOf(dir)}
	defer m.Close()
	it, _ := m.Add(Request{URL: testURL, Path: path})
	it.Wait()
	fetchtest.NoError(t, os.Remove(path+".part"))
	part, _, _ := m.records.findPart(path)
	fetchtest.Equal(t, part, filepath.Join(dir, "f~1.part"), "unfinished file")
}

// TestReopenEmptyPart checks that a run records which file it continues before it writes to the file, if the run that
// made the file was killed before it could.
func TestReopenEmptyPart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	fetchtest.NoError(t, os.WriteFile(path+".part", nil, 0o600))
	fetchtest.NoError(t, os.Mkdir(recordsOf(dir), 0o700))
	made := record{URL: recordURL(testURL), Size: -1, Part: "f.part"}
	fetchtest.NoError(t, os.WriteFile(filepath.Join(recordsOf(dir), fileKey(runtime.GOOS, path)), made.encode(), 0o600))
	var r record
	s := saveAs(t, &resumableServer{body: "0123456789", onRead: func() { r, _ = (&records{dir: recordsOf(dir)}).read(path) }}, testURL, path)
	fetchtest.NoError(t, s.Err)
	if r.Written.IsZero() {
		t.Errorf("record during the transfer: got %+v, want one that says which file f.part is", r)
	}
}

// TestOverwriteNonFile checks that a folder, a device and a link are not overwritten.
func TestOverwriteNonFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"folder"} {
		fetchtest.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	fetchtest.NoError(t, os.Symlink("folder", filepath.Join(dir, "link")))
	for _, name := range []string{"folder", "link", "no/f", "/dev/null", "/dev/null/f"} {
		path := filepath.Join(dir, name)
		if filepath.IsAbs(name) {
			path = name
		}
		s := saveAs(t, fetchtest.FetcherFunc(nil), testURL, path, withOverwrite) // a fetch would panic
		var e *protocols.Error
		if !errors.As(s.Err, &e) || e.Reason != protocols.LocalFailure {
			t.Errorf("saving to %s: got the error %v, want reason LocalFailure before anything is fetched", path, s.Err)
		}
	}
}

// TestSaveKeepsOtherFiles checks that a download keeps the files that other programs create meanwhile.
func TestSaveKeepsOtherFiles(t *testing.T) {
	for _, tt := range []struct {
		name  string
		do    func(path string) error
		err   error
		after string
	}{
		{
			"the name is taken", func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) }, ErrExists,
			`f="theirs" f.part="new" record=f.part,test:somewhere,-1,true`,
		},
		{"the .part is replaced", func(path string) error {
			return errors.Join(os.Remove(path+".part"), os.WriteFile(path+".part", []byte("theirs"), 0o600))
		}, errReplaced, `f.part="theirs" record=f.part,test:somewhere,-1,false`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			f := &resumableServer{body: "new", onRead: func() {
				if err := tt.do(path); err != nil {
					t.Error(err)
				}
			}}
			if s := saveAs(t, f, testURL, path); !errors.Is(s.Err, tt.err) {
				t.Errorf("download ended with error %v, want %v", s.Err, tt.err)
			}
			fetchtest.Equal(t, listFiles(t, filepath.Dir(path)), tt.after, "files")
		})
	}
}

// resumableServer is a server that supports resuming and has one document.
type resumableServer struct {
	body      string
	sendsSize bool // the server sends the size
	modified  time.Time
	onRead    func() // called at the first read of each transfer
	resumeErr error  // error of Resume
	cuts      []int  // after how many octets the first, second, ... transfer breaks

	mu      sync.Mutex
	offsets []int64 // offsets of the transfers
}

func (r *resumableServer) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	return r.fetchFrom(ctx, req.URL, 0)
}

func (r *resumableServer) Resume(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if r.resumeErr != nil {
		return nil, r.resumeErr
	}
	if req.Offset > int64(len(r.body)) {
		return nil, &protocols.Error{Reason: protocols.NotFound, Op: "resume"}
	}
	return r.fetchFrom(ctx, req.URL, req.Offset)
}

func (r *resumableServer) Resumes(urlcore.URL) bool { return true }

func (r *resumableServer) fetchFrom(_ context.Context, u urlcore.URL, from int64) (*protocols.Resource, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.offsets = append(r.offsets, from)
	head := protocols.Head{URL: u, Size: -1, Modified: r.modified}
	if r.sendsSize {
		head.Size = int64(len(r.body)) - from
	}
	body := io.Reader(strings.NewReader(r.body[from:]))
	if n := len(r.offsets); n <= len(r.cuts) {
		body = io.MultiReader(io.LimitReader(body, int64(r.cuts[n-1])), brokenReader{})
	}
	if r.onRead != nil {
		body = &hookReader{body, r.onRead}
	}
	return &protocols.Resource{Head: head, Body: body, Closer: io.NopCloser(nil)}, nil
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) {
	return 0, &protocols.Error{Reason: protocols.Broken, Op: "read"}
}

type hookReader struct {
	io.Reader
	hook func()
}

func (h *hookReader) Read(p []byte) (int, error) {
	if h.hook != nil {
		h.hook()
		h.hook = nil
	}
	return h.Reader.Read(p)
}

// TestResume checks that an unfinished file is continued only if it is of the same document.
func TestResume(t *testing.T) {
	body := strings.Repeat("0123456789abcdef", 1<<10)
	at := time.Date(2024, 2, 29, 12, 0, 1, 0, time.UTC)
	unsupported := &protocols.Error{Reason: protocols.Unsupported, Op: "resume"}
	info := func(size int, at string) string {
		return fmt.Sprintf(`f.part.info={"url":"test:somewhere","size":%d%s}`, size, at)
	}
	for _, tt := range []struct {
		name    string
		r       *resumableServer
		before  []string
		more    func(*Request)
		offsets string
		notes   string
		err     string
	}{
		{"new file", &resumableServer{}, nil, nil, "[0]", "", ""},
		{"the rest", &resumableServer{sendsSize: true}, []string{"f.part=" + body[:10000], info(-1, "")}, nil, "[5904]", "", ""},
		{
			"the same size and date", &resumableServer{sendsSize: true, modified: at},
			[]string{"f.part=" + body[:10000], info(len(body), `,"modified":"2024-02-29T12:00:01Z"`)},
			nil, "[5904]",
			"", "",
		},
		{"all octets received", &resumableServer{sendsSize: true}, []string{"f.part=" + body, info(len(body), "")}, nil, "[12288]", "", ""},
		{"a few octets", &resumableServer{sendsSize: true}, []string{"f.part=" + body[:3], info(-1, "")}, nil, "[0]", "", ""},
		{
			"another size", &resumableServer{sendsSize: true},
			[]string{"f.part=" + body[:10000], info(len(body)+1, "")},
			nil, "[5904 0]", noteChanged, "",
		},
		{
			"another date", &resumableServer{modified: at},
			[]string{"f.part=" + body[:10000], info(-1, `,"modified":"2024-02-29T12:00:02Z"`)},
			nil, "[5904 0]",
			noteChanged, "",
		},
		{"other octets", &resumableServer{}, []string{"f.part=" + strings.Repeat("x", 10000), info(-1, "")}, nil, "[5904 0]", noteChanged, ""},
		{"much longer than the document", &resumableServer{}, []string{"f.part=" + body + body, info(-1, "")}, nil, "[0]", noteNoResume, ""},
		{
			"a little longer than the document", &resumableServer{},
			[]string{"f.part=" + body + "x", info(-1, "")},
			nil, "[12289 0]", noteChanged, "",
		},
		{"no resuming", &resumableServer{resumeErr: unsupported}, []string{"f.part=" + body[:10000], info(-1, "")}, nil, "[0]", noteNoResume, ""},
		{"breaks", &resumableServer{sendsSize: true, cuts: []int{5000, 8000, 4200}}, nil, nil, "[0 904 4808 4912]", "", ""},
		{"breaks without size", &resumableServer{cuts: []int{5000}}, nil, nil, "[0 904]", "", ""},
		{
			"the beginning, saved by another program", &resumableServer{sendsSize: true},
			[]string{"f=" + body[:10000]},
			func(r *Request) { r.Continue = true }, "[0]", "", "",
		},
		{
			"the whole file, saved by another program", &resumableServer{sendsSize: true},
			[]string{"f=" + body},
			func(r *Request) { r.Continue = true }, "[0]", "", "",
		},
		{
			"the beginning, saved by gofer", &resumableServer{sendsSize: true},
			[]string{"f=" + body[:10000], info(-1, "")},
			func(r *Request) { r.Continue = true }, "[5904]", "", "",
		},
		{
			"the beginning, saved by gofer, without resuming", &resumableServer{resumeErr: unsupported},
			[]string{"f=" + body[:10000], info(-1, "")},
			func(r *Request) { r.Continue = true }, "[0]", "", "",
		},
		{
			"the end of another file, saved by another program", &resumableServer{},
			[]string{"f=" + strings.Repeat("x", 5000) + body[5000:10000]},
			func(r *Request) { r.Continue = true },
			"[0]", "", "has changed",
		},
		{
			"a longer file, saved by another program", &resumableServer{},
			[]string{"f=" + body + "x"},
			func(r *Request) { r.Continue = true }, "[0]", "", "has changed",
		},
		{
			"beside an older file", &resumableServer{resumeErr: unsupported},
			[]string{"f=old", "f.part=" + body[:10000], info(-1, "")},
			func(r *Request) { r.Overwrite = true }, "[0]", noteNoResume, "",
		},
		{
			"another file, saved by another program", &resumableServer{},
			[]string{"f=" + strings.Repeat("x", 10000)},
			func(r *Request) { r.Continue = true }, "[5904]", "", "has changed",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				writeFiles(t, dir, tt.before...)
				r := tt.r
				r.body = body
				more := tt.more
				if more == nil {
					more = func(*Request) {}
				}
				s := saveAs(t, r, testURL, filepath.Join(dir, "f"), more)
				if tt.err != "" {
					if s.Err == nil || !strings.Contains(s.Err.Error(), tt.err) {
						t.Errorf("download ended with error %v, want an error with %q", s.Err, tt.err)
					}
					if got, want := listFiles(t, dir), fmt.Sprintf("f=%q", strings.TrimPrefix(tt.before[0], "f=")); got != want {
						t.Errorf("files after the error: %.100s, want %.100s", got, want)
					}
					return
				}
				fetchtest.Equal(t, listFiles(t, dir), fmt.Sprintf("f=%q", body), "files after a download with error %v", s.Err)
				fetchtest.Equal(t, fmt.Sprint(r.offsets), tt.offsets, "offsets of the transfers")
				fetchtest.Equal(t, strings.Join(s.Notes, "|"), tt.notes, "notes")
				if info, err := os.Stat(filepath.Join(dir, "f")); err == nil && !r.modified.IsZero() && !info.ModTime().Equal(r.modified) {
					t.Errorf("date of the file: got %v, want %v", info.ModTime(), r.modified)
				}
			})
		})
	}
}

// TestBreaksWithoutProgress checks that a transfer ends after maxBreaks lost connections without progress, and that
// the unfinished file is kept.
func TestBreaksWithoutProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		r := &resumableServer{body: "0123456789", cuts: []int{4, 4, 4, 4, 4, 4, 4, 4}}
		s := saveAs(t, r, testURL, filepath.Join(dir, "f"))
		var e *protocols.Error
		if !errors.As(s.Err, &e) || e.Reason != protocols.Broken || len(r.offsets) != 1+maxBreaks {
			t.Errorf("download ended with error %v after %d transfers, want reason Broken after %d", s.Err, len(r.offsets), 1+maxBreaks)
		}
		fetchtest.Equal(t, listFiles(t, dir), `f.part="0123" record=f.part,test:somewhere,-1,false`, "files")
	})
}

// TestPauseAndCancel checks that a paused download can be resumed, and that a canceled one leaves no files.
func TestPauseAndCancel(t *testing.T) {
	dir := t.TempDir()
	f := fetchtest.File(new(atomic.Int32), "", fetchtest.ErrStall, "abc")
	m := &Manager{Fetcher: f, Folder: dir, ListFolder: t.TempDir(), RecordFolder: recordsOf(dir)}
	u := urlcore.Gopher{Type: '9', Selector: "/f", HostPort: urlcore.HostPort{Host: "h"}}
	synctest.Test(t, func(t *testing.T) {
		defer m.Close()
		it, _ := m.Add(Request{URL: u})
		synctest.Wait()
		if s := it.Status(); s.State != Running || s.Received != 3 || s.Path != filepath.Join(dir, "f") {
			t.Errorf("got the status %+v, want Running with 3 octets of f", s)
		}
		if _, added := m.Add(Request{URL: u}); added {
			t.Error("Add of the same URL added a second download")
		}
		it.Pause()
		if s := it.Wait(); s.State != Paused || s.Err != nil {
			t.Errorf("after Pause: state %d, error %v; want Paused (%d)", s.State, s.Err, Paused)
		}
		fetchtest.Equal(t, listFiles(t, dir), `f.part="abc" record=f.part,gopher://h/9/f,-1,false`, "files")
		it.Resume()
		synctest.Wait()
		if s := it.Status(); s.State != Running {
			t.Errorf("after Resume: state %d, want Running (%d)", s.State, Running)
		}
		it.Cancel()
		if s := it.Wait(); s.State != Removed {
			t.Errorf("after Cancel: state %d, want Removed (%d)", s.State, Removed)
		}
		it, _ = m.Add(Request{URL: u})
		synctest.Wait()
		it.Pause()
		it.Wait()
		it.Cancel()
		it.Wait()
	})
	fetchtest.Equal(t, listFiles(t, dir), "", "files left after Cancel")
	if len(m.Items()) > 0 {
		t.Errorf("Items after Cancel: got %v, want none", m.Items())
	}
	fetchtest.Equal(t, listFiles(t, m.ListFolder), "", "left in the list")
}

// TestCancelRemovesPart cancels a paused download whose file name was taken since, and one whose unfinished file cannot be
// removed. The first leaves no unfinished file, the second says why it does.
func TestCancelRemovesPart(t *testing.T) {
	u := urlcore.Gopher{Type: '9', Selector: "/f", HostPort: urlcore.HostPort{Host: "h"}}
	for _, inUse := range []bool{false, true} {
		dir := t.TempDir()
		m := &Manager{Fetcher: fetchtest.File(new(atomic.Int32), "", fetchtest.ErrStall, "abc"), Folder: dir, RecordFolder: t.TempDir()}
		synctest.Test(t, func(t *testing.T) {
			defer m.Close()
			it, _ := m.Add(Request{URL: u})
			synctest.Wait()
			it.Pause()
			it.Wait()
			fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("other"), 0o600))
			if inUse {
				held, _, _, err := m.records.hold(filepath.Join(dir, "f"))
				fetchtest.NoError(t, err)
				defer held.release()
			}
			it.Cancel()
			s := it.Wait()
			_, err := os.Lstat(filepath.Join(dir, "f.part"))
			if s.State != Removed || (s.Err != nil) != inUse || (err == nil) != inUse {
				t.Errorf("in use %v: state %d, error %v, Lstat of the unfinished file %v; want Removed (%d), and both files only if in use", inUse, s.State, s.Err, err, Removed)
			}
			fetchtest.ReturnsText(t, "other")(os.ReadFile(filepath.Join(dir, "f")))
		})
	}
}

// TestRecover checks that the next run lists the unfinished downloads of an earlier run.
func TestRecover(t *testing.T) {
	dir, lists := t.TempDir(), t.TempDir()
	body := strings.Repeat("x", 10000)
	u := urlcore.Gopher{Type: '9', Selector: "/f", HostPort: urlcore.HostPort{Host: "h"}}
	synctest.Test(t, func(t *testing.T) {
		first := &Manager{
			Fetcher: fetchtest.File(new(atomic.Int32), "", fetchtest.ErrStall, "abc"), Folder: dir, ListFolder: lists,
			RecordFolder: recordsOf(dir),
		}
		first.Add(Request{URL: u})
		first.Add(Request{URL: u, Private: true, Path: filepath.Join(t.TempDir(), "p")})
		synctest.Wait()
		second := &Manager{Fetcher: &resumableServer{body: body}, Folder: dir, ListFolder: lists, RecordFolder: recordsOf(dir)}
		if n := second.Recover(); n > 0 {
			t.Errorf("Recover took %d downloads from a running program", n)
		}
		first.Close()
		if n := second.Recover(); n != 1 {
			t.Fatalf("Recover = %d, want 1", n)
		}
		it := second.Items()[0]
		if s := it.Status(); s.State != Interrupted || s.URL != u || s.Received != 3 || s.Path != filepath.Join(dir, "f") {
			t.Errorf("recovered download: got %+v, want Interrupted with 3 octets of f", s)
		}
		if same, added := second.Add(Request{URL: u}); same != it || !added {
			t.Error("Add did not resume the recovered download")
		}
		if s := it.Wait(); s.State != Saved {
			t.Errorf("recovered download ended in state %d, error %v; want Saved (%d)", s.State, s.Err, Saved)
		}
		second.Close()
	})
	fetchtest.Equal(t, listFiles(t, dir), fmt.Sprintf("f=%q", body), "files")
	fetchtest.Equal(t, listFiles(t, lists), "", "left in the list")
}

// TestRecoverUnlisted checks that a list of downloads is kept until another list has its entries.
func TestRecoverUnlisted(t *testing.T) {
	lists := t.TempDir()
	writeFiles(t, lists, `a.list={"url":"gopher://h/9/f","size":-1}`)
	checkRecover := func(m *Manager, want int, when string) {
		t.Helper()
		fetchtest.Equal(t, m.Recover(), want, "Recover %s", when)
	}
	closed := &Manager{ListFolder: lists}
	closed.Close()
	checkRecover(closed, 0, "after Close")

	path := filepath.Join(t.TempDir(), "own")
	writeFiles(t, filepath.Dir(path), "own=")
	full := &Manager{ListFolder: lists}
	full.init()
	full.list.file = &lockedFile{fetchtest.Must(os.Open(path))(t)} // this file cannot be written
	checkRecover(full, 1, "on a full disk")
	checkRecover(full, 1, "on a full disk, again")
	checkRecover(new(Manager{ListFolder: lists}), 0, "while another program has the list")
	full.Close()

	next := &Manager{ListFolder: lists}
	checkRecover(next, 1, "by the next program")
	if exists(filepath.Join(lists, "a.list")) {
		t.Error("Recover did not remove the old list")
	}
	next.Close()
}

// TestSlots checks the order of transfers, and the limits of concurrent transfers for one server and for all.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		release := make(chan struct{})
		f := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			if n := running.Add(1); n > most.Load() {
				most.Store(n)
			}
			<-release
			running.Add(-1)
			return fetchtest.File(new(atomic.Int32), "", nil, "a").Fetch(ctx, req)
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
				t.Errorf("download of %s ended in state %d, error %v", s.URL, s.State, s.Err)
			}
		}
		fetchtest.Equal(t, most.Load(), 3, "concurrent transfers")
	})
}

// TestLimit checks that the rate limit holds.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &Manager{Fetcher: &resumableServer{body: strings.Repeat("x", 640<<10)}, Folder: t.TempDir(), Rate: 64 << 10}
		defer m.Close()
		begun := time.Now()
		it, _ := m.Add(Request{URL: testURL})
		if s := it.Wait(); s.Err != nil {
			t.Fatal(s.Err)
		}
		if took := time.Since(begun); took < 9*time.Second || took > 10*time.Second {
			t.Errorf("640 kB at 64 kB/s took %v, want 9 s to 10 s", took)
		}
	})
}

func FuzzFileName(f *testing.F) {
	for _, s := range []string{
		"", "/a/b.txt", "..", "con", strings.Repeat("é", 200), "a\x00b", "\u0301", "x." + strings.Repeat("\u0301", 300),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, u := range []urlcore.URL{urlcore.Gopher{Type: '0', Selector: s}, urlcore.News{MessageID: s}} {
			name := FileName(u)
			switch {
			case name == "" || len(name) > maxName || !utf8.ValidString(name):
				t.Errorf("FileName of %q = %q, want 1 to %d octets of UTF-8", s, name, maxName)
			case strings.ContainsAny(name, "/\\:\x00\r\n\x1b*?\"<>|"), strings.ContainsAny(name[:1], ".-~ "), strings.ContainsAny(name[len(name)-1:], ". "):
				t.Errorf("FileName of %q = %q, which has a character that is not safe", s, name)
			case clean.Text(name) != name, isReserved(name):
				t.Errorf("FileName of %q = %q, which is not clean or is reserved", s, name)
			}
		}
	})
}

// TestDiskFull checks that a full disk pauses all downloads.
func TestDiskFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			err := fetchtest.ErrStall
			if req.URL != testURL {
				err = protocols.LocalError("write", syscall.ENOSPC)
			}
			return fetchtest.File(new(atomic.Int32), "", err, "abc").Fetch(ctx, req)
		})
		m := &Manager{Fetcher: f, Folder: t.TempDir()}
		defer m.Close()
		other, _ := m.Add(Request{URL: testURL})
		synctest.Wait()
		it, _ := m.Add(Request{URL: fetchtest.URL("test:large")})
		if s := it.Wait(); s.State != Paused || !errors.Is(s.Err, ErrDiskFull) {
			t.Errorf("download with the full disk: state %d, error %v; want Paused (%d), %v", s.State, s.Err, Paused, ErrDiskFull)
		}
		if s := other.Wait(); s.State != Paused || s.Err != nil {
			t.Errorf("other download: state %d, error %v; want Paused (%d)", s.State, s.Err, Paused)
		}
	})
}

// FuzzRecord checks that decoded records are valid, and that a record stays the same if it is encoded and decoded.
func FuzzRecord(f *testing.F) {
	for _, s := range []string{
		`{"url":"gopher://h/9/f","size":-1}`, `{"url":"ftp://h/f","size":12,"modified":"2024-02-29T12:00:01Z","whole":true}` + "\n}",
		"", "{", "[]", "null", `{"url":""}`, `{"url":"x","size":-2}`, `{"url":"x","size":1e99}`,
		`{"url":"\ud800","size":1}`, `{"url":"x","modified":"1"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, ok := decodeRecord(data)
		if !ok {
			return
		}
		if r.URL == "" || r.Size < -1 {
			t.Errorf("decodeRecord(%q) = %+v, want none", data, r)
		}
		if again, ok := decodeRecord(append(r.encode(), data...)); !ok || again != r {
			t.Errorf("decodeRecord of the encoded record %q = %+v, %v; want %+v", data, again, ok, r)
		}
		_ = decodeList(data)
	})
}

// TestPageShowsFolder checks that the downloads page shows the absolute path of the folder ".".
func TestPageShowsFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	here := fetchtest.Must(os.Getwd())(t)
	m := &Manager{Fetcher: &resumableServer{body: "abc"}, Folder: "."}
	defer m.Close()
	it, _ := m.Add(Request{URL: urlcore.Gopher{Type: '9', Selector: "/f", HostPort: urlcore.HostPort{Host: "h"}}})
	it.Wait()
	want := "Files are saved in " + here + "."
	if lines := m.Lines(""); !slices.ContainsFunc(lines, func(l protocols.Line) bool { return l.Text == want }) {
		t.Errorf("downloads page: got %v, want the line %q", lines, want)
	}
}
