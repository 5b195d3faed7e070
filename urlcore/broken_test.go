package urlcore

import (
	"cmp"
	"strings"
	"testing"
)

// TestBrokenURLs checks the readings of URLs that are broken over lines (RFC 1738, appendix), in texts
// and as typed. The first reading of each is what a user gets; the others are offered.
func TestBrokenURLs(t *testing.T) {
	for _, tt := range []struct {
		in, text string
		typed    string // "" if it is the same as text
	}{
		{"gopher://h/1/li\n   brary", "/1/library /1/li%20brary /1/li", ""},
		{"gopher://h/1/li\r\nbrary\r\n", "/1/library /1/li%20brary /1/li", ""},
		{"URL:gopher://h/1/li\n\tbrary", "/1/library /1/li%20brary /1/li", ""},
		{"<gopher://h/1/li\n   brary>", "/1/library /1/li%20brary", ""},
		{"<URL:gopher://h/1/lib-\n   rary>", "/1/lib-rary /1/library", ""},
		{"gopher://h/1/lib-\nrary", "/1/lib-rary /1/library /1/lib-", ""},
		{"see gopher://h/1/lib-\n  rary, or ask", "/1/lib-rary /1/library /1/lib-", "!"},
		{"see gopher://h/1/li\nbrary or ask", "/1/li", "!"},
		{"gopher://h/1/li\nbrary or ask", "/1/li", ""},
		{"Joe\ngopher://h/1/li\nBerlin", "/1/li", "!"},
		{"gopher://h\nBerlin", "/1", ""},
		{"gopher://h/1/li\n-------", "/1/li", ""},
		{"gopher://h/1/a\n\nword", "/1/a", ""},
		{"gopher://h/1/a\ngopher://h/1/b", "/1/a|/1/b", "!"},
		{"gopher://h/1/lib--\nrary and", "/1/lib--", ""},
		{"<gopher://h/00/About This\nServer>", "/00/AboutThisServer /00/About%20ThisServer /00/About%20This%20Server", ""},
		{"> see <URL:gopher://h/1/li\n> brary>, > 2", "/1/library /1/li%20brary", "!"},
		{"> > <gopher://h/1/lib-\n> > rary> and <gopher://h/1/x>", "/1/lib-rary /1/library|/1/x", "!"},
		{">> <URL:gopher://h/1/a\n>> b\n>>c>", "/1/abc /1/a%20b%20c", "!"},
		{"> <URL:gopher://h/1/a\n> not closed", "/1/a", "!"},
		{"<URL:gopher://h/1/a\n> b>", "/1/a", "!"},
		{"gopher://h/00/About This", "/00/About", "/00/About%20This /00/AboutThis"},
	} {
		got := describeReadings((Parser{Readings: true}).Extract(tt.in)...)
		if got != tt.text {
			t.Errorf("Extract(%q) = %s, want %s", tt.in, got, tt.text)
		}
		f, err := GuessFound(tt.in)
		got = "!"
		if err == nil {
			got = describeReadings(f)
		}
		if want := cmp.Or(tt.typed, tt.text); got != want {
			t.Errorf("GuessFound(%q) = %s, %v, want %s", tt.in, got, err, want)
		}
	}
}

// describeReadings returns the paths of the URLs and of their other readings.
func describeReadings(found ...Found) string {
	var list []string
	for _, f := range found {
		s := strings.TrimPrefix(f.URL.String(), "gopher://h")
		for _, a := range f.Alternatives {
			s += " " + strings.TrimPrefix(a.String(), "gopher://h")
		}
		list = append(list, s)
	}
	return strings.Join(list, "|")
}

// TestTypedFragments checks the fragments of typed URLs (RFC 1738, appendix).
func TestTypedFragments(t *testing.T) {
	for in, want := range map[string]string{
		"http://h/p#W":             "W",
		"URL:http://h/p#W":         "W",
		"<http://h/p#W>":           "W",
		"<URL:http://h/p#W>":       "W",
		" < URL:http://h/p#W\n > ": "W",
		"<URL:http://h/p\n  #W>":   "W",
		"www.example.org/p#W":      "W",
		"http//h/p#W":              "W",
		"http://h/p#":              "",
		"<http://h/p#>":            "",
		"http://h/p#%C3%A9":        "%C3%A9",
		"http://h/p":               "",
		"gopher://h/0/p#a b":       "a%20b",
	} {
		f, err := GuessFound(in)
		if err != nil || f.Fragment != want || f.HasFragment != (want != "") {
			t.Errorf("GuessFound(%q) has the fragment %q (%v), %v; want %q", in, f.Fragment, f.HasFragment, err, want)
		}
		if _, ok := f.URL.(HTTP); ok {
			if got := TypedFragment(f.URL, in); got != want {
				t.Errorf("TypedFragment(%q) = %q, want %q", in, got, want)
			}
		}
	}
}
