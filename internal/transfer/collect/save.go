package collect

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"gofer/internal/text/bundle"
	"gofer/internal/transfer/download"
	"gofer/protocols"
	"gofer/urlcore"
)

// Request says what Save saves and where.
type Request struct {
	Options
	URLs      []urlcore.URL
	Path      string // of the bundle
	Overwrite bool   // replace a file at Path
	Program   string // name and version of this program, for the map
}

// Result describes a saved bundle.
type Result struct {
	Path   string
	Saved  int // number of entries
	Octets int64
	Err    error // a [mirror.PartialError] if items were left out
}

// Save collects pages with m, which it makes use f, and writes a bundle of them: either the whole bundle or nothing. After an
// error there is no bundle.
func Save(ctx context.Context, m *download.Manager, f Fetcher, r Request) (Result, error) {
	if err := download.CheckFree(r.Path, r.Overwrite); err != nil {
		return Result{}, err
	}
	folder, err := os.MkdirTemp(filepath.Dir(r.Path), ".gofer-bundle-")
	if err != nil {
		return Result{}, protocols.LocalError("save "+r.Path, err)
	}
	defer os.RemoveAll(folder)
	c := New(m, f, folder, r.Options)
	for _, u := range r.URLs {
		if err = c.Add(ctx, u); ctx.Err() != nil || protocols.ReasonOf(err) == protocols.LocalFailure {
			return Result{}, err
		}
	}
	if bundle.Saved(c.Items) == 0 {
		if len(r.URLs) == 1 && err != nil {
			return Result{}, err
		}
		return Result{}, c.Err()
	}
	octets, err := c.write(ctx, filepath.Join(folder, "bundle.zip"), r)
	if err != nil {
		return Result{}, err
	}
	return Result{Path: r.Path, Saved: bundle.Saved(c.Items), Octets: octets, Err: c.Err()}, nil
}

// contextWriter is a Writer that fails after the end of a context.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c contextWriter) Write(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.w.Write(p)
}

// write writes the bundle to the file at temporary, and renames it.
func (c *Collector) write(ctx context.Context, temporary string, r Request) (octets int64, err error) {
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return 0, protocols.LocalError("save "+r.Path, err)
	}
	h := bundle.Head{Saved: time.Now().UTC().Truncate(time.Second), Program: r.Program}
	err = bundle.Write(contextWriter{ctx, f}, h, c.Items)
	if err == nil {
		err = f.Sync()
	}
	if info, statErr := f.Stat(); statErr == nil {
		octets = info.Size()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	switch {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case err != nil:
		return 0, protocols.LocalError("save "+r.Path, err)
	}
	return octets, download.Place(temporary, r.Path, r.Overwrite)
}
