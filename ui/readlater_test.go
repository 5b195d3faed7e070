package ui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/readlater"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/offline"
	"gofer/urlcore"
)

// laterList returns an empty list of pages to read later, and a function that returns its titles.
func laterList(t *testing.T) (*readlater.List, func() string) {
	list := &readlater.List{Path: filepath.Join(t.TempDir(), "later")}
	return list, func() string {
		var titles []string
		for _, it := range fetchtest.Must(list.Items())(t) {
			titles = append(titles, it.Title)
		}
		return strings.Join(titles, ", ")
	}
}

// TestReadLater adds items, tagged items and the page of an error to the list, and takes them back.
func TestReadLater(t *testing.T) {
	list, titles := laterList(t)
	w := library()
	w[item('1', "/phlogs")] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		return nil, protocols.NewError(protocols.Unreachable, "connect", "no route")
	}
	w[about.Page("later")] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		return (&about.Client{Later: list.Items}).Fetch(ctx, protocols.Request{URL: req.URL})
	}
	d := drive(t, w, Options{Offline: &offline.Stores{Later: list}}, 80, 24)
	d.press("Z").wantShown("to read later: Phlogs")
	d.press("z").wantShown("undone: to read later: Phlogs")
	fetchtest.Equal(t, titles(), "", "after the undo")
	d.press("#", "#", "Z").wantShown("to read later: 2 pages")
	fetchtest.Equal(t, titles(), "Phlogs, About this hole")
	d.press("alt+n", "down", "Z").wantShown("only pages of servers can be read later")
	d.run(d.visit(item('1', "/phlogs"))).wantShown("Read it later (press Z)").press("Z").wantShown("to read later: ")
	fetchtest.Equal(t, titles(), "About this hole, Phlogs", "a page that was on the list")
	d.press("@").wantShown("To read later").wantShown("waiting").press("x").wantShown("removed from the list")
	fetchtest.Equal(t, titles(), "About this hole", "after x")
	d.press("z").wantShown("undone: removed from the list").wantShown("Phlogs")
	fetchtest.Equal(t, titles(), "About this hole, Phlogs", "after the undo of x")
	d.press("P").press("Z").wantShown("private mode: nothing is recorded")
	fetchtest.Equal(t, titles(), "About this hole, Phlogs", "after Z in private mode")
}

// TestReadOnThroughLater reads the fetched pages of the list with one key, from page to page, which marks them as read.
func TestReadOnThroughLater(t *testing.T) {
	list, _ := laterList(t)
	states := func() (text string) {
		for _, it := range fetchtest.Must(list.Items())(t) {
			text += it.Title + " " + string(it.State) + "; "
		}
		return text
	}
	w := library()
	for i, state := range []readlater.State{readlater.Waiting, readlater.Fetched, readlater.Fetched, readlater.Failed, readlater.Fetched} {
		u := item('0', fmt.Sprint("/p", i))
		w.addText(u, "A page", "A line.\n")
		fetchtest.NoError(t, list.Add(readlater.Item{URL: u, Title: fmt.Sprint("p", i)}))
		fetchtest.NoError(t, list.Update(u, state, "", time.Time{}))
	}
	w[about.Page("later")] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		return (&about.Client{Later: list.Items}).Fetch(ctx, protocols.Request{URL: req.URL})
	}
	d := drive(t, w, Options{Home: about.Page("later"), Offline: &offline.Stores{Later: list}}, 80, 24)
	d.wantState(nav.Unread, "p4, p2, p1")
	d.press(".").wantURL(item('0', "/p4")).wantNotShown("mark source").press(".").wantURL(item('0', "/p2"))
	d.press("left", "left").wantURL(about.Page("later")).wantState(nav.Unread, "p1").wantState(nav.Visited, "p4, p2")
	d.press("end", "home", "j", "enter", "space").wantURL(item('0', "/p1")) // p3, which has failed, was opened all the same
	d.press(".").wantShown("no more pages that were fetched").press("left", "left", ".").wantShown("no more pages that were fetched")
	fetchtest.Equal(t, states(), "p0 waiting; p1 read; p2 read; p3 read; p4 read; ")
	d.press("home", "Z")
	fetchtest.Equal(t, states(), "p0 waiting; p1 read; p2 read; p3 read; p4 waiting; ", "added again")
}

// TestFetchLater checks that the list is fetched when a server has answered with a page, but not in private mode, after a copy,
// an error or a page of gofer's own.
func TestFetchLater(t *testing.T) {
	list, _ := laterList(t)
	w := library()
	copied := item('1', "/copied")
	w[copied] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		return protocols.NewPage(protocols.Head{URL: copied, Layout: protocols.LayoutMenu, CopiedAt: time.Unix(1, 0)}), nil
	}
	w.addPage(about.Page("version"), protocols.LayoutPage, "own")
	calls := 0
	fail := error(nil)
	o := Options{Offline: &offline.Stores{Later: list, FetchLater: func(_ context.Context, all bool) (string, error) {
		calls++
		return map[bool]string{true: "all", false: "2 pages"}[all], fail
	}}}
	d := drive(t, w, o, 80, 24)
	fetchtest.Equal(t, calls, 1, "after the first page")
	d.wantShown("2 pages")
	for _, u := range []urlcore.URL{copied, item('1', "/missing"), about.Page("version")} {
		d.run(d.visit(u))
		fetchtest.Equal(t, calls, 1, u.String())
	}
	d.private = true
	d.run(d.visit(item('1', "/")))
	fetchtest.Equal(t, calls, 1, "private")
	d.private, fail = false, errors.New("disk full")
	d.run(d.visit(item('1', "/"))).wantShown("disk full")
}

// TestFetchAdded checks that a page is fetched when it is added, unless the network is known to be down.
func TestFetchAdded(t *testing.T) {
	list, _ := laterList(t)
	calls, down := 0, false
	o := Options{Offline: &offline.Stores{Later: list, NetworkIsDown: func() bool { return down }, FetchLater: func(context.Context, bool) (string, error) {
		calls++
		return "", nil
	}}}
	w := library()
	w.addPage(about.Page("version"), protocols.LayoutPage, "own", link(protocols.Menu, "A hole", item('1', "/phlogs")))
	o.Home = about.Page("version")
	d := drive(t, w, o, 80, 24)
	fetchtest.Equal(t, calls, 0, "before")
	d.press("Z").wantShown("to read later: A hole; fetching")
	fetchtest.Equal(t, calls, 1, "added")
	down = true
	d.press("Z").wantShown("to read later: A hole; waiting for the network")
	fetchtest.Equal(t, calls, 1, "added without a network")
}

// TestKeepPages checks that a key keeps the page with the asked depth, and on a page of gofer's own the page of the item.
func TestKeepPages(t *testing.T) {
	kept := ""
	w := library()
	w.addPage(about.Page("bookmarks"), protocols.LayoutPage, "Bookmarks", link(protocols.Menu, "A hole", item('1', "/phlogs")))
	o := Options{Offline: &offline.Stores{KeepPages: func(_ context.Context, _ func(string), u urlcore.URL, depth int) (string, error) {
		kept = fmt.Sprint(u, " ", depth)
		return "3 pages kept", nil
	}}}
	d := drive(t, w, o, 80, 24)
	d.press("alt+z").wantShown("Levels of links").press("enter").wantShown("3 pages kept")
	fetchtest.Equal(t, kept, item('1', "/").String()+" 1")
	d.press("alt+z").press("backspace").typeText("x").press("enter").wantShown("is not a number from 0 to 9")
	d.press("B", "alt+z", "backspace").typeText("2").press("enter").wantShown("3 pages kept")
	fetchtest.Equal(t, kept, item('1', "/phlogs").String()+" 2")
}
