package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestPutNamesRest checks that put ends at the first file that the server refuses, and names the files that were not sent.
func TestPutNamesRest(t *testing.T) {
	dir, sub := t.TempDir(), filepath.Join(t.TempDir(), "sub")
	fetchtest.NoError(t, os.Mkdir(sub, 0o755))
	args := []string{"put", "-y", "-f"}
	for _, name := range []string{"a", "b", "c"} {
		fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
		args = append(args, filepath.Join(dir, name))
	}
	for _, more := range [][]string{nil, {"-r", sub}} {
		p, n := testProgram(t.TempDir(), new(app.Setup)), 0
		p.Schemes = func(app.Setup) (protocols.Registry, func()) {
			return protocols.Registry{"ftp": failingServer{
				&protocols.Error{Reason: protocols.ServerFailed, Code: 452, Text: "No space"}, &n,
			}}, func() {}
		}
		var stderr strings.Builder
		p.In, p.Out, p.Err = strings.NewReader(""), &stderr, &stderr
		code := p.Run(t.Context(), append(append(args[:len(args):len(args)], more...), "ftp://ftp.example/d/"))
		fetchtest.Equal(t, code, exitServer, "exit code (%s)", stderr.String())
		var notSent []string
		for line := range strings.Lines(stderr.String()) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "not sent: "); ok {
				notSent = append(notSent, filepath.Base(rest))
			}
		}
		want := "b c"
		if more != nil {
			want = "a b c"
		}
		fetchtest.Equal(t, strings.Join(notSent, " "), want, "files not sent (%s)", stderr.String())
	}
}
