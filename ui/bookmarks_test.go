package ui

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// shelf is Bookmarks in memory.
type shelf struct {
	mu   sync.Mutex
	list []Bookmark
	past [][]Bookmark
	err  error
}

func (s *shelf) note() { s.past = append(s.past, slices.Clone(s.list)) }

func (s *shelf) Find(u urlcore.URL) (Bookmark, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.index(u); i >= 0 {
		return s.list[i], true, s.err
	}
	return Bookmark{}, false, s.err
}

func (s *shelf) index(u urlcore.URL) int {
	return slices.IndexFunc(s.list, func(b Bookmark) bool { return b.URL == u })
}

func (s *shelf) Put(old urlcore.URL, b Bookmark) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note()
	if i := s.index(old); i >= 0 {
		s.list[i] = b
	} else {
		s.list = append(s.list, b)
	}
	return s.err
}

func (s *shelf) Remove(u urlcore.URL) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note()
	s.list = slices.DeleteFunc(s.list, func(b Bookmark) bool { return b.URL == u })
	return s.err
}

func (s *shelf) RenameFolder(from, to string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note()
	for i, b := range s.list {
		if b.Folder == from {
			s.list[i].Folder = to
		}
	}
	return s.err
}

func (s *shelf) RemoveFolder(folder string) (removed int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note()
	n := len(s.list)
	s.list = slices.DeleteFunc(s.list, func(b Bookmark) bool { return b.Folder == folder })
	return n - len(s.list), s.err
}

func (s *shelf) Undo() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.past) == 0 {
		return ErrNothingToUndo
	}
	s.list = s.past[len(s.past)-1]
	s.past = s.past[:len(s.past)-1]
	return s.err
}

func (s *shelf) Begin() error { return s.err }

func (s *shelf) File() string { return "/home/ann/bookmarks.txt" }

func (s *shelf) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, b := range s.list {
		all = append(all, fmt.Sprintf("%s|%s|%s|%s", b.URL, b.Title, b.Folder, strings.Join(b.Tags, " ")))
	}
	return strings.Join(all, "\n")
}

// items are what is kept, for the page of the bookmarks.
func (s *shelf) items(context.Context) (items []about.Item, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.list {
		items = append(items, about.Item{URL: b.URL, Title: b.Title, Folder: b.Folder})
	}
	return items, nil
}

func (s *shelf) want(t *testing.T, want string) {
	t.Helper()
	fetchtest.Equal(t, s.String(), want)
}

// withBookmarks is a library with the page of the bookmarks in s.
func withBookmarks(s *shelf) web {
	w := library()
	pages := &about.Client{Bookmarks: s.items}
	u := about.Page("bookmarks")
	w[u] = func(ctx context.Context) (*protocols.Resource, error) { return pages.Fetch(ctx, u) }
	return w
}

// TestBookmarkWithoutTitle: the host is proposed.
func TestBookmarkWithoutTitle(t *testing.T) {
	w := library()
	w.page(item('1', "/untitled"), protocols.LayoutMenu, "", info("=== 42 ==="))
	s := &shelf{}
	d := drive(t, w, Options{Bookmarks: s, Home: item('1', "/untitled")}, 80, 24)
	d.press("a", "enter")
	s.want(t, "gopher://gopher.example.org/1/untitled|gopher.example.org||")
	s = &shelf{}
	d = drive(t, web{}, Options{Bookmarks: s, Home: item('1', "/gone")}, 80, 24)
	d.press("a", "enter")
	s.want(t, "gopher://gopher.example.org/1/gone|gopher.example.org||")
}

func TestBookmark(t *testing.T) {
	s := &shelf{}
	d := drive(t, library(), Options{Bookmarks: s}, 80, 24)
	d.press("a").wantShown("Title: A hole in the ground")
	d.press("enter").wantShown("bookmarked gopher://gopher.example.org/1/")
	d.press("down", "A", "tab").enter("phlogs/unix").press("tab").enter("#good, old good").press("enter")
	s.want(t, "gopher://gopher.example.org/1/|A hole in the ground||\n"+
		"gopher://gopher.example.org/0/about.txt|About this hole|phlogs/unix|good old")

	d.press("a") // it is there: edit it
	d.wantShown("Edit bookmark")
	d.enter("My hole").press("tab", "tab", "tab").wantShown("URL: gopher://gopher.example.org/1/")
	d.enter("gopher://").press("enter").wantShown("not a URL")
	d.press("ctrl+u").enter("ftp://joe:secret@ftp.example.org/a").press("enter")
	d.wantShown("bookmark changed: ftp://joe@ftp.example.org/a")
	s.want(t, "ftp://joe@ftp.example.org/a|My hole||\n"+
		"gopher://gopher.example.org/0/about.txt|About this hole|phlogs/unix|good old")
	d.press("a", "esc")
	if len(s.list) != 2 {
		t.Errorf("a and Esc have changed it: %s", s)
	}
	s.err = errFull
	d.press("a").wantShown("the bookmarks cannot be read: no space left on device")
}

// TestStaleBookmark: the question for a page that the reader has left is not asked.
func TestStaleBookmark(t *testing.T) {
	s := &shelf{}
	d := drive(t, library(), Options{Bookmarks: s}, 80, 24)
	pending := d.hold(keyPress("a"))
	d.press("esc", "down", "enter")
	d.run(pending)
	if d.Model.tab.prompt != nil {
		t.Error("it asks for the bookmark of another page")
	}
	pending = d.hold(keyPress("a"))
	d.press("esc", "g")
	d.run(pending)
	if d.Model.tab.prompt != nil {
		t.Error("it asks while a URL is typed")
	}
}

func TestBookmarksPage(t *testing.T) {
	s := &shelf{list: []Bookmark{
		{URL: item('1', "/a"), Title: "First"},
		{URL: item('1', "/b"), Title: "Second", Folder: "phlogs"},
	}}
	d := drive(t, withBookmarks(s), Options{Bookmarks: s}, 80, 24)
	d.press("B").submit("a", "Renamed").wantShown("Renamed  (gopher.example.org)")
	d.press("x").wantNotShown("Renamed").wantShown("bookmark removed (z to undo): gopher://gopher.example.org/1/a")
	d.press("z").wantShown("Renamed")
	for line, _ := d.Model.tab.pager.Current(); line.Text != "phlogs"; line, _ = d.Model.tab.pager.Current() {
		before := d.Model.tab.session.Page().Cursor
		if d.press("tab"); d.Model.tab.session.Page().Cursor == before {
			t.Fatalf("no folder on the page:\n%s", d.screen())
		}
	}
	d.press("A").wantShown("Folder: phlogs")
	d.enter("journals").press("enter").wantShown("▸ journals")
	d.press("x").wantShown("removed folder journals, bookmarks: 1 (z to undo)").wantNotShown("Second")
	d.press("z", "z", "z").wantShown("▸ phlogs")
	d.press("z", "z").wantShown("nothing to undo").wantNotShown("bookmarks.txt")
}

func TestEditBookmarksFile(t *testing.T) {
	s := &shelf{}
	path := ""
	d := drive(t, withBookmarks(s), Options{Bookmarks: s, Editor: func(file string) []string {
		path = file
		return []string{"true"}
	}}, 80, 24)
	d.press("B", "E")
	if path != s.File() || len(d.said) != 1 {
		t.Errorf("the editor gets %q, Bubble Tea %v", path, d.said)
	}
	s.list = []Bookmark{{URL: item('1', "/new"), Title: "By hand"}}
	d.send(resultFunc(func() tea.Cmd { return d.bookmarksChanged("the bookmarks were read again", nil, nil) }))
	d.wantShown("By hand", "read again")
	d = drive(t, library(), Options{}, 80, 24)
	for _, key := range []string{"a", "A", "E", "z"} {
		d.press(key).wantShown("no bookmarks are kept")
	}
}

// TestEditorHasTheTerminal runs an editor in place of the screen, with the signals
// of the keyboard its own.
func TestEditorHasTheTerminal(t *testing.T) {
	s := &shelf{}
	lent, ended := make(chan bool, 1), make(chan bool, 1)
	tm := startProgram(t, withBookmarks(s), Options{
		Bookmarks: s,
		Editor:    func(string) []string { return []string{os.Args[0], "-test.run=^$"} },
		Lend: func() func() {
			lent <- true
			return func() { ended <- true }
		},
	}, 80, 24)
	tm.wait("Phlogs")
	tm.keys("BE")
	tm.wait("the bookmarks were read again")
	if len(lent) != 1 || len(ended) != 1 {
		t.Errorf("Ctrl-C was lent %d times, and given back %d times", len(lent), len(ended))
	}
	tm.quit() // q would go to the read of the pipe from before, which cannot be cancelled
	<-tm.done
}
