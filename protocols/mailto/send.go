package mailto

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// sendmailTimeout is how long sendmail may run.
const sendmailTimeout = time.Minute

// runSendmail passes the message to sendmail, which finds the recipients in the message. No address
// is an argument, because a program may read an argument as an option.
func (c *Client) runSendmail(ctx context.Context, _ envelope, message string) error {
	const op = "send the message by sendmail"
	if len(c.Sendmail) == 0 {
		return &protocols.Error{Reason: protocols.LocalFailure, Op: op, Err: errNoMailer}
	}
	if c.Dialer.Offline {
		return &protocols.Error{Reason: protocols.Offline, Op: op, Err: protocols.ErrNoPrograms}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, sendmailTimeout, errors.New("timed out"))
	defer cancel()
	output := prefixWriter{limit: 1000}
	cmd := exec.CommandContext(ctx, c.Sendmail[0], c.Sendmail[1:]...)
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(message, "\r\n", "\n"))
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = time.Second
	for _, name := range []string{"PATH", "HOME", "USER", "LOGNAME", "LANG"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return &protocols.Error{Reason: protocols.LocalFailure, Op: op, Text: string(bytes.TrimSpace(output.octets)), Err: err}
}

// prefixWriter stores the first octets written to it.
type prefixWriter struct {
	octets []byte
	limit  int
}

func (b *prefixWriter) Write(p []byte) (int, error) {
	b.octets = append(b.octets, p[:min(len(p), b.limit-len(b.octets))]...)
	return len(p), nil
}

var errNoMailer = errors.New("sendmail not found: install a mailer, or set smtp under [mail] in the settings file")

type server struct {
	addr, host string
	user       string
	secure     bool // TLS is used from the start (RFC 8314)
}

// server returns the server in the settings, or nil if there is none.
func (c *Client) server() (*server, error) {
	if c.SMTP == "" {
		return nil, nil
	}
	u, err := url.Parse(c.SMTP)
	if err != nil || u.Host == "" || u.Scheme != "smtp" && u.Scheme != "smtps" || strings.Trim(u.Path, "/") != "" {
		return nil, &protocols.Error{
			Reason: protocols.LocalFailure, Op: "find the mail server",
			Err: fmt.Errorf("smtp under [mail] in the settings file is %q, not like smtp://user@host:587 or smtps://user@host", urlcore.MaskPassword(c.SMTP)),
		}
	}
	s := &server{host: u.Hostname(), user: u.User.Username(), secure: u.Scheme == "smtps"}
	port := "587"
	if s.secure {
		port = "465"
	}
	s.addr = net.JoinHostPort(s.host, cmp.Or(u.Port(), port))
	return s, nil
}

// maxReplies is the maximum size of all replies in a session, in octets. Package smtp stores all
// lines of a reply.
const maxReplies = 1 << 20

// boundedConn is a connection with a limit for the octets that are read.
type boundedConn struct {
	net.Conn
	remaining int // octets that may still be read
}

func (c *boundedConn) Read(p []byte) (int, error) {
	if c.remaining <= 0 {
		return 0, &protocols.Error{Reason: protocols.TooBig, Op: "read the replies of the mail server", Err: fmt.Errorf("they are longer than %d MiB", maxReplies>>20)}
	}
	n, err := c.Conn.Read(p[:min(len(p), c.remaining)])
	c.remaining -= n
	return n, err
}

// connect opens a session, with TLS if possible. A session with a password always has TLS.
func (c *Client) connect(ctx context.Context, s *server) (*smtp.Client, error) {
	if s.secure {
		conn, err := c.Dialer.DialTLS(ctx, s.addr)
		if err != nil {
			return nil, err
		}
		conn.MarksEnds = true
		return smtp.NewClient(&boundedConn{conn, maxReplies}), nil
	}
	conn, err := c.Dialer.Dial(ctx, s.addr)
	if err != nil {
		return nil, err
	}
	client := smtp.NewClient(&boundedConn{conn, maxReplies})
	if err := client.Hello("localhost"); err != nil {
		_ = client.Close()
		return nil, c.failureError(ctx, s, err)
	}
	offered, _ := client.Extension("STARTTLS")
	if offered {
		_ = client.Close()
		if conn, err = c.Dialer.Dial(ctx, s.addr); err != nil {
			return nil, err
		}
		config := &tls.Config{ServerName: s.host, RootCAs: c.Dialer.TLS.Roots, MinVersion: tls.VersionTLS12}
		if client, err = smtp.NewClientStartTLS(&boundedConn{conn, maxReplies}, config); err != nil {
			_ = conn.Close()
			return nil, &protocols.Error{Reason: protocols.Insecure, Op: "begin TLS with " + s.addr, Err: err}
		}
		return client, nil
	}
	if s.user != "" {
		_ = client.Close()
		return nil, protocols.NewError(protocols.Insecure, "log in at "+s.addr,
			"the server has no STARTTLS: the password is not sent in the clear")
	}
	clear := wire.Remember(c.Dialer.Memory, &c.plainConsents)
	if _, agreed := clear.Load(s.addr); !agreed && !wire.IsThisMachine(s.host) {
		_ = client.Close()
		return nil, &protocols.Confirm{
			Question:    "Send the message to " + s.addr + " in the clear",
			Reason:      "The server offers no TLS, or somebody in between hides it: anyone on the network can read the message.",
			GiveConsent: func() { clear.Store(s.addr, true) },
		}
	}
	return client, nil
}

func (c *Client) sharedLogins() *wire.Logins { return wire.Remember(c.Dialer.Memory, &c.logins) }

// sendBySMTP sends the message to the server. If the password is unknown or the server refuses the
// password, sendBySMTP returns a *[protocols.Login].
func (c *Client) sendBySMTP(ctx context.Context, s *server, e envelope, message string) error {
	account := wire.Account{Scheme: "smtp", Addr: s.addr, User: s.user, HasUser: true}
	login, known := c.sharedLogins().Get(account)
	if s.user != "" && !known {
		return &protocols.Login{Server: s.addr, User: s.user, With: c.sharedLogins().KeepFunc(account)}
	}
	client, err := c.connect(ctx, s)
	if err != nil {
		return err
	}
	defer client.Close()
	if s.user != "" {
		password, _ := login.Password()
		err := client.Auth(sasl.NewPlainClient("", login.User, password))
		if refused, ok := errors.AsType[*smtp.SMTPError](err); ok && refused.Code == 535 {
			c.sharedLogins().RecordRefusal(account, login)
			return &protocols.Login{Server: s.addr, User: s.user, Text: c.sharedLogins().Mask(s.addr, refused.Message), Failed: true, With: c.sharedLogins().KeepFunc(account)}
		}
		if err != nil {
			return c.failureError(ctx, s, err)
		}
	}
	if err := client.SendMail(e.from, e.to, strings.NewReader(message)); err != nil {
		return c.failureError(ctx, s, err)
	}
	_ = client.Quit() // the server has accepted the message
	return nil
}

func (c *Client) failureError(ctx context.Context, s *server, err error) error {
	var failed *protocols.Error
	var refused *smtp.SMTPError
	var certificate *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &certificate):
		return &protocols.Error{Reason: protocols.Insecure, Op: "begin TLS with " + s.addr, Err: err}
	case errors.As(err, &refused):
		return &protocols.Error{Reason: protocols.ServerFailed, Op: "send the message by " + s.addr, Code: refused.Code, Text: c.sharedLogins().Mask(s.addr, refused.Message)}
	case errors.As(err, &failed):
		return failed
	}
	return &protocols.Error{Reason: protocols.Broken, Op: "send the message by " + s.addr, Err: err}
}
