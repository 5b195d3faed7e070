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

func TestBookmark(t *testing.T) {
	const about = "\n## phlogs/unix\ngopher://gopher.example.org/0/about.txt About this hole #good #old\n"
	b := newBookmarks(t, "")
	d := drive(t, library(), Options{Bookmarks: b}, 80, 24)
	d.press("a").wantShown("Title   [A hole in the ground", "Folder  [ ", "Tags    [ ", "URL     [gopher://gopher.example.org/1/ ")
	d.press("enter").wantShown("bookmarked gopher://gopher.example.org/1/")
	d.press("down", "A", "tab").typeText("phlogs/unix").press("tab").typeText("#good, old good").press("enter")
	checkBookmarks(t, b, "gopher://gopher.example.org/1/ A hole in the ground\n"+about)

	d.press("a") // edits the bookmark, which exists
	d.wantShown("Edit bookmark")
	d.press("ctrl+u").typeText("My hole").press("tab", "tab", "tab", "ctrl+u")
	d.typeText("gopher://").press("enter").wantShown("not a URL")
	d.press("ctrl+u").typeText("bad url:").press("enter").wantShown("[bad url: ", "[My hole ")
	d.press("ctrl+u", "shift+tab", "enter").wantShown("field 4 of").typeText("ftp://joe:secret@ftp.example.org/a").press("enter")
	d.wantShown("bookmark changed: ftp://joe@ftp.example.org/a")
	checkBookmarks(t, b, "ftp://joe@ftp.example.org/a My hole\n"+about)
	d.press("a", "esc")
	checkBookmarks(t, b, "ftp://joe@ftp.example.org/a My hole\n"+about)
	d.press("A").typeText("!").press("tab").typeText("/x").press("tab").typeText("new").press("tab").typeText("?q").press("enter")
	checkBookmarks(t, b, "ftp://joe@ftp.example.org/a My hole\n\n## phlogs/unix\n\n## phlogs/unix/x\ngopher://gopher.example.org/0/about.txt%3Fq About this hole! #good #new #old\n")
	fetchtest.NoError(t, os.Remove(b.File()))
	fetchtest.NoError(t, os.Mkdir(b.File(), 0o700))
	_, err := b.List()
	d.press("a")
	fetchtest.Equal(t, d.notice, "bookmarks not read: "+err.Error())
}

// TestCursorAfterRemovedBookmark checks that the cursor is on the bookmark above after the last bookmark of a folder or of the
// list was removed, so that the next key finds an item.
func TestCursorAfterRemovedBookmark(t *testing.T) {
	const text = "gopher://h/1/a First\ngopher://h/1/b Second\n## lab\ngopher://h/1/c Third\ngopher://h/1/d Fourth\n"
	for removed, want := range map[string]urlcore.URL{
		"/b": fetchtest.Must(urlcore.Parse("gopher://h/1/a"))(t), "/c": fetchtest.Must(urlcore.Parse("gopher://h/1/d"))(t), "/d": fetchtest.Must(urlcore.Parse("gopher://h/1/c"))(t),
	} {
		b := newBookmarks(t, text)
		d := drive(t, libraryWithBookmarks(b), Options{Bookmarks: b}, 80, 24)
		d.press("B")
		d.tab.Pager.MoveTo(d.tab.Session.Page().Lines.IndexLink(fetchtest.Must(urlcore.Parse("gopher://h/1"+removed))(t), 0), 0)
		d.press("x")
		line, _ := d.tab.Pager.Current()
		fetchtest.Equal(t, line.Link, want, "under the cursor after the end of %s", removed)
	}
}

func TestBookmarksPage(t *testing.T) {
	b := newBookmarks(t, item('1', "/a").String()+" First\n## phlogs\n"+item('1', "/b").String()+" Second\n")
	d := drive(t, libraryWithBookmarks(b), Options{Bookmarks: b}, 80, 24)
	d.press("B").submit("a", "Renamed").wantShown("Renamed  (gopher.example.org)")
	for _, key := range []string{"up", "home"} {
		d.press(key).send(tea.WindowSizeMsg{Width: 60, Height: 20})
		line, _ := d.Model.tab.Pager.Current()
		fetchtest.Equal(t, line.Kind, protocols.Search, "under the cursor after %s", key)
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24}).press("down")
	}
	d.press("x").wantNotShown("Renamed").wantShown("bookmark removed (z to undo): gopher://gopher.example.org/1/a")
	d.press("z").wantShown("Renamed")
	for line, _ := d.Model.tab.Pager.Current(); line.Text != "phlogs"; line, _ = d.Model.tab.Pager.Current() {
		before := d.Model.tab.Session.Page().Cursor
		if d.press("tab"); d.Model.tab.Session.Page().Cursor == before {
			t.Fatalf("no folder on the page:\n%s", d.screen())
		}
	}
	d.press("A").wantShown("Folder: phlogs")
	d.typeText("phl").press("tab").wantShown("Folder: phlogs").press("ctrl+u")
	d.typeText("journals").press("enter").wantShown("▾ journals")
	d.press("x").wantShown("removed folder journals and its bookmarks: 1 (z to undo)").wantNotShown("Second")
	d.press("z", "z", "z").wantShown("▾ phlogs")
	d.press("z", "z").wantShown("nothing to undo").wantNotShown("bookmarks.txt")
}

// TestFoldBookmarks checks that Enter folds a folder, that the folder stays folded in the tab, and
// that a search finds lines in folded folders.
func TestFoldBookmarks(t *testing.T) {
	b := newBookmarks(t, item('1', "/a").String()+" First\n## one\n"+item('1', "/b").String()+" Second\n"+
		item('1', "/c").String()+" Third\n## two\n"+item('1', "/d").String()+" Fourth\n## one/deep\n"+
		item('1', "/e").String()+" Fifth\n")
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

// TestEditorHasTheTerminal runs an editor in place of the screen, and checks that gofer does not
// read Ctrl-C meanwhile.
func TestEditorHasTheTerminal(t *testing.T) {
	b := newBookmarks(t, "")
	lent, ended := make(chan bool, 1), make(chan bool, 1)
	tm := startProgram(t, libraryWithBookmarks(b), Options{
		Bookmarks: b,
		Editor:    func(string, int) []string { return []string{os.Args[0], "-test.run=^$"} },
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
