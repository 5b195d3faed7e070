package clean

import (
	"strings"
	"testing"
	"unicode"
)

func TestEncode(t *testing.T) {
	for _, tt := range []struct {
		charset    Charset
		text, want string
		err        string
	}{
		{Windows1252, "Größe", "Gr\xf6\xdfe", ""},
		{Windows1252, "Gro\u0308ße", "Gr\xf6\xdfe", ""},
		{Windows1252, "plain", "plain", ""},
		{Windows1252, "a Жук", "", `windows-1252 has no "Ж" (U+0416)`},
		{Windows1252, "x\u0301", "", `windows-1252 has no "◌́" (U+0301)`},
		{Windows1252, "日", "", `windows-1252 has no "日" (U+65E5)`},
		{KOI8R, "Жук", "\xf6\xd5\xcb", ""},
		{CP437, "ö", "\x94", ""},
		{ISO8859_2, "ł", "\xb3", ""},
		{UTF8, "Größe", "Größe", ""},
		{Auto, "日", "日", ""},
		{ShiftJIS, "表", "\x95\x5c", ""},
		{ISO2022JP, "a日b", "a\x1b$BF|\x1b(Bb", ""},
		{ISO2022JP, "日", "\x1b$BF|\x1b(B", ""},
		{EUCKR, "日Ł", "\xec\xed\xa8\xa9", ""},
		{Big5, "Ж日ö", "", `Big5 has no "ö" (U+00F6)`},
		{GB18030, "😀", "\x94\x39\xfc\x36", ""},
	} {
		got, err := tt.charset.Encode(tt.text)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != tt.want || text != tt.err {
			t.Errorf("%v, %q: got %q, %q, want %q, %q", tt.charset, tt.text, got, text, tt.want, tt.err)
		}
	}
}

// FuzzEncode checks that encoded text survives a round trip through Decode.
func FuzzEncode(f *testing.F) {
	f.Add("Größe, Жук, 日本語", uint8(Windows1252))
	f.Add("o\u0308", uint8(ISO2022JP))
	f.Add("日本", uint8(ShiftJIS))
	f.Fuzz(func(t *testing.T, s string, n uint8) {
		c := Charset(n % uint8(numCharsets))
		if strings.ContainsFunc(s, unicode.IsControl) {
			return // the line editor drops them
		}
		octets, err := c.Encode(strings.ToValidUTF8(s, ""))
		if err != nil {
			return
		}
		again, err := c.Encode(c.Decode(octets))
		if err != nil || again != octets {
			t.Errorf("%v, %q: %q is read as %q, which becomes %q, %v", c, s, octets, c.Decode(octets), again, err)
		}
	})
}
