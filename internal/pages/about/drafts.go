package about

import (
	"context"
	"strings"

	"github.com/dustin/go-humanize/english"

	"gofer/protocols"
	"gofer/urlcore"
)

// ComposeURL returns the URL for writing a message, or nil if target is nil. The parameter kind is
// "post", "followup", "reply", "supersede" or "cancel". The parameter target is the URL of the group or
// article that the message is about.
func ComposeURL(kind string, target urlcore.URL) urlcore.URL {
	if target == nil {
		return nil
	}
	u, _ := urlcore.Canon(Page("compose/" + kind + "?" + urlcore.EscapeQuery(urlcore.Redact(target).String())))
	return u
}

// ComposeTarget returns the group or article in a URL made by [ComposeURL], or nil.
func ComposeTarget(u urlcore.URL) urlcore.URL {
	g, _ := u.(urlcore.Generic)
	rest, ok := strings.CutPrefix(g.Rest, "compose/")
	_, target, _ := strings.Cut(rest, "?")
	if parsed, err := urlcore.Parse(unescape(target)); ok && g.Name == "about" && err == nil {
		return parsed
	}
	return nil
}

// compose asks for a message, or cancels an article; see [ComposeURL].
func (c *Client) compose(ctx context.Context, r request) (*protocols.Resource, error) {
	target, err := urlcore.Parse(unescape(r.query))
	if err != nil {
		return nil, err
	}
	return c.Compose(ctx, r.Request, r.part, target)
}

// Put posts the article in upload. The URL u is made by [ComposeURL] with the kind "post".
func (c *Client) Put(ctx context.Context, u urlcore.URL, upload *protocols.Upload) error {
	g, _ := u.(urlcore.Generic)
	rest, ok := strings.CutPrefix(g.Rest, "compose/post?")
	if !ok || c.Post == nil {
		return &protocols.Error{Reason: protocols.Unsupported, Op: "upload a file to a page of gofer's own"}
	}
	target, err := urlcore.Parse(unescape(rest))
	if err != nil {
		return err
	}
	return c.Post(ctx, target, func(kind string) urlcore.URL { return ComposeURL(kind, target) }, upload.Body)
}

// unsentDrafts says how many drafts there are. It returns "" if there are none.
func (c *Client) unsentDrafts() string {
	items, err := c.Drafts()
	if err != nil || len(items) == 0 {
		return ""
	}
	return english.Plural(len(items), "draft", "") + " not sent"
}

// draftsPage lists the messages that are not sent.
func (c *Client) draftsPage(_ context.Context, r request) ([]protocols.Line, error) {
	items, err := c.Drafts()
	now := c.now()
	var lines []protocols.Line
	for _, it := range items {
		lines = append(lines, link(relativeTime(it.At.In(now.Location()), now)+"  "+it.Title, it.URL))
	}
	switch {
	case err != nil:
		lines = append(lines, failure("The drafts cannot be read", err))
	case len(items) == 0:
		lines = append(lines, text("There are no drafts. Unsent messages are kept here."))
	default:
		lines = append(lines, text(""), text("A draft opens in the editor. A draft that is saved empty is removed."),
			actionLine("Remove a draft", protocols.ActionForget, r))
	}
	return lines, nil
}
