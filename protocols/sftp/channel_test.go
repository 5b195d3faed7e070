package sftp

import (
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestStalledServer checks that nothing remains of a connection to a server that reads nothing, after its limit of silence. The
// test fails if a goroutine remains.
func TestStalledServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer server.Close()
		closed := make(chan struct{})
		end := sync.OnceFunc(func() {
			close(closed)
			_ = client.Close()
		})
		c := newChannel("host:22", time.Minute, time.Minute, client, stalledWriter{closed}, end)
		for range 2 { // the first is written by the channel
			_, _ = c.send(t.Context(), "write", fxpWrite, 0, "h", uint64(0), make([]byte, 10))
		}
		if !c.isDead() {
			t.Error("the channel waits for ever")
		}
		synctest.Wait()
		select {
		case <-closed:
		default:
			t.Error("the connection is not closed")
			end()
		}
	})
}

// TestCloseStalledJump closes a connection over another one whose server reads nothing.
func TestCloseStalledJump(t *testing.T) {
	first := make(chan struct{})
	d := &dialing{
		end: func(error) {},
		closers: []io.Closer{
			closerFunc(func() { close(first) }),
			closerFunc(func() {
				select {
				case <-first:
				default:
					t.Error("the message that ends the channel is written before the connection is closed")
				}
			}),
		},
	}
	d.closeAll()
}

type closerFunc func()

func (f closerFunc) Close() error { f(); return nil }

// stalledWriter is a connection to a server that reads nothing. Writes return when it is closed.
type stalledWriter struct{ closed chan struct{} }

func (w stalledWriter) Write([]byte) (int, error) {
	<-w.closed
	return 0, io.ErrClosedPipe
}

// TestLinksInFlight lists links at a server that answers a request only when the client sends no more, and counts the requests
// about links. The targets of some links are too long.
func TestLinksInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const links = 1000
		client, server := net.Pipe()
		s := &session{channel: newChannel("host:22", time.Minute, time.Minute, client, client, func() { _ = client.Close() })}
		l := &linkServer{conn: server, links: links, requests: make(chan received, 4*links)}
		go l.read()
		go l.answer()
		d := &listing{s: s, ctx: t.Context(), path: "/", lease: &lease{release: func() {}}}
		n := 0
		for line, err := range d.lines {
			fetchtest.NoError(t, err)
			want := 1
			if n%2 == 1 {
				want = 0
			}
			fetchtest.Equal(t, len(line.Note.(*protocols.FileNote).Target), want, "octets of the target")
			n++
		}
		fetchtest.Equal(t, n, links)
		if l.most > 2*maxLinks {
			t.Errorf("%d requests about links were in flight, want at most %d", l.most, 2*maxLinks)
		}
		s.fail(errClosed)
	})
}

// linkServer is a server of a directory of links.
type linkServer struct {
	conn     net.Conn
	links    int
	requests chan received
	most     int // requests about links in flight
	listed   bool
}

// received is a request that has come.
type received struct {
	kind byte
	body []byte
}

func (l *linkServer) read() {
	defer close(l.requests)
	for {
		kind, body, err := readPacket(l.conn)
		if err != nil {
			return
		}
		l.requests <- received{kind, body}
	}
}

func (l *linkServer) answer() {
	var inFlight []received
	for r := range l.requests {
		inFlight = append(inFlight, r)
		synctest.Wait()
		for len(l.requests) > 0 {
			inFlight = append(inFlight, <-l.requests)
		}
		about := 0
		for _, r := range inFlight {
			if r.kind == fxpReadlink || r.kind == fxpStat {
				about++
			}
		}
		l.most = max(l.most, about)
		for _, r := range inFlight {
			l.reply(r)
		}
		inFlight = nil
	}
}

func (l *linkServer) reply(r received) {
	d := decoder{b: r.body}
	id, path := d.uint32(), d.string()
	kind, values := byte(fxpStatus), []any{uint32(statusEOF), "", ""}
	switch {
	case r.kind == fxpReaddir && !l.listed:
		kind, values, l.listed = fxpName, []any{uint32(l.links)}, true
		for i := range l.links {
			values = append(values, strconv.Itoa(i), "", attrs{flags: hasMode, mode: typeLink})
		}
	case r.kind == fxpReadlink:
		i, _ := strconv.Atoi(strings.TrimPrefix(path, "/"))
		kind, values = fxpName, []any{uint32(1), strings.Repeat("x", 1+i%2*protocols.MaxFileName), "", attrs{}}
	case r.kind == fxpStat:
		kind, values = fxpAttrs, []any{attrs{flags: hasMode, mode: typeDirectory}}
	}
	p := appendValues([]byte{0, 0, 0, 0, kind}, append([]any{id}, values...)...)
	binary.BigEndian.PutUint32(p, uint32(len(p)-4))
	_, _ = l.conn.Write(p)
}
