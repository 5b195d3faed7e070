// Package whois queries whois servers (RFC 3912) about names, addresses and numbers. The form of a URL
// is whois://host/query. Names of other whois servers in an answer become links.
package whois

import (
	"context"
	"io"
	"iter"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client is a [protocols.Fetcher] and [protocols.Planner] for whois: URLs. The zero value is ready
// and safe for concurrent use.
type Client struct {
	Dialer wire.Dialer // opens the connections
}

// Plan returns the line that Fetch would send. If the URL has no query, it returns the
// *[protocols.Ask] for it.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	w, err := checkURL(u)
	if err != nil {
		return nil, err
	}
	return []protocols.Step{{Peer: w.Addr(), Send: w.Query() + "\r\n", Note: "ask"}}, nil
}

// checkURL returns a *[protocols.Ask] if the query is missing. It returns an error if the query has several
// lines.
func checkURL(u urlcore.URL) (urlcore.Lookup, error) {
	w, ok := u.(urlcore.Lookup)
	switch {
	case u.Scheme() != "whois":
		return w, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String() + " by whois"}
	case !ok || w.Host == "":
		return w, protocols.NewError(protocols.BadURL, "ask the whois server", "no host in the URL: write whois://host/name")
	}
	if strings.TrimSpace(w.Query()) == "" {
		return w, protocols.AskOne(u, "Ask "+w.Host, "Name, address or number", func(answer string) urlcore.URL { return w.WithQuery(answer) })
	}
	return w, wire.Check("question", w.Query())
}

// Fetch returns the lines of the answer.
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	w, err := checkURL(req.URL)
	if err != nil {
		return nil, err
	}
	return c.Dialer.Fetch(ctx, w.Addr(), false, func(conn *wire.Conn) (*protocols.Resource, error) {
		if _, err := io.WriteString(conn, w.Query()+"\r\n"); err != nil {
			return nil, err
		}
		lines := wire.NewLineReader(conn)
		first, _, err := lines.Next()
		if err == io.EOF {
			err = protocols.NewError(protocols.NotFound, "ask "+w.Addr(), "the answer is empty")
		}
		return &protocols.Resource{
			Head:  protocols.Head{URL: w, Title: w.Query() + " at " + w.Host, Layout: protocols.LayoutMenu, Size: -1},
			Lines: yieldAnswer(w, string(first), lines), Closer: conn,
		}, err
	})
}

// yieldAnswer yields the lines of the answer. The parameter first is the line that was read already.
func yieldAnswer(w urlcore.Lookup, first string, lines *wire.LineReader) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		text, err := first, error(nil)
		for err == nil {
			if !yield(pageLine(w, text), nil) {
				return
			}
			var next []byte
			next, _, err = lines.Next()
			text = string(next)
		}
		if err != io.EOF {
			yield(protocols.Line{}, err)
		}
	}
}

// referrals are the names of fields that may contain another whois server.
var referrals = []string{"refer", "whois", "whois server", "registrar whois server", "referralserver", "resourcelink"}

// pageLine returns a line of an answer as a line of a page. A referral becomes a link to the same
// query at another server. A URL or a mail address also becomes a link.
func pageLine(w urlcore.Lookup, text string) protocols.Line {
	l := protocols.Line{Text: text}
	name, value, _ := strings.Cut(text, ":")
	value = strings.TrimSpace(value)
	if value == "" || strings.ContainsAny(value, " \t") {
		return l
	}
	name = strings.ToLower(strings.TrimSpace(name))
	for _, r := range referrals {
		if name != r {
			continue
		}
		server, found := strings.CutPrefix(value, "whois://")
		if !found && strings.Contains(value, "://") {
			break // RWhois or a web page
		}
		if u, err := urlcore.Parse("whois://" + strings.TrimSuffix(server, "/") + "/"); err == nil {
			l.Kind, l.Link = protocols.Menu, u.(urlcore.Lookup).WithQuery(w.Query())
			return l
		}
	}
	return l.WithLink(value)
}
