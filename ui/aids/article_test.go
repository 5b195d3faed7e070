package aids

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/room/roomtest"
)

// TestToggleArticle checks that the article of a web page is shown and left again at the same text, and that other pages
// have none.
func TestToggleArticle(t *testing.T) {
	var source strings.Builder
	source.WriteString("<title>Moles</title><nav><a href=/a>News</a></nav><article>")
	lines := []protocols.Line{{Text: "News"}}
	for i := range 60 {
		text := strings.Repeat("A text about moles, worms, and larders. ", 3) + string(rune('A'+i))
		source.WriteString("<p>" + text + "</p>")
		lines = append(lines, protocols.Line{}, protocols.Line{Text: text})
	}
	source.WriteString("</article><footer>Copyright</footer>")
	p := roomtest.New(1, protocols.Head{URL: fetchtest.Parse(t, "http://h.example/"), Media: "text/html", Layout: protocols.LayoutText}, lines...)
	v := p.Tab()
	page := v.Session.Page()
	a := New(p, Options{Viewers: p.Tabs, Back: func() tea.Cmd {
		v.Session.GoBack()
		v.Show()
		return nil
	}})

	p.Run(a.ToggleArticle())
	fetchtest.Equal(t, v.Session.Page(), page, "the page without its octets")
	page.Source, page.Top = []byte(source.String()), 42
	p.Run(a.ToggleArticle())
	article := v.Session.Page()
	if article == page || article.ArticleOf != page || article.URL != page.URL {
		t.Fatalf("the page is %v, want an article of the same URL; notices %q", article, p.Notices)
	}
	top := func() string { return v.Session.Page().Lines.WithoutLink(v.Session.Page().Top).Text }
	fetchtest.Equal(t, top(), lines[42].Text, "first text of the article on the screen")
	for i := range article.Lines.Len() {
		fetchtest.NotContains(t, article.Lines.WithoutLink(i).Text, "News")
	}
	article.Top += 20
	below := top()
	p.Run(a.ToggleArticle())
	fetchtest.Equal(t, v.Session.Page(), page, "the page after the article")
	fetchtest.Equal(t, top(), below, "first text of the page on the screen")

	page.Media = "text/gemini"
	p.Run(a.ToggleArticle())
	fetchtest.Equal(t, p.Notices[len(p.Notices)-1], "only web pages have an article view")
}
