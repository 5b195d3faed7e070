package ui

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/sessions"
	"gofer/protocols"
	"gofer/urlcore"
)

// wantBar checks that the words of the URL bar are want.
func (d *driver) wantBar(want string) *driver {
	d.t.Helper()
	bar, _, _ := strings.Cut(d.screen(), "\n")
	fetchtest.Equal(d.t, strings.Join(strings.Fields(bar), " "), want)
	return d
}

func makeTitledPages(t *testing.T) (w web, phlogs, about string) {
	t.Helper()
	w = library()
	w.addPage(
		item('1', "/phlogs"), protocols.LayoutMenu, "phlogs", info("Who writes here"),
		link(protocols.Menu, "ann", item('1', "/phlogs/ann")),
	)
	w.addPage(item('1', "/phlogs/ann"), protocols.LayoutMenu, "ann", info("Ann"))
	phlogs, about = "gopher://gopher.example.org/1/phlogs", "gopher://gopher.example.org/0/about.txt About this hole"
	return w, phlogs, about
}

// TestBarTitle checks that the URL bar always shows the title of the followed link, unless the title
// repeats the end of the URL.
func TestBarTitle(t *testing.T) {
	w, phlogs, about := makeTitledPages(t)
	w.addText(item('0', "/about.txt"), "about", "Ümlaut\n")
	d := drive(t, w, Options{}, 80, 24)
	d.wantBar("gopher://gopher.example.org/1/ A hole in the ground UTF-8")
	d.press("enter").wantBar(phlogs).press("down", "enter").wantBar(phlogs + "/ann")
	d.press("backspace", "backspace", "down", "enter").wantBar(about + " UTF-8")
	d.press("r").wantBar(about+" UTF-8").press("backspace", "f").wantBar(about + " UTF-8")
	d.press("backspace", "t", "]").wantBar(about + " UTF-8")
	d.visitTyped(item('0', "/about.txt")).wantBar("gopher://gopher.example.org/0/about.txt UTF-8")
}

// visitTyped opens a URL as the URL bar does.
func (d *driver) visitTyped(u urlcore.URL) *driver {
	d.run(d.visit(u))
	return d
}

func TestBarTitleOfNews(t *testing.T) {
	w := library()
	group, article := urlcore.News{Group: "lab.big"}, urlcore.News{MessageID: "0@x"}
	w.addPage(group, protocols.LayoutArticles, "lab.big", threadLines()...)
	w.addPage(article, protocols.LayoutText, "<0@x>",
		protocols.Line{Kind: protocols.Header, Text: "Subject: A subject", Note: &protocols.ArticleHeader{Subject: "A subject"}}, info("Text."))
	d := drive(t, w, Options{Home: urlcore.News{Group: "*"}}, 80, 24)
	d.press("down", "down", "enter").wantBar("news:lab.big A group with a description that is rather long, for it wants t…")
	d.press("enter").wantBar("news:0@x A question about gophers")
	d.visitTyped(group).wantBar("news:lab.big")
	d.visitTyped(article).wantBar("news:0@x A subject")
}

func TestBarTitleOfARestoredTab(t *testing.T) {
	w, _, about := makeTitledPages(t)
	dir := t.TempDir()
	d := drive(t, w, Options{Sessions: sessions.Open(dir)}, 80, 24)
	d.press("down", "enter")
	fetchtest.NoError(t, d.endSession(true))
	d = drive(t, w, Options{Sessions: sessions.Open(dir), Restore: true}, 80, 24)
	d.wantBar(about)
}
