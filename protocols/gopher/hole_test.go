package gopher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestMenuOfAllOctets checks that a menu line with any octet in any field yields one line. If the
// line has a link, the link must be canonical, and its request must be one line.
func TestMenuOfAllOctets(t *testing.T) {
	fields := [...]string{"0", "title", "/selector", "gopher.example.org", "70", "+"}
	for at := range fields {
		for c := range 256 {
			if c == '\n' {
				continue
			}
			for _, field := range []string{string([]byte{byte(c)}), fields[at] + string([]byte{byte(c)}), string([]byte{byte(c)}) + fields[at]} {
				f := fields
				f[at] = field
				in := f[0] + f[1] + "\t" + strings.Join(f[2:], "\t") + "\r\n"
				n := 0
				for line, err := range readMenu(context.Background(), menuSource{Reader: strings.NewReader(in)}) {
					n++
					if err != nil {
						t.Errorf("menu %q: %v", in, err)
					}
					if line.Link == nil {
						continue
					}
					fetchtest.CheckCanonical(t, line.Link, "%q: Parse of the link", in)
					if g, ok := line.Link.(urlcore.Gopher); ok && g.Plus != "?" {
						if send, ok := g.Request(); ok && strings.Count(send, "\n") != 1 {
							t.Errorf("menu %q: the link sends %q; want one line", in, send)
						}
					}
				}
				if n != 1 && in[:3] != ".\r\n" {
					t.Errorf("menu %q: got %d lines; want 1", in, n)
				}
			}
		}
	}
}

// repeatedLine yields a line n times.
type repeatedLine struct {
	line string
	n    int
	at   int // the offset in the line
}

func (r *repeatedLine) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.n == 0 {
			return n, io.EOF
		}
		k := copy(p[n:], r.line[r.at:])
		n += k
		if r.at += k; r.at == len(r.line) {
			r.at = 0
			r.n--
		}
	}
	return n, nil
}

// TestMenuWithoutEnd reads menus with very many lines and with very long lines. It checks that the lines do
// not stay in memory.
func TestMenuWithoutEnd(t *testing.T) {
	for _, tt := range []struct {
		src  repeatedLine
		want int // the number of lines, or of pieces of 64 KiB
	}{
		{repeatedLine{line: "0Item\t/item\tgopher.example.org\t70\t+\r\n", n: 625_000}, 625_000},
		{repeatedLine{line: "1" + strings.Repeat("x", 1<<20-2) + "\n", n: 8}, 8 * 16},
		{repeatedLine{line: "0Item\t" + strings.Repeat("x", 1<<20-7) + "\n", n: 8}, 8 * 16},
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		n := 0
		for line, err := range readMenu(context.Background(), menuSource{Reader: &tt.src}) {
			fetchtest.NoError(t, err)
			if n++; len(line.Text) > wire.MaxLine {
				t.Fatalf("got a line of %d octets; want at most %d", len(line.Text), wire.MaxLine)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		fetchtest.Equal(t, n, tt.want, "%.20q: lines", tt.src.line)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
			t.Errorf("menu of lines %.20q: the heap grew by %d octets; want at most 1 MiB", tt.src.line, grown)
		}
	}
}

// TestWrongSizes checks answers that are shorter or longer than announced.
func TestWrongSizes(t *testing.T) {
	s := startServer(t, fstest.MapFS{})
	const text = "four\r\nlines\r\nof\r\ntext\r\n"
	for i, tt := range []struct {
		header, want string
		cut          bool // the answer is incomplete; the result is an error, or a note if the header is "+-1"
	}{
		{"+23", text, false},
		{"+4", "four", false},
		{"+0", "", false},
		{"+24", text, true},
		{"+9223372036854775807", text, true},
		{"+9223372036854775808", "+9223372036854775808\r\n" + text, false},
		{"+99999999999999999999999999", "+99999999999999999999999999\r\n" + text, false},
		{"+-3", "+-3\r\n" + text, false},
		{"++4", "++4\r\n" + text, false},
		{"+-1", text, true},
		{"+-2", text, false},
		{"+4 ", "+4 \r\n" + text, false},
	} {
		selector := fmt.Sprint("/", i)
		setAnswer(s, selector, tt.header+"\r\n"+text)
		u := itemOf(s.Addr(), '0', selector)
		u.Plus, u.HasPlus, u.HasSearch = "+", true, true
		res, err := new(Client).Fetch(t.Context(), protocols.Request{URL: u})
		if err != nil {
			t.Errorf("header %s: Fetch: %v", tt.header, err)
			continue
		}
		got, err := readContent(res)
		noted := res.LateNotes != nil && len(res.LateNotes()) > 0
		if got != tt.want || (err != nil || noted) != tt.cut || noted != (tt.header == "+-1") {
			t.Errorf("header %s: got %q, %v, note: %v; want %q, incomplete: %v", tt.header, got, err, noted, tt.want, tt.cut)
		}
	}
}

// TestStallAnywhere checks that a stall after any octet of an answer ends at the time limit. An error
// must be a [protocols.Error], and a document must have no invented octets.
func TestStallAnywhere(t *testing.T) {
	answers := map[string]struct {
		typ          byte
		plus, octets string
	}{
		"/menu":  {'1', "", "iA\tx\tx\t1\r\n1B\t/b\th\t70\t+\r\n.\r\n"},
		"/text":  {'0', "", ".a\r\n..b\r\n.\r\n"},
		"/html":  {'h', "", "<p>\n.\r\n"},
		"/bytes": {'9', "", "\x15\x03\x01\x00\x02\x02\x46\x00"},
		"/zero":  {'9', "", "0No\t\terror.host\t1\r\n.\r\n"},
		"/no":    {'9', "", "--1\r\n1 A <a@b>\r\nNo\r\n.\r\n"},
		"/size":  {'0', "+", "+6\r\na\r\nb\r\n.\r\n"},
		"/end":   {'0', "+", "+-1\r\na\r\n.\r\n"},
	}
	addr := fetchtest.Serve(t, func(c net.Conn) { serveStalling(c, func(selector string) string { return answers[selector].octets }) })
	var running sync.WaitGroup
	for selector, a := range answers {
		for n := range len(a.octets) + 1 {
			running.Go(func() {
				u := itemOf(addr, a.typ, fmt.Sprintf("%s/%d", selector, n))
				u.Plus, u.HasPlus, u.HasSearch = a.plus, a.plus != "", a.plus != ""
				c := &Client{Dialer: wire.Dialer{FirstByte: 300 * time.Millisecond, Idle: 300 * time.Millisecond}, probeAfter: time.Hour}
				res, err := c.Fetch(t.Context(), protocols.Request{URL: u})
				got := ""
				if err == nil {
					got, err = readContent(res)
				}
				if _, ok := errors.AsType[*protocols.Error](err); err != nil && !ok {
					t.Errorf("%s: got %v; want an *Error or no error", u, err)
				}
				if a.typ == '9' && !strings.HasPrefix(a.octets[:n], got) {
					t.Errorf("%s: got %q; want a beginning of %q", u, got, a.octets[:n])
				}
			})
		}
	}
	running.Wait()
}

// serveStalling answers the selector "/name/n" with the first n octets of the answer to "/name",
// and then sends nothing more.
func serveStalling(c net.Conn, answer func(selector string) string) {
	b := make([]byte, 100)
	n, _ := c.Read(b)
	selector, _, _ := strings.Cut(strings.TrimSpace(string(b[:n])), "\t")
	at := strings.LastIndexByte(selector, '/')
	var octets int
	if _, err := fmt.Sscan(selector[at+1:], &octets); err != nil {
		return
	}
	_, _ = io.WriteString(c, answer(selector[:at])[:octets])
	_, _ = c.Read(b)
}
