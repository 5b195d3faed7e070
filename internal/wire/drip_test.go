package wire

import (
	"bufio"
	"io"
	"net"
	"slices"
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

// TestLeastRate checks that lines have a least rate, over five minutes, and that documents have none. A server may be
// silent before its answer and pause within it.
func TestLeastRate(t *testing.T) {
	pauses := func(lines int) []time.Duration { return append(make([]time.Duration, lines), 59*time.Second) }
	for _, tt := range []struct {
		name  string
		rate  int
		unit  string
		every []time.Duration // repeated
		saved bool
		slow  bool
	}{
		{"an octet each half second, in lines", 0, "\n", []time.Duration{time.Second / 2}, false, true},
		{"a short line each second", 0, "0a\n", []time.Duration{time.Second}, false, true},
		{"a fast beginning", 0, "0a\n", append(make([]time.Duration, 500), slices.Repeat([]time.Duration{time.Second}, 1500)...), false, true},
		{"an octet each half second, saved", 0, "\n", []time.Duration{time.Second / 2}, true, false},
		{"300 baud", 0, strings.Repeat("x", 29) + "\n", []time.Duration{time.Second}, false, false},
		{"110 baud", 0, "123456789\n1", []time.Duration{time.Second}, false, false},
		{"pauses of a minute", 0, strings.Repeat("x", 59) + "\n", pauses(11), false, false},
		{"a lower rate is set", 2, "0a\n", []time.Duration{time.Second}, false, false},
		{"a higher rate is set", 100, strings.Repeat("x", 29) + "\n", []time.Duration{time.Second}, false, true},
		{"no rate is set", -1, "\n", []time.Duration{time.Second / 2}, false, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			progress := new(protocols.Progress)
			if !tt.saved {
				progress.ReadLines()
			}
			client, server := net.Pipe()
			c := Dialer{LeastRate: tt.rate}.newConn(protocols.WithProgress(t.Context(), progress), client, "h")
			go func() {
				time.Sleep(29 * time.Second) // before the first octet
				for i := range 2500 {
					if _, err := io.WriteString(server, tt.unit); err != nil {
						return
					}
					time.Sleep(tt.every[i%len(tt.every)])
				}
				_ = server.Close()
			}()
			_, err := io.Copy(io.Discard, bufio.NewReader(c))
			if (protocols.ReasonOf(err) == protocols.IdleTimeout) != tt.slow || !tt.slow && err != nil {
				t.Errorf("%s: got %v; want an error about the rate: %v", tt.name, err, tt.slow)
			}
			_ = c.Close()
			time.Sleep(time.Hour) // the server has ended by then
		})
	}
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
