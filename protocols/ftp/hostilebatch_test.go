package ftp

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// batchServer answers the commands of one connection. The function take gets all commands that have arrived
// together, and returns what to send. It returns false to close the connection.
type batchServer struct {
	connections atomic.Int32
	mu          sync.Mutex
	sent        []string // what the client sent together, by write
}

func (b *batchServer) serve(t *testing.T, take func(connection int, batch []string, reply func(string) string) (string, bool)) (url string) {
	return "ftp://" + fetchtest.Serve(t, func(c net.Conn) {
		n := int(b.connections.Add(1))
		var data net.Listener
		reply := func(line string) string {
			verb, _, _ := strings.Cut(line, " ")
			switch verb {
			case "EPSV":
				data = fetchtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
				t.Cleanup(func() { _ = data.Close() })
				return fmt.Sprintf("229 (|||%d|)\r\n", data.Addr().(*net.TCPAddr).Port)
			case "RETR":
				d, err := data.Accept()
				if err != nil {
					return "425 no\r\n"
				}
				_, _ = io.WriteString(d, "data")
				_ = d.Close()
				return "150 coming\r\n226 done\r\n"
			}
			return map[string]string{
				"USER": "331 password\r\n", "PASS": "230 in\r\n", "FEAT": "211 none\r\n", "TYPE": "200 ok\r\n", "PWD": "257 \"/\"\r\n",
				"CWD": "250 ok\r\n", "SIZE": "213 4\r\n", "AUTH": "502 no\r\n", "QUIT": "221 bye\r\n",
			}[verb] + map[bool]string{true: "500 what\r\n"}[verb == "OPTS"]
		}
		if _, err := io.WriteString(c, "220 hi\r\n"); err != nil {
			return
		}
		for in := bufio.NewReader(c); ; {
			var batch []string
			for len(batch) == 0 || in.Buffered() > 0 {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				batch = append(batch, strings.TrimSpace(line))
			}
			b.mu.Lock()
			b.sent = append(b.sent, strings.Join(batch, "+"))
			b.mu.Unlock()
			text, more := take(n, batch, reply)
			if _, err := io.WriteString(c, text); err != nil || !more {
				return
			}
		}
	})
}

// TestHostileBatches fetches from servers that misuse a login in one write. Each fetch must end with the file or a clear
// error, after few connections. The next fetch must know what happened.
func TestHostileBatches(t *testing.T) {
	all := func(batch []string, reply func(string) string) (text string) {
		for _, line := range batch {
			text += reply(line)
		}
		return text
	}
	for _, tt := range []struct {
		name        string
		take        func(n int, batch []string, reply func(string) string) (string, bool)
		want        protocols.Reason // of the error, or 0
		connections int              // of the first fetch, at most
		learned     pipelining
		isSilent    bool // some replies never arrive
	}{
		{"all at once", func(_ int, batch []string, reply func(string) string) (string, bool) { return all(batch, reply), true }, 0, 1, pipelineWorks, false},
		{"the first of several", func(_ int, batch []string, reply func(string) string) (string, bool) { return reply(batch[0]), true }, 0, 2, pipelineFails, true},
		{"three of several", func(_ int, batch []string, reply func(string) string) (string, bool) {
			return all(batch[:min(len(batch), 3)], reply), true
		}, 0, 2, pipelineFails, true},
		{"closed at the second", func(_ int, batch []string, reply func(string) string) (string, bool) {
			return reply(batch[0]), len(batch) == 1
		}, 0, 2, pipelineFails, false},
		{"backwards", func(_ int, batch []string, reply func(string) string) (string, bool) {
			text := ""
			for _, line := range batch {
				text = reply(line) + text
			}
			return text, true
		}, 0, 2, pipelineFails, false},
		{"one reply too many", func(_ int, batch []string, reply func(string) string) (string, bool) {
			if len(batch) > 1 {
				return reply(batch[0]) + "200 by the way\r\n" + all(batch[1:], reply), true
			}
			return all(batch, reply), true
		}, 0, 2, pipelineFails, false},
		{"421 to all after the login", func(_ int, batch []string, reply func(string) string) (string, bool) {
			if len(batch) > 2 {
				return all(batch[:2], reply) + strings.Repeat("421 too many\r\n", len(batch)-2), false
			}
			return all(batch, reply), true
		}, protocols.ServerFailed, 1, pipelineUntested, false},
		{"421 at once", func(int, []string, func(string) string) (string, bool) { return "421 too many\r\n", false }, protocols.ServerFailed, 1, pipelineUntested, false},
		{"503 to the rest", func(_ int, batch []string, reply func(string) string) (string, bool) {
			return reply(batch[0]) + strings.Repeat("503 wait\r\n", len(batch)-1), true
		}, 0, 2, pipelineFails, false},
		{"logged in already", func(_ int, batch []string, reply func(string) string) (string, bool) {
			text := strings.Replace(all(batch, reply), "331 password\r\n230 in\r\n", "230 in\r\n503 you are\r\n", 1)
			return text, true
		}, 0, 1, pipelineWorks, false},
		{"answers before they are asked for", func(_ int, batch []string, reply func(string) string) (string, bool) {
			if batch[0] == authTLS {
				return "502 no\r\n331 password\r\n230 in\r\n", true
			}
			return all(batch, reply), true
		}, 0, 2, pipelineFails, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := new(batchServer)
			c := newClient(t)
			u := parse(t, b.serve(t, tt.take)+"/d/f")
			if tt.isSilent { // the others arrive together
				c.serverAt(u.Addr()).learn(func(h *habits) { h.AwaitsGreeting = true })
				c.Dialer.QuickReply = 1 // a nanosecond of silence makes a reply count as missing
			}
			_, _, body, err := fetchtest.Collect(t.Context(), c, u)
			if n := int(b.connections.Load()); n > tt.connections {
				t.Errorf("%d connections, want at most %d: %q", n, tt.connections, b.sent)
			}
			if tt.want != 0 {
				fetchtest.Reason(t, err, tt.want)
			} else if err != nil || body != "data" {
				t.Errorf("the Body is %q, error %v; want the file (%q)", body, err, b.sent)
			}
			fetchtest.Equal(t, c.serverAt(u.Addr()).current().Pipelining, tt.learned, "learned")
			if tt.want != 0 {
				return
			}
			_ = c.Close()
			again := &Client{PlainPasswords: true, Habits: new(memoryStore)}
			again.serverAt(u.Addr()).habits = c.serverAt(u.Addr()).current()
			before := b.connections.Load()
			fetchtest.Returns(t, "data", "again")(getBody(t, again, u.String()))
			_ = again.Close()
			fetchtest.Equal(t, b.connections.Load()-before, 1, "connections of the next fetch")
		})
	}
}
