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

// cannedConn is a connection whose input is prepared. It ignores output.
type cannedConn struct {
	net.Conn
	in io.Reader
}

func (c cannedConn) Read(p []byte) (int, error)       { return c.in.Read(p) }
func (cannedConn) String() string                     { return "canned" }
func (cannedConn) Write(p []byte) (int, error)        { return len(p), nil }
func (cannedConn) Close() error                       { return nil }
func (cannedConn) RemoteAddr() net.Addr               { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 21} }
func (cannedConn) SetDeadline(_ time.Time) error      { return nil }
func (cannedConn) SetReadDeadline(_ time.Time) error  { return nil }
func (cannedConn) SetWriteDeadline(_ time.Time) error { return nil }

// DialContext returns c for any address.
func (c cannedConn) DialContext(context.Context, string, string) (net.Conn, error) { return c, nil }

// routeFunc implements [wire.Proxies].
type routeFunc func() wire.Route

func (r routeFunc) Route(string) (wire.Route, error) { return r(), nil }

// FuzzReplies checks arbitrary replies: neither this package nor jlaffaye/ftp may panic or hang,
// every error has a known type, and no text contains the password.
func FuzzReplies(f *testing.F) {
	const login = "220 hi\r\n331 pw\r\n230-a\r\n230 in\r\n211-f\r\n MLST x\r\n UTF8\r\n211 end\r\n200 I\r\n200 u\r\n257 \"/\"\r\n"
	f.Add(login+"250 a\r\n229 (|||9|)\r\n150 x\r\n226 y\r\n", "type=file; a\r\n", "a;type=d")
	f.Add(login+"213 3\r\n500 x\r\n227 (1,2,3,4,5,6)\r\n150 x\r\n226 y\r\n", "abc", "f")
	f.Add(login+"550\r\n500 x\r\n227 )(\r\n150 x\r\n226 y\r\n", "abc", "f")
	f.Add(login+"550 no\r\n229 (|||9|)\r\n550 dir\r\n250-m\r\n250 in\r\n229 |||9|\r\n150\r\n450 none\r\n", "", "f")
	f.Add(
		"\r\n220-\r\n221 \r\n220\r\n230\r\n500\r\n500\r\n257 \"\r\n501\r\n229 (|||9|)\r\n500\r\n229 (|||9|)\r\n125\r\n250\r\n",
		"total 0\r\n", "/",
	)
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
		cred := c.chooseCredentials(t.Context(), u, r)
		c.logins.Try(r.addr, cred)
		controlConn := cannedConn{in: strings.NewReader(replies)}
		s := &session{logins: &c.logins, key: r.key(cred), tlsErr: errors.New("not tried")}
		s.dialer.Proxies = routeFunc(func() wire.Route {
			if s.ctrl == nil {
				return controlConn
			}
			return cannedConn{in: strings.NewReader(data)}
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
					t.Errorf("the error contains the password: %v", err)
				}
			case errors.As(err, &l):
				if strings.Contains(l.Text+l.URL.String(), "sesame") {
					t.Errorf("the Login contains the password: %+v", l)
				}
			default:
				t.Errorf("the error has the unexpected type %T: %v", err, err)
			}
		}
		if err := s.start(c, r, false); err != nil {
			check(err)
			return
		}
		res, err := s.fetch(c, r)
		err = c.keepOrClose(s, r, err)
		fetchtest.NotContains(t, strings.Join(append(s.welcome, s.message...), "\n"), "sesame", "a message")
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

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestReplyBeforeCancel checks that a refusal read before the context ends is the error.
func TestReplyBeforeCancel(t *testing.T) {
	s := &session{logins: new(wire.Logins)}
	s.ctx, s.bound = bind(t.Context())
	replies := strings.NewReader("220 hi\r\n550 not there\r\n")
	s.ctrl = newControl(cannedConn{in: readerFunc(func(p []byte) (int, error) {
		if replies.Len() < 20 {
			s.bound.cancel(errors.New("too late"))
		}
		return replies.Read(p[:min(len(p), len("220 hi\r\n"))])
	})})
	fetchtest.Must(s.ctrl.nextReply())(t)
	if err := s.sendCWD("d"); replyCode(err) != 550 {
		t.Errorf("sendCWD() with a reply before the cancellation = %v; want the 550", err)
	}
	if err := s.sendCWD("d"); err == nil || err.Error() != "too late" {
		t.Errorf("sendCWD() without a reply = %v; want the cause of the cancellation", err)
	}
}
