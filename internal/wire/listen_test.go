package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// TestListen accepts the data connection of a server and closes connections from other hosts.
func TestListen(t *testing.T) {
	stopped := errors.New("stopped")
	connect := func(from, to string) error {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		c, err := d.Dial("tcp", to)
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = io.WriteString(c, from)
		return err
	}
	for _, tt := range []struct {
		name   string
		happen func(addr string, cancel context.CancelCauseFunc) error
		want   string
		reason protocols.Reason
		cause  error
	}{
		{
			"the server", func(addr string, _ context.CancelCauseFunc) error { return connect("127.0.0.1", addr) },
			"127.0.0.1", protocols.Unknown, nil,
		},
		{"another host first", func(addr string, _ context.CancelCauseFunc) error {
			return errors.Join(connect("127.0.0.2", addr), connect("127.0.0.1", addr))
		}, "127.0.0.1", protocols.Unknown, nil},
		{
			"another host alone",
			func(addr string, _ context.CancelCauseFunc) error { return connect("127.0.0.2", addr) }, "",
			protocols.ConnectTimeout, nil,
		},
		{"canceled", func(_ string, cancel context.CancelCauseFunc) error { cancel(stopped); return nil }, "", protocols.Unknown, stopped},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := wire.Dialer{}
			control := fetchtest.Must(d.Dial(t.Context(), fetchtest.Serve(t, readUntilClosed)))(t)
			defer control.Close()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if tt.reason == protocols.ConnectTimeout {
				d.Connect = 100 * time.Millisecond
			}
			l := fetchtest.Must(d.Listen(ctx, control))(t)
			defer l.Close()
			if err := tt.happen(l.Addr().String(), cancel); err != nil {
				t.Skip(err)
			}
			got := ""
			c, err := l.Accept()
			if err == nil {
				defer c.Close()
				got = string(fetchtest.Must(io.ReadAll(c))(t))
			}
			if got != tt.want || protocols.ReasonOf(err) != tt.reason || tt.cause != nil && !errors.Is(err, tt.cause) {
				t.Errorf("got %q, %v; want %q, %v, %v", got, err, tt.want, tt.reason, tt.cause)
			}
		})
	}
}

// TestEndOfUpload checks that a peer reads EOF only after Finish.
func TestEndOfUpload(t *testing.T) {
	for _, tt := range []struct {
		name  string
		end   func(*wire.Conn) error
		whole bool
	}{
		{"finished", (*wire.Conn).Finish, true},
		{"closed early", func(*wire.Conn) error { return nil }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ended := make(chan error, 1)
			c := fetchtest.Must(wire.Dialer{}.Dial(t.Context(), fetchtest.Serve(t, func(c net.Conn) {
				_, err := io.Copy(io.Discard, c)
				ended <- err
			})))(t)
			c.ResetUnlessFinished()
			_, err := io.WriteString(c, "data")
			fetchtest.NoError(t, errors.Join(err, tt.end(c), c.Close()))
			if err := <-ended; (err == nil) != tt.whole {
				t.Errorf("the server reads until %v, want EOF: %v", err, tt.whole)
			}
		})
	}
}

// TestReader checks that nothing is read after the end of the context.
func TestReader(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	far, near := io.Pipe()
	r := wire.Reader{Context: ctx, R: far}
	go func() {
		_, _ = io.WriteString(near, "some")
		cancel(stopped)
		_ = near.CloseWithError(io.ErrUnexpectedEOF)
	}()
	if b, err := io.ReadAll(r); string(b) != "some" || !errors.Is(err, stopped) {
		t.Errorf("ReadAll = %q, %v; want some, %v", b, err, stopped)
	}
	if b, err := io.ReadAll(wire.Reader{Context: ctx, R: strings.NewReader("more")}); len(b) != 0 || !errors.Is(err, stopped) {
		t.Errorf("after the end of the context: ReadAll = %q, %v; want nothing, %v", b, err, stopped)
	}
}
