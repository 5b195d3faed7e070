package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
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

// breakingServer is a server whose first connection breaks after half of the body.
type breakingServer struct {
	body     string
	requests *int
}

func (b breakingServer) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	return b.Resume(ctx, req)
}

func (b breakingServer) Resume(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	rest := b.body[req.Offset:]
	if *b.requests++; *b.requests == 1 {
		return fetchtest.File(new(atomic.Int32), "", &protocols.Error{Reason: protocols.Broken}, rest[:len(rest)/2]).Fetch(ctx, req)
	}
	return fetchtest.File(new(atomic.Int32), "", nil, rest).Fetch(ctx, req)
}

// TestGetAfterLostConnection checks that get resumes a document whose connection was lost.
func TestGetAfterLostConnection(t *testing.T) {
	dir, body, n := t.TempDir(), strings.Repeat("0123456789", 2000), 0
	p := testProgram(t.TempDir(), new(app.Setup))
	p.Schemes = func(app.Setup) (protocols.Registry, func()) {
		return protocols.Registry{"ftp": breakingServer{body, &n}}, func() {}
	}
	var stderr strings.Builder
	p.In, p.Out, p.Err = strings.NewReader(""), &stderr, &stderr
	code := p.Run(t.Context(), []string{"get", "-P", dir, "ftp://ftp.example/f"})
	fetchtest.Equal(t, code, 0, "exit code (%s)", stderr.String())
	fetchtest.Equal(t, n, 2, "requests")
	fetchtest.ReturnsText(t, body, "saved")(os.ReadFile(filepath.Join(dir, "f")))
}
