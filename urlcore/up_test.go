package urlcore_test

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

func TestUp(t *testing.T) {
	for _, path := range [][]string{
		{"gopher://h/0/a/b.txt", "gopher://h/1/a", "gopher://h/1"},
		{"gopher://h/00/a/b", "gopher://h/11/a", "gopher://h/1"},
		{"gopher://h/7/a/s%09words", "gopher://h/1/a", "gopher://h/1"},
		{"gopher://h/1/a/b/", "gopher://h/1/a", "gopher://h/1"},
		{"gopher://h/0file", "gopher://h/1"},
		{"gophers://h/0file", "gophers://h/1"},
		{"ftps://h/a", "ftps://h/;type=d"},
		{"nntps://h/a.b/7", "nntps://h/a.b", "snews://h/*"},
		{"snews://h/a@b", "snews://h/*"},
		{"ftp://j@h/a/b/c;type=i", "ftp://j@h/a/b;type=d", "ftp://j@h/a;type=d", "ftp://j@h/;type=d"},
		{"ftp://h/a/b/", "ftp://h/a;type=d", "ftp://h/;type=d"},
		{"ftp://h/%2Fetc/motd", "ftp://h/%2Fetc;type=d", "ftp://h/%2F;type=d"},
		{"nntp:a.b/7", "news:a.b", "news:*"},
		{"nntp://h:1119/a.b/7", "nntp://h:1119/a.b", "news://h:1119/*"},
		{"news:a.b", "news:*"},
		{"news://h:1119/a@b", "news://h:1119/*"},
		{"news:a@b", "news:*"},
		{"http://h/a/b?q", "http://h/a/", "http://h/"},
		{"about:entry/3/b%20c?ftp%3A%2F%2Fh%2Fd%2Fa.tar", "about:archive?ftp%3A%2F%2Fh%2Fd%2Fa.tar", "ftp://h/d;type=d", "ftp://h/;type=d"},
		{"about:message/3/message.eml?ftp%3A%2F%2Fh%2Fa.mbox", "ftp://h/a.mbox", "ftp://h/;type=d"},
		{
			"about:attachment/1/x?about%3Amessage%2F2%2Fm%3Fftp%253A%252F%252Fh%252Fa",
			"about:message/2/m?ftp%3A%2F%2Fh%2Fa", "ftp://h/a", "ftp://h/;type=d",
		},
		{"about:archive?no"},
		{"about:manual/keys", "about:manual"},
		{"about:explain?ftp%3A%2F%2Fh%2Fa"},
		{"http://h/?q", "http://h/"},
		{"https://h/a/b?q", "https://h/a/", "https://h/"},
		{"file:///a/b/c", "file:///a/b/", "file:///a/", "file:///"},
		{"wais://h/d/T/x", "wais://h/d", "wais://h/"},
		{"prospero://h/a/b;x=1", "prospero://h/a/", "prospero://h/"},
		{"x://h:1/a/b", "x://h:1/a/", "x://h:1/"},
		{"gopher://h:105/2x%09name=a", "gopher://h:105/2x"},
		{"mailto:a@b"},
		{"telnet://h/"},
		{"x:y"},
	} {
		for i, from := range path {
			u := fetchtest.Must(urlcore.Parse(from))(t)
			up, ok := urlcore.Up(u)
			switch {
			case i == len(path)-1:
				if ok {
					t.Errorf("Up(%s) = %s, want none", from, up)
				}
			case !ok || up.String() != path[i+1]:
				t.Errorf("Up(%s) = %s, %v, want %s", from, up, ok, path[i+1])
			}
		}
	}
}

func TestFileName(t *testing.T) {
	for in, want := range map[string]string{
		"wais://h/d/T/2=/w/x;3=0%2031%20/w/a%20b.txt;7=%00;": "a b.txt",
		"gopher://h/0/a/b%20c":                               "b c",
		"gopher://h/1/a/":                                    "a",
		"gopher://h/1":                                       "",
		"ftp://h/a/b%FF;type=i":                              "b\xff",
		"ftp://h/a/":                                         "a",
		"ftp://h/%2Fetc":                                     "etc",
		"ftp://h/":                                           "",
		"http://h/a/b%3F?q/r":                                "b?",
		"https://h/":                                         "",
		"news:a.b":                                           "a.b",
		"news:a/b@c":                                         "a/b@c",
		"nntp://h/a.b":                                       "a.b",
		"nntp://h/a.b/7":                                     "a.b-7",
		"file:///a/b%20c":                                    "b c",
		"wais://h/d?s":                                       "d",
		"wais://h/d/T/a%2Fb":                                 "b",
		"wais://h/d/T/":                                      "d",
		"prospero://h/a/b;x=/c":                              "b",
		"x://h/a/b%20c?q/r":                                  "b c",
		"x://h":                                              "",
		"x:a/b":                                              "b",
		"about:explain?gopher%3A%2F%2F":                      "explain",
	} {
		u := fetchtest.Must(urlcore.Parse(in))(t)
		fetchtest.Equal(t, u.(interface{ FileName() string }).FileName(), want, "FileName of %s", u)
	}
}

// path is a URL of a type that is not in urlcore.
type path string

func (path) Scheme() string        { return "path" }
func (p path) String() string      { return "path:" + string(p) }
func (p path) Redact() urlcore.URL { return path(strings.ReplaceAll(string(p), "secret", "")) }

func (p path) Up() (urlcore.URL, bool) {
	i := strings.LastIndexByte(string(p), '.')
	return p[:max(0, i)], i >= 0
}

// opaque is a URL without optional methods.
type opaque struct{}

func (opaque) Scheme() string { return "opaque" }
func (opaque) String() string { return "opaque:a%20b" }

// TestForeignURL checks that the functions call the methods of a URL type of another package.
func TestForeignURL(t *testing.T) {
	if up, ok := urlcore.Up(path("a.b")); !ok || up != path("a") {
		t.Errorf("Up(path:a.b) = %v, %v, want path:a", up, ok)
	}
	if got := urlcore.Redact(path("secret.b")); got != path(".b") {
		t.Errorf("Redact(path:secret.b) = %v, want path:.b", got)
	}
	if up, ok := urlcore.Up(opaque{}); ok {
		t.Errorf("Up(%v) = %v, want none", opaque{}, up)
	}
	if got := urlcore.Redact(opaque{}); got != (opaque{}) {
		t.Errorf("Redact(%v) = %v, want the same", opaque{}, got)
	}
	if w := urlcore.WarningsOf(opaque{}); w != 0 {
		t.Errorf("WarningsOf(%v) = %v, want none", opaque{}, w.Names())
	}
	text := ""
	for _, p := range urlcore.Parts(opaque{}) {
		fetchtest.Equal(t, p.Start, len(text), "start of the part %q", p.Text)
		text += p.Text
	}
	fetchtest.Equal(t, text, (opaque{}).String(), "the parts of %v", opaque{})
}
