package bookmarking

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/history/bookmarks"
	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room/roomtest"
	"gofer/urlcore"
)

// bookmarkProgram is a program with a menu of one item on the screen.
type bookmarkProgram struct {
	*roomtest.Program
	bookmarks *Bookmarks
	page      urlcore.URL
}

func newBookmarkProgram(t *testing.T) *bookmarkProgram {
	m := &bookmarkProgram{page: fetchtest.Parse(t, "gopher://gopher.example.org/1/")}
	m.Program = roomtest.New(1, protocols.Head{URL: m.page, Layout: protocols.LayoutMenu, Title: "A menu"}, protocols.Line{
		Text: "An item", Link: m.page,
	})
	m.bookmarks = New(m, Options{
		Store:     bookmarks.Open(filepath.Join(t.TempDir(), "bookmarks")),
		NotifyURL: func(text string, _ urlcore.URL) tea.Cmd { return m.Notify(text) },
	})
	return m
}

// TestBookmarkAskedLate checks that no prompt opens if another page or prompt has opened while the
// bookmarks were read.
func TestBookmarkAskedLate(t *testing.T) {
	for name, meanwhile := range map[string]func(*bookmarkProgram){
		"another page": func(m *bookmarkProgram) { m.Tab().Session.PushOverlay(&nav.Page{}) },
		"a prompt":     func(m *bookmarkProgram) { m.Tab().Choose("Other", "Label", ask.NewList(nil, true, 0)) },
	} {
		m := newBookmarkProgram(t)
		m.BeforeResult = func() { meanwhile(m) }
		m.Run(m.bookmarks.BookmarkPage())
		if _, opened := m.Tab().Prompt.(*ask.Form); opened {
			t.Errorf("%s: the prompt opened", name)
		}
	}
}

// TestCompleteBookmark completes the folder and a tag of a bookmark from those in the file.
func TestCompleteBookmark(t *testing.T) {
	m := newBookmarkProgram(t)
	for _, b := range []bookmarks.Bookmark{{URL: fetchtest.Parse(t, "news:a.b"), Folder: "phlogs/unix", Tags: []string{"old", "good"}}, {URL: fetchtest.Parse(t, "news:a.c"), Folder: "books", Tags: []string{"old"}}} {
		fetchtest.NoError(t, m.bookmarks.Store.Put(nil, b))
	}
	m.Run(m.bookmarks.BookmarkPage())
	m.RunActions("next field")
	m.Type("unix")
	m.RunActions("next field", "next field")
	m.Type("new #o")
	m.RunActions("next field")
	m.Type(" ")
	m.RunActions("next field", "done")
	b, _, err := m.bookmarks.Store.Find(m.page)
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, b.Folder, "phlogs/unix", "folder")
	fetchtest.EqualSlices(t, b.Tags, []string{"good", "new", "old"}, "tags")
}

// TestBookmarkOfWrongURL checks that the form asks again after an invalid URL, and that the change is
// then written and shown.
func TestBookmarkOfWrongURL(t *testing.T) {
	m := newBookmarkProgram(t)
	m.Guesses = func(string) (urlcore.URL, error) { return nil, errors.New("no scheme") }
	m.Run(m.bookmarks.BookmarkPage())
	m.RunActions("done")
	if form := m.Tab().Form(); form == nil || form.Label() != "URL" {
		t.Errorf("got the prompt %+v, want a form with the URL open", m.Tab().Prompt)
	}
	fetchtest.EqualSlices(t, m.Notices, []string{"not a URL: no scheme"}, "notices")
	fetchtest.Equal(t, m.Writes, 0, "changes")
	m.Guesses, m.Notices = nil, nil
	m.RunActions("done")
	b, _, err := m.bookmarks.Store.Find(m.page)
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, b.Title, "A menu", "title")
	fetchtest.EqualSlices(t, m.Notices, []string{"bookmarked"}, "notices")
	fetchtest.Equal(t, m.Changed, about.Bookmarks, "data whose pages are reloaded")
	fetchtest.Equal(t, m.Writes, 1, "changes that the program waits for")
}

// TestBookmarksFail checks the notices about a failed write, and in a program that keeps no bookmarks.
func TestBookmarksFail(t *testing.T) {
	m := newBookmarkProgram(t)
	m.Run(m.bookmarks.BookmarkPage())
	fetchtest.NoError(t, os.Mkdir(m.bookmarks.Store.File(), 0o700))
	m.RunActions("done")
	if len(m.Notices) != 1 || !strings.HasPrefix(m.Notices[0], "bookmarks not changed: ") || m.Changed != 0 {
		t.Errorf("got the notices %q, want one that the bookmarks are not changed, and no reload for %b", m.Notices, m.Changed)
	}
	m = newBookmarkProgram(t)
	m.bookmarks.Store = nil
	for _, do := range []func() tea.Cmd{
		m.bookmarks.BookmarkPage, m.bookmarks.BookmarkItem, m.bookmarks.Remove, m.bookmarks.Edit,
	} {
		m.Notices = nil
		m.Run(do())
		fetchtest.EqualSlices(t, m.Notices, []string{"no bookmarks are kept"}, "notices")
	}
}
