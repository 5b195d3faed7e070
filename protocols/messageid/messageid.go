// Package messageid opens mid: and cid: URLs (RFC 2392). Such a URL names an article by its
// Message-ID or a part of an article by its Content-ID.
package messageid

import (
	"context"
	"net/url"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client is a [protocols.Fetcher] and [protocols.Planner] for mid: and cid: URLs. It is safe for
// concurrent use if the functions in its fields are.
type Client struct {
	News protocols.Planner // plans the fetch of an article
	Open func(ctx context.Context, req protocols.Request) (*protocols.Resource, error)
	// Part returns the URL of the part with the Content-ID id in the article.
	Part func(article urlcore.URL, id string) urlcore.URL
}

// Plan returns the commands that fetch the article.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	article, _, err := parseURL(u)
	if err != nil {
		return nil, err
	}
	return c.News.Plan(article)
}

// Fetch opens the article, or its part, from the user's own news server.
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	article, id, err := parseURL(req.URL)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return c.Open(ctx, req.At(article))
	}
	return c.Open(ctx, req.At(c.Part(article, id)))
}

// parseURL parses mid:message-id and mid:message-id/content-id. A cid: URL contains no Message-ID. It is
// valid only as a link in an article, and not here.
func parseURL(u urlcore.URL) (article urlcore.URL, part string, err error) {
	bad := func(why string) error {
		return protocols.NewError(protocols.BadURL, "open "+u.String(), why)
	}
	g, ok := u.(urlcore.Generic)
	switch {
	case ok && g.Name == "cid":
		return nil, "", bad("it names a part of a message (RFC 2392, section 2): open it from that message")
	case !ok || g.Name != "mid":
		return nil, "", &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String() + " by Message-ID"}
	}
	id, part, _ := strings.Cut(g.Rest, "/")
	id, err = url.PathUnescape(id)
	if err == nil {
		part, err = url.PathUnescape(part)
	}
	if err != nil {
		return nil, "", bad(err.Error())
	}
	if err := wire.Check("Content-ID", part); err != nil {
		return nil, "", err
	}
	if strings.ContainsAny(part, " <>") {
		return nil, "", bad("a Content-ID cannot contain blanks or angle brackets")
	}
	article, err = urlcore.Canon(urlcore.News{MessageID: id})
	if err != nil {
		return nil, "", bad(err.Error())
	}
	if n, _ := article.(urlcore.News); n.MessageID == "" || strings.ContainsAny(n.MessageID, " <>") {
		err = bad("a Message-ID is like name@host")
	}
	return article, part, err
}
