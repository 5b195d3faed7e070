package web

import (
	"bufio"
	"context"
	"errors"
	"io"
	"testing"
)

// cancelingReader ends a context while empty gzip members are read from it.
type cancelingReader struct {
	cancel context.CancelCauseFunc
	reads  int
}

var errStopped = errors.New("stopped")

func (c *cancelingReader) Read(p []byte) (int, error) {
	if c.reads++; c.reads > 2 {
		return 0, io.ErrNoProgress
	}
	c.cancel(errStopped)
	const member = gzipStart + "\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	n := 0
	for len(p)-n >= len(member) {
		n += copy(p[n:], member)
	}
	return n, nil
}

// TestStoppedDecoder checks that a decoder of members without octets ends with its context.
func TestStoppedDecoder(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	from := &codedReader{ctx: ctx, r: &cancelingReader{cancel: cancel}}
	d := &decoder{from: from, in: bufio.NewReader(from), open: new(gzipOpener).open, several: true}
	if n, err := d.Read(make([]byte, 1)); n != 0 || !errors.Is(err, errStopped) {
		t.Errorf("Read: got %d, %v, want 0, %v", n, err, errStopped)
	}
}
