package nav

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// placeLine returns a linked item. The words of s are the text, the link (by default the text) and the
// number that the item is sorted by.
func placeLine(layout protocols.Layout, s string) protocols.Line {
	f := strings.Split(s, "/")
	line := protocols.Line{Text: f[0], Link: testURL("test:" + f[0])}
	if len(f) > 1 {
		line.Link = testURL("test:" + f[1])
	}
	n := uint64(0)
	if len(f) > 2 {
		_, _ = fmt.Sscan(f[2], &n)
	}
	switch layout {
	case protocols.LayoutGroups:
		line.Note = &protocols.GroupNote{Subscribed: true, Unread: n}
	case protocols.LayoutDirectory:
		line.Note = &protocols.FileNote{Size: int64(n)}
	case protocols.LayoutArticles:
		line.Kind, line.Note = protocols.Article, &protocols.ArticleNote{Number: n, Subject: f[0]}
	}
	return line
}

func placeLines(layout protocols.Layout, items string) (lines []protocols.Line) {
	for s := range strings.FieldsSeq(items) {
		lines = append(lines, placeLine(layout, s))
	}
	return lines
}

// placePage opens or reloads a page. Its lines arrive in the given batches.
func placePage(s *Session, reload bool, layout protocols.Layout, batches ...string) *Page {
	l := &Load{URL: somewhere, done: make(chan struct{}), cancel: func(error) {}}
	begin := s.Begin
	if reload {
		begin = s.Reload
	}
	begin(l)
	p := s.Answer(l, protocols.Head{Layout: layout})
	for _, items := range batches {
		s.Append(l, linesOf(placeLines(layout, items)...), nil)
	}
	s.Append(l, Lines{}, io.EOF)
	return p
}

// TestReloadKeepsItem checks that the cursor stays on its item, and the item on its row of the screen,
// when a page with other lines replaces the page.
func TestReloadKeepsItem(t *testing.T) {
	for _, tt := range []struct {
		name                string
		layout              protocols.Layout
		old                 string
		cursor, top         int
		batches             []string
		want                string
		wantCursor, wantTop int
	}{
		{"a group with other groups", protocols.LayoutGroups, "b d", 1, 0, []string{"a b c d"}, "d", 3, 0},
		{"a group in another batch", protocols.LayoutGroups, "b d", 1, 0, []string{"c a", "b", "d"}, "d", 3, 0},
		{"the first group", protocols.LayoutGroups, "b d", 0, 0, []string{"a b d"}, "b", 1, 0},
		{"a file", protocols.LayoutDirectory, "b c", 1, 0, []string{"c b a"}, "c", 2, 0},
		{"an item of a menu", protocols.LayoutMenu, "x y z", 1, 0, []string{"new x y z"}, "y", 2, 0},
		{"a bookmark", protocols.LayoutPage, "x y z", 2, 0, []string{"x z"}, "z", 1, 0},
		{"a bookmark with another title", protocols.LayoutPage, "x y/u z", 1, 0, []string{"z renamed/u"}, "renamed", 1, 0},
		{"the second bookmark of a URL", protocols.LayoutPage, "a/u b/u c", 1, 0, []string{"new a/u b/u c"}, "b", 2, 0},
		{"the second of which one is left", protocols.LayoutPage, "a/u b/u c", 1, 0, []string{"new b/u c"}, "b", 1, 0},
		{"an item that is gone", protocols.LayoutPage, "x y z", 1, 0, []string{"x z"}, "z", 1, 0},
		{"the last item, which is gone", protocols.LayoutPage, "x y z", 2, 0, []string{"x y"}, "y", 1, 0},
		{"an item that is gone from a page with new ones", protocols.LayoutPage, "x y z", 1, 0, []string{"new x z"}, "z", 2, 0},
		{"an item that is gone from a list that is sorted", protocols.LayoutGroups, "a b d", 1, 0, []string{"d c a"}, "c", 1, 0},
		{"an item with another link", protocols.LayoutPage, "x y z", 1, 0, []string{"new x y2 z"}, "y2", 2, 0},
		{"an article", protocols.LayoutArticles, "a b", 0, 0, []string{"new a b"}, "a", 1, 0},
		{"an item in the middle of the screen", protocols.LayoutMenu, "a b c d e f", 4, 3, []string{"n m a b", "c d e f"}, "e", 6, 5},
		{"no item", protocols.LayoutText, "a b", 1, 0, []string{"b a"}, "a", 1, 0},
	} {
		s := &Session{}
		old := placePage(s, false, tt.layout, tt.old)
		old.Cursor, old.Top, old.Rows = tt.cursor, tt.top, 20
		p := placePage(s, true, tt.layout, tt.batches...)
		got := fmt.Sprint(p.Lines.At(p.Cursor).Text, p.Cursor, p.Top)
		fetchtest.Equal(t, got, fmt.Sprint(tt.want, tt.wantCursor, tt.wantTop), "%s: the item and its place", tt.name)
	}
}

// TestReloadLetsTheCursorMove checks that a cursor that the user moves during a reload stays there.
func TestReloadLetsTheCursorMove(t *testing.T) {
	s := &Session{}
	placePage(s, false, protocols.LayoutMenu, "a b c").Cursor = 2
	l := &Load{URL: somewhere, done: make(chan struct{}), cancel: func(error) {}}
	s.Reload(l)
	p := s.Answer(l, protocols.Head{Layout: protocols.LayoutMenu})
	s.Append(l, linesOf(placeLines(p.Layout, "x y z")...), nil)
	fetchtest.Equal(t, p.CursorIsKnown(), false, "the item of the cursor has arrived")
	p.Cursor = 1
	fetchtest.Equal(t, p.CursorIsKnown(), true, "the user has chosen the item of the cursor")
	s.Append(l, linesOf(placeLines(p.Layout, "a b c")...), nil)
	s.Append(l, Lines{}, io.EOF)
	fetchtest.Equal(t, p.Lines.At(p.Cursor).Text, "y", "the item of the cursor")
}

// TestSortKeepsItem checks that the cursor stays on its item when a list is sorted again, but that the
// cursor of a new page stays at the top when values arrive.
func TestSortKeepsItem(t *testing.T) {
	for _, layout := range []protocols.Layout{protocols.LayoutGroups, protocols.LayoutDirectory, protocols.LayoutArticles} {
		for cursor, want := range []string{"a", "b", "c"} {
			s := &Session{}
			p := placePage(s, false, layout, "a/a/3 b/b/2 c/c/1")
			p.Cursor = cursor
			s.Sort(p, Order{By: ByName, Reversed: true})
			fetchtest.Equal(t, p.Lines.At(p.Cursor).Text, want, "layout %d: the item of cursor %d", layout, cursor)
		}
	}
	for reload, want := range map[bool]string{false: "a", true: "c"} {
		s := &Session{}
		p := placePage(s, false, protocols.LayoutGroups, "c/c/1 b/b/2 a/a/3")
		p.Order = Order{By: ByName}
		if reload {
			p.Cursor = 2
			p = placePage(s, true, protocols.LayoutGroups, "c/c/1 b/b/2 a/a/3")
		}
		p.Order = Order{By: "size"}
		p.Order = Order{By: ByUnread}
		p.SortAgain()
		fetchtest.Equal(t, p.Lines.At(p.Cursor).Text, want, "reloaded: %v: the item of the cursor", reload)
	}
}
