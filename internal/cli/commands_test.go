package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/history"
	"gofer/internal/fetchtest"
)

// TestUsage checks the exit codes and messages of wrong command lines.
func TestUsage(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "a.txt")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args string
		code int
		told string
	}{
		{"get -o x gopher://h/ gopher://i/", 2, "-o names one file"},
		{"get --format json gopher://h/", 2, "--format json needs --recursive"},
		{"get -r --format xml gopher://h/", 2, `no format "xml"`},
		{"get -r -o - gopher://h/", 2, "cannot be written to standard output"},
		{"get -n 0 gopher://h/", 2, "-n and --depth are at least 1"},
		{"get --depth 0 gopher://h/", 2, "-n and --depth are at least 1"},
		{"get --wait -1s gopher://h/", 2, "--wait is a time"},
		{"get --limit-rate much gopher://h/", 2, `"much" is no number of octets`},
		{"get --quota much gopher://h/", 2, `"much" is no number of octets`},
		{"get -P FILE/x gopher://h/", 5, "a.txt"},
		{"get gopher://h:0x/ gopher://", 1, "gofer: gopher://h:0x/: "},
		{"put -y FILE FILE ftp://h/x", 2, "several files go into a directory"},
		{"put -y - ftp://h/d/", 2, "standard input has no name"},
		{"put -y FILE.none ftp://h/x", 5, "a.txt.none"},
		{"put -y FILE ftp://", 1, "gofer: "},
		{"put FILE ftp://h/x", 2, "no terminal to ask on"},
		{"post gopher://", 1, "gofer: "},
		{"dump -f xml about:home", 2, `no format "xml"`},
		{"dump --charset klingon about:home", 2, "klingon"},
		{"config keys x", 2, "unknown command"},
		{"url extract FILE.none", 5, "a.txt.none"},
		{"gohper", 2, "there is no command"},
		{"histroy", 2, "did you mean history?"},
		{"--plain gopher://", 1, "gofer: "},
		{"demo x", 2, "unknown command"},
	} {
		code, out, told := run(t, home, "", strings.Fields(strings.ReplaceAll(tt.args, "FILE", file))...)
		if code != tt.code || out != "" || !strings.Contains(told, tt.told) {
			t.Errorf("%s: exit %d, out %q, told %q; want %d, %q", tt.args, code, out, told, tt.code, tt.told)
		}
	}
}

// TestPrinted checks what commands print of the user's settings, URLs and own pages.
func TestPrinted(t *testing.T) {
	home := remembering(t)
	if code, _, told := run(t, home, "", "bookmarks", "add", "ftp://b.example/x", "--title", "A hole"); code != 0 {
		t.Fatal(told)
	}
	ctx, visits := t.Context(), history.OpenStore(filepath.Join(home, ".local/share/gofer/history.sqlite"))
	if _, err := visits.NewLinks(ctx, fetchtest.Parse(t, "ftp://b.example/x"), []uint64{1}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := visits.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args string
		code int
		want string // "|" between the parts
	}{
		{"config --print", 0, "[search]|mouse"},
		{"config keys", 0, "\n[keys.page]\n|\"reload\""},
		{"dump about:history", 0, "Title <3>|Title <1>"},
		{"dump about:bookmarks", 0, "A hole"},
		{"dump about:new", 4, "A hole  (b.example): |0 bookmarks compared, nothing new."},
		{"dump about:drafts", 0, "There are no drafts"},
		{"dump about:downloads", 0, "Nothing is being saved."},
		{"dump about:help", 0, "\nTabs\n|load the page again|store a file in the directory"},
		{"--restrict dump about:help", 0, "load the page again|!store a file"},
		{"--restrict dump about:history", 0, "!Title"},
		{"dump about:explain?gopher://h:7000/0/x%2509y", 0, "h|7000|search"},
		{"--plain about:bookmarks", 0, "[1] A hole"},
		{"url explain gopher://h/1/x ftp://joe:secret@h/z", 0, "gopher://h/1/x\n\n|ftp://joe:****@h/z\n\n|!secret"},
		{"url explain --json ftp://joe:secret@h/x", 0, `"ok":true|!secret`},
	} {
		code, out, told := run(t, home, "", strings.Fields(tt.args)...)
		if code != tt.code {
			t.Errorf("%s: exit %d, %q, want %d", tt.args, code, told, tt.code)
		}
		for want := range strings.SplitSeq(tt.want, "|") {
			if text, not := strings.CutPrefix(want, "!"); strings.Contains(out, text) == not {
				t.Errorf("%s: want %q in\n%s", tt.args, want, out)
			}
		}
	}
}

// TestServe prints the URLs of the demo until it is interrupted.
func TestServe(t *testing.T) {
	var out strings.Builder
	p := testProgram(t.TempDir(), new(Setup))
	p.Out = &out
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := p.Run(ctx, []string{"demo", "--serve"}); code != 0 || strings.Count(out.String(), "\n") != 3 || !strings.Contains(out.String(), fakeWorld{}.Start()+"\n") {
		t.Errorf("exit %d, printed %q", code, out.String())
	}
}
