package clean

import (
	"strings"
	"testing"
)

func TestServerSays(t *testing.T) {
	for _, tt := range []struct{ server, words, want string }{
		{"ftp.example.org:21", "Guest login ok", `ftp.example.org says: "Guest login ok"`},
		{"[::1]:21", "x", `::1 says: "x"`},
		{"h", `y" Send? (y/N) "z`, `h says: "y' Send? (y/N) 'z"`},
		{"h", "“a” «b» ″c″ „d‟ ＂e＂", `h says: "'a' 'b' 'c' 'd' 'e'"`},
		{"h", "a\r\n \t  b\nc", `h says: "a␍ b c"`},
		{"h", "\x1b[2Jx", `h says: "␛[2Jx"`},
		{"h", "a" + strings.Repeat("\u2800", 70) + "b", `h says: "a b"`},
		{"h", strings.Repeat("x", maxQuoted), `h says: "` + strings.Repeat("x", maxQuoted) + `"`},
		{"h", " \n ", ""},
		{"h", "", ""},
		{"h\x1b[2J", "x", `h␛[2J says: "x"`},
	} {
		if got := ServerSays(tt.server, tt.words); got != tt.want {
			t.Errorf("ServerSays(%q, %q) = %q, want %q", tt.server, tt.words, got, tt.want)
		}
	}
	if got := Quote(strings.Repeat("word ", 10_000)); len(got) > maxQuoted+10 || !strings.HasSuffix(got, `..."`) {
		t.Errorf("Quote of a long text: got %d octets that end in %q, want at most %d that end in %q", len(got), got[max(0, len(got)-10):], maxQuoted+
			10, `..."`)
	}
}

// TestQuoteMarks quotes each character of the first two planes of Unicode. It checks that the result
// has only two quotation marks, even after conversion to ASCII.
func TestQuoteMarks(t *testing.T) {
	for r := rune(0); r < 0x20000; r++ {
		got := Quote("a" + string(r) + "b")
		for _, s := range []string{got, ASCII(got)} {
			if s[0] != '"' || strings.IndexByte(s[1:], '"') != len(s)-2 {
				t.Fatalf("Quote of %U = %q, in ASCII %q, want two quotation marks", r, got, ASCII(got))
			}
		}
		if Quote(got[1:len(got)-1]) != got {
			t.Fatalf("Quote of the words in %q = %q, want the same (%U)", got, Quote(got[1:len(got)-1]), r)
		}
	}
}

func TestName(t *testing.T) {
	long := "begin" + strings.Repeat("é", 3000) + "end"
	for _, tt := range []struct{ name, want string }{
		{"a.txt", `"a.txt"`},
		{"", `""`},
		{"  ", `""`},
		{`x" from h? (y/N) "`, `"x' from h? (y/N) '"`},
		{"a\x1bb", `"a␛b"`},
		{strings.Repeat("x", maxName), `"` + strings.Repeat("x", maxName) + `"`},
	} {
		if got := Name(tt.name); got != tt.want {
			t.Errorf("Name(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, name := range []string{long[:900] + "end", long} {
		if got := Name(name); len(got) > maxName+10 || !strings.HasPrefix(got, `"begin`) || !strings.HasSuffix(got, `end"`) ||
			!strings.Contains(got, "é...é") {
			t.Errorf("Name of %d octets = %q, %d octets, want the beginning, \"...\" and the end in at most %d", len(name), got, len(got), maxName+
				10)
		}
	}
}

func FuzzQuoted(f *testing.F) {
	f.Add(`a"b`)
	f.Add("\xe2\x80")
	f.Fuzz(func(t *testing.T, s string) {
		got := Quote(s)
		if got != "" && (strings.Count(got, `"`) != 2 || got[0] != '"' || got[len(got)-1] != '"' || Line(got) != got ||
			strings.ContainsAny(got, "\r\n\t")) {
			t.Fatalf("Quote(%q) = %q, want one safe line in two quotation marks", s, got)
		}
	})
}
