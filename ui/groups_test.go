package ui

import (
	"context"
	"testing"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// driveThreeGroups opens a list of three groups. It also returns the read state and the URL of the
// list. The second group has no unread articles.
func driveThreeGroups(t *testing.T, o Options) (d *driver, n *memoryNews, list urlcore.URL) {
	w := web{}
	list = urlcore.News{Group: "*"}
	var lines []protocols.Line
	for i, name := range []string{"g.one", "g.read", "g.two"} {
		u := urlcore.News{Group: name}
		addNewsGroup(w, u, 2*i+1, 2*i+2)
		lines = append(lines, protocols.Line{
			Kind: protocols.Group, Text: name, Link: u,
			Note: &protocols.GroupNote{Low: 1, High: uint64(2*i + 2), Count: 2},
		})
	}
	w.addPage(list, protocols.LayoutGroups, "groups", lines...)
	n = newMemoryNews(t, "g.one: 1\ng.read: 1-4\ng.two: 1-5\n")
	o.Home, o.News = list, n
	return drive(t, w, o, 80, 24), n, list
}

// TestNewsKeys checks that the keys of news work only on pages of news. If such a key belongs to
// another action elsewhere, the pages of news must have and show another key for that action.
func TestNewsKeys(t *testing.T) {
	for key, kind := range map[string]string{"f": "followup", "r": "reply", "alt+f": "followup", "alt+r": "reply"} {
		d, _, _ := driveThreeGroups(t, Options{})
		d.press("enter", key).wantShown("compose/" + kind + ": news:2@example.org")
		d, _, _ = driveThreeGroups(t, Options{})
		d.press("enter", "home", "enter", key).wantShown("compose/" + kind + ": news:1@example.org")
	}
	for _, open := range [][]string{nil, {"enter"}, {"enter", "enter"}} {
		d, _, _ := driveThreeGroups(t, Options{})
		d.press(open...).press("w").wantShown("compose/post: news:g.one")
	}
	news, _, _ := driveThreeGroups(t, Options{})
	menu := drive(t, library(), Options{}, 80, 24)
	for name, want := range map[string][2]string{
		"forward": {"Alt-Right", "f"}, "reload": {"Ctrl-R", "r"}, "wrap": {"Alt-w", "w"}, "colors": {"Alt-l", "c"},
		"follow up": {"f", "Alt-f"}, "reply": {"r", "Alt-r"}, "post": {"w", "Alt-p"}, "catch up and go": {"c", "Alt-d"}, "save": {"d", "d"},
	} {
		fetchtest.Equal(t, [2]string{news.keys.keyOf(name), menu.keys.keyOf(name)}, want, "the keys of %s on news and elsewhere", name)
	}
	news.submit("/", "x").press("esc", ":").typeText("follow").wantShown("f Alt-f")
	menu.press(":").typeText("follow").wantNotShown("f Alt-f").press("esc", "w").wantShown("paragraphs are wrapped")
}

// TestCatchUpAndGo checks that c marks the group as read and opens the next group with unread
// articles, or returns to the list of groups.
func TestCatchUpAndGo(t *testing.T) {
	for _, open := range [][]string{{"enter"}, {"enter", "home", "enter"}} {
		d, n, list := driveThreeGroups(t, Options{})
		d.press(open...).press("c").wantURL(urlcore.News{Group: "g.two"}).wantShown("caught up with g.one (z to undo)")
		n.check(t, "g.one: 1-2\ng.read: 1-4\ng.two: 1-5\n")
		d.press("z").wantShown("undone: caught up with g.one").wantURL(urlcore.News{Group: "g.two"})
		n.check(t, "g.one: 1\ng.read: 1-4\ng.two: 1-5\n")
		d.press("c").wantURL(list).wantCurrent("g.two")
		n.check(t, "g.one: 1\ng.read: 1-4\ng.two: 1-6\n")
	}
	one := urlcore.News{Group: "g.one"} // opened without a list
	w := web{}
	addNewsGroup(w, one, 1, 2)
	drive(t, w, Options{Home: one, News: newMemoryNews(t, "g.one: 1\n")}, 80, 24).press("c").wantURL(about.Page("news"))
	d, n, list := driveThreeGroups(t, Options{})
	d.press("home", "c").wantURL(list).wantCurrent("g.two").wantState(nav.Unread, "g.two")
	n.check(t, "g.one: 1-2\ng.read: 1-4\ng.two: 1-5\n")
	d.press("c").wantShown("caught up with g.two (z to undo); nothing unread here")
	d.press("home", "C").wantCurrent("g.one")
}

// TestCatchUpGroups checks that the keys of the subscribed groups apply to one group after the other, although the
// list is sorted again by its unread articles after each key, and that they are undone step by step.
func TestCatchUpGroups(t *testing.T) {
	const file = "g.one: 1-2\ng.two: 1-5\ng.three: 1-4\ng.four: 1\ng.five: 1-3\ng.six:\n"
	n := newMemoryNews(t, file)
	w, list := web{}, about.Page("news")
	w[list] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		var lines []protocols.Line
		for _, name := range []string{"g.one", "g.two", "g.three", "g.four", "g.five", "g.six"} {
			lines = append(lines, protocols.Line{
				Kind: protocols.Group, Text: name, Link: urlcore.News{Group: name},
				Note: &protocols.GroupNote{Low: 1, High: 6, Count: 6},
			})
		}
		return protocols.NewPage(protocols.Head{URL: list, Layout: protocols.LayoutGroups, Size: -1}, lines...), nil
	}
	d := drive(t, w, Options{Home: list, News: n}, 80, 24)
	d.wantCurrent("g.six")
	fetchtest.Equal(t, d.names(), "g.six g.four g.one g.five g.three g.two", "the groups")
	d.press("c").wantCurrent("g.four").press("c").wantCurrent("g.one").press("c").wantCurrent("g.five")
	n.check(t, "g.one: 1-6\ng.two: 1-5\ng.three: 1-4\ng.four: 1-6\ng.five: 1-3\ng.six: 1-6\n")
	d.press("C").wantCurrent("g.five")
	for _, want := range []string{
		"g.one: 1-6\ng.two: 1-5\ng.three: 1-4\ng.four: 1-6\ng.five: 1-3\ng.six: 1-6\n",
		"g.one: 1-2\ng.two: 1-5\ng.three: 1-4\ng.four: 1-6\ng.five: 1-3\ng.six: 1-6\n",
		"g.one: 1-2\ng.two: 1-5\ng.three: 1-4\ng.four: 1\ng.five: 1-3\ng.six: 1-6\n",
		file,
	} {
		d.press("z").wantShown("undone").wantCurrent("g.five")
		n.check(t, want)
	}
	d.press("z").wantNotShown("undone")
	n.check(t, file)
}

func TestNextGroupAndLeave(t *testing.T) {
	d, n, list := driveThreeGroups(t, Options{})
	d.press("home", "alt+g").wantURL(list).wantCurrent("g.two")
	d.press("enter", "alt+g").wantURL(urlcore.News{Group: "g.one"}).press("alt+g").wantURL(urlcore.News{Group: "g.two"})
	n.check(t, "g.one: 1\ng.read: 1-4\ng.two: 1-5\n")
	d.press("home", "enter", "alt+q").wantURL(urlcore.News{Group: "g.two"}).press("alt+q").wantURL(list).wantCurrent("g.two")
	d.press("alt+q")
	if len(d.otherMsgs) == 0 {
		t.Error("leaving the list of groups does not quit")
	}
	d = drive(t, library(), Options{}, 80, 24)
	d.press("alt+g").wantShown("this page is not a news page")
	d.press("down", "enter", "alt+q").wantURL(item('1', "/"))
}

// TestLayersOfBindings checks that the user's keys take precedence over the keys of a preset, and that
// the preset's keys take precedence over gofer's keys, also over gofer's keys of news.
func TestLayersOfBindings(t *testing.T) {
	preset := Bindings{"page": {"find": {"f"}, "quit": {"Q"}}, "news": {"next article": {"n"}, "mark": {"Q"}}}
	own := Bindings{"page": {"peek": {"n"}}, "news": {"save": {"x"}}}
	km, wrong := newKeymap(false, preset, own)
	if len(wrong) > 0 {
		t.Fatalf("newKeymap refused the bindings %q", wrong)
	}
	for _, tt := range []struct {
		in        string
		key, want string
	}{
		{contextPage, "f", "find"},
		{contextNews, "f", "find"},
		{contextPage, "q", ""},
		{contextPage, "Q", "quit"},
		{contextNews, "Q", "mark"},
		{contextPage, "n", "peek"},
		{contextNews, "n", "peek"},
		{contextPage, "x", "forget"},
		{contextNews, "x", "save"},
		{contextNews, "d", "save"},
		{contextNews, "r", "reply"},
	} {
		got := ""
		if a := km.tables[tt.in][tt.key]; a != nil {
			got = a.name
		}
		fetchtest.Equal(t, got, tt.want, "%s in %s", tt.key, tt.in)
	}
	var wrongNews []string
	for _, e := range (Bindings{"news": {"no such": {"x"}, "go": {"x"}}}).Check() {
		wrongNews = append(wrongNews, e.Action)
	}
	fetchtest.Equal(t, len(wrongNews), 2, "refused bindings of news: %v", wrongNews)
}
