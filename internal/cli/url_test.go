package cli

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/internal/app"
	"gofer/internal/cli/urlbatch"
	"gofer/protocols"
)

// runURL runs gofer url with args. The parameters in and out are its standard input and output.
func runURL(t testing.TB, in io.Reader, out io.Writer, args ...string) (code int, stderr string) {
	t.Helper()
	var messages strings.Builder
	p := &Program{Start: app.Start{Err: &messages, Getenv: func(string) string { return "" }}, In: in, Out: out}
	code = p.Run(t.Context(), append([]string{"url"}, args...))
	return code, messages.String()
}

func TestURLLines(t *testing.T) {
	long := "gopher://h.example/0" + strings.Repeat("a", 200<<10)
	tooLong := strings.Repeat("x", urlbatch.MaxLine+1)
	for _, test := range []struct {
		in, out string
		code    int
		stderr  string
	}{
		{"", "", 0, ""},
		{"\n\r\n\n", "", 0, ""},
		{"NEWS:a.b", "news:a.b\n", 0, ""},
		{"NEWS:a.b\r\nNEWS:c.d\r\n", "news:a.b\nnews:c.d\n", 0, ""},
		{"\uFEFFNEWS:a.b\n\uFEFFnews:c.d\n", "news:a.b\n", 1, "line 2"},
		{"news:a.b\r", "", 1, "line 1"},
		{long + "\n" + long, long + "\n" + long + "\n", 0, ""},
		{tooLong + "\nNEWS:a.b\n", "news:a.b\n", 1, "line 1: the line is too long"},
		{"news:a.b\n" + tooLong, "news:a.b\n", 1, "line 2: the line is too long"},
		{"\n\nx\n", "", 1, "line 3"},
	} {
		var out strings.Builder
		code, stderr := runURL(t, strings.NewReader(test.in), &out, "canon")
		if code != test.code || out.String() != test.out || !strings.Contains(stderr, test.stderr) || (test.stderr == "") != (stderr == "") {
			t.Errorf("%.20q (%d octets): code %d, %d octets out %.40q, stderr %.60q; want %d, %.40q, %q",
				test.in, len(test.in), code, out.Len(), out.String(), stderr, test.code, test.out, test.stderr)
		}
	}
}

// fullDisk is a Writer that always fails.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestURLFailures(t *testing.T) {
	broken := iotest.ErrReader(errors.New("disk on fire"))
	question := `{"input":"news:a"}` + "\n"
	for _, args := range [][]string{{"parse"}, {"canon"}, {"canon", "--json"}, {"extract"}, {"batch"}, {"resolve", "news:a"}} {
		code, stderr := runURL(t, broken, io.Discard, args...)
		if code != 5 || !strings.Contains(stderr, "disk on fire") {
			t.Errorf("url %q with a broken input: exit %d, stderr %q; want 5, the error", args, code, stderr)
		}
		in := "news:a.b\n"
		if args[0] == "batch" {
			in = question
		}
		code, stderr = runURL(t, strings.NewReader(in), fullDisk{}, args...)
		if code != 5 || !strings.Contains(stderr, "no room") {
			t.Errorf("url %q on a full disk: exit %d, stderr %q; want 5, the error", args, code, stderr)
		}
	}
}

func TestEncodeEscapesControls(t *testing.T) {
	hostile := "news:\u009b2J\u202e\u200b\U000e0041<é>\x7f\xff\x1b"
	var out strings.Builder
	code, _ := runURL(t, nil, &out, "parse", "--json", hostile)
	for _, c := range strings.TrimSuffix(out.String(), "\n") {
		if c < ' ' || c == 0x7f || c >= 0x80 && c != 'é' && c != '\ufffd' {
			t.Errorf("url parse --json printed %U in %q, want an escape", c, out.String())
		}
	}
	var a struct{ Input string }
	if err := json.Unmarshal([]byte(out.String()), &a); err != nil || a.Input != strings.ToValidUTF8(hostile, "\ufffd") || code != 1 {
		t.Errorf("code %d, read back %q, %v; want %q", code, a.Input, err, hostile)
	}
}

// TestParseParts checks that gofer url parse prints a line for each part, with the port and without
// passwords.
func TestParseParts(t *testing.T) {
	for in, want := range map[string]string{
		"ftp://j:hush@h/%2Fa//b;type=d": "canonical: ftp://j:****@h/%2Fa//b;type=d|scheme: ftp|user: j|password: ****|host: " +
			"h|port: 21|cwd: /a|cwd:|name: b|typecode: d|warning: password",
		"gopher://[::1]:7070/7a%09b#x": "canonical: gopher://[::1]:7070/7a%09b|scheme: gopher|host: ::1|port: 7070|gophertype: " +
			"7|selector: a|search: b|fragment: x|warning: nondefault-port",
		"news:a.b":     "canonical: news:a.b|scheme: news|newsgroup-name: a.b",
		"snews://h/*":  "canonical: snews://h/*|scheme: snews|host: h|port: 563|newsgroup-name: *|warning: not-1738",
		"news://h/a.b": "canonical: nntp://h/a.b|scheme: nntp|host: h|port: 119|newsgroup-name: a.b|warning: not-1738",
		"file:///a":    "canonical: file:///a|scheme: file|host:|name: a",
		"x-y://h:1/a":  "canonical: x-y://h:1/a|scheme: x-y|host: h|port: 1|url-path: /a",
		"x-y://h/a":    "canonical: x-y://h/a|scheme: x-y|host: h|url-path: /a",
		"x-y:a":        "canonical: x-y:a|scheme: x-y|schemepart: a",
	} {
		var out strings.Builder
		code, stderr := runURL(t, nil, &out, "parse", in)
		if got := strings.ReplaceAll(strings.TrimSpace(out.String()), "\n", "|"); got != want || code != 0 || stderr != "" {
			t.Errorf("%s: code %d, stderr %q\n got %s\nwant %s", in, code, stderr, got, want)
		}
	}
}

func TestDialectFlag(t *testing.T) {
	var d dialectFlag
	for _, name := range []string{"1993-07", "1993-10", "1994-03", "1738"} {
		if err := d.Set(name); err != nil || d.String() != name {
			t.Errorf("Set(%q) = %v, then String = %q", name, err, d.String())
		}
	}
	for _, name := range []string{"", "1492", "RFC1738"} {
		if err := d.Set(name); err == nil {
			t.Errorf("Set(%q) returned no error", name)
		}
	}
}

// TestRefusedPassword passes refused URLs with a password to many commands, and checks that the
// password is not printed.
func TestRefusedPassword(t *testing.T) {
	for _, in := range []string{
		"ftp:joe:hush@h/", "ftp:///joe:hush@h/", "FTP:joe:hush@h/", "ftp://joe:hush@a$b/", "ftp://joe:hu/sh@h/", "ftp://joe:hu@sh@a$b/",
		"URL:ftp:joe:hush@h/", "<URL:ftp:joe:hush@h/>", "//joe:hush@a$b/%", "ftp://joe:hush%40a$b/", "ftp://joe%3Ahush@a$b/",
		"ftp://joe:hu sh@h/", "ftp://joe:hu\x01sh@h/", `ftp://joe:"hush"@h/`, "news:joe:hush@h x", "nntp://joe:hush@h/a.b", "news://joe:hush@h/",
		"mailto:joe:hush@h", "sftp://joe:hush@a$b/",
	} {
		for _, args := range [][]string{
			{in},
			{"dump", in},
			{"get", in},
			{"demo", in},
			{"url", in},
			{"url", "parse", in},
			{"url", "canon", in},
			{"url", "explain", in},
			{"url", "resolve", in},
			{"url", "resolve", "http://h/", in + "%"},
			{"url", "extract", in},
			{"url", "batch", in},
			{"url", "canon", "--news-host=" + in, "x"},
			{"url", "canon", "--news-host", in, "x"},
			{"url", "explain", "--json", in},
		} {
			var out, stderr strings.Builder
			p := &Program{
				Out: &out,
				Start: app.Start{Err: &stderr, Getenv: func(string) string { return "" }, Schemes: func(app.Setup) (protocols.Registry, func()) {
					return nil, func() {}
				}},
			}
			code := p.Run(t.Context(), args)
			if text := stderr.String() + out.String(); code == 0 || text == "" || strings.Contains(text, "hu") || strings.Contains(text, "sh@") {
				t.Errorf("gofer %q: exit %d, stderr %q, output %q; want an error without the password", args, code, stderr.String(), out.String())
			}
		}
	}
}
