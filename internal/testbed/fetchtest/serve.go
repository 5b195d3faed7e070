package fetchtest

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Serve has serve answer each connection to a port of loopback, until the test
// ends, and returns its host:port. A connection is closed when serve returns, or
// when the test ends.
func Serve(t testing.TB, serve func(net.Conn)) (addr string) {
	t.Helper()
	l := Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	ServeOn(t, l, serve)
	return l.Addr().String()
}

// ServeOn is [Serve] on a listener, which is closed when the test ends.
func ServeOn(t testing.TB, l net.Listener, serve func(net.Conn)) {
	t.Helper()
	t.Cleanup(accept(l, func(_ context.Context, c net.Conn) { serve(c) }))
}

// accept has serve answer each connection to l. A connection is closed when serve
// returns, or by stop, which ends the context and waits. stop may be called twice.
func accept(l net.Listener, serve func(context.Context, net.Conn)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer c.Close()
				defer context.AfterFunc(ctx, func() { _ = c.Close() })()
				serve(ctx, c)
			})
		}
	})
	return func() {
		cancel()
		_ = l.Close()
		running.Wait()
	}
}

// Piped are [wire.Proxies] that connect to the function by [net.Pipe], whatever the
// address: for tests of time limits in a bubble of [testing/synctest].
type Piped func(net.Conn)

// Route implements [wire.Proxies].
func (serve Piped) Route(string) (wire.Route, error) { return serve, nil }

// DialContext implements [wire.Route].
func (serve Piped) DialContext(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		serve(server)
	}()
	return client, nil
}

func (Piped) String() string { return "a pipe" }

// ServePackets has serve answer each datagram to a port of an address of loopback,
// until the test ends, and returns its host:port. The test is skipped where the
// system does not have the address.
func ServePackets(t testing.TB, host string, serve func(c net.PacketConn, from net.Addr, p []byte)) (addr string) {
	t.Helper()
	c, err := net.ListenPacket("udp", host+":0")
	if err != nil {
		t.Skip(err)
	}
	var running sync.WaitGroup
	running.Go(func() { receive(c, func(from net.Addr, p []byte) { serve(c, from, p) }) })
	t.Cleanup(func() { _ = c.Close(); running.Wait() })
	return c.LocalAddr().String()
}

// receive has serve answer each datagram until c is closed.
func receive(c net.PacketConn, serve func(from net.Addr, p []byte)) {
	buf := make([]byte, 1<<16)
	for {
		n, from, err := c.ReadFrom(buf)
		if err != nil {
			return
		}
		serve(from, buf[:n])
	}
}

// NoError ends the test if err is not nil. The other arguments are its label in the
// message, as in [Equal].
func NoError(t testing.TB, err error, what ...any) {
	if err != nil {
		t.Helper()
		t.Fatalf("%s%v", label(what), err)
	}
}

// Must returns the result of a call; its error ends the test:
// Must(os.ReadFile(name))(t).
func Must[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		NoError(t, err)
		return v
	}
}

// Started returns the result of a call, and closes it at the end of the test.
func Started[S io.Closer](s S, err error) func(testing.TB) S {
	return func(t testing.TB) S {
		t.Helper()
		Must(s, err)(t)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
}

// Read fetches a document.
func Read(t testing.TB, f protocols.Fetcher, u urlcore.URL) (protocols.Head, string) {
	t.Helper()
	r, err := f.Fetch(t.Context(), u)
	if err != nil {
		t.Fatalf("%s: %v", u, err)
	}
	defer r.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("%s: %v", u, err)
	}
	return r.Head, string(b)
}

// Collect fetches u and reads it to its end, or to the first error.
func Collect(ctx context.Context, f protocols.Fetcher, u urlcore.URL) (protocols.Head, []protocols.Line, string, error) {
	o := collect(ctx, f, u)
	return o.head, o.lines, string(o.body), o.err
}

// CollectLines is [Collect] for a page of lines. The test fails if a document comes.
func CollectLines(ctx context.Context, t testing.TB, f protocols.Fetcher, u urlcore.URL) (protocols.Head, []protocols.Line, error) {
	t.Helper()
	o := collect(ctx, f, u)
	if o.document {
		t.Errorf("%s: got a document, want lines", u)
	}
	return o.head, o.lines, o.err
}

// Drain returns the error of [Collect].
func Drain(ctx context.Context, f protocols.Fetcher, u urlcore.URL) error {
	return collect(ctx, f, u).err
}

// Lines are the kinds, texts and links of a page, a line each, and its errors. The
// page is closed.
func Lines(r *protocols.Resource) string {
	defer r.Close()
	var b strings.Builder
	for l, err := range r.Lines {
		if err != nil {
			fmt.Fprintf(&b, "error: %v\n", err)
			continue
		}
		fmt.Fprintf(&b, "%s %q", l.Kind, l.Text)
		if l.Link != nil {
			fmt.Fprintf(&b, " %s", l.Link)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
