package ui

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// discussion returns a group of three threads. Its articles are numbered from 1 in the order of the
// threads.
func discussion() (web, urlcore.URL) {
	group := urlcore.News{Group: "g.talk"}
	w := web{}
	var lines []protocols.Line
	for i, p := range []struct {
		depth         int
		subject, from string
	}{
		{0, "Which terminal do you read this in, and in what font?", "Ann Author <ann@example.org>"},
		{1, "Re: Which terminal do you read this in, and in what font?", "Bob <bob@example.org>"},
		{2, "AW: Re: Which terminal do you read this in, and in what font?", "Carol <carol@example.org>"},
		{2, "Fonts (was: Which terminal do you read this in, and in what font?)", "Dave <dave@example.org>"},
		{3, "Re: Fonts", "Ann Author <ann@example.org>"},
		{0, "Room for one more", "Eve <eve@example.org>"},
		{0, "A menu that is too long", "Mallory <m@example.org>"},
		{1, "Re: A menu that is too long", "Bob <bob@example.org>"},
	} {
		n := uint64(i + 1)
		lines = append(lines, protocols.Line{
			Kind: protocols.Article, Text: p.subject, Link: articleURL(group, i+1),
			Note: &protocols.ArticleNote{
				Number: n, MessageID: fmt.Sprintf("%d@g.talk", n), Depth: p.depth, Subject: p.subject, From: p.from,
				Date: day.AddDate(0, 0, -i), Lines: int64(i), Bytes: -1,
			},
		})
		text := "From: " + p.from + "\r\nSubject: " + p.subject + "\r\n\r\nWords of article " + fmt.Sprint(n) + "\r\n"
		w.addBody(articleURL(group, i+1), protocols.MediaArticle, text)
	}
	w.addPage(group, protocols.LayoutArticles, "g.talk", lines...)
	return w, group
}

// TestThreadScreens compares screens of open and folded threads with a golden file.
func TestThreadScreens(t *testing.T) {
	for _, size := range sizes {
		w, group := discussion()
		d := drive(t, w, Options{Home: group, News: newMemoryNews(t, "g.talk: 1-2,6,8\n")}, size.width, size.height)
		name := fmt.Sprintf("threads-%dx%d.txt", size.width, size.height)
		b := d.screen()
		d.press("v")
		b += "== one folded\n" + d.screen()
		d.press("alt+v")
		b += "== all folded\n" + d.screen()
		checkGolden(t, name, b)
	}
}

// TestFoldThreads checks the keys that fold one or all threads. The cursor must stay on its article, or
// move to the first article of a folded thread.
func TestFoldThreads(t *testing.T) {
	w, group := discussion()
	d := drive(t, w, Options{Home: group, News: newMemoryNews(t, "g.talk: 1-2,6\n")}, 80, 24)
	d.press("down", "down", "v").wantCursor(0).wantShown("(5, 3 unread)").wantNotShown("Fonts")
	d.press("down").wantCursor(5)
	d.press("v").wantShown("no thread with several articles here")
	d.press("up", "v", "alt+v").wantShown("(2, 2 unread)")
	d.press("end").wantCursor(6)
	d.press("alt+v").wantCursor(6).wantShown("Fonts")
	d.press("alt+up").wantCursor(5)
	d.press("alt+up", "alt+up").wantCursor(0).wantShown("this is the first thread")
	d.press("alt+down", "alt+down", "alt+down").wantCursor(6).wantShown("this is the last thread")
	d.press("enter", "alt+down").wantURL(articleURL(group, 7)).wantShown("this is the last thread")
	d.press("alt+up", "alt+up").wantURL(articleURL(group, 1))
	d.press("alt+up").wantURL(articleURL(group, 1)).wantShown("this is the first thread")
}

// TestFoldedThreadsAreFound checks that a search opens folded threads, that a filter shows matching
// articles of folded threads, and that the key for unread articles goes through folded threads.
func TestFoldedThreadsAreFound(t *testing.T) {
	w, group := discussion()
	d := drive(t, w, Options{Home: group, News: newMemoryNews(t, "g.talk: 1-3\n")}, 80, 24)
	d.press("alt+v").submit("/", "dave").wantCursor(3).wantShown("└ Fonts", "match 1 of 1")
	d.press("esc", "alt+v", "alt+v")

	d.submit("&", "bob").wantShown("2 of 8", "Re: Which terminal")
	d.press("down", "esc").wantCursor(7).wantShown("└ Re:   ")

	d.press("alt+v", "alt+v", "home", ".").wantURL(articleURL(group, 4))
	d.press("backspace").wantCursor(0)
	d.press(".").wantURL(articleURL(group, 5))
}

// TestFoldedAtFirst opens a group with folded threads. It checks that the cursor is on the thread of
// the first unread article.
func TestFoldedAtFirst(t *testing.T) {
	w, group := discussion()
	d := drive(t, w, Options{Home: group, News: newMemoryNews(t, "g.talk: 1-7\n"), Config: config.Config{Threads: "folded"}}, 80, 24)
	d.wantCursor(6).wantShown("A menu that is too long (2, 1 unread)").wantNotShown("Bob")
}

// TestArticleOrder checks that the order of articles follows the setting until the user chooses another
// order. The tab must keep the chosen order.
func TestArticleOrder(t *testing.T) {
	w, group := discussion()
	d := drive(t, w, Options{Home: group, Config: config.Config{SortArticles: "-date", Threads: "folded"}}, 80, 24)
	fetchtest.Equal(t, d.Model.tab.Session.Page().CurrentOrder(), (nav.Order{By: nav.ByDate, Reversed: true}), "the order")
	d.wantShown("(2)")
	d.submit("s", "flat").press("ctrl+r")
	if got := d.Model.tab.Session.Page().CurrentOrder(); !got.Flat {
		t.Errorf("after a reload the order is %+v, want no threads", got)
	}
	d.press("v").wantShown("the articles are not in threads")
	if n := strings.Count(d.screen(), "• "); n != 8 {
		t.Errorf("%d articles are shown, want 8:\n%s", n, d.screen())
	}
}

// TestFoldWithoutPage checks that the key does nothing before the first page has arrived.
func TestFoldWithoutPage(t *testing.T) {
	m := New(Options{})
	m.fold()
	fetchtest.Equal(t, m.notice, "nothing to fold here", "notice")
}
