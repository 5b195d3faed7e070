package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/protocols/file"
)

// runWithFiles is like run, but the program can read files.
func runWithFiles(t *testing.T, home, in string, args ...string) (code int, out, stderr string) {
	t.Helper()
	var o, e strings.Builder
	p := programWithFiles(home)
	p.In, p.Out, p.Err = strings.NewReader(in), &o, &e
	code = p.Run(t.Context(), args)
	return code, o.String(), e.String()
}

func programWithFiles(home string) *Program {
	p := testProgram(home, new(app.Setup))
	p.Schemes = func(app.Setup) (protocols.Registry, func()) {
		return protocols.Registry{"file": new(file.Client)}, func() {}
	}
	return p
}

// TestFollow follows files, looks for their new entries, and lists these.
func TestFollow(t *testing.T) {
	home := t.TempDir()
	log, notes := filepath.Join(home, "log.gmi"), filepath.Join(home, "notes.txt")
	write := func(name, content string) {
		t.Helper()
		fetchtest.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	}
	want := func(wantCode int, wantOut, wantStderr, in string, args ...string) {
		t.Helper()
		code, out, stderr := runWithFiles(t, home, in, args...)
		out = strings.ReplaceAll(out, home, "/H")
		if code != wantCode || out != wantOut || !strings.Contains(stderr, wantStderr) {
			t.Errorf("%q: exit %d, output\n%s\nstderr %q\nwant %d\n%s\n%q", args, code, out, stderr, wantCode, wantOut, wantStderr)
		}
	}
	today := time.Now().UTC().Format(time.DateOnly)
	write(log, "=> a.gmi "+today+" First\n")
	write(notes, "one")
	want(1, "", "", "", "new")
	want(0, "", "following 2 more pages;", "", "follow", log, notes)
	want(0, "", "following 0 more pages, 1 followed already", "", "follow", log)
	want(0, "    0  never             file:///H/log.gmi\n    0  never             file:///H/notes.txt\n", "", "", "follow")
	want(0, "    1 new  file:///H/log.gmi\n2 pages read, 1 new entry\n", "", "", "refresh", "-v")
	want(0, today+"  First  file:///H/a.gmi\n", "", "", "new")
	write(log, "=> a.gmi "+today+" First\n=> b.gmi#part "+today+" Second\n")
	want(0, "0 pages read, 0 new entries, 2 left for later\n", "", "", "refresh", "-v", "--due")
	fetchtest.NoError(t, os.Remove(notes))
	want(4, "    1 new  file:///H/log.gmi\n1 page read, 1 new entry, 1 failed\n", "notes.txt: Could not open", "", "refresh", "-v")
	want(4, "", "notes.txt: Could not open", "", "refresh", notes)
	want(0, "file:///H/b.gmi#part\n", "", "", "new", "-f", "links", "-n", "1", "--mark-read")
	want(0, "file:///H/a.gmi\n", "", "", "new", "-f", "links")
	want(0, "", "", "", "unfollow", log)
	want(1, "", "", "", "new")
	want(1, "", "is not followed", "", "unfollow", log)
	want(1, "", "is not followed", "", "refresh", log)
	want(1, "", "mailto:a@b: mailto: such URLs lead to a program or a session", "", "follow", "mailto:a@b", log)
	want(0, "", "", "", "unfollow", log)
	want(1, "", "following 0 more pages, 1 refused", "telnet://a/\n", "follow", "--import", "-")
	want(1, "", "no feeds found in standard input", "garbage", "follow", "--import", "-")
	want(3, "", "offline", "", "refresh", "--offline")
	for _, args := range [][]string{{"new"}, {"follow", "news:a.b"}, {"refresh"}, {"unfollow", log}} {
		want(2, "", "disabled in restricted mode", "", append([]string{"--restrict"}, args...)...)
	}
	want(2, "", `unknown format "x"`, "", "new", "-f", "x")
	want(2, "", `unknown format "x"`, "", "follow", "-f", "x")
}

// TestFollowedAsOPML exchanges followed pages with feed readers.
func TestFollowedAsOPML(t *testing.T) {
	home := t.TempDir()
	const in = `<opml version="2.0"><body><outline text="News"><outline text="A &amp; B" type="rss" htmlUrl="http://a.example/" xmlUrl="http://a.example/rss"/>` +
		`<outline text="Hole" type="link" url="gopher://b.example/1"/><outline text="odd" xmlUrl="odd"/></outline></body></opml>`
	_, _, stderr := run(t, home, in, "follow", "--import", "-")
	fetchtest.Contains(t, stderr, "1 entry without a valid URL left out", "import")
	_, _, stderr = run(t, t.TempDir(), `<opml version="2.0"><body><outline text="F" xmlUrl="file:///etc/passwd"/></body></opml>`, "follow", "--import", "-")
	fetchtest.Contains(t, stderr, "follows a file of this machine: file:///etc/passwd", "import of a file")
	_, out, _ := run(t, home, "", "follow", "-f", "opml")
	fetchtest.Contains(t, out, `<outline text="A &amp; B" type="rss" xmlUrl="http://a.example/rss"/>`, "export")
	other := t.TempDir()
	run(t, other, out, "follow", "--import", "-")
	_, again, _ := run(t, other, "", "follow", "-f", "opml")
	fetchtest.Equal(t, again, out, "exported again")
}

// TestFollowGroup checks that a group is followed by subscribing to it, and that a list of pages is recognized.
func TestFollowGroup(t *testing.T) {
	home := t.TempDir()
	subscribed := func(want string) {
		t.Helper()
		fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(filepath.Join(home, ".newsrc-a.example")))(t)), want, "newsrc file")
	}
	run(t, home, "", "follow", "nntp://a.example/a.b")
	subscribed("a.b:\n")
	run(t, home, "", "unfollow", "nntp://a.example/a.b")
	subscribed("a.b!\n")
	list := filepath.Join(home, "list.opml")
	fetchtest.NoError(t, os.WriteFile(list, []byte("<opml/>"), 0o600))
	_, _, stderr := run(t, home, "", "follow", list)
	fetchtest.Contains(t, stderr, "gofer follow --import FILE", "hint")
}

// TestRefreshWaits checks that two programs do not look for new entries at the same time.
func TestRefreshWaits(t *testing.T) {
	home := t.TempDir()
	page := filepath.Join(home, "a.txt")
	fetchtest.NoError(t, os.WriteFile(page, []byte("a"), 0o600))
	run(t, home, "", "follow", page)
	runWithFiles(t, home, "", "refresh") // makes the folder
	var locks []string
	fetchtest.NoError(t, filepath.WalkDir(home, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".refresh.lock") {
			locks = append(locks, path)
		}
		return err
	}))
	if len(locks) != 1 {
		t.Fatalf("found the locks %q; want one", locks)
	}
	lock := fetchtest.Must(userfile.Lock(t.Context(), filepath.Join(filepath.Dir(locks[0]), "refresh")))(t)
	waits := &waitingWriter{waiting: func() { _ = lock.Unlock() }}
	p := programWithFiles(home)
	p.In, p.Out, p.Err = strings.NewReader(""), new(strings.Builder), waits
	fetchtest.Equal(t, p.Run(t.Context(), []string{"refresh"}), 0, "exit code")
	fetchtest.Contains(t, waits.String(), "waiting for another gofer", "messages")
}

// waitingWriter calls a function when something is written.
type waitingWriter struct {
	strings.Builder
	waiting func()
}

func (w *waitingWriter) Write(p []byte) (int, error) {
	w.waiting()
	return w.Builder.Write(p)
}
