package urlcore

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func textOf(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

func TestShorten(t *testing.T) {
	const spoof = "ftp://ftp.gnu.org%2Fgnu%2Femacs%2Femacs-30.tar.gz@evil.example/a/emacs.tar.gz"
	for _, tt := range []struct {
		url  string
		n    int
		want string
	}{
		{spoof, 100, spoof},
		{spoof, 60, "ftp://ftp.gnu.org%2…cs-30.tar.gz@evil.example/a/emacs.tar.gz"},
		{spoof, 40, "ftp://ftp…gz@evil.example/a/emacs.tar.gz"},
		{spoof, 30, "ftp://f…@evil.example/a/em….gz"},
		{spoof, 24, "ftp://…@evil.example/a…z"},
		{spoof, 20, "…evil.example/a/e…gz"},
		{spoof, 14, "…evil.example"},
		{spoof, 8, "…example"},
		{spoof, 1, "e"},
		{spoof, 0, ""},
		{"gopher://h.example/0/" + strings.Repeat("x", 30) + ".txt", 40, "gopher://h.example/0/xxxxxxxx…xxxxxx.txt"},
		{"gopher://h.example:7070/1/a/b/c/d/e", 26, "gopher://h.example:7070/1…"},
		{"gopher://a.very.long.name.of.a.host.example.org/1", 20, "….a.host.example.org"},
		{"news:a-very-long-message-id@h.example", 20, "news:a-ver…h.example"},
		{"mailto:somebody@h.example", 12, "mailto…ample"},
		{"about:history", 8, "abou…ory"},
		{"nntp://[2001:db8::1]/comp.lang.go", 26, "nntp://[2001:db8::1]/co…go"},
		{"http://h.example/?a=1", 19, "http://h.example/…1"},
	} {
		u, err := Parse(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := textOf(Shorten(Parts(u), tt.n, "…")); got != tt.want {
			t.Errorf("Shorten(%s, %d) = %s, want %s", tt.url, tt.n, got, tt.want)
		}
	}
	odd := Generic{Name: "x", Rest: "//h\u202eost/\x1b"}
	if got, want := textOf(Shorten(Parts(odd), 99, "…")), "x://h%E2%80%AEost/%1B"; got != want {
		t.Errorf("Shorten(%s, 99) = %s, want %s", odd, got, want)
	}
}

// TestShortenKeepsTheHost checks that the host or its end is shown for each limit above 0. The result
// must never look like another host.
func TestShortenKeepsTheHost(t *testing.T) {
	const evil = "evil.example"
	long := strings.Repeat("ftp.gnu.org%2F", 20)
	for _, u := range []string{
		"ftp://" + evil + "/", "ftp://" + evil + "/" + long, "ftp://u@" + evil + "/",
		"ftp://" + long + "@" + evil + "/", "ftp://" + long + "@" + evil + ":2121/" + long,
		"gopher://" + evil + "/0" + long, "gopher://" + evil + ":7070/", "nntp://" + evil + "/comp.lang.go/12",
		"telnet://" + long + "@" + evil + "/",
		"x-odd://" + long + "@" + evil + "/" + long, "wais://" + evil + "/db?" + long,
		"prospero://" + evil + "/" + long + ";a=b", "https://" + evil + "/" + long, "x-odd://" + evil,
	} {
		parsed, err := Parse(u)
		if err != nil {
			t.Fatal(err)
		}
		full := Parts(parsed)
		for _, mark := range []string{"…", "~", "..."} {
			for n := range 200 {
				got := Shorten(full, n, mark)
				s := textOf(got)
				if c := utf8.RuneCountInString(s); c > n {
					t.Fatalf("Shorten(%s, %d) = %s, which has %d characters", u, n, s, c)
				}
				host := ""
				for _, p := range got {
					if p.Name == "host" {
						host += p.Text
					}
				}
				whole := n >= len(evil)+utf8.RuneCountInString(mark)
				if host != evil && (whole || !strings.HasSuffix(evil, host) || n > 0 && host == "") {
					t.Fatalf("Shorten(%s, %d, %s) = %s with the host %q, want %q or its end", u, n, mark, s, host, evil)
				}
				if n >= len(textOf(full)) && s != textOf(full) {
					t.Fatalf("Shorten(%s, %d) = %s, want the whole text", u, n, s)
				}
			}
		}
	}
}
