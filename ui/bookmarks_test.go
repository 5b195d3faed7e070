package ui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/history/bookmarks"
	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// newBookmarks writes text to a new file of bookmarks and opens it.
func newBookmarks(t testing.TB, text string) *bookmarks.Store {
	path := filepath.Join(t.TempDir(), "bookmarks.txt")
	fetchtest.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return bookmarks.Open(path)
}

// checkBookmarks checks that want is the whole text in the file of b.
func checkBookmarks(t *testing.T, b *bookmarks.Store, want string) {
	t.Helper()
	fetchtest.ReturnsText(t, want)(os.ReadFile(b.File()))
}

// aboutBookmarks returns a client for about:bookmarks that lists the bookmarks of b.
func aboutBookmarks(b *bookmarks.Store) *about.Client {
	return &about.Client{Bookmarks: func(context.Context) (items []about.Item, err error) {
		list, err := b.List()
		for _, m := range list {
			items = append(items, about.Item{URL: m.URL, Title: m.Title, Folder: m.Folder})
		}
		return items, err
	}}
}

// libraryWithBookmarks returns the pages of [library], and a page about:bookmarks that lists b.
func libraryWithBookmarks(b *bookmarks.Store) web {
	w, u := library(), about.Page("bookmarks")
	w[u] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		return aboutBookmarks(b).Fetch(ctx, protocols.Request{URL: u})
	}
	return w
}

// TestBookmarkWithoutTitle checks that the host is the default title of a bookmark.
func TestBookmarkWithoutTitle(t *testing.T) {
	w := library()
	w.addPage(item('1', "/untitled"), protocols.LayoutMenu, "", info("=== 42 ==="))
	b := newBookmarks(t, "")
	d := drive(t, w, Options{Bookmarks: b, Home: item('1', "/untitled")}, 80, 24)
	d.press("a", "enter")
	checkBookmarks(t, b, "gopher://gopher.example.org/1/untitled gopher.example.org\n")
	b = newBookmarks(t, "")
	d = drive(t, web{}, Options{Bookmarks: b, Home: item('1', "/gone")}, 80, 24)
	d.press("a", "enter")
	checkBookmarks(t, b, "gopher://gopher.example.org/1/gone gopher.example.org\n")
}

// TestBookmarkOfFollowedLink checks that the title shown beside the URL is the default title of a
// bookmark.
func TestBookmarkOfFollowedLink(t *testing.T) {
	w := library()
	w.addPage(item('1', "/hole"), protocols.LayoutMenu, "hole", link(protocols.Menu, "The tour: start here", item('1', "/tour")))
	w.addPage(item('1', "/tour"), protocols.LayoutMenu, "tour", info("one"))
	b := newBookmarks(t, "")
	d := drive(t, w, Options{Bookmarks: b, Home: item('1', "/hole")}, 80, 24)
	d.press("enter", "a").wantShown("Title: The tour: start here")
	d.press("enter")
	checkBookmarks(t, b, "gopher://gopher.example.org/1/tour The tour: start here\n")
}

func TestBookmark(t *testing.T) {
	const about = "\n## phlogs/unix\ngopher://gopher.example.org/0/about.txt About this hole #good #old\n"
	b := newBookmarks(t, "")
	d := drive(t, library(), Options{Bookmarks: b}, 80, 24)
	d.press("a").wantShown("Title: A hole in the ground")
	d.press("enter").wantShown("bookmarked gopher://gopher.example.org/1/")
	d.press("down", "A", "tab").typeText("phlogs/unix").press("tab").typeText("#good, old good").press("enter")
	checkBookmarks(t, b, "gopher://gopher.example.org/1/ A hole in the ground\n"+about)

	d.press("a") // edits the bookmark, which exists
	d.wantShown("Edit bookmark")
	d.typeText("My hole").press("tab", "tab", "tab").wantShown("URL: gopher://gopher.example.org/1/")
	d.typeText("gopher://").press("enter").wantShown("not a URL")
	d.typeText("bad url:").press("enter").wantShown("URL: bad url:") // the refused value is selected
	d.press("shift+tab", "enter").typeText("ftp://joe:secret@ftp.example.org/a").press("enter")
	d.wantShown("bookmark changed: ftp://joe@ftp.example.org/a")
	checkBookmarks(t, b, "ftp://joe@ftp.example.org/a My hole\n"+about)
	d.press("a", "esc")
	checkBookmarks(t, b, "ftp://joe@ftp.example.org/a My hole\n"+about)
	fetchtest.NoError(t, os.Remove(b.File()))
	fetchtest.NoError(t, os.Mkdir(b.File(), 0o700))
	_, err := b.List()
	d.press("a")
	fetchtest.Equal(t, d.notice, "bookmarks not read: "+err.Error())
}

// TestStaleBookmark checks that the form for a bookmark does not open after the user has left the
// page or begun to type a URL.
func TestStaleBookmark(t *testing.T) {
	b := newBookmarks(t, "")
	d := drive(t, library(), Options{Bookmarks: b}, 80, 24)
	pending := d.sendWithoutRun(keyPress("a"))
	d.press("esc", "down", "enter")
	d.run(pending)
	if d.Model.tab.Prompt != nil {
		t.Error("the form for a bookmark opened on another page")
	}
	pending = d.sendWithoutRun(keyPress("a"))
	d.press("esc", "g")
	d.run(pending)
	if d.Model.tab.Prompt != nil {
		t.Error("the form for a bookmark opened while a URL was typed")
	}
}

func TestBookmarksPage(t *testing.T) {
	b := newBookmarks(t, item('1', "/a").String()+" First\n## phlogs\n"+item('1', "/b").String()+" Second\n")
	d := drive(t, libraryWithBookmarks(b), Options{Bookmarks: b}, 80, 24)
	d.press("B").submit("a", "Renamed").wantShown("Renamed  (gopher.example.org)")
	d.press("x").wantNotShown("Renamed").wantShown("bookmark removed (z to undo): gopher://gopher.example.org/1/a")
	d.press("z").wantShown("Renamed")
	for line, _ := d.Model.tab.Pager.Current(); line.Text != "phlogs"; line, _ = d.Model.tab.Pager.Current() {
		before := d.Model.tab.Session.Page().Cursor
		if d.press("tab"); d.Model.tab.Session.Page().Cursor == before {
			t.Fatalf("no folder on the page:\n%s", d.screen())
		}
	}
	d.press("A").wantShown("Folder: phlogs")
	d.typeText("journals").press("enter").wantShown("▾ journals")
	d.press("x").wantShown("removed folder journals and its bookmarks: 1 (z to undo)").wantNotShown("Second")
	d.press("z", "z", "z").wantShown("▾ phlogs")
	d.press("z", "z").wantShown("nothing to undo").wantNotShown("bookmarks.txt")
}

// TestFoldBookmarks checks that Enter folds a folder, that the folder stays folded in the tab, and
// that a search finds lines in folded folders.
func TestFoldBookmarks(t *testing.T) {
	b := newBookmarks(t, item('1', "/a").String()+" First\n## one\n"+item('1', "/b").String()+" Second\n"+item('1', "/c").String()+" Third\n## two\n"+
		item('1', "/d").String()+" Fourth\n## one/deep\n"+item('1', "/e").String()+" Fifth\n")
	w := libraryWithBookmarks(b)
	w.addPage(item('1', "/a"), protocols.LayoutMenu, "First", info("the first page"))
	d := drive(t, w, Options{Bookmarks: b}, 80, 24)
	row := func(name string) string {
		_, rest, _ := strings.Cut(d.screen(), name)
		rest, _, _ = strings.Cut(rest, "\n")
		return name + " " + strings.TrimSpace(strings.TrimSuffix(rest, " <<"))
	}
	folded := func() {
		t.Helper()
		d.wantShown("▸ one ", "▾ two\n   ▸ Fourth").wantNotShown("Second", "deep").wantURL(about.Page("bookmarks"))
		fetchtest.Equal(t, row("one"), "one 3", "the folder with the number of its bookmarks")
	}
	d.press("B").wantShown("▾ one\n   ▸ Second  (gopher.example.org)\n   ▸ Third", "\n   ▾ deep\n     ▸ Fifth", "\n\n ▾ two\n")
	d.press("down", "enter")
	folded()
	d.press("r")
	folded()
	d.press("up", "enter").wantShown("the first page")
	d.press("B")
	folded()
	d.press("T", "esc", "B")
	folded()
	d.press("down", "enter", "down", "down", "down", "enter").wantShown("▾ one\n", "  ▸ deep ").wantNotShown("Fifth")
	fetchtest.Equal(t, row("deep"), "deep 1", "the folder in the folder")
	d.press("up", "v")
	folded()
	d.submit("/", "Fifth").wantShown("▾ one\n", "▸ Second", "▾ deep", "Fifth")
	d.press("v").wantShown("▸ deep", "Second").press("v").wantShown("▾ deep", "Fifth")
}

// TestFoldNothing presses the folding keys on a page of bookmarks without lines.
func TestFoldNothing(t *testing.T) {
	w := library()
	w.addPage(about.Page("bookmarks"), protocols.LayoutMenu, "Bookmarks")
	drive(t, w, Options{Bookmarks: newBookmarks(t, "")}, 80, 24).press("B", "enter", "v").wantURL(about.Page("bookmarks"))
}

func TestEditBookmarksFile(t *testing.T) {
	b := newBookmarks(t, "")
	path := ""
	d := drive(t, libraryWithBookmarks(b), Options{Bookmarks: b, Editor: func(file string) []string {
		path = file
		return []string{"true"}
	}}, 80, 24)
	d.press("B", "E")
	if path != b.File() || len(d.otherMsgs) != 1 {
		t.Errorf("the editor got the file %q, want %q; Bubble Tea got the messages %v, want one", path, b.File(), d.otherMsgs)
	}
	fetchtest.NoError(t, os.WriteFile(path, []byte(item('1', "/new").String()+" By hand"), 0o600))
	d.send(resultFunc(func() tea.Cmd { return d.bookmarks.ShowChange("bookmarks reloaded", nil, nil) }))
	d.wantShown("By hand", "bookmarks reloaded")
	d = drive(t, library(), Options{}, 80, 24)
	for _, key := range []string{"a", "A", "E", "z"} {
		d.press(key).wantShown("no bookmarks are kept")
	}
}

// TestEditorHasTheTerminal runs an editor in place of the screen, and checks that gofer does not
// read Ctrl-C meanwhile.
func TestEditorHasTheTerminal(t *testing.T) {
	b := newBookmarks(t, "")
	lent, ended := make(chan bool, 1), make(chan bool, 1)
	tm := startProgram(t, libraryWithBookmarks(b), Options{
		Bookmarks: b,
		Editor:    func(string) []string { return []string{os.Args[0], "-test.run=^$"} },
		Lend: func() func() {
			lent <- true
			return func() { ended <- true }
		},
	}, 80, 24)
	tm.waitFor("Phlogs")
	tm.typeKeys("BE")
	tm.waitFor("bookmarks reloaded")
	if len(lent) != 1 || len(ended) != 1 {
		t.Errorf("the editor got Ctrl-C %d times, and returned it %d times, want once each", len(lent), len(ended))
	}
	tm.quit() // not the key q, because a read that began before the editor would swallow it
	<-tm.done
}

// TestBookmarkTaggedPlaces checks that the bookmarks of tagged items keep the fragments of their URLs.
func TestBookmarkTaggedPlaces(t *testing.T) {
	w, b := library(), newBookmarks(t, "")
	place := link(protocols.HTML, "place", fetchtest.Parse(t, "http://h.example/p"))
	place.Note = &protocols.ItemNote{Line: &protocols.MenuLine{Type: 'h', Selector: "URL:http://h.example/p#part"}}
	w.addPage(item('1', "/list"), protocols.LayoutMenu, "List", place, link(protocols.Text, "text", item('0', "/a")))
	d := drive(t, w, Options{Bookmarks: b, Home: item('1', "/list")}, 80, 24)
	d.press("#", "#", "A", "enter")
	checkBookmarks(t, b, "http://h.example/p#part place\ngopher://gopher.example.org/0/a text\n")
}

// TestBookmarkTaggedStandardInput checks that tagged items are not bookmarked if one of them is the
// page from standard input, which is temporary.
func TestBookmarkTaggedStandardInput(t *testing.T) {
	w, home := library(), urlcore.URL(urlcore.File{Path: "list"})
	w.addPage(home, protocols.LayoutMenu, "List", link(protocols.Text, "input", urlcore.File{Path: "tmp/gofer-files-1/standard%20input"}), link(protocols.Text, "kept", item('0', "/a")))
	b := newBookmarks(t, "")
	d := drive(t, w, Options{Bookmarks: b, Home: home}, 80, 24)
	d.press("#", "#", "A").wantShown("standard input cannot be bookmarked").wantNotShown("Folder:")
	checkBookmarks(t, b, "")
}
