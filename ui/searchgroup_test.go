package ui

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestSearchGroup checks that the form opens the URL of a search. Marking the results as read must mark
// only the found articles in their group.
func TestSearchGroup(t *testing.T) {
	w, group := discussion()
	found := fetchtest.Must(urlcore.Parse("news:g.talk?from=dave&since=2026-01-02"))(t)
	w.addPage(found, protocols.LayoutArticles, "",
		protocols.Line{
			Kind: protocols.Article, Text: "Found here", Link: urlcore.News{MessageID: "5@x"},
			Note: &protocols.ArticleNote{Number: 5, From: "Dave <d@x>"},
		})
	n := newMemoryNews(t, "g.talk: 1-2\n")
	d := drive(t, w, Options{Home: group, News: n}, 80, 24)
	d.press("alt+h").wantShown("Search in \"g.talk\"", "Message-ID")
	d.typeText("dave").press("tab", "tab", "tab").typeText("yesterday").press("ctrl+s").wantShown("a day is written as 2026-01-31")
	d.press("ctrl+u").typeText("2026-01-02").press("ctrl+s").wantShown("Found here")
	fetchtest.Equal(t, d.Model.tab.Session.Page().URL, found, "the page")
	d.press("C")
	n.check(t, "g.talk: 1-2,5\n")
	d.press("alt+h").wantShown("dave", "2026-01-02")
}

// TestHitsAreMarked checks that the words of a search are marked in the list of found articles, and that they, and the
// pattern of a search in a list, are marked in an article that is opened from the list.
func TestHitsAreMarked(t *testing.T) {
	w, group := discussion()
	found := fetchtest.Must(urlcore.Parse("news:g.talk?from=dave&subject=FONTS"))(t)
	w.addPage(found, protocols.LayoutArticles, "", protocols.Line{
		Kind: protocols.Article, Text: "About fonts", Link: articleURL(group, 4),
		Note: &protocols.ArticleNote{Number: 4, Subject: "About fonts", From: "Dave <dave@example.org>"},
	})
	d := drive(t, w, Options{Home: group}, 80, 24)
	marks := func(text, want string) {
		t.Helper()
		got := ""
		for _, m := range d.tab.MarkedPattern().Marks(text) {
			got += text[m[0]:m[1]] + " "
		}
		fetchtest.Equal(t, got, want, "marks in %q", text)
	}
	marks("Fonts of Dave", "")
	d.submit("/", "fonts").press("enter").wantURL(articleURL(group, 4))
	marks("Fonts of Dave", "Fonts ")
	d.press("backspace")
	marks("Fonts of Dave", "Fonts ")
	d.press("down", "enter").wantURL(articleURL(group, 5))
	d.run(d.visit(found))
	marks("Fonts of Dave", "Fonts Dave ")
	d.press("enter").wantURL(articleURL(group, 4))
	marks("Fonts of Dave", "Fonts Dave ")
}
