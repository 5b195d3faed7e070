package document_test

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
	"gofer/protocols"
)

// articlePage is a web page with an article, navigation, a banner and a footer.
const articlePage = `<!DOCTYPE html><html><head><title>How moles dig</title><base href="http://moles.example/2026/"></head><body>
<nav><ul><li><a href="/a">News</a><li><a href="/b">Sports</a></ul></nav><div class="banner" role="dialog">We use cookies.</div>
<main><article><p>Moles dig with their <a href="paws.html#left">front paws</a>, which are broad, strong, and turned outwards, so that they can push earth aside, and behind them. This goes on for hours, sometimes for days.</p>
<p>A tunnel may be 50 meters long, and a single mole may have many of them, at several depths, connected with each other, and with the nest, and <a href="file:///etc/passwd">more</a>.</p>
</article></main><footer>Copyright Mole Daily</footer></body></html>`

// longArticle has enough text to be found as an article.
var longArticle = strings.Replace(articlePage, "</article>", strings.Repeat("<p>Worms are what moles eat most, and they keep some of them in a larder, alive, for the winter.</p>", 10)+"</article>", 1)

// TestArticle checks that an article has its title and text, and that its links lead where those of the page lead.
func TestArticle(t *testing.T) {
	head := protocols.Head{URL: fetchtest.Parse(t, "http://h.example/x"), Media: "text/html"}
	lines, err := document.ArticleLines(head, strings.NewReader(longArticle), 80)
	fetchtest.NoError(t, err)
	text, links := "", ""
	for _, l := range lines {
		text += l.Text + "\n"
		if note, ok := l.Note.(*protocols.Hypertext); ok {
			for _, link := range note.Links {
				links += link.URL.String() + "#" + link.Fragment + " "
			}
		}
	}
	if !strings.HasPrefix(text, "How moles dig\n\nMoles dig") || strings.Contains(text, "News") || strings.Contains(text, "cookies") || strings.Contains(text, "Copyright") {
		t.Errorf("got the article %q", text)
	}
	fetchtest.Equal(t, links, "http://moles.example/2026/paws.html#left about:link?file%3A%2F%2F%2Fetc%2Fpasswd# ", "links")
}

// TestArticleBounds checks that hostile hypertexts are refused before the work for them grows without a bound.
func TestArticleBounds(t *testing.T) {
	paragraph := "<p>Some words of a text, with commas, that are long enough, to count as a paragraph of an article.</p>"
	for name, tt := range map[string]struct{ page, want string }{
		"empty":          {"", "no article"},
		"10 MB":          {strings.Repeat("a ", 5<<20), "4 MiB"},
		"many elements":  {strings.Repeat("<br>", 100_000), "15000 elements"},
		"deep":           {strings.Repeat("<div>", 14_000) + paragraph, "200 levels"},
		"very deep":      {strings.Repeat("<div>", 100_000) + paragraph, "15000 elements"},
		"rather deep":    {strings.Repeat("<div>", 250) + paragraph, "200 levels"},
		"deep and large": {strings.Repeat("<div>", 150) + strings.Repeat(paragraph, 4000), "than the search can read"},
	} {
		head := protocols.Head{URL: fetchtest.Parse(t, "http://h.example/x"), Media: "text/html"}
		_, err := document.ArticleLines(head, strings.NewReader("<html><body>"+tt.page), 80)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, tt.want)
		}
	}
	// A long title is compared with each heading.
	page := "<title>" + strings.Repeat("a | b - ", 100_000) + "</title>" + strings.Repeat("<h2>a b</h2>", 500) + strings.Repeat(paragraph, 50)
	head := protocols.Head{URL: fetchtest.Parse(t, "http://h.example/x"), Media: "text/html"}
	lines, err := document.ArticleLines(head, strings.NewReader(page), 80)
	if err != nil || len(lines) == 0 || len(lines[0].Text) > 300 {
		t.Errorf("a page with a title of 800,000 octets: %d lines, %v; want an article with a short title", len(lines), err)
	}
}
