package ui

import (
	"fmt"
	"testing"

	"gofer/protocols"
	"gofer/urlcore"
)

// quotingArticle returns an article with quotes.
func quotingArticle() (web, urlcore.URL) {
	w, u := web{}, urlcore.News{MessageID: "q@example.org"}
	quote := ""
	for i := range 12 {
		quote += fmt.Sprintf("> quoted line %d with news:%d@example.org\r\n", i, i)
	}
	text := "From: me@example.org\r\nSubject: s\r\n\r\nJoe wrote:\r\n" + quote + "my answer\r\n" +
		">> once\r\n> twice\r\nmy end, uryyb\r\n> a line that is so long that it " +
		"does not fit into one row of the screen, and more of it\r\n-- \r\nmy name\r\n"
	w.addBody(u, protocols.MediaArticle, text)
	return w, u
}

func TestQuotesAreFolded(t *testing.T) {
	w, u := quotingArticle()
	d := drive(t, w, Options{Home: u}, 60, 16)
	d.wantShown("> quoted line 3")
	d.press("v").wantShown(
		"[12 quoted lines]", "quotes of more than 3 lines are folded", "my answer", ">> once",
	) // a short quote is not folded
	d.wantNotShown("quoted line 3")
	d.press("tab").wantShown("no more links")
	d.press("/").typeText("line 7").wantShown("> quoted line 7") // a search opens folded quotes
	d.press("enter", "v", "v").wantShown("[12 quoted lines]")
	d.press("&").typeText("line 7").wantShown("> quoted line 7") // a filter also matches in folded quotes
	d.press("esc", "end", "home", "v").wantShown("> quoted line 3", "all quotes are shown")
}

// TestQuotesStayFolded checks that quotes are also folded in new tabs, and that folding the quote at
// the top of the screen does not scroll it away.
func TestQuotesStayFolded(t *testing.T) {
	w, u := quotingArticle()
	d := drive(t, w, Options{Home: u}, 60, 14)
	d.press("down", "down", "down", "down", "down", "v").wantShown("[12 quoted lines]")
	d.press("T", "esc").wantShown("[12 quoted lines]")
}

func TestROT13(t *testing.T) {
	w, u := quotingArticle()
	d := drive(t, w, Options{Home: u}, 60, 30)
	d.press("%").wantShown("From: me@example.org", "zl raq, hello", "ROT13 on")
	d.press("ctrl+r").wantShown("zl raq, hello")
	d.press("%").wantShown("my end, uryyb")
}
