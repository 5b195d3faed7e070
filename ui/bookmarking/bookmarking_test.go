package bookmarking

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/history/bookmarks"
	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room/roomtest"
	"gofer/urlcore"
)

// marking is a program with a menu of one item on the screen.
type marking struct {
	*roomtest.Program
	bookmarks *Bookmarks
	page      urlcore.URL
}

func newMarking(t *testing.T) *marking {
	m := &marking{page: fetchtest.Parse(t, "gopher://gopher.example.org/1/")}
	m.Program = roomtest.New(1, protocols.Head{URL: m.page, Layout: protocols.LayoutMenu, Title: "A menu"}, protocols.Line{Text: "An item", Link: m.page})
	m.bookmarks = New(m)
	m.bookmarks.Store = bookmarks.Open(filepath.Join(t.TempDir(), "bookmarks"))
	m.bookmarks.Guess = urlcore.Parse
	m.bookmarks.SayOf = func(text string, _ urlcore.URL) tea.Cmd { return m.Say(text) }
	return m
}

// TestBookmarkAskedLate opens no prompt if another page or another prompt is on the screen by then.
func TestBookmarkAskedLate(t *testing.T) {
	for name, meanwhile := range map[string]func(*marking){
		"another page": func(m *marking) { m.Tab().Session.PushOverlay(&nav.Page{}) },
		"a prompt":     func(m *marking) { m.Tab().Choose("Other", "Label", ask.NewList(nil, true, 0)) },
	} {
		m := newMarking(t)
		m.Meanwhile = func() { meanwhile(m) }
		m.Run(m.bookmarks.Page())
		if _, opened := m.Tab().Prompt.(*ask.Line); opened {
			t.Errorf("%s is on the screen, and the prompt is opened", name)
		}
	}
}

// TestBookmarkOfWrongURL asks for the URL again. The change is waited for and shown.
func TestBookmarkOfWrongURL(t *testing.T) {
	m := newMarking(t)
	m.bookmarks.Guess = func(string) (urlcore.URL, error) { return nil, errors.New("no scheme") }
	m.Run(m.bookmarks.Page())
	m.Press("done")
	if line, ok := m.Tab().Prompt.(*ask.Line); !ok || line.Title != "not a URL: no scheme" || line.Label() != "URL" {
		t.Errorf("the prompt %+v", m.Tab().Prompt)
	}
	fetchtest.Equal(t, m.Kept, 0, "changes")
	m.bookmarks.Guess = urlcore.Parse
	m.Press("done")
	b, _, err := m.bookmarks.Store.Find(m.page)
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, b.Title, "A menu", "title")
	fetchtest.EqualSlices(t, append(m.Said, m.OwnPages...), []string{"bookmarked", "bookmarks", "home"}, "said and reloaded")
	fetchtest.Equal(t, m.Kept, 1, "changes that the program waits for")
}

// TestBookmarksFail says why nothing was changed, and does nothing without bookmarks.
func TestBookmarksFail(t *testing.T) {
	m := newMarking(t)
	m.Run(m.bookmarks.Page())
	fetchtest.NoError(t, os.Mkdir(m.bookmarks.Store.File(), 0o700))
	m.Press("done")
	if len(m.Said) != 1 || !strings.HasPrefix(m.Said[0], "the bookmarks were not changed: ") || len(m.OwnPages) > 0 {
		t.Errorf("said %q", m.Said)
	}
	m = newMarking(t)
	m.bookmarks.Store = nil
	for _, do := range []func() tea.Cmd{m.bookmarks.Page, m.bookmarks.Item, m.bookmarks.Remove, m.bookmarks.Undo, m.bookmarks.Edit} {
		m.Said = nil
		m.Run(do())
		fetchtest.EqualSlices(t, m.Said, []string{"no bookmarks are kept"}, "said")
	}
}
