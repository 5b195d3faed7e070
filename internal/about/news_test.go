package about

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"gofer/protocols"
	"gofer/urlcore"
)

// TestNewsPages: each news server has a page of the subscribed groups, which leads
// to the others; what the server asks for first is asked by Fetch.
func TestNewsPages(t *testing.T) {
	c := client(t)
	work := urlcore.News{HostPort: urlcore.HostPort{Host: "n.example"}, Group: "*", Secure: true}
	c.NewsServers = []NewsServer{{All: urlcore.News{Group: "*"}}, {Name: "work", All: work}}
	login := &protocols.Login{Server: "n.example:563"}
	c.News = func(_ context.Context, server urlcore.News) (iter.Seq2[protocols.Line, error], error) {
		if server == work && login != nil {
			return nil, login
		}
		return func(yield func(protocols.Line, error) bool) {
			if server == work {
				yield(protocols.Line{Kind: protocols.Group, Text: "a.b"}, nil)
			}
		}, nil
	}
	var asked *protocols.Login
	if _, err := c.Fetch(t.Context(), NewsOf("work")); !errors.As(err, &asked) {
		t.Errorf("got %v, want the question for a login", err)
	}
	login = nil
	for page, want := range map[string]string{
		"about:news":      "subscribed to no group|news:*|News server work|about:news/work",
		"about:news/work": "a.b|snews://n.example/*|The news server of news: URLs|about:news",
	} {
		got := show(t, c, page)
		for part := range strings.SplitSeq(want, "|") {
			if !strings.Contains(got, part) {
				t.Errorf("%s lacks %q: %s", page, part, got)
			}
		}
	}
	var e *protocols.Error
	if _, err := c.Fetch(t.Context(), NewsOf("other")); !errors.As(err, &e) || e.Reason != protocols.NotThere {
		t.Errorf("a server that is not set: %v", err)
	}
}
