package archive

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"gofer/protocols"
)

type boundKey struct{}

// Bounded returns a context that limits the total size of nested zip archives.
func Bounded(ctx context.Context) context.Context {
	if ctx.Value(boundKey{}) != nil {
		return ctx
	}
	left := new(atomic.Int64)
	left.Store(maxZip)
	return context.WithValue(ctx, boundKey{}, left)
}

// spooled is a temporary copy that can be read in any order.
type spooled struct {
	*os.File
	size int64
}

// Size returns the number of octets.
func (s *spooled) Size() int64 { return s.size }

// spool copies r to a temporary file.
func spool(ctx context.Context, r io.Reader) (*spooled, error) {
	f, err := os.CreateTemp("", "gofer-archive-*")
	if err != nil {
		return nil, protocols.LocalError("copy the archive to a temporary file", err)
	}
	s := &spooled{File: f}
	_ = os.Remove(f.Name()) // deletes the file as soon as it is closed; fails on Windows
	left, _ := Bounded(ctx).Value(boundKey{}).(*atomic.Int64)
	if s.size, err = io.Copy(localWriter{f, left}, r); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

func (s *spooled) remove() {
	_ = s.Close()
	_ = os.Remove(s.Name())
}

// localWriter limits the size of a file and turns its errors into local failures.
type localWriter struct {
	f    *os.File
	left *atomic.Int64
}

func (w localWriter) Write(p []byte) (int, error) {
	if w.left.Add(-int64(len(p))) < 0 {
		return 0, refused(protocols.TooBig, fmt.Errorf("it has more than %d MiB with the archives around it: save it", maxZip>>20))
	}
	n, err := w.f.Write(p)
	return n, protocols.LocalError("copy the archive to a temporary file", err)
}
