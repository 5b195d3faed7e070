package ui

import (
	"context"
	"fmt"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

// TestFetchNews: the group of the page, elsewhere all groups are fetched while the reader goes
// on, and the job can be stopped.
func TestFetchNews(t *testing.T) {
	group := urlcore.News{Group: "g.one"}
	w := library()
	newsGroup(w, group, 11, 12)
	var fetched string
	begun := make(chan bool)
	o := Options{FetchNews: func(ctx context.Context, report func(string), groups ...urlcore.URL) (string, error) {
		fetched = fmt.Sprint(groups)
		if report("g.one  1 article"); len(groups) > 0 {
			return "1 group", nil
		}
		begun <- true
		<-ctx.Done()
		return "", context.Cause(ctx)
	}}
	d := drive(t, w, o, 80, 24)
	held := d.hold(keyPress("alt+z"))
	<-begun
	fetchtest.Equal(t, fetched, "[]", "groups")
	d.send(tickMsg{}).wantShown("fetching g.one  1 article")
	d.press("alt+z").wantShown("wait until")
	d.run(d.visit(group))
	d.wantURL(group).press("esc").wantShown("Stop fetching g.one")
	d.press("y")
	d.run(held).wantShown("not all was fetched: ")
	d.press("alt+z").wantShown("kept: 1 group")
	fetchtest.Equal(t, fetched, "[news:g.one]", "groups")
	d.private = true
	d.press("alt+z").wantShown("nothing is kept here")
}
