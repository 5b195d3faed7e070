package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/protocols"
	"gofer/urlcore"
)

// partialServer is an FTP server whose directory has one good file. The other items fail with the
// reason in their names.
type partialServer struct {
	t     *testing.T
	names []string
}

func (f partialServer) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	u := req.URL
	name := u.(urlcore.FTP).Name()
	fail := func(r protocols.Reason, text string) (*protocols.Resource, error) {
		return nil, &protocols.Error{Reason: r, Op: "open " + name, Text: text}
	}
	switch {
	case strings.HasPrefix(name, "denied"):
		return fail(protocols.Denied, "550 No\x1b[2J way")
	case strings.HasPrefix(name, "gone"):
		return fail(protocols.NotFound, "")
	case strings.HasPrefix(name, "broken"):
		return fail(protocols.Broken, "")
	case name != "d":
		return &protocols.Resource{Head: protocols.Head{URL: u, Size: 4}, Body: strings.NewReader("good"), Closer: io.NopCloser(nil)}, nil
	}
	return &protocols.Resource{
		Head: protocols.Head{URL: u, Layout: protocols.LayoutDirectory, Size: -1}, Closer: io.NopCloser(nil),
		Lines: func(yield func(protocols.Line, error) bool) {
			for _, name := range append(f.names, "good") {
				line := protocols.Line{Kind: protocols.Binary, Text: name, Note: &protocols.FileNote{Size: -1}}
				typ := byte(0)
				if strings.HasSuffix(name, "dir") {
					line.Kind, typ = protocols.Directory, 'd'
				}
				to, err := urlcore.NewFTP(u.(urlcore.FTP).Server, []string{"d"}, name, typ)
				if err != nil {
					f.t.Fatal(err)
				}
				if line.Link = to; !yield(line, nil) {
					return
				}
			}
		},
	}, nil
}

// TestGetListsLeftOut checks that get -r lists each item that it does not save, one a line, and
// that the exit code is then not 0.
func TestGetListsLeftOut(t *testing.T) {
	denied := "denied-dir: Could not open denied-dir: permission denied by the server (the server said \"550 No␛[2J way\")"
	for _, tt := range []struct {
		name  string
		names []string
		left  []string
		json  string
		code  int
	}{
		{"nothing", nil, nil, "", 0},
		{
			"a directory",
			[]string{"denied-dir"},
			[]string{denied},
			`{"url":"ftp://ann@ftp.example/d/denied-dir;type=d","path":"denied-dir","reason":"permission denied by the server","error":"Could not open denied-dir: permission denied by the server (the server said \"550 No␛[2J way\")","exit":4}` +
				"\n",
			4,
		},
		{
			"the network",
			[]string{"broken"},
			[]string{"broken: Could not open broken: connection lost"},
			`{"url":"ftp://ann@ftp.example/d/broken","path":"broken","reason":"connection lost","error":"Could not open broken: connection lost","exit":3}` +
				"\n",
			3,
		},
		{"both", []string{"broken", "denied-dir", "gone"}, []string{denied, "broken: ", "gone: Could not open gone: not found"}, "", 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, asJSON := range []bool{false, true} {
				p := testProgram(t.TempDir(), new(app.Setup))
				p.Schemes = func(app.Setup) (protocols.Registry, func()) {
					return protocols.Registry{"ftp": partialServer{t, tt.names}}, func() {}
				}
				dir := t.TempDir()
				var out, stderr strings.Builder
				p.In, p.Out, p.Err = strings.NewReader(""), &out, &stderr
				args := []string{"get", "-r", "-y", "--tries", "1", "-P", dir, "ftp://ann:secret@ftp.example/d;type=d"}
				if asJSON {
					args = append(args, "--format", "json")
				}
				if code := p.Run(t.Context(), args); code != tt.code {
					t.Errorf("exit code %d, want %d: %s", code, tt.code, stderr.String())
				}
				if b, err := os.ReadFile(filepath.Join(dir, "d", "good")); string(b) != "good" {
					t.Errorf("the good file has the text %q, %v; want %q", b, err, "good")
				}
				if s := out.String() + stderr.String(); strings.ContainsAny(s, "\x1b") || strings.Contains(s, "secret") {
					t.Errorf("printed %q, want no password and no ESC", s)
				}
				if asJSON {
					checkObjects(t, out.String(), tt.json, len(tt.left))
					continue
				}
				lines := strings.Split(stderr.String(), "\n")
				for _, want := range tt.left {
					if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  not saved: "+want) }) {
						t.Errorf("stderr does not list %q:\n%s", want, stderr.String())
					}
				}
				if n := strings.Count(stderr.String(), "  not saved: "); n != len(tt.left) || out.Len() > 0 {
					t.Errorf("%d items listed, want %d; printed %q", n, len(tt.left), out.String())
				}
			}
		})
	}
}

// checkObjects checks that text has n JSON objects, one a line, and that it equals want unless want is "".
func checkObjects(t *testing.T, text, want string, n int) {
	t.Helper()
	if want != "" && text != want {
		t.Errorf("printed %s\nwant %s", text, want)
	}
	for line := range strings.Lines(text) {
		var o leftOutItem
		if err := json.Unmarshal([]byte(line), &o); err != nil || o.Path == "" || o.URL == "" || o.Reason == "" || o.Error == "" || o.Exit < 3 {
			t.Errorf("the line %q is read as %+v, %v; want all fields", line, o, err)
		}
		n--
	}
	if n != 0 {
		t.Errorf("the number of objects is wrong by %d: %q", -n, text)
	}
}

func TestHintForLargeTree(t *testing.T) {
	err := protocols.NewError(protocols.TooBig, "count the files", "there are more than 3")
	for _, tree := range []bool{true, false} {
		got := withHint(err, &download.Status{Request: download.Request{Tree: tree}}, new(getOptions)).Error()
		fetchtest.Equal(t, strings.Contains(got, "--no-parent"), tree, "%q names --no-parent", got)
	}
}
