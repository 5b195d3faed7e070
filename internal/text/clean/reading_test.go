package clean

import (
	"strings"
	"testing"

	"gofer/internal/text/charset"
)

func TestReading(t *testing.T) {
	if got := (Reading{Charset: charset.KOI8R, AllLines: true}).Line("Grüße"); got == "Grüße" {
		t.Error("Line with AllLines set decodes a line in UTF-8 as UTF-8, want KOI8-R")
	}
	if got := (Reading{Charset: charset.KOI8R}).Text(" \xf0\xd2\x1b "); got != "Пр␛" {
		t.Errorf("Text in KOI8-R = %q, want %q", got, "Пр␛")
	}
}

// FuzzReading checks that the lines of a page are clean in the charset that Evidence chooses.
func FuzzReading(f *testing.F) {
	for _, page := range []string{"Gr\xfc\xdfe", "\xda\xc4\xc4\xbf", "\xf0\xd2\xc9\xd7\xc5\xd4", "日本", "\x93\xfa\x96\x7b", "a\tb"} {
		f.Add(page, "koi8-r")
	}
	f.Add("\xff\xfe\x80\n\x1b$B\xa4", "utf-16")
	f.Fuzz(func(t *testing.T, page, declared string) {
		var e charset.Evidence
		for line := range strings.SplitSeq(page, "\n") {
			e.Add(line)
		}
		c, _ := charset.Parse(declared)
		r := Reading{Charset: e.Choose(c, false).EightBit()}
		for line := range strings.SplitSeq(page, "\n") {
			s := r.Line(line)
			if again := (Reading{Charset: charset.UTF8, AllLines: true}).Line(s); again != s {
				t.Errorf("%q is read as %q, which is not clean: %q", line, s, again)
			}
		}
	})
}
