package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gofer/history"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/syncstate"
	"gofer/urlcore"
)

// homeWith returns a home directory with settings and files. The map has the contents by path.
func homeWith(t *testing.T, files map[string]string) string {
	t.Helper()
	home := t.TempDir()
	writeFiles(t, home, map[string]string{".config/gofer/config.toml": "news_server = \"news.example\"\n"})
	writeFiles(t, home, files)
	return home
}

func writeFiles(t *testing.T, home string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(home, name)
		fetchtest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		fetchtest.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

func readFiles(t *testing.T, home string, names ...string) (text string) {
	t.Helper()
	for _, name := range names {
		text += string(fetchtest.Must(os.ReadFile(filepath.Join(home, name)))(t)) + "--\n"
	}
	return text
}

func checkSync(t *testing.T, home, dir string, wantCode int, wantOut, wantStderr string) {
	t.Helper()
	if code, out, stderr := run(t, home, "", "sync", dir); code != wantCode || out != wantOut || !strings.Contains(stderr, wantStderr) || (stderr == "") != (wantStderr == "") {
		t.Errorf("sync: exit %d, output\n%sstderr %q; want %d\n%s%q", code, out, stderr, wantCode, wantOut, wantStderr)
	}
}

// TestSyncKeepsFiles checks that sync preserves the octets of newsrc files of other newsreaders,
// and does not add groups again that a newsreader has removed.
func TestSyncKeepsFiles(t *testing.T) {
	samples := fetchtest.Must(filepath.Glob("../usenet/newsrc/testdata/*"))(t)
	if len(samples) < 4 {
		t.Fatalf("found %d newsrc files of other newsreaders, want at least 4", len(samples))
	}
	for _, sample := range samples {
		text := string(fetchtest.Must(os.ReadFile(sample))(t))
		dir, home := t.TempDir(), homeWith(t, map[string]string{".newsrc": text})
		other := homeWith(t, map[string]string{".newsrc": "new.group: 1-2\ntest.general: 1000\n"})
		for _, h := range []string{home, home, other} {
			run(t, h, "", "sync", dir)
		}
		fetchtest.Equal(t, readFiles(t, home, ".newsrc"), text+"--\n", "%s alone", sample)
		run(t, home, "", "sync", dir)
		want := ""
		for line := range strings.Lines(text + "new.group: 1-2\n") {
			if strings.HasPrefix(line, "test.general:") {
				line = strings.Replace(strings.TrimSuffix(line, "\n"), ": ,", ": ", 1) + ",1000\n"
			}
			want += line
		}
		fetchtest.Equal(t, readFiles(t, home, ".newsrc"), want+"--\n", sample)
		dropped := strings.Replace(want, "new.group: 1-2\n", "", 1)
		writeFiles(t, home, map[string]string{".newsrc": dropped})
		checkSync(t, home, dir, 0, "nothing new\n", "")
		fetchtest.Equal(t, readFiles(t, home, ".newsrc"), dropped+"--\n", "%s without a group", sample)
	}
}

// TestSyncPages checks that links seen on one machine are not new on another.
func TestSyncPages(t *testing.T) {
	dir, marked := t.TempDir(), urlcore.Gopher{HostPort: urlcore.HostPort{Host: "a.example"}, Type: '1'}
	files := map[string]string{".config/gofer/bookmarks.txt": "gopher://a.example/\n"}
	one, two := homeWith(t, files), homeWith(t, files)
	visit := func(home string, at time.Time, links ...uint64) {
		t.Helper()
		s := history.OpenStore(filepath.Join(home, ".local/share/gofer/history.sqlite"))
		defer s.Close()
		for _, u := range []urlcore.URL{marked, urlcore.Gopher{HostPort: urlcore.HostPort{Host: "private.example"}, Type: '1'}} {
			fetchtest.Must(s.NewLinks(t.Context(), u, links, at))(t)
		}
	}
	start := time.Now().Add(-5 * time.Hour)
	visit(one, start, 2, 4)
	visit(two, start.Add(time.Hour), 2)
	visit(one, start.Add(2*time.Hour), 2, 4, 6)
	for _, home := range []string{one, two, one, two} {
		run(t, home, "", "sync", dir)
	}
	s := history.OpenStore(filepath.Join(two, ".local/share/gofer/history.sqlite"))
	defer s.Close()
	if n, known, err := s.CountNew(t.Context(), marked, []uint64{2, 4, 6, 8}); n != 1 || !known || err != nil {
		t.Errorf("CountNew = %d, %v, %v; want 1, true", n, known, err)
	}
	for _, file := range fetchtest.Must(filepath.Glob(dir + "/*.gofer"))(t) {
		if text := readFiles(t, "", file); strings.Contains(text, "private.example") || !strings.Contains(text, `"page"`) {
			t.Errorf("%s has the text\n%s\nwant \"page\" without private.example", file, text)
		}
	}
}

// endingContext is a context that ends after a number of calls of Err.
type endingContext struct {
	context.Context
	left atomic.Int32
}

func newEndingContext(ctx context.Context, n int) *endingContext {
	c := &endingContext{Context: ctx}
	c.left.Store(int32(n))
	return c
}

func (c *endingContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

var mergedFiles = []string{".newsrc", ".config/gofer/bookmarks.txt", ".score"}

func twoMachines(t *testing.T) (dir, one, two string) {
	dir = t.TempDir()
	one = homeWith(t, map[string]string{".newsrc": "a.b: 1-5\n", mergedFiles[1]: "gopher://a.example/1 A\ngopher://b.example/1\n", ".score": "[a]\n  Score: 1\n  From: a\n"})
	two = homeWith(t, map[string]string{".newsrc": "a.b! 7\n", mergedFiles[1]: "gopher://c.example/1 C\n", ".score": "[a]\n  Score: 2\n  From: b\n"})
	for _, home := range []string{one, two, one} {
		run(t, home, "", "sync", dir)
	}
	at := time.Now().Add(-time.Hour)
	writeFiles(t, one, map[string]string{".newsrc": "a.b: 1-2,4-5,7-9\n", mergedFiles[1]: "gopher://b.example/1 changed\ngopher://c.example/1 C\n", ".score": "[a]\n  Score: 2\n  From: b\n"})
	writeFiles(t, two, map[string]string{".newsrc": "a.b: 1-5,7,20\n", mergedFiles[1]: "## x\ngopher://a.example/1 A\n## y\ngopher://c.example/1 C\ngopher://b.example/1\n"})
	fetchtest.NoError(t, os.Chtimes(filepath.Join(two, mergedFiles[1]), at, at))
	return dir, one, two
}

// TestSyncInterrupted interrupts syncs of two machines at each check of the context, and checks that the
// next syncs give the same result as without the interruption.
func TestSyncInterrupted(t *testing.T) {
	want := ""
	for n := 0; ; n++ {
		dir, one, two := twoMachines(t)
		ended := 0
		if n > 0 {
			for _, home := range []string{one, two} {
				p := testProgram(home, new(Setup))
				st := p.openState(nil)
				if err := (&syncer{st: st}).sync(newEndingContext(t.Context(), n-1), dir); err != nil {
					ended++
				}
				st.close()
				writeFiles(t, dir, map[string]string{"." + "half.gofer.123": "x"})
			}
		}
		for _, home := range []string{one, two, one} {
			run(t, home, "", "sync", dir)
		}
		got := readFiles(t, one, mergedFiles...)
		for _, text := range []string{"a.b: 1-2,4-5,7-9,20\n", "gopher://b.example/1 changed\n", "Score: 2"} {
			if !strings.Contains(got, text) {
				t.Fatalf("interrupted at %d: the merged files lack %q:\n%s", n, text, got)
			}
		}
		if strings.Contains(got, "Score: 1") || strings.Contains(got, "a.example") || n > 0 && got != want {
			t.Fatalf("interrupted at %d: got\n%s\nwant\n%s", n, got, want)
		}
		if want = got; n > 0 && ended == 0 {
			if n < 8 {
				t.Errorf("a sync checks its context %d times, want at least 8", n)
			}
			return
		}
	}
}

// TestSyncLeavesOut checks that an unusable file is listed as left out, and that it is merged when it is
// usable again.
func TestSyncLeavesOut(t *testing.T) {
	for _, name := range append([]string{".local/share/gofer/history.sqlite"}, mergedFiles...) {
		dir, one, two := twoMachines(t)
		path := filepath.Join(two, name)
		_ = os.Rename(path, path+".away")
		fetchtest.NoError(t, os.MkdirAll(path, 0o700))
		for _, home := range []string{one, two} {
			code, _, stderr := run(t, home, "", "sync", dir)
			if want := home == two; (code == 4) != want || strings.Contains(stderr, "left out: ") != want {
				t.Errorf("sync while %s is a directory: exit %d, stderr %q; want something left out: %v", name, code, stderr, want)
			}
		}
		fetchtest.NoError(t, os.Remove(path))
		_ = os.Rename(path+".away", path)
		for _, home := range []string{two, one, two} {
			if code, _, stderr := run(t, home, "", "sync", dir); code != 0 {
				t.Errorf("sync after %s is usable again: exit %d, stderr %q", name, code, stderr)
			}
		}
		if got := readFiles(t, two, mergedFiles...); !strings.Contains(got, "a.b: 1-2,4-5,7-9,20\n") || !strings.Contains(got, "b.example/1 changed\n") || strings.Contains(got, "Score: 1") {
			t.Errorf("after %s is usable again, the merged files have the text\n%s\nwant the changes of both machines", name, got)
		}
	}
}

// TestSyncConcurrent checks that concurrent syncs, also of the same machine, lose nothing.
func TestSyncConcurrent(t *testing.T) {
	dir, one, two := twoMachines(t)
	var runs sync.WaitGroup
	for range 4 {
		for _, home := range []string{one, two} {
			runs.Go(func() {
				if code, _, stderr := run(t, home, "", "sync", dir); code != 0 {
					t.Errorf("a concurrent sync: exit %d, stderr %q", code, stderr)
				}
			})
		}
	}
	runs.Wait()
	for _, home := range []string{one, two, one, two} {
		run(t, home, "", "sync", dir)
	}
	if got, want := readFiles(t, one, ".newsrc"), "a.b: 1-2,4-5,7-9,20\n--\n"; got != want || readFiles(t, two, ".newsrc") != want {
		t.Errorf("the newsrc files are %q and %q, want %q", got, readFiles(t, two, ".newsrc"), want)
	}
	fetchtest.Equal(t, len(fetchtest.Must(os.ReadDir(dir))(t)), 2, "files in the folder")
}

// TestSyncHostile checks that hostile or damaged files in the folder do no harm.
func TestSyncHostile(t *testing.T) {
	dir, home := t.TempDir(), homeWith(t, map[string]string{".newsrc": "a.b: 1\n", ".netrc": "machine x password secret\n"})
	huge := filepath.Join(dir, "huge.gofer")
	writeFiles(t, dir, map[string]string{
		"huge.gofer": "", "a-1.gofer": "", "notes.txt": "mine", "other.gofer.bak": "x", "x/y.gofer": "x",
		"evil.gofer": string(fetchtest.Must(json.Marshal(syncstate.State{
			"newsrc ../../x:119":      {"a.b": {Stamp: 1, Value: ":"}},
			"newsrc evil.example:119": {"\x1b[2Ja": {Stamp: 1, Value: ":"}},
			syncstate.Rule:            {"include /etc/passwd\n": {Stamp: 1, Value: "+"}},
			syncstate.Bookmark:        {"gopher://a.example/1": {Stamp: 1 << 62, Value: "\x1b[31m\tti\x1btle\u202e"}},
			"newsrc news.example:119": {"far.group": {Stamp: 1 << 62, Value: ":"}},
			"later kind":              {"x": {Stamp: 1, Value: "of a newer version"}},
		}))(t)),
		"half.gofer": "{\"rule\":",
	})
	fetchtest.NoError(t, os.Truncate(huge, maxSyncFile+1))
	fetchtest.NoError(t, os.Symlink(filepath.Join(home, ".netrc"), filepath.Join(dir, "link.gofer")))
	fetchtest.NoError(t, os.Mkdir(filepath.Join(dir, "dir.gofer"), 0o700))
	code, _, stderr := run(t, home, "", "sync", dir)
	for _, name := range []string{"huge.gofer: ", "a-1.gofer: damaged or incomplete", "half.gofer: damaged or incomplete", "link.gofer: damaged or incomplete", "dir.gofer: damaged or incomplete"} {
		if !strings.Contains(stderr, "gofer: left out: "+name) {
			t.Errorf("stderr does not list %q: %q", name, stderr)
		}
	}
	if code != 4 || strings.Count(stderr, "\n") != 5 || strings.Contains(stderr, "secret") || strings.Contains(stderr, "\x1b") {
		t.Errorf("exit %d, stderr %q; want 4, and 5 lines without a secret or an ESC", code, stderr)
	}
	fetchtest.Equal(t, readFiles(t, home, ".newsrc", ".config/gofer/bookmarks.txt"), "a.b: 1\nfar.group:\n--\n## [31m\ngopher://a.example/1 title\n--\n")
	if files := fetchtest.Must(filepath.Glob(home + "/.newsrc-*"))(t); len(files) > 0 {
		t.Errorf("sync created %q", files)
	}
	own := fetchtest.Must(filepath.Glob(dir + "/*-*.gofer"))(t)
	if text := readFiles(t, "", own...); !strings.Contains(text, "of a newer version") || strings.Contains(text, "passwd") {
		t.Errorf("%q have the text\n%s\nwant the entry of a newer version, and no passwd", own, text)
	}
	for _, file := range fetchtest.Must(os.ReadDir(dir))(t) {
		if fi, err := file.Info(); err == nil && strings.Count(file.Name(), "-") > 1 && fi.Mode() != 0o600 {
			t.Errorf("%s has the mode %v, want 0600", file.Name(), fi.Mode())
		}
	}
	writeFiles(t, home, map[string]string{".newsrc": "far.group!\n", ".config/gofer/config.toml": fmt.Sprintf("news_server = %q\n", "other.example")})
	if _, _, stderr := run(t, home, "", "sync", dir); !strings.Contains(stderr, "left out: newsrc other.example:119: ") || !strings.Contains(stderr, "merged as the file of newsrc news.example:119 before") {
		t.Errorf("sync with the newsrc file of another server: stderr %q, want the file left out", stderr)
	}
	fetchtest.Equal(t, readFiles(t, home, ".newsrc"), "far.group!\n--\n")
}
