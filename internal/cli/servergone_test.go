package cli

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// failingServer is an FTP server that answers each request with an error.
type failingServer struct {
	err      error
	requests *int
}

func (f failingServer) Fetch(context.Context, protocols.Request) (*protocols.Resource, error) {
	*f.requests++
	return nil, f.err
}

func (f failingServer) Put(context.Context, urlcore.URL, *protocols.Upload) error {
	*f.requests++
	return f.err
}

func (f failingServer) Change(context.Context, *protocols.Change) (urlcore.URL, error) {
	*f.requests++
	return nil, f.err
}

// TestServerNotThere checks that the commands for directories fail at once if no server listens, like the commands
// for a document.
func TestServerNotThere(t *testing.T) {
	dir := t.TempDir()
	for _, args := range []string{
		"get URL", "get -r -y URL", "mirror URL copy", "mirror dir URL", "put -r -y dir URL",
		"mirror --tries 1 URL copy", "put -r -y --tries 1 dir URL",
	} {
		p, n := testProgram(t.TempDir(), new(app.Setup)), 0
		p.Schemes = func(app.Setup) (protocols.Registry, func()) {
			return protocols.Registry{"ftp": failingServer{&protocols.Error{Reason: protocols.Refused, Op: "connect"}, &n}}, func() {}
		}
		var stderr strings.Builder
		p.In, p.Out, p.Err = strings.NewReader(""), &stderr, &stderr
		code := p.Run(
			t.Context(),
			strings.Fields(strings.NewReplacer("URL", "ftp://ftp.example/d/", "dir", dir, "copy", filepath.Join(dir, "copy")).Replace(args)),
		)
		fetchtest.Equal(t, code, exitNetwork, "%s: exit code (%s)", args, stderr.String())
		fetchtest.Equal(t, n, 1, "%s: requests", args)
	}
}
