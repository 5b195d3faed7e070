package gopher

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// TestMenuStreams checks that the first lines are shown before the server has sent the rest.
func TestMenuStreams(t *testing.T) {
	s := startServer(t, fstest.MapFS{})
	next := make(chan struct{})
	s.Handle("/slow", func(c net.Conn, _ string) {
		for i := range 3 {
			fmt.Fprintf(c, "i%d\tx\tx\t1\r\n", i)
			<-next
		}
	})
	res := fetchtest.Must((&Client{}).Fetch(context.Background(), protocols.Request{URL: itemOf(s.Addr(), '1', "/slow")}))(t)
	defer res.Close()
	i := 0
	for line, err := range res.Lines {
		if err != nil || line.Text != strconv.Itoa(i) {
			t.Errorf("line %d: got %q, %v; want its number", i, line.Text, err)
		}
		i++
		next <- struct{}{}
	}
	fetchtest.Equal(t, i, 3, "lines")
}

func TestBigDocuments(t *testing.T) {
	s := startServer(t, nil)
	for _, tt := range []struct {
		typ      byte
		selector string
		want     int64
	}{{'9', "/big/binary/5000003", 5000003}, {'0', "/big/text/100000", 100000 * 60}} {
		res := fetchtest.Must((&Client{}).Fetch(context.Background(), protocols.Request{URL: itemOf(s.Addr(), tt.typ, tt.selector)}))(t)
		fetchtest.Returns(t, tt.want, "%s: octets", tt.selector)(io.Copy(io.Discard, res.Body))
		_ = res.Close()
	}
}

// cutOff is the part of an answer before a fault.
const cutOff = "iA\tx\tx\t1\r\n1Cut o"

// checkCutOff fetches cutOff as a menu and as a document. It checks that cutOff is shown, and that
// the parameter want is the reason of the error.
func checkCutOff(t *testing.T, want protocols.Reason, fetch func(typ byte) (*protocols.Resource, error)) {
	t.Helper()
	for typ, shown := range map[byte]string{'1': "info      \"A\"\nproblem   \"1Cut o\"\n", '9': cutOff} {
		if got, err := readContent(fetchtest.Must(fetch(typ))(t)); got != shown || protocols.ReasonOf(err) != want {
			t.Errorf("type %c: got %q, %v; want %q and reason %q", typ, got, err, shown, want)
		}
	}
}

func TestStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Client{Dialer: wire.Dialer{Proxies: fetchtest.PipeServer(func(conn net.Conn) {
			if selector, _ := bufio.NewReader(conn).ReadString('\n'); selector != "/silent\r\n" {
				_, _ = io.WriteString(conn, cutOff)
			}
			_, _ = io.Copy(io.Discard, conn)
		})}}
		fetch := func(typ byte, selector string) (*protocols.Resource, error) {
			return c.Fetch(t.Context(), protocols.Request{URL: itemOf("h:70", typ, selector)})
		}
		fetchtest.Fails(t, protocols.FirstByteTimeout, "silent")(fetch('1', "/silent"))
		checkCutOff(t, protocols.IdleTimeout, func(typ byte) (*protocols.Resource, error) { return fetch(typ, "/stalls") })
	})
}

func TestReset(t *testing.T) {
	s := startServer(t, fstest.MapFS{})
	var progress atomic.Pointer[protocols.Progress] // the progress of the current fetch
	s.Handle("/reset", func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, cutOff)
		for progress.Load().State().Bytes < int64(len(cutOff)) { // wait until the client has read cutOff, because a reset discards unread octets
			time.Sleep(time.Millisecond)
		}
		_ = c.(*net.TCPConn).SetLinger(0)
	})
	checkCutOff(t, protocols.Broken, func(typ byte) (*protocols.Resource, error) {
		p := new(protocols.Progress)
		progress.Store(p)
		return new(Client).Fetch(protocols.WithProgress(t.Context(), p), protocols.Request{URL: itemOf(s.Addr(), typ, "/reset")})
	})
}

// TestCancel checks that canceling ends Fetch and every read with the cause. No goroutine may
// remain.
func TestCancel(t *testing.T) {
	s := startServer(t, fstest.MapFS{})
	before := runtime.NumGoroutine()
	cause := errors.New("changed my mind")
	asked := make(chan struct{}, 1)
	s.Handle("/silent", func(c net.Conn, _ string) {
		asked <- struct{}{}
		_, _ = c.Read(make([]byte, 1))
	})
	s.Handle("/endless", func(c net.Conn, _ string) {
		asked <- struct{}{}
		for {
			if _, err := io.WriteString(c, "0A\t/x\th\t70\r\n"); err != nil {
				return
			}
		}
	})
	s.Handle("/line", func(c net.Conn, _ string) {
		asked <- struct{}{}
		for {
			if _, err := io.WriteString(c, "a line without an end "); err != nil {
				return
			}
		}
	})
	for _, tt := range []struct {
		typ      byte
		selector string
	}{{'1', "/silent"}, {'0', "/silent"}, {'1', "/endless"}, {'0', "/endless"}, {'9', "/endless"}, {'1', "/line"}, {'0', "/line"}} {
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() { <-asked; cancel(cause) }()
		res, err := (&Client{}).Fetch(ctx, protocols.Request{URL: itemOf(s.Addr(), tt.typ, tt.selector)})
		if err == nil {
			if res.Lines != nil {
				for _, err = range res.Lines {
				}
			} else {
				_, err = io.Copy(io.Discard, res.Body)
			}
			_ = res.Close()
			_ = res.Close()
		}
		if err != cause {
			t.Errorf("type %c, %s: got %v; want the cause of the context", tt.typ, tt.selector, err)
		}
	}
	for end := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("got %d goroutines; want at most %d", n, before)
	}
}
