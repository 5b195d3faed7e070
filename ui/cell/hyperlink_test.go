package cell

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

func TestNewLinkFilter(t *testing.T) {
	for _, tt := range []struct {
		env           map[string]string
		setting       string
		ascii, remote bool
		want          LinkFilter
	}{
		{nil, "", false, false, noLinks},
		{map[string]string{"TERM": "xterm-256color"}, "", false, false, allLinks},
		{map[string]string{"TERM": "xterm-256color"}, "", false, true, webLinks},
		{map[string]string{"TERM": "xterm-256color"}, "always", false, true, allLinks},
		{map[string]string{"TERM": "xterm-256color"}, "never", false, false, noLinks},
		{map[string]string{"TERM": "xterm-256color"}, "", true, false, noLinks},
		{map[string]string{"TERM": "screen", "TMUX": "/tmp/x"}, "", false, false, allLinks},
		{map[string]string{"TERM": "screen.xterm-256color", "STY": "1"}, "", false, false, noLinks},
		{map[string]string{"TERM": "linux"}, "", false, false, noLinks},
		{map[string]string{"TERM": "dumb"}, "", false, false, noLinks},
		{map[string]string{"TERM": "vt220"}, "", false, false, noLinks},
		{map[string]string{"TERM": "linux"}, "always", false, false, allLinks},
	} {
		env := func(key string) string { return tt.env[key] }
		fetchtest.Equal(t, NewLinkFilter(tt.setting, tt.ascii, tt.remote, SupportsLinks(env)), tt.want, "%+v", tt)
	}
}

func TestLinkFilter(t *testing.T) {
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
		{"file:///etc/passwd", "", ""},
		{"file://host.example.org/share/x", "", ""},
		{"javascript:alert(1)", "", ""},
		{"ms-msdt:/id%20PCWDiagnostic", "", ""},
		{"data:text/html,x", "", ""},
		{"vscode://file/x", "", ""},
		{"smb://h/s", "", ""},
		{"x-man-page:1", "", ""},
		{"rlogin://h/", "", ""},
		{"tn3270://h/", "", ""},
		{"afs:/x", "", ""},
		{"cid:x@y", "", ""},
		{"mailserver:a@b/x/y", "", ""},
		{"form:gopher://h/1/x?%7B%7D", "", ""},
		{"MS-MSDT:x", "", ""},
		{"unknown:x", "", ""},
		{"nntps://h/a.b", "nntps://h/a.b", ""},
		{"news:a.b", "news:a.b", ""},
		{"telnet://h/", "telnet://h/", ""},
		{"wais://h/db", "wais://h/db", ""},
		{"prospero://h/x", "prospero://h/x", ""},
		{"finger://h/a", "finger://h/a", ""},
		{"whois://h/a", "whois://h/a", ""},
		{"dict://h/d:a", "dict://h/d:a", ""},
		{"gemini://h/", "gemini://h/", ""},
		{"cso://h/", "gopher://h:105/2", ""},
		{"gopher://gopher.example.org/0/" + strings.Repeat("x", 2000), "", ""},
	} {
		u := parse(tt.url)
		fetchtest.Equal(t, allLinks.Target(u, ""), tt.all, "%s", tt.url)
		fetchtest.Equal(t, webLinks.Target(u, ""), tt.webs, "%s on a remote terminal", tt.url)
		fetchtest.Equal(t, noLinks.Target(u, ""), "", "%s", tt.url)
	}
	fetchtest.Equal(t, webLinks.Target(parse("http://h.example/p"), "part"), "http://h.example/p#part", "a place in a page")
}
