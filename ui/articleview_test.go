package ui

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

// TestArticleViewStaysOn checks that the article view is also on for pages of the same host, that going back skips the whole
// pages, and that its key ends it.
func TestArticleViewStaysOn(t *testing.T) {
	w := web{}
	page := func(n int) urlcore.URL { return fetchtest.Parse(t, fmt.Sprintf("http://h.example/%d", n)) }
	for n := range 3 {
		text := strings.Repeat("<p>"+strings.Repeat("A text about moles, worms, and larders. ", 9)+"</p>", 9)
		w.addBody(page(n), "text/html", fmt.Sprintf(`<title>Page %d</title><nav><a href=/0>A banner</a></nav>
			<article><p>This is text %d, of the <a href=/%d>next page</a>.</p>%s</article>`, n, n, n+1, text))
	}
	other := fetchtest.Parse(t, "http://other.example/")
	w.addBody(other, "text/html", `<nav><a href=/>A banner</a></nav><article><p>Another host.</p></article>`)
	d := drive(t, w, Options{Home: page(0)}, 100, 24)
	d.wantShown("A banner").press("f9").wantShown("article view, also of other pages of h.example: F9 shows whole pages").wantNotShown("A banner")
	d.press("tab", "enter").wantURL(page(1)).wantShown("article view", "This is text 1").wantNotShown("A banner")
	d.press("pgdown").run(d.visit(other)).wantShown("A banner")
	d.press("left").wantURL(page(1)).wantNotShown("A banner", "This is text 1") // at the place where it was left
	d.press("left").wantURL(page(0)).wantNotShown("A banner")
	d.press("right").wantURL(page(1)).wantNotShown("A banner").press("home", "f9").wantShown("A banner").wantNotShown("article view")
	d.press("tab", "tab", "enter").wantURL(page(2)).wantShown("A banner")
}
