package conformance

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/protocols/finger"
	"gofer/protocols/ftp"
	"gofer/protocols/gopher"
	"gofer/protocols/nntp"
	"gofer/protocols/prospero"
	"gofer/protocols/wais"
	"gofer/protocols/web"
	"gofer/protocols/whois"
	"gofer/protocols/whoispp"
	"gofer/urlcore"
)

// recorder is a server that records all octets it receives, and answers so that a client goes on.
type recorder struct {
	mu     sync.Mutex
	octets strings.Builder
	added  chan struct{}
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = r.octets.Write(p)
	select {
	case r.added <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (r *recorder) received() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.octets.String()
}

// checkWire fetches a URL from a recording server and compares the octets that the server received.
func checkWire(t *testing.T, input, want string) (string, error) {
	t.Helper()
	scheme, _, _ := strings.Cut(input, ":")
	r := &recorder{added: make(chan struct{}, 1)}
	fetcher, addr := r.start(t, scheme)
	u, err := urlcore.Parse(strings.ReplaceAll(input, "HOST", addr))
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- fetchtest.Drain(ctx, fetcher, protocols.Request{URL: u}) }()
	wanted, refused, _ := strings.Cut(want, "not ")
	for {
		var fetchErr error
		isEnd := false
		select {
		case fetchErr = <-ended:
			isEnd = true
		case <-r.added:
		}
		got := r.received()
		switch missing := findInOrder(got, wanted); {
		case missing == "" && (isEnd || refused == ""):
			cancel()
			if !isEnd {
				<-ended
			}
			if refused != "" && findInOrder(got, refused) == "" {
				return got, errDiffers
			}
			return got, nil
		case isEnd:
			return got, errors.Join(errors.New("missing: "+missing), fetchErr)
		}
	}
}

// findInOrder returns the first of the quoted strings that is not in got after the ones before it, or "".
func findInOrder(got, quoted string) string {
	for quoted = strings.TrimSpace(quoted); quoted != ""; quoted = strings.TrimSpace(quoted) {
		end := strings.Index(quoted[1:], `"`) + 2
		for quoted[end-2] == '\\' {
			end += strings.Index(quoted[end:], `"`) + 1
		}
		text := unquote(quoted[:end])
		_, rest, ok := strings.Cut(got, text)
		if !ok {
			return quoted[:end]
		}
		got, quoted = rest, quoted[end:]
	}
	return ""
}

// start starts a server for the scheme. It returns a client for it, and its address.
func (r *recorder) start(t *testing.T, scheme string) (protocols.Fetcher, string) {
	t.Helper()
	switch scheme {
	case "gopher":
		return new(gopher.Client), fetchtest.Serve(t, r.answerLine("+-1\r\n+INFO: 0a\t/a\tHOST\t70\t+\r\n.\r\n"))
	case "http":
		return new(web.Client), fetchtest.Serve(t, r.answerHTTP)
	case "finger":
		return new(finger.Client), fetchtest.Serve(t, r.answerLine("a\r\n"))
	case "whois":
		return new(whois.Client), fetchtest.Serve(t, r.answerLine("a\r\n"))
	case "whois++":
		return new(whoispp.Client), fetchtest.Serve(t, r.answerLine("# HANDLE USER S a\r\n% 226 ok\r\n"))
	case "ftp":
		return &ftp.Client{PlainPasswords: true}, fetchtest.Serve(t, r.answerFTP)
	case "news", "nntp":
		addr := fetchtest.Serve(t, r.answerNNTP)
		return &nntp.Client{Server: addr}, addr
	case "wais":
		s := fetchtest.CloseAtEnd(demo.StartWAIS([]demo.WAISDatabase{{Name: "d"}}))(t)
		return new(wais.Client), r.relay(t, s.Addr())
	case "prospero":
		return new(prospero.Client), fetchtest.ServePackets(t, "127.0.0.1", func(_ net.PacketConn, _ net.Addr, p []byte) { _, _ = r.Write(p) })
	}
	t.Fatalf("no recorder for %s:", scheme)
	return nil, ""
}

// answerLine answers the first line of each connection.
func (r *recorder) answerLine(answer string) func(net.Conn) {
	return func(c net.Conn) {
		if _, err := bufio.NewReader(io.TeeReader(c, r)).ReadString('\n'); err == nil {
			_, _ = io.WriteString(c, answer)
		}
	}
}

func (r *recorder) answerHTTP(c net.Conn) {
	in := bufio.NewReader(io.TeeReader(c, r))
	for {
		if line, err := in.ReadString('\n'); err != nil || line == "\r\n" {
			break
		}
	}
	_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
}

func (r *recorder) answerNNTP(c net.Conn) {
	answers := map[string]string{
		"GROUP": "211 1 7 7 a.b", "OVER": "224 go\r\n7\ts\ta@b\td\t<i@d>\t\t1\t1\r\n.", "ARTICLE": "220 7 <i@d>\r\nSubject: s\r\n\r\nb\r\n.",
		"LIST": "215 go\r\na.b 7 7 y\r\n.",
	}
	r.answerCommands(c, "200 hello", func(verb, _ string) string { return answers[verb] })
}

// answerCommands sends the greeting and then the answer to each line, or 500 if the answer is empty.
func (r *recorder) answerCommands(c net.Conn, greeting string, answer func(verb, argument string) string) {
	in := bufio.NewReader(io.TeeReader(c, r))
	for reply := greeting; ; {
		if _, err := io.WriteString(c, reply+"\r\n"); err != nil {
			return
		}
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb, argument, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if reply = answer(verb, argument); reply == "" {
			reply = "500 what?"
		}
	}
}

func (r *recorder) answerFTP(c net.Conn) {
	var listeners []net.Listener
	var sending sync.WaitGroup
	defer func() {
		for _, l := range listeners {
			_ = l.Close()
		}
		sending.Wait()
	}()
	answers := map[string]string{
		"USER": "331 password", "PASS": "230 in", "TYPE": "200 ok", "PWD": `257 "/home"`, "CWD": "250 there",
		"SIZE": "213 2",
	}
	r.answerCommands(c, "220 hello", func(verb, argument string) string {
		switch verb {
		case "EPSV":
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return "425 no"
			}
			listeners = append(listeners, l)
			_, port, _ := net.SplitHostPort(l.Addr().String())
			return "229 here (|||" + port + "|)"
		case "LIST", "RETR", "NLST":
			_, _ = io.WriteString(c, "150 coming\r\n")
			data := listeners[len(listeners)-1]
			sending.Go(func() { // a canceled client may not connect, and is then seen on the control connection
				if d, err := data.Accept(); err == nil {
					_, _ = io.WriteString(d, map[string]string{"LIST": "-rw-r--r-- 1 a b 1 Jan  1  2000 f\r\n", "NLST": "f\r\n", "RETR": "ok"}[verb])
					_ = d.Close()
				}
			})
			return "226 done"
		case "CWD":
			if argument == "*.txt" {
				return "550 not a directory"
			}
		}
		return answers[verb]
	})
}

// relay passes connections to the server at addr.
func (r *recorder) relay(t *testing.T, addr string) string {
	t.Helper()
	return fetchtest.Serve(t, func(c net.Conn) {
		d, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		defer d.Close()
		go func() {
			_, _ = io.Copy(d, io.TeeReader(c, r))
			_ = d.Close()
		}()
		_, _ = io.Copy(c, d)
	})
}
