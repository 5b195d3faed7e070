package sftp_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

var day = time.Date(2020, 2, 29, 12, 34, 56, 0, time.UTC)

// TestDirectory checks the lines of a directory: sizes, dates, modes, links and names of any octets.
func TestDirectory(t *testing.T) {
	s := startServer(t, nil)
	odd := "caf\xe9 \x1b[31m\nx"
	path := s.write(t, "d/a.txt", "12345")
	s.write(t, "d/"+odd, "odd")
	s.write(t, "d/sub/x", "")
	fetchtest.NoError(t, errors.Join(os.Chmod(path, 0o640), os.Chtimes(path, day, day),
		os.Symlink("sub", s.dir+"/d/dirlink"), os.Symlink("a.txt", s.dir+"/d/link"), os.Symlink("nothing", s.dir+"/d/dangling")))
	c := s.newKnownClient(t)
	head, lines := readLines(t, c, s.url("/d/"))
	fetchtest.Equal(t, head.URL.String(), s.url("/d;type=d"))
	fetchtest.Equal(t, len(lines), 6)
	note := lines["a.txt"].Note.(*protocols.FileNote)
	fetchtest.Equal(t, note.Size, 5)
	fetchtest.Equal(t, note.Mode, "rw-r-----")
	fetchtest.Equal(t, note.Modified.Equal(day), true, "date")
	for name, want := range map[string]struct {
		kind   protocols.Kind
		target string
	}{
		"a.txt": {protocols.Text, ""}, "sub": {protocols.Directory, ""}, "dirlink": {protocols.Directory, "sub"}, "link": {protocols.Text, "a.txt"},
		"dangling": {protocols.Binary, "nothing"},
	} {
		line := lines[name]
		fetchtest.Equal(t, line.Kind, want.kind, name)
		fetchtest.Equal(t, line.Note.(*protocols.FileNote).Target, want.target, name)
	}
	fetchtest.Equal(t, readText(t, c, protocols.Request{URL: lines[odd].Link}), "odd")
	_, linked := readLines(t, c, lines["dirlink"].Link.String())
	fetchtest.Equal(t, len(linked), 1, "entries of the linked directory")
	same, _ := readLines(t, c, s.url("/d"))
	fetchtest.Equal(t, same.URL, head.URL, "the URL without a type")
	home, _ := readLines(t, c, "sftp://joe@"+s.addr+"/~/d")
	fetchtest.Equal(t, home.URL.String(), "sftp://joe@"+s.addr+"/%7E/d;type=d")
}

// TestManyAtOnce fetches many files at once, over one connection, and a large one in pieces.
func TestManyAtOnce(t *testing.T) {
	s := startServer(t, nil)
	large := strings.Repeat("0123456789abcdef", 1<<19) + "end"
	s.write(t, "large.bin", large)
	for i := range 100 {
		s.write(t, fmt.Sprint("f", i), fmt.Sprint("text ", i))
	}
	c := s.newKnownClient(t)
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			known := &protocols.FileFacts{Size: 6}
			fetchtest.Equal(t, readText(t, c, protocols.Request{URL: fetchtest.Parse(t, s.url(fmt.Sprint("/f", i))), Known: known}), fmt.Sprint("text ", i))
		})
	}
	all.Wait()
	fetchtest.Equal(t, readText(t, c, protocols.Request{URL: fetchtest.Parse(t, s.url("/large.bin"))}) == large, true, "the large file is the same")
	fetchtest.Equal(t, s.logins.Load(), 1)
	s.breakConnections()
	fetchtest.Equal(t, readText(t, c, protocols.Request{URL: fetchtest.Parse(t, s.url("/f7"))}), "text 7", "after the connection was lost")
}

// TestResume fetches the rest of a file, and only its head.
func TestResume(t *testing.T) {
	s := startServer(t, nil)
	path := s.write(t, "a.txt", "0123456789")
	fetchtest.NoError(t, os.Chtimes(path, day, day))
	c := s.newKnownClient(t)
	u := fetchtest.Parse(t, s.url("/a.txt"))
	res := fetchtest.Must(c.Resume(t.Context(), protocols.Request{URL: u, Offset: 4}))(t)
	fetchtest.Equal(t, res.Size, 6)
	fetchtest.ReturnsText(t, "456789")(io.ReadAll(res.Body))
	fetchtest.NoError(t, res.Close())
	res = fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: u, Facts: true}))(t)
	fetchtest.Equal(t, res.Size, 10)
	fetchtest.Equal(t, res.Modified.Equal(day), true, "date")
	fetchtest.NoError(t, res.Close())
	res = fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: u, Version: res.Version}))(t)
	fetchtest.Equal(t, res.Unchanged, true)
	fetchtest.NoError(t, res.Close())
}

func upload(text string) *protocols.Upload {
	return &protocols.Upload{Body: strings.NewReader(text), Size: int64(len(text)), Modified: day}
}

// TestPut stores a file, asks before it replaces one, and keeps dates and modes.
func TestPut(t *testing.T) {
	s := startServer(t, nil)
	c := s.newKnownClient(t)
	u := fetchtest.Parse(t, s.url("/new.bin"))
	text := strings.Repeat("0123456789abcdef", 1<<18) + "end"
	up := upload(text)
	up.Mode = "600"
	fetchtest.NoError(t, c.Put(t.Context(), u, up))
	path := filepath.Join(s.dir, "new.bin")
	info := fetchtest.Must(os.Stat(path))(t)
	fetchtest.Equal(t, info.ModTime().Equal(day) && up.DateKept, true, "date")
	fetchtest.Equal(t, info.Mode().Perm(), 0o600)
	fetchtest.Equal(t, up.ModeKept, true)
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(path))(t)) == text, true, "the file is the same")

	q := fetchtest.As[*protocols.Confirm](t, c.Put(t.Context(), u, upload("other")))
	fetchtest.Equal(t, q.Consent, protocols.ConsentReplace)
	fetchtest.Equal(t, q.Details[0], fmt.Sprint(len(text), " octets"))
	up = upload("other")
	up.Replace = true
	old := fetchtest.Must(os.Open(path))(t)
	defer old.Close()
	fetchtest.NoError(t, c.Put(t.Context(), u, up))
	fetchtest.ReturnsText(t, "other")(os.ReadFile(path))
	fetchtest.Equal(t, fetchtest.Must(os.Stat(path))(t).Mode().Perm(), 0o600, "the mode of the replaced file")
	rest := fetchtest.Must(io.ReadAll(old))(t)
	fetchtest.Equal(t, string(rest) == text, true, "whoever reads the old file still has all of it")
	fetchtest.Equal(t, len(fetchtest.Must(os.ReadDir(s.dir))(t)), 1, "files in the directory")

	fetchtest.Reason(t, c.Put(t.Context(), fetchtest.Parse(t, s.url("/no/such")), upload("x")), protocols.Denied)
	fetchtest.Reason(t, c.Put(t.Context(), fetchtest.Parse(t, "sftp://joe@"+s.addr+filepath.Dir(s.dir)), upload("x")), protocols.BadURL)
}

// brokenReader fails after its text.
type brokenReader struct{ *bytes.Reader }

func (r brokenReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = errors.New("disk error")
	}
	return n, err
}

// TestPutResumed continues an interrupted upload of a new file, and one that replaces a file, which stays whole until the end.
func TestPutResumed(t *testing.T) {
	s := startServer(t, nil)
	c := s.newKnownClient(t)
	text := strings.Repeat("0123456789abcdef", 1<<14)
	for _, replaced := range []bool{false, true} {
		u := fetchtest.Parse(t, s.url(fmt.Sprint("/f", replaced)))
		path := filepath.Join(s.dir, fmt.Sprint("f", replaced))
		if replaced {
			fetchtest.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
		}
		up := upload(text)
		up.Replace, up.Body = true, brokenReader{bytes.NewReader([]byte(text[:100_000]))}
		fetchtest.Reason(t, c.Put(t.Context(), u, up), protocols.LocalFailure)
		if replaced {
			fetchtest.ReturnsText(t, "old", "after the interrupted upload")(os.ReadFile(path))
		}
		up.Body, up.Resume = strings.NewReader(text), true
		part := fetchtest.Must(os.Stat(filepath.Join(s.dir, readNames(t, s.dir)[0])))(t)
		fetchtest.NoError(t, c.Put(t.Context(), u, up))
		fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(path))(t)) == text, true, "the file is the same")
		fetchtest.Equal(t, os.SameFile(part, fetchtest.Must(os.Stat(path))(t)), true, "the part is continued")
	}
	other := upload(text + "more")
	other.Modified, other.Resume = time.Now().Add(-time.Hour*1e5), true
	fetchtest.NoError(t, os.WriteFile(filepath.Join(s.dir, "x"), []byte("something else"), 0o644))
	q := fetchtest.As[*protocols.Confirm](t, c.Put(t.Context(), fetchtest.Parse(t, s.url("/x")), other))
	fetchtest.Contains(t, q.Reason, "is not the beginning")
}

// TestPutContinuesOnlyTheFile continues files of unknown origin. A file that differs in any octet is not continued: gofer asks, or
// stores the whole file.
func TestPutContinuesOnlyTheFile(t *testing.T) {
	s := startServer(t, nil)
	c := s.newKnownClient(t)
	text := strings.Repeat("0123456789abcdef", 1<<19)
	u := fetchtest.Parse(t, s.url("/f"))
	resume := func(replace bool) error {
		up := upload(text)
		up.Replace, up.Resume, up.Modified = replace, true, day
		return c.Put(t.Context(), u, up)
	}
	const size = 7_000_001
	s.write(t, "f", text[:size])
	before := fetchtest.Must(os.Stat(s.dir + "/f"))(t)
	fetchtest.NoError(t, resume(false))
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(s.dir+"/f"))(t)) == text, true, "the file is the same")
	fetchtest.Equal(t, os.SameFile(before, fetchtest.Must(os.Stat(s.dir+"/f"))(t)), true, "it is continued")
	for _, at := range []int{100_000, size - 5000} {
		s.write(t, "f", text[:at]+"X"+text[at+1:size])
		fetchtest.Contains(t, fetchtest.As[*protocols.Confirm](t, resume(false)).Reason, "is not the beginning")
		fetchtest.NoError(t, resume(true))
		fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(s.dir+"/f"))(t)) == text, true, "the file is the same")
	}
	fetchtest.EqualSlices(t, readNames(t, s.dir), []string{"f"})
}

// TestChange makes each change of a directory.
func TestChange(t *testing.T) {
	s := startServer(t, nil)
	c := s.newKnownClient(t)
	s.write(t, "a", "a")
	s.write(t, "b", "b")
	do := func(change protocols.Change) (urlcore.URL, error) { return c.Change(t.Context(), &change) }
	at := func(path string) urlcore.URL { return fetchtest.Parse(t, s.url(path)) }

	made := fetchtest.Must(do(protocols.Change{Kind: protocols.MakeDirectory, URL: at("/"), Name: "d"}))(t)
	fetchtest.Equal(t, made.String(), s.url("/d;type=d"))
	_, err := do(protocols.Change{Kind: protocols.MakeDirectory, URL: at("/"), Name: "d"})
	fetchtest.Contains(t, err.Error(), "it already exists")

	_, err = do(protocols.Change{Kind: protocols.Rename, URL: at("/a"), Name: "b"})
	fetchtest.Equal(t, fetchtest.As[*protocols.Confirm](t, err).Consent, protocols.ConsentReplace)
	renamed := fetchtest.Must(do(protocols.Change{Kind: protocols.Rename, URL: at("/a"), Name: "b", Replace: true}))(t)
	fetchtest.Equal(t, renamed.String(), s.url("/b"))
	fetchtest.ReturnsText(t, "a")(os.ReadFile(s.dir + "/b"))
	moved := fetchtest.Must(do(protocols.Change{Kind: protocols.Rename, URL: at("/b"), Dir: made}))(t)
	fetchtest.Equal(t, moved.String(), s.url("/d/b"))
	_, err = do(protocols.Change{Kind: protocols.Rename, URL: moved, Dir: at("/none")})
	fetchtest.ErrorIs(t, err, protocols.ErrNoTarget)
	_, err = do(protocols.Change{Kind: protocols.Rename, URL: moved, Name: "../b"})
	fetchtest.Reason(t, err, protocols.BadURL)

	_, err = do(protocols.Change{Kind: protocols.Chmod, URL: moved, Mode: "4711"})
	fetchtest.NoError(t, err)
	_, err = do(protocols.Change{Kind: protocols.SetDate, URL: moved, Modified: day})
	fetchtest.NoError(t, err)
	info := fetchtest.Must(os.Stat(s.dir + "/d/b"))(t)
	fetchtest.Equal(t, info.Mode(), 0o711|os.ModeSetuid)
	fetchtest.Equal(t, info.ModTime().Equal(day), true, "date")

	_, err = do(protocols.Change{Kind: protocols.Remove, URL: made})
	fetchtest.Contains(t, err.Error(), "may not be empty")
	for _, u := range []urlcore.URL{moved, at("/d")} {
		_, err = do(protocols.Change{Kind: protocols.Remove, URL: u})
		fetchtest.NoError(t, err)
	}
	fetchtest.Equal(t, len(fetchtest.Must(os.ReadDir(s.dir))(t)), 0, "items left")
}
