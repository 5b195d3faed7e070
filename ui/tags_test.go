package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestTagScreens compares screens that have tagged items with a golden file. Two of the screens have no
// colors and only ASCII signs.
func TestTagScreens(t *testing.T) {
	var all strings.Builder
	show := func(name string, d *driver) {
		fmt.Fprintf(&all, "== %s\n%s", name, d.screen())
	}
	for _, size := range append(sizes, struct{ width, height int }{40, 6}, struct{ width, height int }{20, 8}) {
		for _, home := range []urlcore.URL{file("pub"), item('1', "/"), urlcore.News{Group: "lab.threads"}} {
			if size.height > 12 && home != file("pub") {
				continue
			}
			d := drive(t, library(), Options{Home: home}, size.width, size.height)
			d.press("#", "#", "insert")
			d.press("up")
			show(fmt.Sprintf("%s %dx%d", home.Scheme(), size.width, size.height), d)
		}
	}
	d := drive(t, library(), Options{Home: file("pub"), Config: config.Config{ASCII: true}, NoColor: true}, 60, 12)
	d.press("#", "#", "#", "up")
	show("ASCII", d)
	d.glyphs.Cursor = ">"
	d.press("w") // a tagged item of several rows has only one sign
	show("a cursor without reverse video", d)
	checkGolden(t, "tags.txt", all.String())
}

// TestTagsStay checks that leaving, filtering or reloading a page keeps the tags, and that Esc keeps
// them too.
func TestTagsStay(t *testing.T) {
	c := newChangeServer("a.txt", "b.txt", "dir one", "z.txt")
	d := drive(t, c.w, c.options(), 80, 24)
	d.press("down", "#", "#", "esc").wantShown("2 tagged")
	d.press("home", "enter", "h").wantShown("2 tagged")
	c.names = append(c.names, "0.txt")
	c.addPages()
	d.press("r").wantShown("#• a.txt", "#• b.txt", " • 0.txt", "2 tagged")
	d.submit("&", "z").wantShown("2 tagged")
	d.press("x").wantShown(`Remove "z.txt" from `).wantNotShown("hidden")
	d.press("n")
	d.press("alt+a").wantShown("tagged 1 item", "3 tagged")
	d.press("x").wantShown(`Remove "z.txt" from `, "2 hidden items stay tagged.")
	d.press("y").wantShown("removed z.txt", "2 tagged")
	d.press("esc", "alt+n").wantNotShown("tagged,", "#•").wantShown("untagged 2 items")
	fetchtest.Equal(t, strings.Join(c.names, " "), "0.txt a.txt b.txt dir one", "names")
}

// TestTaggedInTabs checks that t opens the tagged items in tabs, in their order. If there are many
// items, gofer must ask first.
func TestTaggedInTabs(t *testing.T) {
	w := web{}
	var lines []protocols.Line
	for i := range maxTabs + 5 {
		u := item('1', fmt.Sprint("/", i))
		w.addPage(u, protocols.LayoutMenu, fmt.Sprint("page ", i), info("text"))
		lines = append(lines, link(protocols.Menu, fmt.Sprint("item ", i), u))
	}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "all", lines...)
	d := drive(t, w, Options{}, 80, 24)
	urls := func() (all []string) {
		for _, t := range d.tabs[1:] {
			u, _ := t.PageURL()
			all = append(all, u.(urlcore.Gopher).Selector)
		}
		return all
	}
	for range maxUnaskedTabs {
		d.press("#")
	}
	d.press("t").wantShown("opened in tabs: 20 tagged items").wantNotShown("20 tagged,", "20 tagged  ")
	fetchtest.Equal(t, strings.Join(urls(), ""), "/0/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19", "tabs")
	d.press("home")
	for range maxUnaskedTabs + 1 {
		d.press("#")
	}
	d.press("t").wantShown("Open 21 tagged items in tabs? (Y/n)")
	d.press("n").wantShown("21 tagged")
	fetchtest.Equal(t, len(d.tabs), maxUnaskedTabs+1, "tabs after a no")
	d.press("alt+a", "t").wantShown("Open 105 tagged items")
	d.press("y").wantShown("opened 79 of 105 tagged items: the limit is 100 tabs", "26 tagged")
	fetchtest.Equal(t, len(d.tabs), maxTabs, "tabs")
	fetchtest.Equal(t, d.Model.tab, d.tabs[0], "the tab on the screen")
}

// TestTaggedTabsLoad checks that tabs of tagged items load two at a time. Showing a tab must load it at
// once. A closed tab must not load.
func TestTaggedTabsLoad(t *testing.T) {
	w := web{}
	var lines []protocols.Line
	for i := range 6 {
		u := item('1', fmt.Sprint("/", i))
		lines = append(lines, link(protocols.Menu, fmt.Sprint("item ", i), u))
		w.addPage(u, protocols.LayoutMenu, fmt.Sprint("page ", i), info("text"))
	}
	w.addFailure(item('1', "/1"), &protocols.Error{Reason: protocols.Refused, Op: "connect"})
	w.addPage(item('1', "/"), protocols.LayoutMenu, "all", lines...)
	d := drive(t, w, Options{}, 80, 24)
	d.press("alt+a")
	var cmds []tea.Cmd
	for i, key := range []string{"t", "alt+6"} {
		_, cmd := d.Update(keyPress(key))
		cmds = append(cmds, cmd)
		fetchtest.Equal(t, d.loadingTabs(), maxTabsLoading+i, "tabs that load after %s", key)
	}
	closed := d.tabs[6]
	d.close(closed)
	d.wantShown("item 2", "item 3")
	for _, cmd := range cmds {
		d.run(cmd)
	}
	fetchtest.Equal(t, d.loadingTabs(), 0, "tabs that load")
	for i, tab := range d.tabs {
		if p := tab.Session.Page(); p.Dropped || (p.Failed != nil) != (i == 2) {
			t.Errorf("tab %d: got %+v, want a loaded page, or an error page in tab 2", i, p)
		}
	}
	d.press("alt+4").wantShown("text", "page 2")
	if len(d.unloadedTabs) > 0 || !closed.Session.Page().Dropped {
		t.Error("a tab is not loaded, or the closed tab was loaded")
	}
}

// TestTaggedArticles checks that m marks the tagged articles as read. If all of them are read, m must
// mark them as unread.
func TestTaggedArticles(t *testing.T) {
	group := urlcore.News{Group: "g.one"}
	w := web{}
	addNewsGroup(w, group, 11, 12, 14, 15)
	n := newMemoryNews(t, "g.one: 1-11\n")
	d := drive(t, w, Options{Home: group, News: n}, 80, 24)
	d.press("home", "#", "#", "m").wantShown("marked as read: 2 articles").wantState(nav.Unread, "Article 14, Article 15")
	n.check(t, "g.one: 1-12\n")
	d.wantNotShown("tagged")
	d.press("z").wantState(nav.Unread, "Article 12, Article 14, Article 15")
	d.press("z", "home", "#", "m").wantShown("marked as unread: 1 article")
	n.check(t, "g.one: 1-10\n")
	d.press("#").submit("&", "nothing").press("m").wantShown("no article under the cursor", "1 tagged")
}

// TestTaggedURLs checks that y copies the URLs of the tagged items without passwords, and keeps the
// tags.
func TestTaggedURLs(t *testing.T) {
	w, secret := library(), file("pub/x")
	secret.User, secret.Password, secret.HasPassword = "ann", "secret", true
	plus := fetchtest.Parse(t, "gopher://gopher.example.org/0/d%09%09+")
	place := link(protocols.HTML, "e", fetchtest.Parse(t, "http://h.example/p"))
	place.Note = &protocols.ItemNote{Line: &protocols.MenuLine{Type: 'h', Selector: "URL:http://h.example/p#part"}}
	w.addPage(
		item('1', "/"), protocols.LayoutMenu, "", link(protocols.Text, "a", item('0', "/a")),
		link(protocols.Text, "b", item('0', "/b")), link(protocols.Text, "c", secret), link(protocols.Text, "d", plus),
		place,
	)
	d := drive(t, w, Options{}, 80, 24)
	d.press("#", "down", "#", "#", "#", "y").wantShown("the URLs of 4 tagged items", "4 tagged")
	want := "gopher://gopher.example.org/0/a\nftp://ftp.example.org/pub/x\ngopher://gopher.example.org/0/d\nhttp://h.example/p#part"
	if len(d.otherMsgs) != 1 || fmt.Sprint(d.otherMsgs[0]) != want {
		t.Errorf("the clipboard got %q, want %q", d.otherMsgs, want)
	}
}

// TestTagsOfOtherPages checks that x removes tagged items only in directories.
func TestTagsOfOtherPages(t *testing.T) {
	d := drive(t, library(), Options{}, 80, 24)
	d.press("#", "x").wantShown("only files are removed by tags: Alt-n untags all items")
}

// TestRestrictedTags checks that restricted mode neither saves nor changes tagged items, but opens
// them in tabs.
func TestRestrictedTags(t *testing.T) {
	c := newChangeServer("a", "b", "c")
	o := c.options()
	o.Config.Restrict.Enabled, o.Config.Downloads.Folder = true, t.TempDir()
	d := drive(t, c.w, o, 80, 24)
	d.press("#", "#").wantShown("2 tagged")
	for _, do := range []func() tea.Cmd{d.changes.Rename, d.changes.Remove, d.downloads.Save} {
		d.run(do())
		if d.Model.tab.Prompt != nil {
			t.Errorf("a prompt is open:\n%s", d.screen())
			d.press("esc")
		}
	}
	d.press("x", "f2", "d").wantShown("2 tagged")
	d.press("t").wantShown("opened in tabs: 2 tagged items")
	fetchtest.Equal(t, len(c.names), 3, "names")
	o = c.options()
	o.Change = nil
	d = drive(t, c.w, o, 80, 24)
	d.press("#", "x").wantShown("read-only: nothing is changed on servers")
}
