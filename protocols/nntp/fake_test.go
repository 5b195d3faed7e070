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

// fake is a server with a table of answers. The key of an answer is a command or the first word of a
// command. An LF in the table is sent as CRLF. An answer is sent in one write, up to a line with an
// instruction:
//   - close: close the connection
//   - stall: send nothing more
//   - swallow: stall, but only the first time
//   - noise: answer the next octets with a line, and close the connection
//
// After an answer that ends in "tls", the server begins TLS. After an answer that begins with 206, it
// begins compression. If an answer begins with 483, its first line is the answer without TLS, and the
// other lines are the answer with TLS.
type fake struct {
	swallowed atomic.Bool // the instruction swallow was executed

	t        *testing.T
	listener net.Listener
	answers  map[string]string
	script   func(command string) (answer string, ok bool) // tried before answers; may be nil
	tls      *tls.Config
	stalled  chan struct{} // receives a value when the server stalls

	mu       sync.Mutex
	commands []string
	posted   []string // articles received
	conns    []net.Conn
	open     int
}

const fakeGreeting = "200 hello"

func startFake(t *testing.T, answers map[string]string) *fake {
	t.Helper()
	return startFakeOn(t, answers, func(l net.Listener) net.Listener { return l })
}

// startFakeOn starts a fake on the listener that wrap returns.
func startFakeOn(t *testing.T, answers map[string]string, wrap func(net.Listener) net.Listener) *fake {
	t.Helper()
	l := wrap(fetchtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t))
	f := &fake{t: t, listener: l, answers: answers, stalled: make(chan struct{}, 1)}
	fetchtest.ServeOn(t, l, f.serve)
	return f
}

// pipedFake returns a fake without a listener, and its client, for use with [testing/synctest].
func pipedFake(t *testing.T, answers map[string]string) (*fake, *Client) {
	f := &fake{t: t, answers: answers, stalled: make(chan struct{}, 1)}
	c := &Client{Server: "h", Dialer: wire.Dialer{Proxies: fetchtest.PipeServer(f.serve)}}
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
	if !f.sendAnswer(c, f.answerTo("")) {
		return
	}
	in := bufio.NewScanner(c)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		command := strings.TrimSuffix(in.Text(), "\r")
		f.mu.Lock()
		f.commands = append(f.commands, command)
		f.mu.Unlock()
		answer, secure := strings.CutSuffix(f.answerTo(command), "\ntls")
		if refusal, after, ok := strings.Cut(answer, "\n"); ok && strings.HasPrefix(answer, "483") {
			if _, byTLS := c.(*tls.Conn); byTLS {
				answer = after
			} else {
				answer = refusal
			}
		}
		if !f.sendAnswer(c, answer) {
			return
		}
		if strings.HasPrefix(answer, "340") && !f.sendAnswer(c, f.receiveArticle(in)) {
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

// receiveArticle receives a posted article and returns the answer to it. answers["."] holds the answers
// to consecutive articles, separated by "|"; the last answer is also sent for all further articles. If there
// is an answer "early", it is returned after the first line of the article.
func (f *fake) receiveArticle(in *bufio.Scanner) string {
	var b strings.Builder
	for in.Scan() && in.Text() != "." {
		if b.WriteString(in.Text() + "\n"); f.answerTo("early") != "500 what?" {
			return f.answerTo("early")
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

func (f *fake) answerTo(command string) string {
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

func (f *fake) setAnswer(command, answer string) {
	f.mu.Lock()
	f.answers[command] = answer
	f.mu.Unlock()
}

func (f *fake) sendAnswer(c net.Conn, answer string) bool {
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
			case f.stalled <- struct{}{}:
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

func (f *fake) sentCommands() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.commands...)
}

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
	f.t.Errorf("the client has not closed its connections to the fake")
}

func (f *fake) client() *Client {
	c := &Client{Server: f.addr(), PlainPasswords: true}
	f.t.Cleanup(func() { _ = c.Close() })
	return c
}

func (f *fake) groupURL(group string) urlcore.NNTP {
	hp := hostPortOf(f.t, f.addr())
	return urlcore.NNTP{HostPort: hp, Group: group}
}

func (f *fake) articleURL(group string, n uint64) urlcore.NNTP {
	u := f.groupURL(group)
	u.Article, u.HasArticle = n, true
	return u
}

func hostPortOf(t *testing.T, addr string) urlcore.HostPort {
	t.Helper()
	u := fetchtest.Must(parseServer(addr))(t)
	return u.HostPort
}

func fetchLines(t *testing.T, c *Client, u urlcore.URL) (protocols.Head, []protocols.Line, error) {
	t.Helper()
	return fetchtest.CollectLines(context.Background(), t, c, protocols.Request{URL: u})
}

func fetchBody(t *testing.T, c *Client, u urlcore.URL) (string, error) {
	t.Helper()
	r, err := c.Fetch(context.Background(), protocols.Request{URL: u})
	if err != nil {
		return "", err
	}
	defer r.Close()
	if r.Body == nil || r.Lines != nil {
		t.Fatalf("Fetch(%v) has Lines or no Body, want only a Body", u)
	}
	if r.Media != protocols.MediaArticle || r.Size != -1 {
		t.Errorf("Fetch(%v): Media, Size = %q, %d; want %q, -1", u, r.Media, r.Size, protocols.MediaArticle)
	}
	b, err := io.ReadAll(r.Body)
	return string(b), err
}

func (f *fake) dropConnections() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		_ = c.Close()
	}
}

func (f *fake) stop() {
	_ = f.listener.Close()
	f.dropConnections()
	f.waitClosed()
}
