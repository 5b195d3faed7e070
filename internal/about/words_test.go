package about

import (
	"testing"

	"gofer/internal/fetchtest"
	"gofer/urlcore"
)

func TestWords(t *testing.T) {
	explained := fetchtest.Parse(t, "ftp://joe:secret@ftp.example.org/%2Fetc;type=a")
	for _, tt := range []struct{ url, want string }{
		{"about:home", "home"},
		{"about:", "home"},
		{"about:history", "history"},
		{"about:history?", "history"},
		{"about:history?caf%C3%A9%20%20au%0Alait", "history: café au lait"},
		{"about:bookmarks", "bookmarks"},
		{"about:bookmarks/phlogs/unix", "bookmarks: phlogs/unix"},
		{"about:bookmarks?old%20ones", "bookmarks: old ones"},
		{"about:explain", "explain"},
		{"about:explain?what", "explain: what"},
		{ExplainURL(explained).String(), "explain ftp://joe@ftp.example.org/%2Fetc;type=a"},
		{"about:what%ZZ", "what%ZZ"},
		{"gopher://about.example/1", ""},
		{"news:about", ""},
	} {
		u, err := urlcore.Parse(tt.url)
		if err != nil {
			u = urlcore.Generic{Name: "about", Rest: tt.url[len("about:"):]}
		}
		got, of, ok := Words(u)
		if of != nil {
			got += of.String()
		}
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: got %q, %v, want %q", tt.url, got, ok, tt.want)
		}
	}
}
