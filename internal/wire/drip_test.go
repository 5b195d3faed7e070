package wire

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gofer/protocols"
)

// TestDrip: octets that come before any silence is too long are not waited for
// without end, lines and what is not so slow are.
func TestDrip(t *testing.T) {
	for _, tt := range []struct {
		name, unit string
		every      time.Duration
		want       protocols.Reason // 0: all of 1000 units have come
	}{
		{"no line end", "2", 59 * time.Second, protocols.IdleTimeout},
		{"faster", "22", time.Second, protocols.IdleTimeout},
		{"lines", "2\n", 59 * time.Second, 0},
		{"no line end, but 20 octets a second", strings.Repeat("2", 20), time.Second, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, server := net.Pipe()
			c := Dialer{}.conn(t.Context(), client, "h")
			go func() {
				for range 1000 {
					if _, err := io.WriteString(server, tt.unit); err != nil {
						return
					}
					time.Sleep(tt.every)
				}
				_ = server.Close()
			}()
			_, err := io.Copy(io.Discard, bufio.NewReader(c))
			if protocols.ReasonOf(err) != tt.want {
				t.Errorf("%s: got %v", tt.name, err)
			}
			_ = c.Close()
			time.Sleep(time.Hour) // the server has ended
		})
	}
}
