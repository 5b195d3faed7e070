package mailto

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// draftOf returns the draft for the URL u.
func draftOf(t *testing.T, c *Client, u string) *protocols.Compose {
	t.Helper()
	_, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, u)})
	ask := fetchtest.As[*protocols.Compose](t, err, "%s", u)
	return ask
}

// editDraft edits the draft of ask and returns the question before it is sent.
func editDraft(t *testing.T, ask *protocols.Compose, edit func(string) string) *protocols.Confirm {
	t.Helper()
	path := fetchtest.Must(ask.Draft.File())(t)
	data := fetchtest.Must(os.ReadFile(path))(t)
	fetchtest.NoError(t, os.WriteFile(path, []byte(edit(string(data))), 0o600))
	return fetchtest.Must(ask.Draft.Preview())(t)
}

// TestDraft checks that the fields of a URL become a draft. A URL must not set From, and no field
// may have a line end.
func TestDraft(t *testing.T) {
	for u, want := range map[string]string{
		"mailto:joe@example.org":                                                           "To: joe@example.org\nSubject: \n\n\n",
		"mailto:a@b,c%2Bd@e?cc=f@g&subject=a+b%20c&body=x%0D%0Ay":                          "To: a@b,c+d@e\nCc: f@g\nSubject: a+b c\n\nx\ny\n",
		"mailto:?to=a@b&TO=c@d&Subject=x":                                                  "To: a@b, c@d\nSubject: x\n\n\n",
		"mailto:a@b?to=c@d&cc=e@f&cc=g@h&bcc=i@j&bcc=k@l&subject=x&subject=y":              "To: a@b, c@d\nCc: e@f, g@h\nBcc: i@j, k@l\nSubject: y\n\n\n",
		"mailto:a@b?subject=x%0D%0ABcc:%20evil@x":                                          "To: a@b\nSubject: x Bcc: evil@x\n\n\n",
		"mailto:a@b?from=evil@x&sender=evil@x&attach=/etc/passwd&received=x&x-y=z&subject": "To: a@b\nSubject: \n\n\n",
		"mailto:a@b?subject=%1B%5B2J&body=%1B%5B2J":                                        "To: a@b\nSubject: ␛[2J\n\n␛[2J\n",
		"mailto:a@b?in-reply-to=%3Cx@y%3E&keywords=k":                                      "To: a@b\nSubject: \nIn-Reply-To: <x@y>\nKeywords: k\n\n\n",
		"mailto:a@b?subject=x&amp;body=y":                                                  "To: a@b\nSubject: x\n\ny\n",
		"mailserver:list@example.org/index":                                                "To: list@example.org\nSubject: index\n\n\n",
		"mailserver:list@example.org//get%20a%0Aend":                                       "To: list@example.org\nSubject: \n\nget a\nend\n",
	} {
		ask := draftOf(t, &Client{Drafts: t.TempDir()}, u)
		path, err := ask.Draft.File()
		data, _ := os.ReadFile(path)
		if string(data) != want || err != nil {
			t.Errorf("draft of %s: got %q, %v; want %q", u, data, err, want)
		}
		if to, _, _ := strings.Cut(strings.TrimPrefix(want, "To: "), "\n"); ask.Title != "Mail to "+to {
			t.Errorf("draft of %s: got the title %q; want %q", u, ask.Title, "Mail to "+to)
		}
	}
	if ask := draftOf(t, &Client{Drafts: t.TempDir()}, "mailto:?subject=x"); ask.Title != "Mail" {
		t.Errorf("draft without a recipient: got the title %q; want \"Mail\"", ask.Title)
	}
	for _, u := range []string{"mailserver:what", "mailserver:/a", "x-note:a@b"} {
		if _, err := new(Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, u)}); err == nil {
			t.Errorf("Fetch(%s): got no error", u)
		}
	}
}

// TestURL checks that parsing the URL of a message returns the same message.
func TestURL(t *testing.T) {
	for _, u := range []string{"mailto:a@b,c+d@e?body=x%0Ay%0A&cc=f@g&subject=a%20%26%20b", "mailto:?body=&subject="} {
		m := fetchtest.Must(parseURL(fetchtest.Parse(t, u)))(t)
		again, err := parseURL(m.URL())
		if again.Body = strings.TrimSuffix(again.Body, "\n"); err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("parseURL of the URL of %+v, which is %s: got %+v, %v", m, m.URL(), again, err)
		}
	}
}

// TestSendmail checks that sendmail gets the message on its standard input. No address may be an
// argument.
func TestSendmail(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows cannot run a shell script")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "sendmail")
	fetchtest.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\nexec >\"${0%/*}/sent\"\necho \"$@\"\ncat\n"), 0o700))
	c := &Client{Drafts: dir, Sendmail: []string{script, "-i", "-t"}, Now: func() time.Time { return time.Unix(0, 0).UTC() }}
	ask := draftOf(t, c, "mailto:-oQ/tmp@example.org?bcc=b@c&subject=x")
	confirm := editDraft(t, ask, func(s string) string { return s + "Hello\n" })
	fetchtest.Equal(t, confirm.Question, `Send this to "-oQ/tmp@example.org, b@c" by sendmail`, "the question")
	if _, err := os.Stat(dir + "/sent"); err == nil {
		t.Fatal("the message was sent before the user agreed")
	}
	c.Dialer.Offline = true
	if err := ask.Draft.Send(t.Context()); !errors.Is(err, protocols.ErrNoPrograms) {
		t.Errorf("Send offline: got %v; want %v", err, protocols.ErrNoPrograms)
	}
	if _, err := os.Stat(dir + "/sent"); err == nil {
		t.Fatal("the message was sent offline")
	}
	c.Dialer.Offline = false
	fetchtest.NoError(t, ask.Draft.Send(t.Context()))
	want := "-i -t\nDate: Thu, 01 Jan 1970 00:00:00 +0000\nTo: <-oQ/tmp@example.org>\nBcc: <b@c>\nSubject: x\nMIME-Version: 1.0\n" +
		"Content-Type: text/plain; charset=us-ascii\n\n\nHello\n"
	if got, _ := os.ReadFile(dir + "/sent"); string(got) != want {
		t.Errorf("sendmail got\n%s\nwant\n%s", got, want)
	}
	c.Sendmail = []string{"/bin/sh", "-c", "echo no such user >&2; exit 75"}
	ask = draftOf(t, c, "mailto:a@b")
	editDraft(t, ask, func(s string) string { return s + "x" })
	var e *protocols.Error
	if err := ask.Draft.Send(t.Context()); !errors.As(err, &e) || e.Text != "no such user" || len(e.Lines) == 0 {
		t.Errorf("Send by a sendmail that fails: got %v; want its output \"no such user\" and lines", err)
	}
}

// backend is an SMTP server that records messages.
type backend struct {
	mu       sync.Mutex
	sent     []string
	password string
}

func (b *backend) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{b: b}, nil }

type session struct {
	b    *backend
	text string
	// password is the password of the login. The server repeats it in the error for a refused
	// recipient.
	password string
}

func (s *session) AuthMechanisms() []string { return []string{"PLAIN"} }
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "joe" || password != s.b.password {
			return &smtp.SMTPError{Code: 535, Message: "not " + password}
		}
		s.text += "user joe|"
		s.password = password
		return nil
	}), nil
}
func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.text += "from " + from + "|"
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if to == "nobody@example.org" {
		return &smtp.SMTPError{Code: 550, Message: "no such user " + s.password}
	}
	s.text += "to " + to + "|"
	return nil
}

func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	s.b.sent = append(s.b.sent, s.text+string(data))
	return err
}

// startSMTP starts a server. If cert is not nil, the server has STARTTLS.
func startSMTP(t *testing.T, b *backend, cert *tls.Certificate) string {
	t.Helper()
	l := fetchtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	s := smtp.NewServer(b)
	s.ErrorLog, s.AllowInsecureAuth = log.New(io.Discard, "", 0), true
	if cert != nil {
		s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*cert}, MinVersion: tls.VersionTLS12}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		_ = s.Close()
		<-done
	})
	return l.Addr().String()
}

func TestSMTP(t *testing.T) {
	config, roots := fetchtest.NewSelfSigned(t)
	trusting := wire.Dialer{TLS: wire.TLS{Roots: roots}}
	for _, tt := range []struct {
		name, user string
		tls        bool
		dialer     wire.Dialer
		to         string
		want       string // the envelope or the error
	}{
		{"without a login", "", false, trusting, "a@b", "from me@example.org|to a@b|to h@i|"},
		{"STARTTLS", "", true, trusting, "a@b", "from me@example.org|to a@b|to h@i|"},
		{"STARTTLS and a login", "joe@", true, trusting, "a@b", "user joe|from me@example.org|to a@b|to h@i|"},
		{"no STARTTLS for a login", "joe@", false, trusting, "a@b", "not sent in the clear"},
		{"an untrusted server", "joe@", true, wire.Dialer{}, "a@b", "failed to verify certificate"},
		{"refused", "", true, trusting, "nobody@example.org", "550 no such user"},
		{"refused after a login", "joe@", true, trusting, "nobody@example.org", "550 no such user ****"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := &backend{password: "secret"}
			var cert *tls.Certificate
			if tt.tls {
				cert = &config.Certificates[0]
			}
			c := &Client{Dialer: tt.dialer, Drafts: t.TempDir(), From: "Me <me@example.org>", SMTP: "smtp://" + tt.user + startSMTP(t, b, cert)}
			ask := draftOf(t, c, "mailto:"+tt.to+"?bcc=h@i&body=.%0D%0Ax")
			confirm := editDraft(t, ask, func(s string) string { return s })
			if strings.Contains(strings.Join(confirm.Details, "\n"), "Bcc") {
				t.Errorf("Preview: got %q; want the message without Bcc", confirm.Details)
			}
			err := ask.Draft.Send(t.Context())
			var login *protocols.Login
			for _, password := range []string{"wrong", "secret"} {
				if errors.As(err, &login) {
					if login.User != "joe" || strings.Contains(login.Text, "wrong") || login.Failed != (password == "secret") {
						t.Errorf("before the password %q: got %+v; want the user joe, and the password masked", password, login)
					}
					login.With("joe", password)
					login, err = nil, ask.Draft.Send(t.Context())
				}
			}
			if !strings.HasPrefix(tt.want, "from") && !strings.HasPrefix(tt.want, "user") {
				if err == nil || !strings.Contains(err.Error(), tt.want) || len(b.sent) > 0 {
					t.Errorf("Send: got %v, messages %q; want the error %q and no message", err, b.sent, tt.want)
				}
				return
			}
			if err != nil || len(b.sent) != 1 || !strings.HasPrefix(b.sent[0], tt.want+"Date: ") ||
				!strings.HasSuffix(b.sent[0], "\r\n\r\n.\r\nx\r\n") {
				t.Errorf("Send: got %v, messages %q; want one message that begins with %q", err, b.sent, tt.want)
			}
		})
	}
}

// TestMailInTheClear checks that the user is asked once before a message is sent to another machine
// without TLS.
func TestMailInTheClear(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing listens at 0.0.0.0")
	}
	b := &backend{}
	c := &Client{
		Drafts: t.TempDir(), From: "me@example.org",
		SMTP: "smtp://" + strings.Replace(startSMTP(t, b, nil), "127.0.0.1", "0.0.0.0", 1),
	}
	for i := range 2 {
		ask := draftOf(t, c, "mailto:a@b")
		editDraft(t, ask, func(s string) string { return s + "x" })
		err := ask.Draft.Send(t.Context())
		var confirm *protocols.Confirm
		if i == 0 {
			if !errors.As(err, &confirm) || len(b.sent) > 0 || !strings.Contains(confirm.Question, "in the clear") {
				t.Fatalf("first Send: got %v, messages %q; want a Confirm before any message", err, b.sent)
			}
			confirm.GiveConsent()
			err = ask.Draft.Send(t.Context())
		}
		if err != nil || len(b.sent) != i+1 {
			t.Errorf("Send after consent: got %v, messages %q; want %d messages", err, b.sent, i+1)
		}
	}
}

// TestPrefixWriter checks that only the first octets of the output of sendmail are stored.
func TestPrefixWriter(t *testing.T) {
	b := prefixWriter{limit: 10}
	for range 1000 {
		if n, err := b.Write([]byte("0123456789abcdef")[:7]); n != 7 || err != nil {
			t.Fatalf("Write of 7 octets = %d, %v", n, err)
		}
	}
	if string(b.octets) != "0123456012" || cap(b.octets) > 64 {
		t.Errorf("got %q with capacity %d; want \"0123456012\" and at most 64", b.octets, cap(b.octets))
	}
}

// TestEndlessReply checks that a reply without an end ends the session, with and without a login.
func TestEndlessReply(t *testing.T) {
	addr := fetchtest.Serve(t, func(conn net.Conn) { _, _ = io.CopyN(conn, &endlessReply{}, 64<<20) })
	for _, user := range []string{"", "joe@"} {
		c := &Client{Drafts: t.TempDir(), From: "me@example.org", SMTP: "smtp://" + user + addr}
		ask := draftOf(t, c, "mailto:a@b?body=x")
		editDraft(t, ask, func(s string) string { return s })
		err := ask.Draft.Send(t.Context())
		if login, ok := errors.AsType[*protocols.Login](err); ok {
			login.With("joe", "secret")
			err = ask.Draft.Send(t.Context())
		}
		fetchtest.Reason(t, err, protocols.TooBig, "as %q", user)
	}
}

// endlessReply is a greeting that never ends.
type endlessReply struct{ at int }

func (r *endlessReply) Read(p []byte) (int, error) {
	const line = "220-hello\r\n"
	for i := range p {
		p[i] = line[(r.at+i)%len(line)]
	}
	r.at += len(p)
	return len(p), nil
}

// TestCancel checks that canceling ends the sending and does not remove the draft.
func TestCancel(t *testing.T) {
	l := fetchtest.CloseAtEnd(net.Listen("tcp", "127.0.0.1:0"))(t)
	c := &Client{Drafts: t.TempDir(), From: "me@example.org", SMTP: "smtp://" + l.Addr().String()}
	ask := draftOf(t, c, "mailto:a@b?body=x")
	editDraft(t, ask, func(s string) string { return s })
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		conn, err := l.Accept()
		if err == nil {
			defer conn.Close()
			cancel()
			_, _ = io.Copy(io.Discard, conn)
		}
	}()
	fetchtest.ErrorIs(t, ask.Draft.Send(ctx), context.Canceled)
	if _, err := ask.Draft.Preview(); err != nil {
		t.Errorf("Preview after Send was canceled: %v", err)
	}
}

func TestPreview(t *testing.T) {
	for text, want := range map[string]string{
		"Subject: x\n\ny":                          "no recipient",
		"To: joe\n\ny":                             "To",
		"To: a@b\nFrom: a@b, c@d\n\ny":             "more than one address",
		"Subject: x\nTo: a@b\n\ny":                 "no sender",
		"To: a@b\n\ny":                             "no sender",
		"To: a@b\nFrom: a@b\nContent-Type: x\n\ny": "Content-Type",
		"To: a@b\nFrom: a@b\nResent-To: c@d\n\ny":  "Resent-To",
		"what\n": "line 1",
	} {
		c := &Client{Drafts: t.TempDir(), SMTP: "smtp://h"}
		ask := draftOf(t, c, "mailto:x@y")
		path, err := ask.Draft.File()
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		fetchtest.NoError(t, err)
		if _, err := ask.Draft.Preview(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Preview of %q: got %v; want an error with %q", text, err, want)
		}
	}
	for _, s := range []string{"h", "http://h", "smtp://", "smtp://h/x", "smtp://h:x"} {
		if _, err := (&Client{SMTP: s}).Plan(fetchtest.Parse(t, "mailto:a@b")); err == nil {
			t.Errorf("Plan with SMTP = %q: got no error", s)
		}
	}
	steps, err := (&Client{SMTP: "smtps://joe@h"}).Plan(fetchtest.Parse(t, "mailto:a@b"))
	if err != nil || len(steps) != 1 || steps[0].Peer != "h:465" {
		t.Errorf("Plan = %v, %v; want one step to h:465", steps, err)
	}
}
