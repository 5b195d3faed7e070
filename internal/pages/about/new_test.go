package about

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// followingClient returns a Client with four followed pages, one of which has failed and one of which is a newsgroup.
func followingClient(t *testing.T) *Client {
	c := client(t)
	phlog, feed, group, dir := parse(t, "gopher://a.example/1/phlog"), parse(t, "https://b.example/feed"), parse(t, "news:a.b"), parse(t, "ftp://c.example/pub/;type=d")
	sources := []Source{
		{URL: phlog, Title: "A phlog", Checked: now.Add(-time.Hour), Succeeded: now.Add(-time.Hour), Unread: 2},
		{URL: feed, Title: "A feed", Checked: now.Add(-time.Minute), Succeeded: now.Add(-time.Minute), Unread: 1},
		{URL: group, Checked: now.Add(-time.Hour), Group: &protocols.GroupNote{Low: 1, High: 9, Count: 9, Subscribed: true, Unread: 4}, Unread: 4},
		{URL: dir, Failure: "Could not connect to c.example:21: connection refused", Reason: "connection refused", Checked: now.Add(-time.Hour), Succeeded: now.AddDate(0, 0, -9)},
	}
	entries := []Entry{
		{Source: feed, ID: "3", URL: parse(t, "https://b.example/3"), Title: "Third", Date: now.Add(-time.Hour)},
		{Source: phlog, ID: "2", URL: parse(t, "gopher://a.example/0/2"), Title: "Second", Date: now.AddDate(0, 0, -1)},
		{Source: phlog, ID: "1", URL: parse(t, "gopher://a.example/0/1"), Seen: now.AddDate(0, 0, -2)},
	}
	c.Followed = func(context.Context) ([]Source, error) { return sources, nil }
	c.Unread = func(_ context.Context, limit int) ([]Entry, error) { return entries[:min(limit, len(entries))], nil }
	return c
}

// TestNewEntries checks the forms of the page of new entries.
func TestNewEntries(t *testing.T) {
	c := followingClient(t)
	const head = "menu|Look for new entries, checked 00:29|%s\n%s" + `menu|4 pages followed, 1 not checked|about:new?sources
info|
heading|Newsgroups
group|a.b|news:a.b
info|
`
	const failed = `info|
heading|Not checked
failure|ftp://c.example/pub/;type=d, last success 21 Feb: connection refused|ftp://c.example/pub/;type=d
`
	fetchtest.Equal(t, show(t, c, "about:new"), fmt.Sprintf(head, "about:new", "menu|By source|about:new?by=source\n")+`heading|Newest first
html|Third|https://b.example/3
text|Second|gopher://a.example/0/2
text|gopher://a.example/0/1|gopher://a.example/0/1
`+failed)
	fetchtest.Equal(t, show(t, c, "about:new?by=source"), fmt.Sprintf(head, "about:new?by=source", "menu|Newest first|about:new\n")+`heading|A feed|https://b.example/feed
html|Third|https://b.example/3
info|
heading|A phlog|gopher://a.example/1/phlog
text|Second|gopher://a.example/0/2
text|gopher://a.example/0/1|gopher://a.example/0/1
`+failed)
	fetchtest.Contains(t, show(t, c, "about:new?sources"), "heading|4 pages followed\nmenu|A phlog|gopher://a.example/1/phlog\nhtml|A feed", "the followed pages")
	fetchtest.Contains(t, show(t, c, "about:home"), "|New entries of the followed pages: 7|about:new\n", "the start page")
	for _, u := range []string{"about:new/x", "about:new?by=date"} {
		_, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, u)})
		fetchtest.Equal(t, protocols.ReasonOf(err), protocols.NotFound, u)
	}
}

// TestMoreNewEntries checks that a page has only so many entries, and that the next request has more.
func TestMoreNewEntries(t *testing.T) {
	c := followingClient(t)
	u := parse(t, "https://b.example/feed")
	all := make([]Entry, newEntries+5)
	for i := range all {
		all[i] = Entry{Source: u, ID: fmt.Sprint(i), URL: parse(t, fmt.Sprintf("https://b.example/%d", i)), Title: "x"}
	}
	c.Unread = func(_ context.Context, limit int) ([]Entry, error) { return all[:min(limit, len(all))], nil }
	for older, want := range map[int]int{0: newEntries, 5: newEntries + 5} {
		r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: NewURL(false), Older: older}))(t)
		entries, more := 0, false
		for line := range r.Lines {
			if _, ok := line.Note.(*protocols.EntryNote); ok {
				entries++
			}
			more = more || line.Note == protocols.ActionMore
		}
		fetchtest.Equal(t, entries, want, "entries with %d older ones", older)
		fetchtest.Equal(t, more, older == 0, "a line for more")
	}
}

// TestNoNewEntries checks that the page says what to do if there is nothing to show, and why.
func TestNoNewEntries(t *testing.T) {
	c := followingClient(t)
	c.Unread = func(context.Context, int) ([]Entry, error) { return nil, errors.New("disk on fire") }
	fetchtest.Equal(t, show(t, c, "about:new"), "failure|The followed pages cannot be read: disk on fire\n")
	sources, _ := c.Followed(t.Context())
	c.Unread = func(context.Context, int) ([]Entry, error) { return nil, nil }
	c.Followed = func(context.Context) ([]Source, error) { return sources[:1], nil }
	fetchtest.Contains(t, show(t, c, "about:new"), "info|No unread entries.\ninfo|\nheading|1 page followed\nmenu|A phlog", "all is read")
	c.Followed = func(context.Context) ([]Source, error) { return nil, nil }
	got := show(t, c, "about:new")
	fetchtest.Contains(t, got, "|Open a page, or select a bookmark, and follow it\nmenu|The bookmarks|about:bookmarks\n", "nothing is followed")
	if home := show(t, c, "about:home"); strings.Contains(home, "about:new") {
		t.Error("the start page has a link to new entries of no pages")
	}
}

// TestDisconnected checks that one sentence tells why pages could not be checked for want of a network.
func TestDisconnected(t *testing.T) {
	c := followingClient(t)
	sources, _ := c.Followed(t.Context())
	const found, refused, unreached = "info|No server was found: is this machine connected to a network?", "failure|ftp://c.example", "failure|A phlog, last success"
	fetchtest.NotContains(t, show(t, c, "about:new"), found, "a server refuses")
	sources[0].Failure, sources[0].Reason, sources[0].NoNetwork = "Could not connect", "host unreachable", true
	got := show(t, c, "about:new")
	fetchtest.Contains(t, got, found)
	fetchtest.Contains(t, got, refused)
	fetchtest.Contains(t, got, ", 2 not checked|")
	fetchtest.NotContains(t, got, unreached)
	fetchtest.Contains(t, show(t, c, "about:new?sources"), unreached, "the reasons")
}
