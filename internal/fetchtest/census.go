package fetchtest

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// census tells which goroutines there are, and how many sockets.
type census struct {
	goroutines map[string]string // id: stack
	sockets    int
}

func takeCensus(t testing.TB) census {
	t.Helper()
	buf := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	c := census{goroutines: map[string]string{}, sockets: sockets()}
	for stack := range strings.SplitSeq(string(buf), "\n\n") {
		id, _, _ := strings.Cut(stack, " [")
		c.goroutines[id] = stack
	}
	return c
}

// sockets counts this process's sockets, where the system tells.
func sockets() int {
	n := 0
	paths, _ := filepath.Glob("/proc/self/fd/*")
	for _, path := range paths {
		if to, err := os.Readlink(path); err == nil && strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n
}

// compare fails t if there is more than there was and it does not go away.
// Servers that run in this process are none of the fetcher's.
func (c census) compare(t testing.TB) {
	t.Helper()
	var (
		left []string
		open int
	)
	for range 3000 {
		now := takeCensus(t)
		left, open = nil, now.sockets
		for id, stack := range now.goroutines {
			if _, old := c.goroutines[id]; !old && !ofServer(stack) {
				left = append(left, stack)
			}
		}
		if len(left) == 0 && open <= c.sockets {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	if len(left) > 0 {
		t.Errorf("%d goroutines remain:\n%s", len(left), strings.Join(left, "\n\n"))
	}
	if open > c.sockets {
		t.Errorf("%d sockets remain", open-c.sockets)
	}
}

// isReading reports whether some fetcher waits for octets of its server.
func isReading(t testing.TB) bool {
	t.Helper()
	for _, stack := range takeCensus(t).goroutines {
		if strings.Contains(stack, "[IO wait") &&
			(strings.Contains(stack, "gofer/internal/wire.(*Conn).Read") || strings.Contains(stack, "gofer/internal/wire.Dialer.handshake")) {
			return true
		}
	}
	return false
}

func ofServer(stack string) bool {
	for _, part := range []string{"gofer/internal/loopback.", "gofer/internal/realserver.", "fetchtest.(*proxy)", "testing.(*T).Run", "testing.tRunner"} {
		if strings.Contains(stack, part) {
			return true
		}
	}
	return false
}
