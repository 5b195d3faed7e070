package ui

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// memoryNews implements [News] in memory, with one newsrc file.
type memoryNews struct {
	newsrc.Store
	err error
}

func newMemoryNews(t testing.TB, file string) *memoryNews {
	t.Helper()
	n := &memoryNews{Store: newsrc.Store{Path: func(string) string { return "" }}}
	fetchtest.NoError(t, n.Change(nil, func(f *newsrc.File) { *f = *newsrc.Parse([]byte(file)) }))
	return n
}

func (n *memoryNews) File(urlcore.URL) (*newsrc.File, error) { return n.Store.File("") }

func (n *memoryNews) Change(_ urlcore.URL, edit func(*newsrc.File)) error {
	return errors.Join(n.Store.Change("", edit), n.err)
}

// check compares the newsrc file with want.
func (n *memoryNews) check(t testing.TB, want string) {
	t.Helper()
	f := fetchtest.Must(n.File(nil))(t)
	fetchtest.Equal(t, string(f.Bytes()), want, "the file")
}

// TestUnread checks that unread articles are marked, that a key opens the next unread article, and
// that opened articles are recorded as read.
func TestUnread(t *testing.T) {
	group := urlcore.News{Group: "g.one"}
	w := web{}
	addNewsGroup(w, group, 11, 12, 14, 15)
	n := newMemoryNews(t, "other: 1-3\ng.one: 1-10,12\n")
	d := drive(t, w, Options{Home: group, News: n}, 80, 24)
	d.wantState(nav.Unread, "Article 11, Article 14, Article 15")
	d.press("enter").wantURL(articleURL(group, 11))
	n.check(t, "other: 1-3\ng.one: 1-12\n")
	d.press(".").wantURL(articleURL(group, 14))
	d.press("space", "space").wantURL(articleURL(group, 15))
	n.check(t, "other: 1-3\ng.one: 1-12,14-15\n")
	d.press(".").wantURL(articleURL(group, 15)).wantShown("no more unread articles")
	d.press("m").wantShown("marked as unread (z to undo)")
	d.press("u").wantState(nav.Unread, "Article 15")
	d.press("m")
	n.check(t, "other: 1-3\ng.one: 1-12,14-15\n")
	d.press("z").wantShown("undone: marked as read").wantState(nav.Unread, "Article 15")
}

// TestUnreadAbovePreview checks that the cursor is on the screen and on the first unread article also if the preview of the
// group begins below it.
func TestUnreadAbovePreview(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group, all := urlcore.News{Group: "g.one"}, make([]int, 200)
		for i := range all {
			all[i] = i + 1
		}
		w := web{}
		addNewsGroup(w, group, all...)
		whole := w[group]
		w[group] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			r, err := whole(ctx, req)
			lines := r.Lines
			r.Preview = func(yield func(protocols.Line) bool) {
				i := 0
				for line := range lines {
					if i++; i > 100 && !yield(line) {
						return
					}
				}
				_ = sleep(ctx, time.Second)
			}
			return r, err
		}
		k := newTypist(t, w, Options{Home: group, News: newMemoryNews(t, "g.one: 1-40,101\n")}, pace{})
		for _, want := range []string{"line 1, top 0.0 on Article 102", "line 40, top 40.0 on Article 41"} {
			k.pass(500 * time.Millisecond)
			if got := k.state(); !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
			k.pass(time.Second)
		}
	})
}

func TestPrivateMarksNothing(t *testing.T) {
	group := urlcore.News{Group: "g.one"}
	w := web{}
	addNewsGroup(w, group, 1, 2)
	n := newMemoryNews(t, "g.one: 1\n")
	d := drive(t, w, Options{Home: group, News: n, Private: true}, 80, 24)
	d.wantState(nav.Unread, "Article 2")
	d.press(".").wantURL(articleURL(group, 2))
	n.check(t, "g.one: 1\n")
}

// TestCatchUp checks the keys that mark a whole group or a thread as read, and that z undoes them.
func TestCatchUp(t *testing.T) {
	group := urlcore.NNTP{HostPort: urlcore.HostPort{Host: "b.example.org"}, Group: "g.one"}
	w := web{}
	addNewsGroup(w, group, 9)
	addNewsGroup(w, group, 3, 4, 6)
	other := articleURL(group, 9)
	old := w[group]
	w[group] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		r, err := old(ctx, req)
		lines := r.Lines
		r.Lines = func(yield func(protocols.Line, error) bool) {
			lines(yield)
			yield(protocols.Line{Kind: protocols.Article, Text: "Another", Link: other, Note: &protocols.ArticleNote{
				Number: 9, Subject: "Another",
			}}, nil)
		}
		return r, err
	}
	n := newMemoryNews(t, "g.one: 4\n")
	d := drive(t, w, Options{Home: group, News: n}, 80, 24)
	d.wantState(nav.Unread, "Article 3, Article 6, Another")
	d.press("C").wantShown("caught up with g.one (z to undo)").wantState(nav.Unread, "")
	n.check(t, "g.one: 1-9\n")
	d.press("z").wantState(nav.Unread, "Article 3, Article 6, Another")
	n.check(t, "g.one: 4\n")
	d.press("j", "K").wantShown("thread marked as read: 3 articles")
	n.check(t, "g.one: 3-4,6\n")
	d.wantCurrent("Another")
	d.press("z", "home", "enter", "K").wantURL(other)
	d.press("F").wantShown("unsubscribed from g.one (z to undo)")
	d.press("z").wantShown("undone: unsubscribed from g.one")
	if f, _ := n.File(nil); !strings.HasPrefix(string(f.Bytes()), "g.one:") {
		t.Error("the undo did not subscribe to g.one again")
	}
	d.press("F")
	if f, _ := n.File(nil); f != nil {
		if g, _ := f.Group("g.one"); g.Subscribed {
			t.Error("F did not unsubscribe from g.one")
		}
	}
	n.err = errFull
	d.press("(").wantShown("read articles not saved: no space left on device")
}

// TestCrosspost checks that opening an article marks it as read in all its groups.
func TestCrosspost(t *testing.T) {
	w, u := web{}, urlcore.News{MessageID: "1@example.org"}
	w.addBody(u, protocols.MediaArticle, "Subject: x\r\nXref: h g.one:7 g.two:8\r\n\r\nbody\r\n")
	n := newMemoryNews(t, "g.two: 1-7\n")
	drive(t, w, Options{Home: u, News: n}, 80, 24)
	f, _ := n.File(nil)
	if one, _ := f.Group("g.one"); one.Read.String() != "7" || one.Subscribed {
		t.Errorf("g.one: got %+v, want article 7 read, not subscribed", one)
	}
	if two, _ := f.Group("g.two"); two.Read.String() != "1-8" || !two.Subscribed {
		t.Errorf("g.two: got %+v, want articles 1-8 read, subscribed", two)
	}
}

// TestCrosspostsOfList checks that marking articles in the list of a group marks them in all their
// groups, and that undo unmarks them there.
func TestCrosspostsOfList(t *testing.T) {
	group := urlcore.News{Group: "g.one"}
	for _, tt := range []struct{ key, want string }{
		{"m", "g.one: 1-10,12\ng.two: 7-8\ng.three! 5\n"},
		{"K", "g.one: 1-10,12-13\ng.two: 7-8\ng.three! 5,9\n"},
		{"C", "g.one: 1-14\ng.two: 7-8\ng.three! 5,9\n"},
	} {
		var lines []protocols.Line
		for i, xref := range []string{"", "h g.one:12 g.two:8 g.three:5", "h g.one:13 g.three:9", "h g.one:14"} {
			note := &protocols.ArticleNote{Number: uint64(11 + i), Subject: "Article", Xref: xref}
			if i == 2 {
				note.Depth = 1
			}
			lines = append(lines, protocols.Line{Kind: protocols.Article, Text: "Article", Link: articleURL(group, 11+i), Note: note})
		}
		w := web{}
		w.addPage(group, protocols.LayoutArticles, "a group", lines...)
		const before = "g.one: 1-10\ng.two: 7\n"
		n := newMemoryNews(t, before)
		d := drive(t, w, Options{Home: group, News: n}, 80, 24)
		d.press("home", "down", tt.key)
		n.check(t, tt.want)
		d.press("z").wantShown("undone")
		for _, name := range []string{"g.one", "g.two", "g.three"} {
			f, _ := n.File(nil)
			g, _ := f.Group(name)
			if was, _ := newsrc.Parse([]byte(before)).Group(name); g.Read.String() != was.Read.String() {
				t.Errorf("%s: undone, %s is %v, want %v", tt.key, name, g.Read, was.Read)
			}
		}
	}
}

// TestUnreadGroups checks that subscribed groups with unread articles are marked, and that the key
// for the next unread article continues with the next group.
func TestUnreadGroups(t *testing.T) {
	w := web{}
	all := urlcore.News{Group: "*"}
	one, two := urlcore.News{Group: "g.one"}, urlcore.News{Group: "g.two"}
	addNewsGroup(w, one, 1, 2)
	addNewsGroup(w, two, 3, 4)
	var lines []protocols.Line
	for i, g := range []urlcore.News{one, {Group: "g.read"}, two, {Group: "g.none"}} {
		lines = append(lines, protocols.Line{
			Kind: protocols.Group, Text: g.Group, Link: g,
			Note: &protocols.GroupNote{Low: 1, High: uint64(i + 2), Count: uint64(i + 2)},
		})
	}
	w.addPage(all, protocols.LayoutGroups, "groups", lines...)
	n := newMemoryNews(t, "g.one: 1\ng.read: 1-3\ng.two: 1-3\n")
	d := drive(t, w, Options{Home: all, News: n}, 80, 24)
	d.wantState(nav.Unread, "g.one, g.two")
	wantUnread := func(want ...string) { // checks the numbers of unread articles of the subscribed groups
		t.Helper()
		d.wantShown(" unread ")
		for _, row := range want {
			if !regexp.MustCompile(`(?m)` + row + `( <<)?\s*$`).MatchString(d.screen()) {
				t.Errorf("the screen has no row %q:\n%s", row, d.screen())
			}
		}
	}
	wantUnread(`g\.one +1 +2`, `g\.read +0 +3`, `g\.two +1 +4`, `g\.none +5`)
	d.press("end", "F")
	wantUnread(`g\.one +1 +2`, `g\.two +4`)
	d.press("F", "home")
	wantUnread(`g\.two +1 +4`)
	for _, want := range []urlcore.URL{one, articleURL(one, 2), two, articleURL(two, 4), articleURL(two, 4)} {
		d.press(".").wantURL(want)
	}
	d.wantShown("no more unread articles")
	d.press("F").wantShown("unsubscribed from g.two")
}

// TestMarksOfTheList checks that marking articles on the page of an article also marks them in the
// list.
func TestMarksOfTheList(t *testing.T) {
	group := urlcore.News{Group: "g.one"}
	w := web{}
	addNewsGroup(w, group, 1, 2, 3)
	d := drive(t, w, Options{Home: group, News: newMemoryNews(t, "g.one:\n")}, 80, 24)
	d.press("enter", "C", ".").wantURL(articleURL(group, 1)).wantShown("no more unread articles")
	d.press("z", ".").wantURL(articleURL(group, 2))
	d.press("m", ".", ".").wantURL(articleURL(group, 2))
}

// TestOpensAtUnread checks that a group opens at the first unread article, below some read articles.
// If all articles are read it must open at the end. A reload must keep the cursor.
func TestOpensAtUnread(t *testing.T) {
	w, group := web{}, urlcore.News{Group: "g.one"}
	var numbers []int
	for n := range 100 {
		numbers = append(numbers, n+1)
	}
	addNewsGroup(w, group, numbers...)
	for _, tt := range []struct {
		file        string
		cursor, top int
	}{
		{"g.one: 1-60\n", 60, 57},
		{"g.one: 1-5\n", 5, 0},
		{"g.one: 1-99\n", 99, 80},
		{"g.one: 1-100\n", 99, 80},
		{"g.one:\n", 0, 0},
		{"", 0, 0},
	} {
		d := drive(t, w, Options{Home: group, News: newMemoryNews(t, tt.file), Config: config.Config{ReadBeforeUnread: 3}}, 80, 24)
		if p := d.Model.tab.Session.Page(); p.Cursor != tt.cursor || p.Top != tt.top {
			t.Errorf(
				"newsrc %q: the cursor is on line %d and the screen begins at line %d, want %d and %d", tt.file,
				p.Cursor, p.Top, tt.cursor, tt.top,
			)
		}
		d.press("home", "ctrl+r")
		fetchtest.Equal(t, d.Model.tab.Session.Page().Cursor, 0, "%q: after a reload the cursor is on line", tt.file)
	}
}

// TestNewsHome checks that the page of subscribed groups uses the newsrc file of each server, and
// that going back to it counts the articles again.
func TestNewsHome(t *testing.T) {
	w, home := web{}, about.Page("news")
	named := urlcore.NNTP{HostPort: urlcore.HostPort{Host: "b.example.org"}, Group: "g.one"}
	own := urlcore.News{Group: "g.one"}
	addNewsGroup(w, named, 1, 2)
	var lines []protocols.Line
	for _, u := range []urlcore.URL{own, named} {
		lines = append(lines, protocols.Line{
			Kind: protocols.Group, Text: "g.one", Link: u, Note: &protocols.GroupNote{Low: 1, High: 2, Count: 2, Subscribed: true},
		})
	}
	lines = append(lines, protocols.Line{Kind: protocols.Group, Text: "All groups", Link: urlcore.News{Group: "*"}})
	w.addPage(home, protocols.LayoutGroups, "News", lines...)
	fetched, page := 0, w[home]
	w[home] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		fetched++
		return page(ctx, req)
	}
	n := &newsByServer{newsrc.Store{Path: func(string) string { return "" }}}
	for server, text := range map[string]string{"": "g.one: 1-2\n", "b.example.org:119": "g.one: 1\n"} {
		fetchtest.NoError(t, n.Store.Change(server, func(f *newsrc.File) { *f = *newsrc.Parse([]byte(text)) }))
	}
	d := drive(t, w, Options{Home: home, News: n}, 80, 24)
	want := func(states string) {
		t.Helper()
		got := ""
		for i := range d.Model.tab.Session.Page().Lines.Len() {
			if line := d.Model.tab.Session.Page().Lines.At(i); d.Model.tab.Session.Page().Lines.State(i)&nav.Unread != 0 {
				got += line.Link.String() + " "
			}
		}
		fetchtest.Equal(t, got, states, "unread")
	}
	want("nntp://b.example.org/g.one ")
	d.press(".", ".").wantURL(articleURL(named, 2))
	d.press("backspace", "backspace").wantURL(home)
	want("")
	if fetched != 2 {
		t.Errorf("the page was fetched %d times, want 2", fetched)
	}
	d.press("home", "F").wantShown("unsubscribed from g.one")
	if f, _ := n.Store.File(""); string(f.Bytes()) != "g.one! 1-2\n" {
		t.Errorf("the file is %q, want g.one unsubscribed", f.Bytes())
	}
	d.press("end", "F").wantShown("no group to subscribe to")
}

// serverOf returns the server of a URL, or "" for the default server.
func serverOf(u urlcore.URL) string {
	addr, _ := urlcore.Addr(u)
	return addr
}

// newsByServer implements [newsreader.News] in memory, with a newsrc file for each server.
type newsByServer struct{ newsrc.Store }

func (n *newsByServer) File(target urlcore.URL) (*newsrc.File, error) {
	return n.Store.File(serverOf(target))
}

func (n *newsByServer) Change(target urlcore.URL, edit func(*newsrc.File)) error {
	return n.Store.Change(serverOf(target), edit)
}

// TestUndoAcross checks that undo reverts marks and bookmarks in the order in which they were made, on any page, and each
// with its name. Keys that follow each other at once are changes in the order of the keys.
func TestUndoAcross(t *testing.T) {
	group := urlcore.News{Group: "g.one"}
	file := item('1', "/a").String() + " First\n"
	b := newBookmarks(t, file)
	w := libraryWithBookmarks(b)
	addNewsGroup(w, group, 1, 2, 3)
	n := newMemoryNews(t, "g.one:\n")
	d := drive(t, w, Options{Home: group, News: n, Bookmarks: b}, 80, 24)
	d.press("home", "m", "B", "x", "backspace", "m", "B")
	d.press("z").wantShown("undone: marked as read")
	n.check(t, "g.one: 1\n")
	d.press("z").wantShown("undone: bookmark removed: First")
	checkBookmarks(t, b, file)
	d.press("F").wantShown("no history is kept, so no page can be followed").press("z").wantShown("undone: marked as read")
	n.check(t, "g.one:\n")
	d.press("z").wantShown("nothing to undo")

	d.run(d.visit(group)).press("home")
	first := d.pressKey(keyPress("C"))
	second := d.pressKey(keyPress("z"))
	d.run(second).run(first)
	n.check(t, "g.one:\n")

	d.press("F")
	fetchtest.NoError(t, n.Change(nil, func(f *newsrc.File) { f.Set(newsrc.Group{Name: "g.one", Subscribed: true}) })) // another gofer
	d.press("z").wantShown("not undone: unsubscribed from g.one")
}
