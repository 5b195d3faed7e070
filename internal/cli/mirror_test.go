package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestMirrorArguments checks that mirror refuses ambiguous or dangerous arguments. The last three command
// lines have good arguments, and fail only because the program of the test has no FTP client.
func TestMirrorArguments(t *testing.T) {
	home := fetchtest.Must(filepath.EvalSymlinks(t.TempDir()))(t)
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Chdir(home)
	for _, name := range []string{"a", "b"} {
		fetchtest.NoError(t, os.Mkdir(name, 0o700))
	}
	const url = "ftp://127.0.0.1:1/"
	for _, tt := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{url, url}, 2, "both arguments are URLs: one must be a local directory"},
		{[]string{"a", "b"}, 2, "gofer mirror ftp://a b fetches, gofer mirror a ftp://b stores"},
		{[]string{"a", "ftp.example.org"}, 2, "one argument must be an ftp:// or gopher:// URL"},
		{[]string{"ftp.example.org/pub/", "c"}, 2, "one argument must be an ftp:// or gopher:// URL"},
		{[]string{"--delete", url, "."}, 2, ". contains your home directory"},
		{[]string{"--delete", url, ".."}, 2, ".. contains your home directory"},
		{[]string{"--delete", url, "/"}, 2, "/ contains your home directory"},
		{[]string{"--delete", "--tries=1", url, "a"}, 1, ": not supported"},
		{[]string{"--delete", "--tries=1", url, "c"}, 1, ": not supported"},
		{[]string{"--tries=1", url, "."}, 1, ": not supported"},
	} {
		code, _, stderr := run(t, home, "", append([]string{"mirror"}, tt.args...)...)
		fetchtest.Equal(t, code, tt.code, "mirror %q", tt.args)
		fetchtest.Contains(t, stderr, tt.stderr)
	}
}

// TestDryRun checks that --dry-run prints the actions on standard output, and on standard error
// that nothing was changed.
func TestDryRun(t *testing.T) {
	dir := t.TempDir()
	fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("f"), 0o600))
	for _, tt := range []struct{ from, to, out, stderr string }{
		{oneFileURL, filepath.Join(dir, "m"), "get x (3 B)\n", "; nothing was changed\n"},
		{dir, oneFileURL, "put f\n", ": nothing was changed; the server may still refuse changes\n"},
	} {
		code, out, stderr := mirrorOneFile(t, dir, "--dry-run", tt.from, tt.to)
		fetchtest.Equal(t, code, 0, stderr)
		fetchtest.Equal(t, out, tt.out)
		fetchtest.Contains(t, stderr, tt.stderr)
	}
}

// TestMirrorLeavesOut checks the exit code if mirror leaves out an item, and that mirror lists the item.
func TestMirrorLeavesOut(t *testing.T) {
	dir := t.TempDir()
	fetchtest.NoError(t, os.MkdirAll(filepath.Join(dir, "m", "x"), 0o700))
	code, _, stderr := mirrorOneFile(t, dir, oneFileURL, filepath.Join(dir, "m"))
	fetchtest.Equal(t, code, exitServer, stderr)
	fetchtest.Contains(t, stderr, "\n  left out: x: it is a directory here; mirror --delete replaces it\n")
}

// oneFileURL is the URL of a directory with the file x on the server of mirrorOneFile.
const oneFileURL = "ftp://ftp.example.org/;type=d"

func mirrorOneFile(t *testing.T, dir string, args ...string) (code int, out, stderr string) {
	t.Helper()
	server := fetchtest.FetcherFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		return &protocols.Resource{
			Head: protocols.Head{URL: req.URL, Layout: protocols.LayoutDirectory, Size: -1}, Closer: io.NopCloser(nil),
			Lines: func(yield func(protocols.Line, error) bool) {
				to, err := req.URL.(urlcore.FTP).Child("x")
				yield(protocols.Line{Kind: protocols.Binary, Text: "x", Link: to, Note: &protocols.FileNote{Size: 3}}, err)
			},
		}, nil
	})
	var printed, messages strings.Builder
	p := testProgram(dir, new(app.Setup))
	p.Schemes = func(app.Setup) (protocols.Registry, func()) { return protocols.Registry{"ftp": server}, func() {} }
	p.Out, p.Err = &printed, &messages
	code = p.Run(t.Context(), append([]string{"mirror"}, args...))
	return code, printed.String(), messages.String()
}
