package nntp

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// fake is a server that answers from a table: the answer to a command, or to its
// first word. LF stands for CRLF. An answer is sent in one piece, up to a line that
// is an instruction: "close" closes the connection, "stall" sends nothing more,
// "swallow" does so the first time and is passed over later, and "noise" answers the
// next octets, whatever they are, with a line and closes the connection.
// After an answer that ends in "tls" TLS begins, after one that begins with 206
// compression. Of an answer that begins with 483
// the first line is sent without TLS, the rest with TLS.
type fake struct {
	swallowed atomic.Bool

	t        *testing.T
	listener net.Listener
	answers  map[string]string
	script   func(command string) (answer string, ok bool) // before answers; may be nil
	tls      *tls.Config
	quiet    chan struct{} // gets a value when it stalls

	mu       sync.Mutex
	commands []string
	posted   []string // articles, as they came
	conns    []net.Conn
	open     int
}

const fakeGreeting = "200 hello"

func startFake(t *testing.T, answers map[string]string) *fake {
	t.Helper()
	return startFakeOn(t, answers, func(l net.Listener) net.Listener { return l })
}

// startFakeOn starts a fake on what wrap makes of its listener.
func startFakeOn(t *testing.T, answers map[string]string, wrap func(net.Listener) net.Listener) *fake {
	t.Helper()
	l := wrap(fetchtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t))
	f := &fake{t: t, listener: l, answers: answers, quiet: make(chan struct{}, 1)}
	fetchtest.ServeOn(t, l, f.serve)
	return f
}

// pipedFake returns a fake without a listener, and a client of it, for a bubble of
// [testing/synctest].
func pipedFake(t *testing.T, answers map[string]string) (*fake, *Client) {
	f := &fake{t: t, answers: answers, quiet: make(chan struct{}, 1)}
	c := &Client{Server: "h", Dialer: wire.Dialer{Proxies: fetchtest.Piped(f.serve)}}
	t.Cleanup(func() { _ = c.Close() })
	return f, c
}

func (f *fake) serve(c net.Conn) {
	f.mu.Lock()
	f.conns = append(f.conns, c)
	f.open++
	f.mu.Unlock()
	defer func() {
		_ = c.Close()
		f.mu.Lock()
		f.open--
		f.mu.Unlock()
	}()
	if !f.say(c, f.lookup("")) {
		return
	}
	in := bufio.NewScanner(c)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		command := strings.TrimSuffix(in.Text(), "\r")
		f.mu.Lock()
		f.commands = append(f.commands, command)
		f.mu.Unlock()
		answer, secure := strings.CutSuffix(f.lookup(command), "\ntls")
		if refusal, after, ok := strings.Cut(answer, "\n"); ok && strings.HasPrefix(answer, "483") {
			if _, byTLS := c.(*tls.Conn); byTLS {
				answer = after
			} else {
				answer = refusal
			}
		}
		if !f.say(c, answer) {
			return
		}
		if strings.HasPrefix(answer, "340") && !f.say(c, f.article(in)) {
			return
		}
		if strings.HasPrefix(answer, "206") {
			c = deflate(c)
			in = bufio.NewScanner(c)
		}
		if secure {
			c = tls.Server(c, f.tls)
			in = bufio.NewScanner(c)
		}
	}
}

// article reads an article that is posted and returns the answer to it, "." in the
// table: one of several with "|" between, each once but the last.
func (f *fake) article(in *bufio.Scanner) string {
	var b strings.Builder
	for in.Scan() && in.Text() != "." {
		if b.WriteString(in.Text() + "\n"); f.lookup("early") != "500 what?" {
			return f.lookup("early")
		}
	}
	f.mu.Lock()
	f.posted = append(f.posted, b.String())
	answer, next, more := strings.Cut(f.answers["."], "|")
	if more {
		f.answers["."] = next
	}
	f.mu.Unlock()
	return answer
}

func (f *fake) lookup(command string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.script != nil {
		if a, ok := f.script(command); ok {
			return a
		}
	}
	verb, _, _ := strings.Cut(command, " ")
	for _, key := range []string{command, verb} {
		if a, ok := f.answers[key]; ok {
			return a
		}
	}
	switch verb {
	case "":
		return fakeGreeting
	case "QUIT":
		return "205 bye\nclose"
	}
	return "500 what?"
}

func (f *fake) setScript(script func(command string) (string, bool)) {
	f.mu.Lock()
	f.script = script
	f.mu.Unlock()
}

func (f *fake) set(command, answer string) {
	f.mu.Lock()
	f.answers[command] = answer
	f.mu.Unlock()
}

func (f *fake) say(c net.Conn, answer string) bool {
	var piece strings.Builder
	send := func() bool {
		_, err := io.WriteString(c, piece.String())
		piece.Reset()
		return err == nil
	}
	for line := range strings.SplitSeq(answer, "\n") {
		switch line {
		case "close":
			send()
			return false
		case "noise":
			send()
			if _, err := c.Read(make([]byte, 1<<16)); err == nil {
				_, _ = io.WriteString(c, "500 what?\r\n")
			}
			return false
		case "swallow":
			if f.swallowed.Swap(true) {
				continue
			}
			send()
			_, _ = io.Copy(io.Discard, c)
			return false
		case "stall":
			send()
			select {
			case f.quiet <- struct{}{}:
			default:
			}
			_, _ = io.Copy(io.Discard, c)
			return false
		}
		piece.WriteString(line + "\r\n")
	}
	return send()
}

func (f *fake) addr() string { return f.listener.Addr().String() }

func (f *fake) said() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.commands...)
}

// waitClosed fails the test unless all connections end.
func (f *fake) waitClosed() {
	f.t.Helper()
	for range 6000 {
		f.mu.Lock()
		n := f.open
		f.mu.Unlock()
		if n == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	f.t.Errorf("a connection is still open")
}

func (f *fake) client() *Client {
	c := &Client{Server: f.addr(), PlainPasswords: true}
	f.t.Cleanup(func() { _ = c.Close() })
	return c
}

func (f *fake) nntp(group string) urlcore.NNTP {
	hp := hostPortOf(f.t, f.addr())
	return urlcore.NNTP{HostPort: hp, Group: group}
}

func (f *fake) number(group string, n uint64) urlcore.NNTP {
	u := f.nntp(group)
	u.Article, u.HasArticle = n, true
	return u
}

func hostPortOf(t *testing.T, addr string) urlcore.HostPort {
	t.Helper()
	u := fetchtest.Must(parseServer(addr))(t)
	return u.HostPort
}

// fetchLines fetches u and reads all its lines.
func fetchLines(t *testing.T, c *Client, u urlcore.URL) (protocols.Head, []protocols.Line, error) {
	t.Helper()
	return fetchtest.CollectLines(context.Background(), t, c, u)
}

// fetchBody fetches u and reads all its octets.
func fetchBody(t *testing.T, c *Client, u urlcore.URL) (string, error) {
	t.Helper()
	r, err := c.Fetch(context.Background(), u)
	if err != nil {
		return "", err
	}
	defer r.Close()
	if r.Body == nil || r.Lines != nil {
		t.Fatalf("%v: want a Body only", u)
	}
	if r.Media != protocols.MediaArticle || r.Size != -1 {
		t.Errorf("%v: Media, Size = %q, %d; want %q, -1", u, r.Media, r.Size, protocols.MediaArticle)
	}
	b, err := io.ReadAll(r.Body)
	return string(b), err
}

// drop closes all connections.
func (f *fake) drop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		_ = c.Close()
	}
}

// close ends the server before the end of the test.
func (f *fake) close() {
	_ = f.listener.Close()
	f.drop()
	f.waitClosed()
}
