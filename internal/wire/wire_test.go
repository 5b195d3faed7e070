package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

func readUntilClosed(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

func TestCancelEndsRead(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	addr := fetchtest.Serve(t, readUntilClosed)
	c := fetchtest.Must(wire.Dialer{}.Dial(ctx, addr))(t)
	defer func() { _ = c.Close() }()
	got := make(chan error, 1)
	go func() { _, err := c.Read(make([]byte, 1)); got <- err }()
	cancel(stopped)
	fetchtest.ErrorIs(t, <-got, stopped, "read")
}

// TestCancelEndsReadOfReceivedOctets checks that nothing is read after the end of the context, even
// before the connection is closed.
func TestCancelEndsReadOfReceivedOctets(t *testing.T) {
	stopped := errors.New("stopped")
	addr := fetchtest.Serve(t, func(c net.Conn) {
		_, _ = io.WriteString(c, "octets")
		readUntilClosed(c)
	})
	for range 20 {
		ctx, cancel := context.WithCancelCause(t.Context())
		c := fetchtest.Must(wire.Dialer{}.Dial(ctx, addr))(t)
		fetchtest.Must(c.Read(make([]byte, 1)))(t)
		cancel(stopped)
		_, err := c.Read(make([]byte, 1))
		fetchtest.ErrorIs(t, err, stopped, "read")
		_ = c.Close()
	}
}

func TestProgress(t *testing.T) {
	var p protocols.Progress
	ctx := protocols.WithProgress(t.Context(), &p)
	addr := fetchtest.Serve(t, func(c net.Conn) { _, _ = io.WriteString(c, "12345") })
	c := fetchtest.Must(wire.Dialer{}.Dial(ctx, addr))(t)
	defer func() { _ = c.Close() }()
	if s := p.State(); s.Phase != protocols.Waiting || s.Peer != addr || s.Limit != wire.DefaultFirstByte {
		t.Errorf("after dialing: got %+v, want Waiting for %s, limit %v", s, addr, wire.DefaultFirstByte)
	}
	fetchtest.Must(io.ReadAll(c))(t)
	if s := p.State(); s.Phase != protocols.Receiving || s.Bytes != 5 || s.Limit != wire.DefaultIdle {
		t.Errorf("after reading: got %+v, want Receiving, 5 octets, limit %v", s, wire.DefaultIdle)
	}
}

func TestCheck(t *testing.T) {
	for _, s := range []string{"a\r", "\nb", "a\x00b"} {
		if err := wire.Check("selector", s); protocols.ReasonOf(err) != protocols.BadURL || !errors.Is(err, wire.ErrInjection) {
			t.Errorf("Check(%q) = %v; want a BadURL", s, err)
		}
	}
	fetchtest.NoError(t, wire.Check("selector", "a\tb\x1b\xff"), "Check of a harmless string")
}

// failingReader is a reader that returns err instead of io.EOF.
type failingReader struct {
	io.Reader
	err error
}

func (b *failingReader) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil {
		err = b.err
	}
	return n, err
}

func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", wire.MaxLine)
	reset := errors.New("reset")
	for _, tt := range []struct {
		name, in string
		err      error
		want     []string // "+" after an incomplete piece
	}{
		{"empty", "", io.EOF, nil},
		{"LF and CRLF", "a\nb\r\n\r\n\nc", io.EOF, []string{"a", "b", "", "", "c"}},
		{"lone CR is data", "a\rb\r\r\n", io.EOF, []string{"a\rb\r"}},
		{"long", long + "yz\n.", io.EOF, []string{long + "+", "yz", "."}},
		{"broken off", "a\nbc", reset, []string{"a", "bc"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := wire.NewLineReader(&failingReader{strings.NewReader(tt.in), tt.err})
			var got []string
			for {
				line, more, err := r.Next()
				if err != nil {
					if _, again, _ := r.Next(); !errors.Is(err, tt.err) || more || again {
						t.Errorf("ended in %v, more %v, then %v, want %v", err, more, again, tt.err)
					}
					break
				}
				s := string(line)
				if more {
					s += "+"
				}
				got = append(got, s)
			}
			fetchtest.EqualSlices(t, got, tt.want)
		})
	}
}
