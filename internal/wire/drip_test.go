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

// TestLimits fetches from servers that stall before and after the first byte.
func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name, sends string
		asks        bool // the client writes again after it has read the text
		want        protocols.Reason
		took        time.Duration
	}{
		{"silent from the start", "", false, protocols.FirstByteTimeout, 2 * time.Second},
		{"silent after some", "abc", false, protocols.IdleTimeout, time.Second},
		{"silent after another write", "abc", true, protocols.FirstByteTimeout, 2 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, server := net.Pipe()
			c := Dialer{FirstByte: 2 * time.Second, Idle: time.Second}.newConn(t.Context(), client, "h")
			go func() {
				if tt.sends != "" {
					_, _ = io.WriteString(server, tt.sends)
				}
				_, _ = io.Copy(io.Discard, server)
			}()
			received := make([]byte, len(tt.sends))
			if _, err := io.ReadFull(c, received); string(received) != tt.sends {
				t.Errorf("%s: read %q, %v", tt.name, received, err)
			}
			if tt.asks {
				_, _ = io.WriteString(c, "anybody?\r\n")
			}
			begun := time.Now()
			n, err := c.Read(make([]byte, 1))
			if took := time.Since(begun); n != 0 || protocols.ReasonOf(err) != tt.want || took != tt.took {
				t.Errorf("%s: read %d octets, %v after %v, want reason %v after %v", tt.name, n, err, took, tt.want, tt.took)
			}
			_ = c.Close()
		})
	}
}

// TestWriteLimit checks the time limit for writing to a server that does not read.
func TestWriteLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer time.AfterFunc(time.Hour, func() { _ = server.Close() }).Stop()
		c := Dialer{FirstByte: time.Minute, Idle: time.Second}.newConn(t.Context(), client, "h")
		begun := time.Now()
		_, err := io.WriteString(c, "hello")
		if took := time.Since(begun); protocols.ReasonOf(err) != protocols.FirstByteTimeout || took != time.Second {
			t.Errorf("got %v after %v, want a timeout after a second", err, took)
		}
		_ = c.Close()
	})
}

// TestSlowLines checks that a line that arrives slowly has a time limit. Complete lines, and a line with
// 20 octets a second, have none.
func TestSlowLines(t *testing.T) {
	for _, tt := range []struct {
		name, unit string
		every      time.Duration
		want       protocols.Reason // 0: all of 1000 units are received
	}{
		{"no line end", "2", 59 * time.Second, protocols.IdleTimeout},
		{"faster", "22", time.Second, protocols.IdleTimeout},
		{"lines", "2\n", 59 * time.Second, 0},
		{"beginnings of lines", "\n2", 59 * time.Second, 0},
		{"no line end, but 20 octets a second", strings.Repeat("2", 20), time.Second, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, server := net.Pipe()
			c := Dialer{}.newConn(t.Context(), client, "h")
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
				t.Errorf("%s: got %v, want reason %v", tt.name, err, tt.want)
			}
			_ = c.Close()
			time.Sleep(time.Hour) // the server has ended by then
		})
	}
}
