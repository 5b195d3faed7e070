package about

import (
	"context"
	"io"
	"iter"

	"gofer/protocols"
	"gofer/urlcore"
)

// subscribed is the page of the groups that the reader has subscribed to, on the
// news server that is set.
func (c *Client) subscribed(ctx context.Context, u urlcore.URL) *protocols.Resource {
	all := link("All groups of the server", urlcore.News{Group: "*"})
	var lines iter.Seq2[protocols.Line, error] = func(yield func(protocols.Line, error) bool) {
		none := true
		for line, err := range c.News(ctx) {
			none = none && err != nil
			if !yield(line, err) || err != nil {
				return
			}
		}
		if none && !yield(text("You have subscribed to no group yet."), nil) {
			return
		}
		yield(all, nil)
	}
	return &protocols.Resource{
		Head:   protocols.Head{URL: u, Title: "News", Layout: protocols.LayoutGroups, Size: -1},
		Lines:  lines,
		Closer: io.NopCloser(nil),
	}
}
