package about

import (
	"context"
	"io"
	"iter"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// NewsServer is a news server of the settings.
type NewsServer struct {
	Name string       // "" is that of news: URLs
	All  urlcore.News // all of its groups
}

// NewsOf is the URL of the groups that are subscribed on the news server of a name.
func NewsOf(name string) urlcore.URL { return Page(strings.TrimSuffix("news/"+escape(name), "/")) }

// NewsName is the name in a URL of [NewsOf].
func NewsName(u urlcore.URL) (name string, ok bool) {
	g, _ := u.(urlcore.Generic)
	page, name, _ := strings.Cut(g.Rest, "/")
	return unescape(name), g.Name == "about" && page == "news"
}

// subscribed is the page of the groups that the reader has subscribed to on a news
// server.
func (c *Client) subscribed(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	name, _ := NewsName(u)
	var server *NewsServer
	for _, s := range c.NewsServers {
		if s.Name == name {
			server = &s
		}
	}
	if server == nil {
		return nil, c.notThere(u)
	}
	groups, err := c.News(ctx, server.All)
	if err != nil {
		return nil, err
	}
	var lines iter.Seq2[protocols.Line, error] = func(yield func(protocols.Line, error) bool) {
		none := true
		for line, err := range groups {
			none = none && err != nil
			if !yield(line, err) || err != nil {
				return
			}
		}
		if none && !yield(text("You have subscribed to no group yet."), nil) ||
			!yield(link("All groups of the server", server.All), nil) {
			return
		}
		for _, s := range c.NewsServers {
			label := "News server " + s.Name
			if s.Name == "" {
				label = "The news server of news: URLs"
			}
			if s.Name != name && !yield(link(label, NewsOf(s.Name)), nil) {
				return
			}
		}
	}
	title := "News"
	if name != "" {
		title = "News of " + name
	}
	return &protocols.Resource{
		Head:   protocols.Head{URL: u, Title: title, Layout: protocols.LayoutGroups, Size: -1},
		Lines:  lines,
		Closer: io.NopCloser(nil),
	}, nil
}
