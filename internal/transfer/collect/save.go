package collect

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"

	"gofer/internal/text/bundle"
	"gofer/internal/transfer/download"
	"gofer/internal/userfile"
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
	folder, err := newFolder(r.Path)
	if err != nil {
		return Result{}, protocols.LocalError("save "+r.Path, err)
	}
	defer func() { _ = folder.Remove() }()
	c := New(m, f, folder.Path, r.Options)
	for _, u := range r.URLs {
		err = c.Add(ctx, u)
		if _, unasked := errors.AsType[unaskedError](err); unasked || ctx.Err() != nil || protocols.ReasonOf(err) == protocols.LocalFailure {
			return Result{}, err
		}
	}
	if bundle.Saved(c.Items) == 0 {
		if len(r.URLs) == 1 && err != nil {
			return Result{}, err
		}
		return Result{}, c.Err()
	}
	octets, err := c.write(ctx, filepath.Join(folder.Path, "bundle.zip"), r)
	if err != nil {
		return Result{}, err
	}
	return Result{Path: r.Path, Saved: bundle.Saved(c.Items), Octets: octets, Err: c.Err()}, nil
}

// newFolder returns a folder for the items of a bundle, beside the place of the bundle. It removes the folders that killed runs
// left there for the same bundle. The names of these folders have a digest, because the name of a bundle may be of any kind.
func newFolder(path string) (*userfile.TempFolder, error) {
	dir, name := filepath.Split(path)
	sum := sha256.Sum256([]byte(name))
	prefix := fmt.Sprintf(".gofer-bundle-%x-", sum[:6])
	dir = cmp.Or(dir, ".")
	userfile.RemoveStaleFolders(dir, prefix)
	return userfile.NewTempFolder(dir, prefix)
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
	items := c.Items
	if c.unlisted > 0 {
		more := bundle.Entry{Title: humanize.Comma(int64(c.unlisted)) + " more items", LeftOut: bundle.ErrFull.Error()}
		items = append(items[:len(items):len(items)], bundle.Item{Entry: more})
	}
	h := bundle.Head{Saved: time.Now().UTC().Truncate(time.Second), Program: r.Program}
	err = bundle.Write(contextWriter{ctx, f}, h, items)
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
