package cell

import (
	"strings"
	"testing"

	"gofer/internal/fetchtest"
	"gofer/urlcore"
)

func TestHyperlinks(t *testing.T) {
	parse := func(s string) urlcore.URL {
		u := fetchtest.Parse(t, s)
		return u
	}
	for _, tt := range []struct {
		url       string
		all, webs string
	}{
		{"gopher://gopher.example.org/0/a%20b%1B%5D8", "gopher://gopher.example.org/0/a%20b%1B%5D8", ""},
		{"ftp://joe:secret@ftp.example.org/a", "ftp://joe@ftp.example.org/a", ""},
		{"http://www.example.org/a?b", "http://www.example.org/a?b", "http://www.example.org/a?b"},
		{"https://www.example.org/", "https://www.example.org/", "https://www.example.org/"},
		{"mailto:joe@example.org", "mailto:joe@example.org", "mailto:joe@example.org"},
		{"about:home", "", ""},
		{"gopher://gopher.example.org/0/" + strings.Repeat("x", 2000), "", ""},
	} {
		u := parse(tt.url)
		fetchtest.Equal(t, AllHyperlinks.Of(u), tt.all, "%s", tt.url)
		fetchtest.Equal(t, WebHyperlinks.Of(u), tt.webs, "%s over a line", tt.url)
		fetchtest.Equal(t, NoHyperlinks.Of(u), "", "%s", tt.url)
	}
}
