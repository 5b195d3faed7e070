package about

import (
	"cmp"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
	"gofer/urlcore"
)

// TestWords checks that the words shown in the URL bar for one of gofer's own pages lead back to it.
func TestWords(t *testing.T) {
	explained := fetchtest.Parse(t, "ftp://joe:secret@ftp.example.org/%2Fetc;type=a")
	article := fetchtest.Parse(t, "news:1@example.org")
	tests := []struct{ url, want string }{
		{"about:home", "home"},
		{"about:", "home"},
		{"about:history", "history"},
		{"about:history?", "history"},
		{"about:history?caf%C3%A9%20au%20lait", "history: café au lait"},
		{"about:history?caf%C3%A9%20%20au%0Alait", ""}, // has a character that cannot be typed
		{"about:bookmarks", "bookmarks"},
		{"about:bookmarks/phlogs/unix", "bookmarks/phlogs/unix"},
		{"about:manual/keys", "manual/keys"},
		{"about:bookmarks?old%20ones", "bookmarks: old ones"},
		{"about:explain", "explain"},
		{"about:explain?what", "explain: what"},
		{ExplainURL(explained).String(), "explain ftp://joe@ftp.example.org/%2Fetc;type=a"},
		{"about:news", "news"},
		{NewsURL("work").String(), "news: work"},
		{document.AttachmentURL(article, 2, "a b.jpg").String(), "attachment/2/a b.jpg: news:1@example.org"},
		{document.AttachmentURL(article, 2, "a/b: c").String(), ""},
		{document.JoinURL(article, "a.png").String(), "join/a.png: news:1@example.org"},
		{document.ArchiveURL(explained).String(), "archive: ftp://joe@ftp.example.org/%2Fetc;type=a"},
		{document.EntryURL(explained, 3, "x").String(), "entry/3/x: ftp://joe@ftp.example.org/%2Fetc;type=a"},
		{document.MessageURL(explained, 3).String(), "message/3/message.eml: ftp://joe@ftp.example.org/%2Fetc;type=a"},
		{ComposeURL("followup", article).String(), "compose/followup: news:1@example.org"},
		{"about:what", ""},
		{"about:what%ZZ", ""},
		{"gopher://about.example/1", ""},
		{"news:about", ""},
	}
	for _, p := range OwnPages() {
		if p.words&bare != 0 {
			tests = append(tests, struct{ url, want string }{"about:" + p.Name, p.Name})
		}
	}
	for _, tt := range tests {
		u, err := urlcore.Parse(tt.url)
		if err != nil {
			u = urlcore.Generic{Name: "about", Rest: tt.url[len("about:"):]}
		}
		got, of, ok := Words(u)
		if of != nil {
			got += of.String()
		}
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Words(%s) = %q, %v; want %q", tt.url, got, ok, tt.want)
		}
		if back, named := PageOfWords(got); named != ok || ok && back != Page(strings.TrimSuffix(cmp.Or(tt.url[len("about:"):], "home"), "?")) {
			t.Errorf("PageOfWords(%q) = %v, %v; want %s", got, back, named, tt.url)
		}
	}
	for _, words := range []string{
		"", "news/", "history/", "news/comp.lang.go", "newsgroup", "news.example.org", "bookmarks/", "archive",
		"entry/3/x", "home/x", "home: x", "compose: news:1@example.org",
	} {
		if u, ok := PageOfWords(words); ok {
			t.Errorf("PageOfWords(%q) = %s, want none", words, u)
		}
	}
}
