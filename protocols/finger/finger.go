// Package finger queries finger servers (RFC 1288). The URL finger://host/ lists the users of a
// host, and finger://host/name describes a user.
package finger

import (
	"bufio"
	"context"
	"io"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client is a [protocols.Fetcher] and [protocols.Planner] for finger: URLs. The zero value is ready
// and safe for concurrent use.
type Client struct {
	Dialer wire.Dialer // opens the connections
}

// Plan returns the line that Fetch would send.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	f, err := checkURL(u)
	if err != nil {
		return nil, err
	}
	note := "ask who is logged in"
	if f.Query() != "" {
		note = "ask about the user"
	}
	return []protocols.Step{{Peer: f.Addr(), Send: f.Query() + "\r\n", Note: note}}, nil
}

// checkURL returns an error for a query of several lines. It also returns an error for the query
// user@host, because the server would forward this query to another host (RFC 1288, section 2.4).
func checkURL(u urlcore.URL) (urlcore.Lookup, error) {
	f, ok := u.(urlcore.Lookup)
	switch {
	case u.Scheme() != "finger":
		return f, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String() + " by finger"}
	case !ok || f.Host == "":
		return f, protocols.NewError(protocols.BadURL, "ask the finger server", "no host in the URL: write finger://host/user")
	}
	if err := wire.Check("user name", f.Query()); err != nil {
		return f, err
	}
	if i := strings.LastIndexByte(f.Query(), '@'); i >= 0 {
		e := protocols.NewError(protocols.BadURL, "ask "+f.Host+" about a user of another host",
			"the server would forward the query (RFC 1288, section 3.2.1)")
		if u, err := urlcore.Parse("finger://" + f.Query()[i+1:] + "/"); err == nil {
			u = u.(urlcore.Lookup).WithQuery(f.Query()[:i])
			e.Lines = []protocols.Line{{}, {Kind: protocols.Text, Text: "Ask the other host directly", Link: u}}
		}
		return f, e
	}
	return f, nil
}

// Fetch returns the answer as text.
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	f, err := checkURL(req.URL)
	if err != nil {
		return nil, err
	}
	title := f.Host
	if f.Query() != "" {
		title = strings.TrimPrefix(f.Query(), "/W ") + "@" + f.Host
	}
	return c.Dialer.Fetch(ctx, f.Addr(), false, func(conn *wire.Conn) (*protocols.Resource, error) {
		if _, err := io.WriteString(conn, f.Query()+"\r\n"); err != nil {
			return nil, err
		}
		answer := bufio.NewReader(conn)
		if _, err := answer.Peek(1); err != nil && err != io.EOF {
			return nil, err
		}
		return &protocols.Resource{
			Head: protocols.Head{URL: f, Title: title, Layout: protocols.LayoutText, Media: "text/plain", Size: -1},
			Body: answer, Closer: conn,
		}, nil
	})
}
