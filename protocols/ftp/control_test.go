package ftp

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// canned is a connection on which everything has been said already.
type canned struct {
	net.Conn
	in io.Reader
}

func (c canned) Read(p []byte) (int, error)       { return c.in.Read(p) }
func (canned) String() string                     { return "canned" }
func (canned) Write(p []byte) (int, error)        { return len(p), nil }
func (canned) Close() error                       { return nil }
func (canned) RemoteAddr() net.Addr               { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 21} }
func (canned) SetDeadline(_ time.Time) error      { return nil }
func (canned) SetReadDeadline(_ time.Time) error  { return nil }
func (canned) SetWriteDeadline(_ time.Time) error { return nil }

// DialContext has a canned connection be the way to any address.
func (c canned) DialContext(context.Context, string, string) (net.Conn, error) { return c, nil }

// routes are [wire.Proxies].
type routes func() wire.Route

func (r routes) Route(string) (wire.Route, error) { return r(), nil }

// FuzzReplies has a server say anything: neither we nor the library may panic
// or hang, every error is one of ours, and none tells the password.
func FuzzReplies(f *testing.F) {
	const login = "220 hi\r\n331 pw\r\n230-a\r\n230 in\r\n211-f\r\n MLST x\r\n UTF8\r\n211 end\r\n200 I\r\n200 u\r\n257 \"/\"\r\n"
	f.Add(login+"250 a\r\n229 (|||9|)\r\n150 x\r\n226 y\r\n", "type=file; a\r\n", "a;type=d")
	f.Add(login+"213 3\r\n500 x\r\n227 (1,2,3,4,5,6)\r\n150 x\r\n226 y\r\n", "abc", "f")
	f.Add(login+"550\r\n500 x\r\n227 )(\r\n150 x\r\n226 y\r\n", "abc", "f")
	f.Add(login+"550 no\r\n229 (|||9|)\r\n550 dir\r\n250-m\r\n250 in\r\n229 |||9|\r\n150\r\n450 none\r\n", "", "f")
	f.Add("\r\n220-\r\n221 \r\n220\r\n230\r\n500\r\n500\r\n257 \"\r\n501\r\n229 (|||9|)\r\n500\r\n229 (|||9|)\r\n125\r\n250\r\n", "total 0\r\n", "/")
	f.Add(login+"250-sesame\r\n250 a\r\n229 (|||sesame|)\r\n500 x\r\n227 (sesame)\r\n", "", "a;type=d")
	f.Add(login+"550 sesame\r\n", "", "a;type=d")
	f.Add("220 a\r\n331 b\r\n530 sesame is wrong\r\n", "", "x")
	f.Fuzz(func(t *testing.T, replies, data, path string) {
		u, err := parseFTP("ftp://joe:sesame@h/" + path)
		if err != nil {
			return
		}
		r, err := newRequest(u)
		if err != nil || strings.Contains(strings.Join(append(r.cwds, r.name, r.url.Host), "/"), "sesame") {
			return
		}
		c := &Client{PlainPasswords: true}
		defer c.Close()
		cred := c.credentials(u, r)
		c.logins.Try(r.addr, cred)
		said := canned{in: strings.NewReader(replies)}
		s := &session{logins: &c.logins, key: r.key(cred), unsecured: errors.New("not tried")}
		s.dialer.Proxies = routes(func() wire.Route {
			if s.ctrl == nil {
				return said
			}
			return canned{in: strings.NewReader(data)}
		})
		s.Bind(t.Context())
		defer s.Drop()
		check := func(err error) {
			var (
				e *protocols.Error
				l *protocols.Login
			)
			switch {
			case err == nil:
			case errors.As(err, &e):
				if strings.Contains(err.Error(), "sesame") {
					t.Errorf("the error tells the password: %v", err)
				}
			case errors.As(err, &l):
				if strings.Contains(l.Text+l.URL.String(), "sesame") {
					t.Errorf("the login tells the password: %+v", l)
				}
			default:
				t.Errorf("the error is not ours: %T %v", err, err)
			}
		}
		if err := s.begin(c, r, false); err != nil {
			check(err)
			return
		}
		res, err := s.do(c, r)
		err = c.settle(s, r, err)
		fetchtest.Lacks(t, strings.Join(append(s.welcome, s.message...), "\n"), "sesame", "a message")
		if err != nil {
			check(err)
			return
		}
		defer res.Close()
		if res.Body != nil {
			_, err := io.Copy(io.Discard, res.Body)
			check(err)
			return
		}
		for _, err := range res.Lines {
			check(err)
		}
	})
}

// readerFunc is an io.Reader.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestAnswerBeforeCancel has the context end when the server has refused
// already: the refusal is what the fetch came to.
func TestAnswerBeforeCancel(t *testing.T) {
	s := &session{logins: new(wire.Logins)}
	s.ctx, s.cancel = context.WithCancelCause(t.Context())
	replies := strings.NewReader("220 hi\r\n550 not there\r\n")
	s.ctrl = newControl(canned{in: readerFunc(func(p []byte) (int, error) {
		if replies.Len() < 20 {
			s.cancel(errors.New("too late"))
		}
		return replies.Read(p[:min(len(p), len("220 hi\r\n"))])
	})})
	fetchtest.Must(s.ctrl.reply())(t)
	if err := s.change("d"); code(err) != 550 {
		t.Errorf("got %v, want the 550", err)
	}
	if err := s.change("d"); err == nil || err.Error() != "too late" {
		t.Errorf("without an answer: got %v, want the cause", err)
	}
}
