package protocols

import (
	"testing"

	"gofer/urlcore"
)

// TestLinkText checks the texts of links for other programs and for files.
func TestLinkText(t *testing.T) {
	for _, tt := range []struct{ url, fragment, want string }{
		{"https://matrix.to/", "/#room:x", "https://matrix.to/#/#room:x"},
		{"irc://h.example/", "chan", "irc://h.example/#chan"},
		{"http://h.example/p", "", "http://h.example/p"},
		{"http://h.example/p", "a%2Fb?c", "http://h.example/p#a%2Fb?c"},
		{"http://h.example/p", "a b<é>", "http://h.example/p#a%20b%3C%C3%A9%3E"},
		{"file:///tmp/gofer-files-1/standard%20input.html", "s", "#s"},
		{"file:///tmp/gofer-files-1/standard%20input.html", "", "-"},
		{"ftp://u:secret@h.example/p", "s", "ftp://u@h.example/p#s"},
		{"gopher://h.example/0/a%09%09+", "", "gopher://h.example/0/a"},
		{"gophers://h.example/1/a%09%09+", "", "gophers://h.example/1/a"},
		{"gopher://h.example/7/a%09two%20words%09+", "", "gopher://h.example/7/a%09two%20words"},
		{"gopher://h.example/7/a%09%09+", "", "gopher://h.example/7/a%09"},
		{"gopher://h.example/0/a%09%09+application/postscript", "", "gopher://h.example/0/a%09%09+application/postscript"},
		{"gopher://h.example/0/a%09%09!", "", "gopher://h.example/0/a%09%09!"},
		{"gopher://h.example/0/a%09%09?", "", "gopher://h.example/0/a%09%09%3F"},
	} {
		u, err := urlcore.Parse(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := LinkText(u, tt.fragment); got != tt.want {
			t.Errorf("LinkText(%s, %q) = %q, want %q", tt.url, tt.fragment, got, tt.want)
		}
	}
}

// TestItemFragment checks the fragment of a URL in a menu.
func TestItemFragment(t *testing.T) {
	for selector, want := range map[string]string{"URL:irc://h.example/#chan": "chan", "URL:http://h.example/": ""} {
		l := Line{Note: &ItemNote{Line: &MenuLine{Type: 'h', Selector: selector}}}
		if got := l.Fragment(); got != want {
			t.Errorf("the fragment of %s is %q, want %q", selector, got, want)
		}
	}
}
