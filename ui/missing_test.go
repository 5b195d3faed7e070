package ui

import (
	"context"
	"testing"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// answerMissing answers like a server that no longer has an article.
func answerMissing(context.Context, protocols.Request) (*protocols.Resource, error) {
	return nil, &protocols.Error{Reason: protocols.NotFound, Op: "fetch <x>", Code: 430, Text: "No such article"}
}

// TestMissingArticles checks that the keys for the next and the previous article skip missing
// articles, and mark them as read. The cursor of the list must be on the article that was opened from it.
func TestMissingArticles(t *testing.T) {
	group := urlcore.News{Group: "g.one"}
	for _, tt := range []struct {
		name    string
		keys    []string
		private bool
		want    int // article number
		notice  string
		file    string
	}{
		{"next unread", []string{"enter", "."}, false, 4, "marked as read, canceled or expired: Article 3 (z to undo)", "g.one: 1-4\n"},
		{"space", []string{"enter", "end", "space"}, false, 4, "canceled or expired: Article 3", "g.one: 1-4\n"},
		{"next", []string{"enter", ")"}, false, 4, "canceled or expired: Article 3", "g.one: 1-4\n"},
		{"previous", []string{"end", "enter", "(", "("}, false, 1, "canceled or expired: Article 2", "g.one: 1-5\n"},
		{"from the group", []string{"down", "."}, false, 4, "canceled or expired: Article 3", "g.one: 2-4\n"},
		{"none is left", []string{"enter", ".", ".", ".", "."}, false, 5, "no more unread articles", "g.one: 1-5\n"},
		{"private", []string{"enter", ")"}, true, 4, "canceled or expired: Article 3", "g.one:\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := web{}
			addNewsGroup(w, group, 1, 2, 3, 4, 5)
			w[articleURL(group, 2)], w[articleURL(group, 3)] = answerMissing, answerMissing
			n := newMemoryNews(t, "g.one:\n")
			d := drive(t, w, Options{Home: group, News: n, Private: tt.private}, 80, 24)
			d.press(tt.keys...).wantURL(articleURL(group, tt.want)).wantShown(tt.notice)
			n.check(t, tt.file)
			d.press("backspace")
			if p := d.Model.tab.Session.Page(); p.URL == group && p.Cursor != tt.want-1 {
				t.Errorf("the cursor of the group is on line %d, want %d", p.Cursor, tt.want-1)
			}
		})
	}
}

// TestMissingArticleOpened opens a missing article from the list. It checks that this shows an error
// page, where the key for the next article works.
func TestMissingArticleOpened(t *testing.T) {
	group := urlcore.News{Group: "g.one"}
	w := web{}
	addNewsGroup(w, group, 1, 2, 3)
	w[articleURL(group, 2)] = answerMissing
	n := newMemoryNews(t, "g.one:\n")
	d := drive(t, w, Options{Home: group, News: n}, 80, 24)
	d.press("down", "enter").wantShown("Not found")
	n.check(t, "g.one: 2\n")
	d.press("space").wantURL(articleURL(group, 3))
	d.press("(", "u").wantState(nav.Unread, "")
}

// TestMissingArticleReloaded checks that reloading a removed article shows an error page.
func TestMissingArticleReloaded(t *testing.T) {
	group := urlcore.News{Group: "g.one"}
	w := web{}
	addNewsGroup(w, group, 1, 2, 3)
	d := drive(t, w, Options{Home: group, News: newMemoryNews(t, "g.one:\n")}, 80, 24)
	d.press("enter", ".").wantURL(articleURL(group, 2))
	w[articleURL(group, 2)] = answerMissing
	d.press("ctrl+r").wantURL(articleURL(group, 2)).wantShown("Not found")
}

// TestMissingGroup checks that the key for the next unread group skips a group that is missing on the
// server.
func TestMissingGroup(t *testing.T) {
	w := web{}
	all, one, two := urlcore.News{Group: "*"}, urlcore.News{Group: "g.one"}, urlcore.News{Group: "g.two"}
	addNewsGroup(w, two, 3)
	w[one] = answerMissing
	var lines []protocols.Line
	for _, g := range []urlcore.News{one, two} {
		lines = append(lines, protocols.Line{
			Kind: protocols.Group, Text: g.Group, Link: g, Note: &protocols.GroupNote{Low: 1, High: 9, Count: 9},
		})
	}
	w.addPage(all, protocols.LayoutGroups, "groups", lines...)
	d := drive(t, w, Options{Home: all, News: newMemoryNews(t, "g.one: 1\ng.two: 1-2\n")}, 80, 24)
	d.press(".").wantURL(two).wantShown("not found: g.one")
}
