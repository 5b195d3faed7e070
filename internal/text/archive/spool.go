package archive

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"gofer/protocols"
)

type sizeLimitKey struct{}

// WithSizeLimit returns a context that limits the total size of the zip archives opened with this
// context. If ctx has such a limit already, WithSizeLimit returns ctx.
func WithSizeLimit(ctx context.Context) context.Context {
	if ctx.Value(sizeLimitKey{}) != nil {
		return ctx
	}
	left := new(atomic.Int64)
	left.Store(maxZip)
	return context.WithValue(ctx, sizeLimitKey{}, left)
}

// spoolFile is a temporary copy of an archive.
type spoolFile struct {
	*os.File
	size int64
}

// Size returns the size of the file in octets.
func (s *spoolFile) Size() int64 { return s.size }

// spool copies r to a temporary file.
func spool(ctx context.Context, r io.Reader) (*spoolFile, error) {
	f, err := os.CreateTemp("", "gofer-archive-*")
	if err != nil {
		return nil, protocols.LocalError("copy the archive to a temporary file", err)
	}
	s := &spoolFile{File: f}
	_ = os.Remove(f.Name()) // deletes the file as soon as it is closed; fails on Windows
	left, _ := WithSizeLimit(ctx).Value(sizeLimitKey{}).(*atomic.Int64)
	if s.size, err = io.Copy(localWriter{f, left}, r); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

func (s *spoolFile) remove() {
	_ = s.Close()
	_ = os.Remove(s.Name())
}

// localWriter writes to a file until the size limit is reached. It returns write errors as local
// errors.
type localWriter struct {
	f    *os.File
	left *atomic.Int64 // octets left of the size limit, which several files share
}

func (w localWriter) Write(p []byte) (int, error) {
	if w.left.Add(-int64(len(p))) < 0 {
		return 0, newError(protocols.TooBig, fmt.Errorf("it has more than %d MiB with the archives around it: save it", maxZip>>20))
	}
	n, err := w.f.Write(p)
	return n, protocols.LocalError("copy the archive to a temporary file", err)
}
