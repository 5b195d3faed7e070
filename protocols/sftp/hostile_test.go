package sftp_test

import (
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// answerWith returns a server that answers each request with the packet that reply returns: a type and what follows the number
// of the request. No packet ends the session.
func answerWith(reply func(kind byte, n int) (byte, string)) func(io.ReadWriter) {
	return func(rw io.ReadWriter) {
		counts := make(map[byte]int)
		for {
			head := make([]byte, 5)
			if _, err := io.ReadFull(rw, head); err != nil {
				return
			}
			body := make([]byte, binary.BigEndian.Uint32(head)-1)
			if _, err := io.ReadFull(rw, body); err != nil {
				return
			}
			if head[4] == 1 {
				_, _ = rw.Write([]byte{0, 0, 0, 5, 2, 0, 0, 0, 3})
				continue
			}
			kind, rest := reply(head[4], counts[head[4]])
			counts[head[4]]++
			if kind == 0 {
				return
			}
			p := append(append([]byte{0, 0, 0, 0, kind}, body[:4]...), rest...)
			binary.BigEndian.PutUint32(p, uint32(len(p)-4))
			if _, err := rw.Write(p); err != nil {
				return
			}
		}
	}
}

func text(s string) string { return string(binary.BigEndian.AppendUint32(nil, uint32(len(s)))) + s }

func number(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

// entries returns an answer to READDIR.
func entries(names ...string) string {
	all := number(uint32(len(names)))
	for _, name := range names {
		all += text(name) + text("-rw-r--r-- 1 o g 1 Jan 1 2020 x") + number(0)
	}
	return all
}

// TestHostileNames checks that names that are not names have no links.
func TestHostileNames(t *testing.T) {
	bad := []string{"../up", "a/b", "nul\x00", "", "/etc"}
	s := startServer(t, func(s *testServer) {
		s.answer = answerWith(func(kind byte, n int) (byte, string) {
			switch {
			case kind == 11: // OPENDIR
				return 102, text("h")
			case kind == 12 && n == 0:
				return 104, entries(append(bad, ".", "..", "good")...)
			}
			return 101, number(1) + text("") + text("")
		})
	})
	c := s.newKnownClient(t)
	_, lines := readLines(t, c, "sftp://joe@"+s.addr+"/;type=d")
	fetchtest.Equal(t, len(lines), len(bad)+1)
	for name, line := range lines {
		fetchtest.Equal(t, line.Link != nil, name == "good", "%q has a link", name)
	}
}

// TestHostilePackets checks the error for answers that do not follow the protocol.
func TestHostilePackets(t *testing.T) {
	status := func(code uint32) (byte, string) { return 101, number(code) + text("x\x1b[2J") + text("") }
	for name, tt := range map[string]struct {
		reply func(kind byte, n int) (byte, string)
		want  protocols.Reason
	}{
		"a read with more octets than requested": {func(kind byte, _ int) (byte, string) {
			switch kind {
			case 3:
				return 102, text("h")
			case 5:
				return 103, text(strings.Repeat("x", 11))
			}
			return 105, number(1) + "\x00\x00\x00\x00\x00\x00\x00\x0a"
		}, protocols.Malformed},
		"an empty piece": {func(kind byte, _ int) (byte, string) {
			switch kind {
			case 3:
				return 102, text("h")
			case 5:
				return 103, text("")
			}
			return 105, number(1) + "\x00\x00\x00\x00\x00\x00\x00\x0a"
		}, protocols.Malformed},
		"a truncated string":   {func(byte, int) (byte, string) { return 105, "\xff" }, protocols.Malformed},
		"another type":         {func(byte, int) (byte, string) { return 104, number(1) }, protocols.Malformed},
		"a huge packet":        {func(byte, int) (byte, string) { return 105, strings.Repeat("x", 300<<10) }, protocols.Malformed},
		"an unknown status":    {func(byte, int) (byte, string) { return status(99) }, protocols.ServerFailed},
		"a status of no file":  {func(byte, int) (byte, string) { return status(2) }, protocols.NotFound},
		"a status of no right": {func(byte, int) (byte, string) { return status(3) }, protocols.Denied},
		"no answer":            {func(byte, int) (byte, string) { return 0, "" }, protocols.Broken},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, func(s *testServer) { s.answer = answerWith(tt.reply) })
			c := s.newKnownClient(t)
			res, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "sftp://joe@"+s.addr+"/a")})
			if err == nil {
				_, err = io.ReadAll(res.Body)
				_ = res.Close()
			}
			fetchtest.Reason(t, err, tt.want)
		})
	}
}

// TestNoSFTP checks the error for a server whose shell prints text.
func TestNoSFTP(t *testing.T) {
	s := startServer(t, func(s *testServer) {
		s.answer = func(rw io.ReadWriter) { _, _ = io.WriteString(rw, "Welcome to this machine!\n") }
	})
	_, err := s.newKnownClient(t).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s.url("/a"))})
	fetchtest.Reason(t, err, protocols.Malformed)
	fetchtest.Contains(t, err.Error(), "start-up file")
}

// TestEndlessDirectory reads many entries of a directory that has no end, and checks the memory that they need.
func TestEndlessDirectory(t *testing.T) {
	names := make([]string, 2000)
	for i := range names {
		names[i] = "name"
	}
	all := entries(names...)
	s := startServer(t, func(s *testServer) {
		s.answer = answerWith(func(kind byte, _ int) (byte, string) {
			if kind == 11 {
				return 102, text("h")
			}
			return 104, all
		})
	})
	c := s.newKnownClient(t)
	res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "sftp://joe@"+s.addr+"/;type=d")}))(t)
	defer res.Close()
	n := 0
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, err := range res.Lines {
		fetchtest.NoError(t, err)
		if n++; n == 200_000 {
			break
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("the heap has grown by %d octets, want at most 16 MB", grown)
	}
}

// TestDeadIdleConnection checks that a connection that was lost while it was idle is replaced soon.
func TestDeadIdleConnection(t *testing.T) {
	var connections atomic.Int32
	end := make(chan struct{})
	s := startServer(t, func(s *testServer) {
		s.answer = func(rw io.ReadWriter) {
			first := connections.Add(1) == 1
			answerWith(func(kind byte, n int) (byte, string) {
				if first && n > 0 {
					<-end
				}
				return 105, number(1) + "\x00\x00\x00\x00\x00\x00\x00\x0a"
			})(rw)
		}
	})
	defer close(end)
	c := s.newKnownClient(t)
	c.Dialer = wire.Dialer{QuickReply: 50 * time.Millisecond}.LimitedTo(time.Minute)
	for range 2 {
		res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "sftp://joe@"+s.addr+"/a"), Facts: true}))(t)
		fetchtest.Equal(t, res.Size, 10)
		fetchtest.NoError(t, res.Close())
	}
	fetchtest.Equal(t, connections.Load(), 2)
}
