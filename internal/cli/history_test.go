package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/history"
	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
)

// homeWithVisits returns a new home directory whose history has three visits.
func homeWithVisits(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	s := history.OpenStore(filepath.Join(home, ".local/share/gofer/history.sqlite"))
	at := time.Date(2026, 11, 21, 23, 30, 0, 0, time.Local)
	for i, u := range []string{"gopher://a.example/1", "ftp://b.example/x", "gopher://a.example/0/t"} {
		fetchtest.NoError(t, s.Visit(t.Context(), mustParse(t, u), "Title <"+string(rune('1'+i))+">", at.Add(time.Duration(i)*time.Hour)))
	}
	fetchtest.NoError(t, s.Close())
	return home
}

// run runs gofer with args and returns its exit code and output.
func run(t *testing.T, home, in string, args ...string) (code int, out, stderr string) {
	t.Helper()
	var o, e strings.Builder
	p := testProgram(home, new(app.Setup))
	p.In, p.Out, p.Err = strings.NewReader(in), &o, &e
	code = p.Run(t.Context(), args)
	return code, o.String(), e.String()
}

func TestHistoryCommand(t *testing.T) {
	home := homeWithVisits(t)
	const all = "2026-11-22 01:30  gopher://a.example/0/t  Title <3>\n" +
		"2026-11-22 00:30  ftp://b.example/x  Title <2>\n" +
		"2026-11-21 23:30  gopher://a.example/1  Title <1>\n"
	last := time.Date(2026, 11, 22, 0, 30, 0, 0, time.Local).UTC().Format(time.RFC3339)
	for _, tt := range []struct {
		args string
		code int
		out  string
	}{
		{"history", 0, all},
		{"history TITLE example", 0, all},
		{"history B.example", 0, "2026-11-22 00:30  ftp://b.example/x  Title <2>\n"},
		{"history nothing", 0, ""},
		{
			"history -f json b.example", 0,
			`{"url":"ftp://b.example/x","title":"Title <2>","first":"` + last + `","last":"` + last + `","count":1}` + "\n",
		},
		{"history --format links", 2, ""},
	} {
		if code, out, stderr := run(t, home, "", strings.Fields(tt.args)...); code != tt.code || out != tt.out || (stderr != "") != (code != 0) {
			t.Errorf("%s: exit %d, stderr %q, output\n%s\nwant %d\n%s", tt.args, code, stderr, out, tt.code, tt.out)
		}
	}
}

func TestForgetCommand(t *testing.T) {
	for _, tt := range []struct {
		args   string
		code   int
		stderr string
		left   int
	}{
		{"gopher://a.example", 0, "gofer: forgot 1 page\n", 2},
		{"gopher://c.example/1", 0, "gofer: nothing to forget: no such visit\n", 3},
		{"--host A.example", 0, "gofer: forgot 2 pages\n", 1},
		{"--day 2026-11-22", 0, "gofer: forgot 2 pages\n", 1},
		{"--all --force", 0, "gofer: forgot 3 pages\n", 0},
		{"--all", 2, "--all asks first", 3},
		{"", 2, "forget needs exactly one of", 3},
		{"--all --host a.example", 2, "forget needs exactly one of", 3},
		{"gopher://a.example --all", 2, "forget needs exactly one of", 3},
		{"--day yesterday", 2, `"yesterday" is not a date`, 3},
		{"gopher://a.example:99999/", 1, "gopher://a.example:99999/", 3},
		{"a b", 2, "too many arguments: use gofer history forget", 3},
	} {
		home := homeWithVisits(t)
		code, _, stderr := run(t, home, "y\n", append([]string{"history", "forget"}, strings.Fields(tt.args)...)...)
		if code != tt.code || !strings.Contains(stderr, tt.stderr) {
			t.Errorf("forget %s: exit %d, stderr %q; want %d, %q", tt.args, code, stderr, tt.code, tt.stderr)
		}
		if _, out, _ := run(t, home, "", "history"); strings.Count(out, "\n") != tt.left {
			t.Errorf("forget %s: the remaining visits are\n%s\nwant %d", tt.args, out, tt.left)
		}
	}
}

// TestForgetListsDamaged checks that history forget lists damaged histories that it does not remove.
func TestForgetListsDamaged(t *testing.T) {
	home := homeWithVisits(t)
	damaged := filepath.Join(home, ".local/share/gofer/history.sqlite.damaged")
	fetchtest.NoError(t, os.WriteFile(damaged, nil, 0o600))
	if _, _, stderr := run(t, home, "", "history", "forget", "--all", "-f"); stderr != "gofer: forgot 3 pages; damaged histories remain: "+
		damaged+"\n" {
		t.Errorf("forget --all: stderr %q, want the path %s", stderr, damaged)
	}
}

func TestConfirm(t *testing.T) {
	for in, want := range map[string]bool{"y\n": true, "Yes\r\n": true, "y": true, "": false, "\n": false, "n\n": false, "yy\n": false} {
		fetchtest.Equal(t, confirm(strings.NewReader(in), io.Discard, "?"), want, "confirm(%q)", in)
	}
}

func TestHistoryReportsDamage(t *testing.T) {
	home := homeWithVisits(t)
	path := filepath.Join(home, ".local/share/gofer/history.sqlite")
	fetchtest.NoError(t, os.WriteFile(path, []byte(strings.Repeat("no database", 100)), 0o600))
	code, out, stderr := run(t, home, "", "history")
	if code != 0 || out != "" || stderr != "gofer: the history was damaged: a new one was created, the old one is "+path+".damaged\n" {
		t.Errorf("history: exit %d, output %q, stderr %q; want 0, no output and the path of the damaged history", code, out, stderr)
	}
}

// TestSearchCommand searches in the remembered text of pages.
func TestSearchCommand(t *testing.T) {
	home := homeWithVisits(t)
	s := history.OpenStore(filepath.Join(home, ".local/share/gofer/history.sqlite"))
	for u, text := range map[string]string{"gopher://a.example/0/t": "The quick\nbrown \x1bfox\n", "ftp://b.example/x": "a brown dog"} {
		fetchtest.NoError(t, s.KeepText(t.Context(), mustParse(t, u), text, time.Now()))
	}
	fetchtest.NoError(t, s.Close())
	const fox = "2026-11-22 01:30  gopher://a.example/0/t  Title <3>\n    brown fox\n"
	last := time.Date(2026, 11, 22, 1, 30, 0, 0, time.Local).UTC().Format(time.RFC3339)
	off := "gofer: the text of pages is not remembered: the setting remember_text turns it on\n"
	for _, tt := range []struct {
		args        string
		code        int
		out, stderr string
	}{
		{"search BROWN fo", 0, fox, ""},
		{"search -- brown -dog", 0, fox, ""},
		{"search -f links brown -- -fox", 0, "ftp://b.example/x\n", ""},
		{
			"search -f json quick", 0,
			`{"url":"gopher://a.example/0/t","title":"Title <3>","line":"The quick","first":"` + last + `","last":"` + last + `","count":1}` + "\n", "",
		},
		{"search nothing", 1, "", off},
		{"search -f xml fox", 2, "", `unknown format "xml": use text, json or links`},
		{"search", 2, "", "missing arguments: use gofer search"},
		{"--restrict search fox", 2, "", "restricted mode"},
	} {
		code, out, stderr := run(t, home, "", strings.Fields(tt.args)...)
		if code != tt.code || out != tt.out || !strings.Contains(stderr, tt.stderr) || (stderr != "") != (tt.stderr != "") {
			t.Errorf("%s: exit %d, stderr %q, output\n%s\nwant %d, %q\n%s", tt.args, code, stderr, out, tt.code, tt.stderr, tt.out)
		}
	}
	run(t, home, "", "history", "forget", "--host", "a.example")
	if code, out, _ := run(t, home, "", "search", "quick"); code != 1 || out != "" {
		t.Errorf("after the host was forgotten: exit %d, output %q", code, out)
	}
}
