package searchkeyword

import (
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	words := Templates{
		"v":   "gopher://gopher.floodgap.com/7/v2/vs?{q}",
		"tab": "gopher://h.example/7/find%09{q}",
		"cgi": "gopher://h.example/1/search?{q}",
		"web": "https://w.example/?q={q}&l=en",
		"ftp": "ftp://ftp.example.org/pub/{q};type=d",
		"ssh": "sftp://joe@h.example/pub/{q}",
		"g":   "news:comp.{q}",
	}
	for name, template := range words {
		if err := Check(name, template); err != nil {
			t.Errorf("Check(%q, %q) = %v, want nil", name, template, err)
		}
	}
	for _, tt := range []struct{ typed, want string }{
		{"v cats", "gopher://gopher.floodgap.com/7/v2/vs%09cats"},
		{" v   cats  and dogs ", "gopher://gopher.floodgap.com/7/v2/vs%09cats%20and%20dogs"},
		{"v 100% +a&b?/#{q}", "gopher://gopher.floodgap.com/7/v2/vs%09100%25%20+a&b%3F%2F%23%7Bq%7D"},
		{"tab café", "gopher://h.example/7/find%09caf%C3%A9"},
		{"cgi a b", "gopher://h.example/1/search%3Fa%20b"},
		{"web a&b=c d+e", "https://w.example/?q=a%26b%3Dc%20d%2Be&l=en"},
		{"ftp gnu/gcc 9", "ftp://ftp.example.org/pub/gnu/gcc%209;type=d"},
		{"ftp a;type=i", "ftp://ftp.example.org/pub/a%3Btype=i;type=d"},
		{"ssh a/b c", "sftp://joe@h.example/pub/a/b%20c"},
		{"g lang.go", "news:comp.lang.go"},
		{"v", "gopher://gopher.floodgap.com/7/v2/vs"},
		{"web", "error"},
		{"V cats", ""},
		{"vcats", ""},
		{"v/", ""},
		{"", ""},
	} {
		u, ok, err := words.Expand(tt.typed)
		got := ""
		switch {
		case err != nil:
			got = "error"
		case u != nil:
			got = u.String()
		}
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Expand(%q) = %s, %v, %v; want %s", tt.typed, got, ok, err, tt.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct{ name, template, want string }{
		{"v", "gopher://h.example/7/find", "no {q}"},
		{"v", "gopher://{q}.example/", "host"},
		{"v", "gopher://h.example:7{q}/", "port"},
		{"v", "{q}://h.example/", "scheme"},
		{"v", "ftp://joe:secret@h.example/{q}", "password"},
		{"v", "gopher://h.example:99999/{q}", "65535"},
		{"a b", "gopher://h.example/{q}", "letters"},
		{"", "gopher://h.example/{q}", "letters"},
		{"a:b", "gopher://h.example/{q}", "letters"},
	} {
		if err := Check(tt.name, tt.template); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("Check(%q, %q) = %v, want %q in the error", tt.name, tt.template, err, tt.want)
		}
	}
}
