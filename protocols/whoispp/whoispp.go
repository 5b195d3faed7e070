// Package whoispp queries Whois++ directories (RFC 1835). The URL whois++://host/query sends the query, which is a search
// such as name=smith, the handle of a record, or a command such as help. The fields of records become links if they have
// URLs or mail addresses. A record leads to its own page, and a server that knows more (RFC 1914, section 2) to the same
// query there: no other server is asked before the user opens the link.
package whoispp

import (
	"context"
	"io"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client is a [protocols.Fetcher] and [protocols.Planner] for whois++: URLs. The zero value is ready and safe for
// concurrent use.
type Client struct {
	Dialer wire.Dialer // opens the connections
}

// Plan returns the line that Fetch would send. If the URL has no query, it returns the *[protocols.Ask] for it.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	w, err := checkURL(u)
	if err != nil {
		return nil, err
	}
	return []protocols.Step{{Peer: w.Addr(), Send: w.Query() + "\r\n", Note: "search, or a command"}}, nil
}

// maxQuery limits the query, in octets. A page may repeat it for each short line of the answer.
const maxQuery = 1 << 10

// checkURL returns a *[protocols.Ask] if the query is missing. It returns an error if the query is too long or has several lines.
func checkURL(u urlcore.URL) (urlcore.Lookup, error) {
	w, ok := u.(urlcore.Lookup)
	switch {
	case u.Scheme() != "whois++":
		return w, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String() + " by Whois++"}
	case len(w.Query()) > maxQuery:
		return w, protocols.NewError(protocols.BadURL, "send the query", "it is too long")
	case !ok || w.Host == "":
		return w, protocols.NewError(protocols.BadURL, "ask the Whois++ server", "no host in the URL: write whois++://host/name=smith")
	}
	if strings.TrimSpace(w.Query()) == "" {
		return w, protocols.AskOne(u, "Ask the directory of "+w.Host, "Words, name=smith, or help", func(answer string) urlcore.URL { return w.WithQuery(answer) })
	}
	return w, wire.Check("query", w.Query())
}

// Fetch returns the records of the answer. It sends the query before the greeting arrives: the greeting needs no answer.
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	w, err := checkURL(req.URL)
	if err != nil {
		return nil, err
	}
	return c.Dialer.Fetch(ctx, w.Addr(), false, func(conn *wire.Conn) (*protocols.Resource, error) {
		if _, err := io.WriteString(conn, w.Query()+"\r\n"); err != nil {
			return nil, err
		}
		p := &page{url: w, lines: wire.NewLineReader(conn)}
		err := p.start()
		return &protocols.Resource{
			Head:  protocols.Head{URL: w, Title: w.Query() + " at " + w.Host, Layout: protocols.LayoutMenu, Charset: p.charset, Size: -1},
			Lines: p.yieldLines, Closer: conn,
		}, err
	})
}
