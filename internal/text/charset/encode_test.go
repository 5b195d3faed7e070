package charset

import (
	"strings"
	"testing"
	"unicode"
)

func TestEncode(t *testing.T) {
	for _, tt := range []struct {
		charset    Charset
		text, want string
		lacks      rune
	}{
		{Windows1252, "Größe", "Gr\xf6\xdfe", 0},
		{Windows1252, "Gro\u0308ße", "Gr\xf6\xdfe", 0},
		{Windows1252, "plain", "plain", 0},
		{Windows1252, "a Жук", "", 'Ж'},
		{Windows1252, "x\u0301", "", 0x0301},
		{Windows1252, "日", "", '日'},
		{KOI8R, "Жук", "\xf6\xd5\xcb", 0},
		{CP437, "ö", "\x94", 0},
		{ISO8859_2, "ł", "\xb3", 0},
		{UTF8, "Größe", "Größe", 0},
		{Auto, "日", "日", 0},
		{ShiftJIS, "表", "\x95\x5c", 0},
		{ISO2022JP, "a日b", "a\x1b$BF|\x1b(Bb", 0},
		{ISO2022JP, "日", "\x1b$BF|\x1b(B", 0},
		{EUCKR, "日Ł", "\xec\xed\xa8\xa9", 0},
		{Big5, "Ж日ö", "", 'ö'},
		{GB18030, "😀", "\x94\x39\xfc\x36", 0},
	} {
		got, lacks, ok := tt.charset.Encode(tt.text)
		if got != tt.want || lacks != tt.lacks || ok != (tt.lacks == 0) {
			t.Errorf("%v.Encode(%q) = %q, %q, %v, want %q, %q", tt.charset, tt.text, got, lacks, ok, tt.want, tt.lacks)
		}
	}
}

// FuzzEncode encodes text, decodes it and encodes it again. It checks that both encodings are
// equal.
func FuzzEncode(f *testing.F) {
	f.Add("Größe, Жук, 日本語", uint8(Windows1252))
	f.Add("o\u0308", uint8(ISO2022JP))
	f.Add("日本", uint8(ShiftJIS))
	f.Add("ｱ 日a\u00a5", uint8(ISO2022JP))
	f.Fuzz(func(t *testing.T, s string, n uint8) {
		c := Charset(n % uint8(numCharsets))
		if strings.ContainsFunc(s, unicode.IsControl) {
			return // the line editor never returns such characters
		}
		octets, _, ok := c.Encode(strings.ToValidUTF8(s, ""))
		if !ok {
			return
		}
		again, lacks, ok := c.Encode(c.Decode(octets))
		if !ok || again != octets {
			t.Errorf(
				"%v.Encode(%q) = %q, but encoding the decoded text %q again gives %q and lacks %q", c, s, octets,
				c.Decode(octets), again, lacks,
			)
		}
	})
}
