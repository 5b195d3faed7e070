package fetchtest

import (
	"bytes"
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

// Serve calls handle for each connection to a port of loopback, until the test ends. It returns
// the host:port of that port. A connection is closed when handle returns, and when the test ends.
func Serve(t testing.TB, handle func(net.Conn)) (addr string) {
	t.Helper()
	l := Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	ServeOn(t, l, handle)
	return l.Addr().String()
}

// ServeOn is like [Serve], but uses the listener l. It closes l when the test ends.
func ServeOn(t testing.TB, l net.Listener, handle func(net.Conn)) {
	t.Helper()
	t.Cleanup(acceptConns(l, func(_ context.Context, c net.Conn) { handle(c) }))
}

// acceptConns calls handle for each connection to l. A connection is closed when handle returns.
// The function stop cancels the context, closes l and all connections, and waits for all
// goroutines. It may be called twice.
func acceptConns(l net.Listener, handle func(context.Context, net.Conn)) (stop func()) {
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
				handle(ctx, c)
			})
		}
	})
	return func() {
		cancel()
		_ = l.Close()
		running.Wait()
	}
}

// PipeServer implements [wire.Proxies]. Each dial returns one end of a [net.Pipe] and calls the
// PipeServer with the other end. As with TCP, the client can write before the server reads. Tests of
// time limits in [testing/synctest] use it.
type PipeServer func(net.Conn)

// Route implements [wire.Proxies].
func (serve PipeServer) Route(string) (wire.Route, error) { return serve, nil }

// DialContext implements [wire.Route].
func (serve PipeServer) DialContext(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	in := &inbox{arrived: make(chan struct{}, 1)}
	go func() {
		_, _ = io.Copy(in, server)
		in.close()
	}()
	go func() {
		defer server.Close()
		serve(inboxConn{server, in})
	}()
	return client, nil
}

// inboxConn is a connection whose octets are received before they are read.
type inboxConn struct {
	net.Conn
	in *inbox
}

func (c inboxConn) Read(p []byte) (int, error) { return c.in.Read(p) }

// inbox holds written octets until they are read.
type inbox struct {
	mu      sync.Mutex
	octets  bytes.Buffer
	closed  bool
	arrived chan struct{} // has a value if octets or the end may have arrived
}

func (b *inbox) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notify()
	return b.octets.Write(p)
}

func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.notify()
}

func (b *inbox) notify() {
	select {
	case b.arrived <- struct{}{}:
	default:
	}
}

// Read waits until there are octets. It has one caller at a time.
func (b *inbox) Read(p []byte) (int, error) {
	for {
		b.mu.Lock()
		n, _ := b.octets.Read(p)
		end := b.closed
		b.mu.Unlock()
		if n > 0 {
			return n, nil
		}
		if end {
			return 0, io.EOF
		}
		<-b.arrived
	}
}

func (PipeServer) String() string { return "a pipe" }

// ServePackets calls handle for each datagram to a port of host, until the test ends. It returns
// the host:port of that port. The host is an address of loopback. If the system does not have
// that address, ServePackets skips the test.
func ServePackets(t testing.TB, host string, handle func(c net.PacketConn, from net.Addr, p []byte)) (addr string) {
	t.Helper()
	c, err := net.ListenPacket("udp", host+":0")
	if err != nil {
		t.Skip(err)
	}
	var running sync.WaitGroup
	running.Go(func() { receivePackets(c, func(from net.Addr, p []byte) { handle(c, from, p) }) })
	t.Cleanup(func() { _ = c.Close(); running.Wait() })
	return c.LocalAddr().String()
}

// receivePackets calls handle for each datagram until c is closed.
func receivePackets(c net.PacketConn, handle func(from net.Addr, p []byte)) {
	buf := make([]byte, 1<<16)
	for {
		n, from, err := c.ReadFrom(buf)
		if err != nil {
			return
		}
		handle(from, buf[:n])
	}
}

// NoError ends the test if err is not nil. label is as in [Equal].
func NoError(t testing.TB, err error, label ...any) {
	if err != nil {
		t.Helper()
		t.Fatalf("%s%v", formatLabel(label), err)
	}
}

// Must returns a function that returns v, or ends the test if err is not nil:
// Must(os.ReadFile(name))(t).
func Must[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		NoError(t, err)
		return v
	}
}

// CloseAtEnd is like [Must], but also closes s at the end of the test.
func CloseAtEnd[S io.Closer](s S, err error) func(testing.TB) S {
	return func(t testing.TB) S {
		t.Helper()
		Must(s, err)(t)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
}

// Read fetches a document and returns its head and contents.
func Read(t testing.TB, f protocols.Fetcher, u urlcore.URL) (protocols.Head, string) {
	t.Helper()
	r, err := f.Fetch(t.Context(), protocols.Request{URL: u})
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

// Collect fetches u and reads the answer to its end, or to the first error.
func Collect(ctx context.Context, f protocols.Fetcher, u urlcore.URL) (protocols.Head, []protocols.Line, string, error) {
	o := collect(ctx, f, protocols.Request{URL: u})
	return o.head, o.lines, string(o.body), o.err
}

// CollectLines is [Collect] for a page of lines. A document fails the test.
func CollectLines(ctx context.Context, t testing.TB, f protocols.Fetcher, req protocols.Request) (protocols.Head, []protocols.Line, error) {
	t.Helper()
	o := collect(ctx, f, req)
	if o.document {
		t.Errorf("%s: got a document, want lines", req.URL)
	}
	return o.head, o.lines, o.err
}

// Drain is like [Collect], but returns only the error.
func Drain(ctx context.Context, f protocols.Fetcher, req protocols.Request) error {
	return collect(ctx, f, req).err
}

// FormatLines formats each line of a page as a line of text: the kind, text and link, or the error. It
// closes r.
func FormatLines(r *protocols.Resource) string {
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
