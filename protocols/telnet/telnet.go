// Package telnet opens telnet URLs (RFC 1738, section 3.8) as interactive sessions. It implements the
// network virtual terminal of RFC 854 with the options binary, echo, suppress go-ahead, terminal type
// and window size (RFC 856, 857, 858, 1091 and 1073). Besides option commands and the keys and menu
// choices of the user, gofer sends only the type and the size of the terminal to the server. Data from
// the server is never passed to another program.
package telnet

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client is a [protocols.Fetcher] for telnet URLs. It is safe for concurrent use. The user must agree to
// each URL before a connection is opened. The user name and password of a URL are sent only when the
// user chooses this in the menu (Ctrl-]).
type Client struct {
	Dialer wire.Dialer

	consents wire.Consents[Client] // URLs that the user has agreed to
}

// telnetPort is the port of telnet servers. A server on this port may wait until the client begins to
// negotiate options.
const telnetPort = 23

// Fetch returns a *[protocols.Confirm] until the user has agreed to u. Then it connects and returns
// a [protocols.InteractiveSession].
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	t, err := checkURL(req.URL)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if _, agreed := wire.Remember(c.Dialer.Memory, &c.consents).Load(t); !agreed {
		return nil, c.newConfirm(t)
	}
	conn, err := c.Dialer.Dial(ctx, t.Addr())
	if err != nil {
		return nil, err
	}
	conn.Unlimited = true
	conn.Hide(t.Password)
	return &protocols.Resource{
		Head:    protocols.Head{URL: t, Title: t.Host, Layout: protocols.LayoutPage, Size: -1},
		Session: &session{conn: conn, url: t, options: newOptions(), begun: time.Now()},
		Closer:  conn,
	}, nil
}

// Plan returns the first octets to send.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	t, err := checkURL(u)
	if err != nil {
		return nil, err
	}
	step := protocols.Step{Peer: t.Addr(), Note: "nothing until the server asks for an option or a key is pressed"}
	if portOf(t) == telnetPort {
		step.Send = string(newOptions().initialRequests())
		step.Note = "options: no go-aheads, terminal type, window size; then the typed keys"
	}
	return []protocols.Step{step}, nil
}

// checkURL returns an error if u is not a telnet URL, or if the user name or the password is not a
// single line.
func checkURL(u urlcore.URL) (urlcore.Telnet, error) {
	t, ok := u.(urlcore.Telnet)
	if !ok || t.Scheme() != "telnet" {
		return t, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String()}
	}
	return t, errors.Join(wire.Check("user", t.User), wire.Check("password", t.Password))
}

func portOf(t urlcore.Telnet) uint16 { return cmp.Or(t.Port, telnetPort) }

func (c *Client) newConfirm(t urlcore.Telnet) *protocols.Confirm {
	details := []string{"Host      " + t.Host, "Port      " + strconv.Itoa(int(portOf(t)))}
	if t.User != "" {
		details = append(details, "User      "+t.User+" (not sent: type it when the host asks, or press Ctrl-] u)")
	}
	if t.Password != "" {
		details = append(details, "Password  **** (not sent: press Ctrl-] p when the host asks)")
	}
	return &protocols.Confirm{
		URL:      t,
		Question: "Open a telnet session with " + t.Addr(),
		Reason: "It uses the whole terminal until it ends, and it is not encrypted. " +
			"Ctrl-] opens a menu that can close the session.",
		Details:     details,
		GiveConsent: func() { wire.Remember(c.Dialer.Memory, &c.consents).Store(t, true) },
	}
}
