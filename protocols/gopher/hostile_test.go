package gopher

import (
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
	"time"

	"gofer/internal/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// The first lines are shown while the server takes its time for the others.
func TestMenuStreams(t *testing.T) {
	s := start(t, fstest.MapFS{})
	next := make(chan struct{})
	s.Handle("/slow", func(c net.Conn, _ string) {
		for i := range 3 {
			fmt.Fprintf(c, "i%d\tx\tx\t1\r\n", i)
			<-next
		}
	})
	res := fetchtest.Must((&Client{}).Fetch(context.Background(), itemOf(s.Addr(), '1', "/slow")))(t)
	defer res.Close()
	i := 0
	for line, err := range res.Lines {
		if err != nil || line.Text != strconv.Itoa(i) {
			t.Errorf("line %d: got %q, %v", i, line.Text, err)
		}
		i++
		next <- struct{}{}
	}
	if i != 3 {
		t.Errorf("%d lines, want 3", i)
	}
}

func TestBigDocuments(t *testing.T) {
	s := start(t, nil)
	for _, tt := range []struct {
		typ      byte
		selector string
		want     int64
	}{{'9', "/big/binary/5000003", 5000003}, {'0', "/big/text/100000", 100000 * 60}} {
		res := fetchtest.Must((&Client{}).Fetch(context.Background(), itemOf(s.Addr(), tt.typ, tt.selector)))(t)
		n, err := io.Copy(io.Discard, res.Body)
		if n != tt.want || err != nil {
			t.Errorf("%s: %d octets, %v, want %d", tt.selector, n, err, tt.want)
		}
		_ = res.Close()
	}
}

func TestStalls(t *testing.T) {
	s := start(t, fstest.MapFS{})
	const part = "iA\tx\tx\t1\r\n1Cut o"
	wait := func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) }
	var progress atomic.Pointer[protocols.Progress] // of the fetch
	s.Handle("/silent", func(c net.Conn, _ string) { wait(c) })
	s.Handle("/stalls", func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, part)
		wait(c)
	})
	s.Handle("/reset", func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, part)
		for progress.Load().State().Bytes < int64(len(part)) { // a reset takes away what was not read
			time.Sleep(time.Millisecond)
		}
		_ = c.(*net.TCPConn).SetLinger(0)
	})
	impatient := &Client{Dialer: wire.Dialer{FirstByte: time.Second}}
	_, err := impatient.Fetch(context.Background(), itemOf(s.Addr(), '1', "/silent"))
	if protocols.ReasonOf(err) != protocols.FirstByteTimeout {
		t.Errorf("silent: %v, want %q", err, protocols.FirstByteTimeout)
	}
	for selector, want := range map[string]protocols.Reason{"/stalls": protocols.IdleTimeout, "/reset": protocols.Broken} {
		c := new(Client)
		if want == protocols.IdleTimeout {
			c.Dialer.Idle = time.Second
		}
		fetch := func(typ byte) (*protocols.Resource, error) {
			p := new(protocols.Progress)
			progress.Store(p)
			return c.Fetch(protocols.WithProgress(context.Background(), p), itemOf(s.Addr(), typ, selector))
		}
		res, err := fetch('1')
		if err != nil {
			t.Fatalf("%s: %v", selector, err)
		}
		got, err := content(res)
		if got != "info      \"A\"\nproblem   \"1Cut o\"\n" || protocols.ReasonOf(err) != want {
			t.Errorf("%s: got %s, %v, want the part and %q", selector, got, err, want)
		}
		res, err = fetch('9')
		if err != nil {
			t.Fatalf("%s: %v", selector, err)
		}
		got, err = content(res)
		if got != part || protocols.ReasonOf(err) != want {
			t.Errorf("%s: got %q, %v, want the part and %q", selector, got, err, want)
		}
	}
}

// Cancelling ends Fetch and every read with the cause, and leaves nothing.
func TestCancel(t *testing.T) {
	s := start(t, fstest.MapFS{})
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
		res, err := (&Client{}).Fetch(ctx, itemOf(s.Addr(), tt.typ, tt.selector))
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
			t.Errorf("%c%s: %v, want the cause", tt.typ, tt.selector, err)
		}
	}
	for end := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines are left, want %d", n, before)
	}
}
