package ui

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/offline"
	"gofer/urlcore"
)

// TestFetchNews checks that a key fetches the group of the page, or all groups, in the background. A
// key must stop the job.
func TestFetchNews(t *testing.T) {
	group := urlcore.News{Group: "g.one"}
	w := library()
	addNewsGroup(w, group, 11, 12)
	var fetched string
	begun := make(chan bool)
	o := Options{Offline: &offline.Stores{FetchNews: func(ctx context.Context, report func(string), groups ...urlcore.URL) (string, error) {
		fetched = fmt.Sprint(groups)
		if report("g.one  1 article"); len(groups) > 0 {
			return "1 group", nil
		}
		begun <- true
		<-ctx.Done()
		return "", context.Cause(ctx)
	}}}
	d := drive(t, w, o, 80, 24)
	pending := d.sendWithoutRun(keyPress("alt+z"))
	<-begun
	fetchtest.Equal(t, fetched, "[]", "groups")
	d.send(tickMsg{}).wantShown("fetching g.one  1 article")
	d.press("alt+z", "esc", "alt+z").wantShown("wait until") // the first one waits, until Esc drops it
	d.run(d.visit(group))
	d.wantURL(group).press("esc").wantShown("Stop fetching articles")
	d.press("y")
	d.run(pending).wantShown("not all articles fetched: ")
	d.press("alt+z").wantShown("fetched: 1 group")
	fetchtest.Equal(t, fetched, "[news:g.one]", "groups")
	d.private = true
	d.press("alt+z").wantShown("no copies are kept")
}

// TestSendPosts checks that waiting articles are sent when their server has answered with a page.
// Nothing must be sent in private mode, or after a copy, an error or a page of another scheme. Two
// jobs must not send at the same time.
func TestSendPosts(t *testing.T) {
	group := urlcore.NNTP{HostPort: urlcore.HostPort{Host: "h"}, Group: "g.one"}
	copied, missing := group, group
	copied.Group, missing.Group = "g.copied", "g.missing"
	w := library()
	addNewsGroup(w, group, 11, 12)
	w[copied] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		r, err := w[group](ctx, req)
		r.URL, r.CopiedAt = copied, time.Unix(1, 0)
		return r, err
	}
	sent := make(chan urlcore.URL, 9)
	var notices []string
	d := drive(t, w, Options{SendPosts: func(_ context.Context, target urlcore.URL) []string {
		sent <- target
		return notices
	}}, 80, 24)
	visit := func(u urlcore.URL) { d.run(d.visit(u)) }
	for _, u := range []urlcore.URL{copied, missing, d.opts.Home} {
		visit(u)
	}
	d.private = true
	visit(group)
	d.private = false
	fetchtest.Equal(t, len(sent), 0, "attempts")
	notices = []string{"posted First", "not posted: Second"}
	visit(group)
	d.wantShown("posted First; not posted: Second")
	fetchtest.Equal[urlcore.URL](t, <-sent, group, "the server")
	notices = []string{"posted Third"}
	visit(articleURL(group, 11))
	d.wantShown(" posted Third")
	fetchtest.Equal(t, <-sent, articleURL(group, 11), "the server")
}
