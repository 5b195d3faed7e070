package fetchtest

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// leakSnapshot records the goroutines and the number of sockets of the process.
type leakSnapshot struct {
	goroutines map[string]string // maps goroutine IDs to stacks
	sockets    int
}

// leakPatience is how long goroutines and sockets may take to end.
const leakPatience = time.Minute

func takeLeakSnapshot() leakSnapshot {
	s := leakSnapshot{goroutines: map[string]string{}, sockets: countSockets()}
	for stack := range strings.SplitSeq(readStacks(), "\n\n") {
		id, _, _ := strings.Cut(stack, " [")
		s.goroutines[id] = stack
	}
	return s
}

// readStacks returns the stacks of all goroutines, separated by empty lines.
func readStacks() string {
	for size := 1 << 16; ; size *= 2 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size {
			return string(buf[:n])
		}
	}
}

// countSockets returns the number of open sockets of the process, or 0 if the system does not
// list them.
func countSockets() int {
	n := 0
	paths, _ := filepath.Glob("/proc/self/fd/*")
	for _, path := range paths {
		if to, err := os.Readlink(path); err == nil && strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n
}

// compare fails t if goroutines or sockets that are not in s still exist after the duration
// patience. It ignores goroutines of servers and of the testing package.
func (s leakSnapshot) compare(t testing.TB, patience time.Duration) {
	t.Helper()
	var (
		leaked []string
		now    leakSnapshot
	)
	for begun, pause := time.Now(), time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		now = takeLeakSnapshot()
		leaked = nil
		for id, stack := range now.goroutines {
			if _, old := s.goroutines[id]; !old && !isServerGoroutine(stack) {
				leaked = append(leaked, stack)
			}
		}
		if len(leaked) == 0 && now.sockets <= s.sockets {
			return
		}
		if time.Since(begun) > patience {
			break
		}
		time.Sleep(pause)
	}
	if len(leaked) > 0 {
		t.Errorf("%d goroutines remain, want none:\n%s", len(leaked), strings.Join(leaked, "\n\n"))
	}
	if now.sockets > s.sockets {
		t.Errorf("%d sockets remain, want none", now.sockets-s.sockets)
	}
}

// isReading reports whether a fetcher is waiting for octets from its server.
func isReading() bool {
	for stack := range strings.SplitSeq(readStacks(), "\n\n") {
		if strings.Contains(stack, "[IO wait") &&
			(strings.Contains(stack, "gofer/internal/wire.(*Conn).Read") || strings.Contains(stack, "gofer/internal/wire.Dialer.negotiate")) {
			return true
		}
	}
	return false
}

// isServerGoroutine reports whether a goroutine belongs to a server or to the testing package.
func isServerGoroutine(stack string) bool {
	for _, part := range []string{"gofer/internal/demo.", "gofer/internal/testbed/realserver.", "fetchtest.(*proxy)", "testing.(*T).Run", "testing.tRunner"} {
		if strings.Contains(stack, part) {
			return true
		}
	}
	return false
}
