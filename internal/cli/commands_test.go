package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gofer/history"
	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/ui"
)

// TestUsageErrors checks the exit codes and messages for wrong command lines.
func TestUsageErrors(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "a.txt")
	fetchtest.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	for _, tt := range []struct {
		args   string
		code   int
		stderr string
	}{
		{"get -o x gopher://h/ gopher://i/", 2, "-o names one file"},
		{"get --format json gopher://h/", 2, "--format json needs --recursive"},
		{"get -r --format xml gopher://h/", 2, `unknown format "xml"`},
		{"get -r -o - gopher://h/", 2, "-o - takes only documents"},
		{"get -n 0 gopher://h/", 2, "--parallel must be at least 1"},
		{"get --depth 0 gopher://h/", 2, "--depth must be at least 1"},
		{"get --wait -1s gopher://h/", 2, "--wait must be a duration"},
		{"get --limit-rate much gopher://h/", 2, `"much" is not a number of octets`},
		{"get --quota much gopher://h/", 2, `"much" is not a number of octets`},
		{"get -P FILE/x gopher://h/", 5, "a.txt"},
		{"get gopher://h:0x/ gopher://", 1, "gofer: gopher://h:0x/: "},
		{"put -y FILE FILE ftp://h/x", 2, "several files need a directory"},
		{"put -y - ftp://h/d/", 2, "standard input has no name"},
		{"put -y FILE.none ftp://h/x", 5, "a.txt.none"},
		{"put -y FILE ftp://", 1, "gofer: "},
		{"put FILE ftp://h/x", 2, "there is no terminal"},
		{"post gopher://", 1, "gofer: "},
		{"dump -f xml about:home", 2, `unknown format "xml"`},
		{"dump --charset klingon about:home", 2, "klingon"},
		{"config keys x", 2, "too many arguments: use gofer config keys"},
		{"url extract FILE.none", 5, "a.txt.none"},
		{"gohper", 2, "unknown command"},
		{"histroy", 2, "did you mean history?"},
		{"--plain gopher://", 1, "gofer: "},
		{"demo x", 2, "too many arguments: use gofer demo"},
		{"--panes .", 2, "--panes shows two pages: gofer LEFT RIGHT --panes"},
		{"--panes . .", 2, "--panes needs a terminal with a screen"},
		{"--panes . EMPTY", 2, "one of the two pages of --panes is empty"},
		{"--panes . -", 2, "standard input can be the left page"},
	} {
		args := strings.Fields(tt.args)
		for i := range args {
			args[i] = strings.NewReplacer("FILE", file, "EMPTY", "").Replace(args[i])
		}
		code, out, stderr := run(t, home, "", args...)
		if code != tt.code || out != "" || !strings.Contains(stderr, tt.stderr) {
			t.Errorf("gofer %s: exit %d, output %q, stderr %q; want %d, no output, %q", tt.args, code, out, stderr, tt.code, tt.stderr)
		}
	}
}

// TestCommandOutput checks the output of commands about settings, URLs and own pages.
func TestCommandOutput(t *testing.T) {
	home := homeWithVisits(t)
	if code, _, stderr := run(t, home, "", "bookmarks", "add", "ftp://b.example/x", "--title", "A hole"); code != 0 {
		t.Fatal(stderr)
	}
	ctx, visits := t.Context(), history.OpenStore(filepath.Join(home, ".local/share/gofer/history.sqlite"))
	fetchtest.Must(visits.NewLinks(ctx, fetchtest.Parse(t, "ftp://b.example/x"), []uint64{1}, time.Now()))(t)
	fetchtest.NoError(t, visits.Close())
	for _, tt := range []struct {
		args string
		code int
		want string // parts of the output, separated by "|"; "!" before parts that must be absent
	}{
		{"config --print", 0, "[search]|mouse"},
		{"config keys", 0, "\n[keys.page]\n|\"reload\""},
		{"dump about:history", 0, "Title <3>|Title <1>"},
		{"dump about:bookmarks", 0, "A hole"},
		{"dump about:new", 0, "You follow no page yet."},
		{"dump about:drafts", 0, "There are no drafts"},
		{"dump about:downloads", 0, "Nothing is being saved."},
		{"dump about:help", 0, "\nTabs\n|load the page again|upload a file or folder"},
		{"help keys", 0, "Keys\n\n|Down j |"},
		{"--restrict help ssh", 0, "SSH, tmux and slow connections\n"},
		{"help get", 0, "gofer get"},
		{"help", 0, "gofer help TOPIC"},
		{"help nothing", 2, ""},
		{"dump -f links about:manual", 0, "about:manual/urls\nabout:manual/keys\n"},
		{"dump about:manual/nothing", 4, ""},
		{"--restrict dump about:help", 0, "load the page again|!upload a file"},
		{"--restrict dump about:history", 0, "!Title"},
		{"dump about:explain?gopher://h:7000/0/x%2509y", 0, "h|7000|search"},
		{"--plain about:bookmarks", 0, "[1] Search the bookmarks|[2] A hole"},
		{"url explain gopher://h/1/x ftp://joe:secret@h/z", 0, "gopher://h/1/x\n\n|ftp://joe:****@h/z\n\n|!secret"},
		{"url explain --json ftp://joe:secret@h/x", 0, `"ok":true|!secret`},
	} {
		code, out, stderr := run(t, home, "", strings.Fields(tt.args)...)
		if code != tt.code {
			t.Errorf("gofer %s: exit %d, stderr %q, want %d", tt.args, code, stderr, tt.code)
		}
		for want := range strings.SplitSeq(tt.want, "|") {
			if text, not := strings.CutPrefix(want, "!"); strings.Contains(out, text) == not {
				t.Errorf("gofer %s printed\n%s\nwant %q", tt.args, out, want)
			}
		}
	}
}

// TestDemoServe checks that gofer demo --serve prints the URLs of the demo.
func TestDemoServe(t *testing.T) {
	var out strings.Builder
	p := testProgram(t.TempDir(), new(app.Setup))
	p.Out = &out
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := p.Run(ctx, []string{"demo", "--serve"}); code != 0 || strings.Count(out.String(), "\n") != 3 ||
		!strings.Contains(out.String(), fakeWorld{}.StartURL()+"\n") {
		t.Errorf("demo --serve: exit %d, output %q; want 0, three URLs", code, out.String())
	}
}

// TestPlainRecords checks with which flags --plain records visits, bookmarks and files.
func TestPlainRecords(t *testing.T) {
	for _, tt := range []struct {
		flag             string
		shown            string // parts of the output, separated by "|"
		visited, allowed bool
	}{
		{"--ascii", "Bookmarked.", true, true},
		{"--private", "Bookmarked.", false, true},
		{"--restrict", "Nothing is saved here.|No bookmarks are kept here.", false, false},
	} {
		l, out := &loginServer{received: "/"}, new(strings.Builder)
		p := loginProgram(t, l, "", 0)
		home := p.Getenv("HOME")
		saved := filepath.Join(home, "Downloads", "a.txt")
		p.In, p.Out, p.Err = strings.NewReader("d\na\n"), out, io.Discard
		if code := p.Run(t.Context(), []string{"--plain", tt.flag, "ftp://locked.example/a.txt"}); code != 0 {
			t.Errorf("--plain %s: exit %d, output\n%s", tt.flag, code, out)
		}
		for part := range strings.SplitSeq(tt.shown, "|") {
			if !strings.Contains(out.String(), part) {
				t.Errorf("--plain %s printed\n%s\nwant %q", tt.flag, out, part)
			}
		}
		_, visits, _ := run(t, home, "", "history")
		_, marks, _ := run(t, home, "", "bookmarks")
		_, err := os.Stat(saved)
		if (visits != "") != tt.visited || (marks != "") != tt.allowed || (err == nil) != tt.allowed {
			t.Errorf(
				"--plain %s: visits %q, want some: %v; bookmarks %q, file %v, want both: %v", tt.flag, visits,
				tt.visited, marks, err, tt.allowed,
			)
		}
	}
}

// TestReadOnly checks that put and post fail if the setting read_only is set.
func TestReadOnly(t *testing.T) {
	l := &loginServer{received: "/"}
	p := loginProgram(t, l, "", 0)
	settings := filepath.Join(p.Getenv("HOME"), ".config", "gofer", "config.toml")
	fetchtest.NoError(t, os.MkdirAll(filepath.Dir(settings), 0o700))
	fetchtest.NoError(t, os.WriteFile(settings, []byte("read_only = true\n"), 0o600))
	for _, args := range [][]string{{"put", "-y", settings, "ftp://h/x"}, {"put", "-y", "-", "ftp://h/x"}, {"post", "news:a.b"}} {
		stderr := new(strings.Builder)
		p.In, p.Err = strings.NewReader("text"), stderr
		if code := p.Run(t.Context(), args); code != exitRefused || !strings.Contains(stderr.String(), "read-only") || l.stored.Len() > 0 {
			t.Errorf(
				"gofer %q: exit %d, stderr %q, stored %q; want %d, read-only mode, nothing stored", args, code, stderr,
				l.stored.String(), exitRefused,
			)
		}
	}
}

// TestScreenRecords checks that the screen does not look up links before the first page is drawn,
// and that it records a visit even after the end of the context.
func TestScreenRecords(t *testing.T) {
	p := testProgram(t.TempDir(), new(app.Setup))
	st := p.openState(nil)
	defer st.Close()
	u := fetchtest.Parse(t, "gopher://a.example/1")
	started := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	o := st.ScreenOptions(t.Context(), p.screen(browseFlags{}, started))
	cancel()
	fetchtest.FailsWith(t, context.Canceled, "before the start")(o.Marks.Visited(ctx, []string{u.String()}))
	fetchtest.FailsWith(t, context.Canceled, "before the start")(o.Marks.NewLinks(ctx, u, []uint64{1}))
	fetchtest.NoError(t, o.Visit(ctx, u, u, "A"))
	close(started)
	urls := []string{u.String(), "gopher://b.example/1"}
	if got, err := o.Marks.Visited(t.Context(), urls); !slices.Equal(got, []bool{true, false}) || err != nil {
		t.Errorf("Visited after a visit = %v, %v; want true, false", got, err)
	}
	for _, want := range [][]uint64{nil, {2}} {
		if got, err := o.Marks.NewLinks(t.Context(), u, append([]uint64{1}, want...)); !slices.Equal(got, want) || err != nil {
			t.Errorf("NewLinks = %v, %v; want %v", got, err, want)
		}
	}
	fetchtest.Returns(t, "forgot 1 page", "forget")(o.Forget(ui.Selection{Host: "a.example"}))
	if got, err := o.Marks.Visited(t.Context(), urls); !slices.Equal(got, []bool{false, false}) || err != nil {
		t.Errorf("Visited after Forget = %v, %v; want false, false", got, err)
	}
	fetchtest.NoError(t, o.Charsets.Set(u, "a.example:70", "koi8-r"))
	if got, err := o.Charsets.All(); got["a.example:70"] != "koi8-r" || err != nil {
		t.Errorf("Charsets.All after Set = %v, %v; want koi8-r", got, err)
	}
}
