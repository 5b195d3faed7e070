package clean

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gofer/internal/text/charset"
)

func TestLine(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", "Hello, world ~", "Hello, world ~"},
		{"utf-8", "Grüße, мир, 日本語 ─│ 😀", "Grüße, мир, 日本語 ─│ 😀"},
		{"latin-1", "Gr\xfc\xdfe", "Grüße"},
		{"windows-1252", "\x93quoted\x94 \x80 5", "“quoted” € 5"},
		{"cp437 box", "\xda\xc4\xc4\xc4\xbf", "┌───┐"},
		{"cp437 shades", "\xb0\xb0\xb0", "░░░"},
		{"cp437 half blocks", "\xdf\xdf\xdf", "▀▀▀"},
		{"cp437 squares", "\xfe\xfe\xfe", "■■■"},
		{"latin-1 beside the box drawings of cp437", "\xe0\xe0\xe0 \xaf\xaf\xaf", "ààà ¯¯¯"},
		{"box drawings without equal neighbors", "a\xb0\xb1\xb2a\xdb\xdca", "a°±²aÛÜa"},
		{"latin-1 cubes", "5 m\xb3 or 8 cm\xb3", "5 m³ or 8 cm³"},
		{"cp437 bars", "\xb3 text \xb3", "│ text │"},
		{"cp437 word", "f\x81r", "für"},
		{"cp437 between A and z", "A\x94z", "Aöz"},
		{"windows-1252 quotes", "\x93A\x94 {\x94 \x94z\x94", "“A” {” ”z”"},
		{"cp437 umlaut", "sch\x94n", "schön"},
		{"latin-1 capitals", "\xc4\xd6\xdc", "ÄÖÜ"},
		{"utf-8 cut off", "Grüße aus M\xc3", "Grüße aus M\ufffd"},
		{"escape", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"osc 52", "\x1b]52;c;YQ==\x07", "␛]52;c;YQ==␇"},
		{"c1 in utf-8", "a\u009b31m", "a\ufffd31m"},
		{"c1 in octets", "a\x9b31m", "a›31m"},
		{"nul, del", "a\x00b\x7f", "a␀b␡"},
		{"line ends", "a\rb\nc", "a␍b␊c"},
		{"bidi", "a\u202eb\u2066c\u200f\u061cd\u200e", "abcd"},
		{"zero width", "a\u200bb\u200cc\ufeffd\u00ade\u2060f", "abcdef"},
		{"joined family", "👨\u200d👩\u200d👧", "👨👩👧"},
		{"heart", "❤\ufe0f", "❤"},
		{"skin", "👍🏻👍🏽👍🏿🏺🐀", "👍👍👍🏺🐀"},
		{"variation selectors", "᠀\u180b\u180f᠐\ufe00\ufe0f︐\U000e0100", "᠀᠐︐"},
		{"separators", "a\u2028b\u2029c", "abc"},
		{"tags", "a\U000e0041\U000e007fb", "ab"},
		{"beside the tags", "a\U000e0080\U000e01f0b\u2065c", "a\ufffd\ufffdb\ufffdc"},
		{"private", "\ue000\U000f0000", "\ufffd\ufffd"},
		{"noncharacter", "\ufdd0\uffff", "\ufffd\ufffd"},
		{"unassigned", "\u0378", "\ufffd"},
		{"filler", "a\u3164b", "a\ufffdb"},
		{"tab", "a\tb\t\tc", "a       b               c"},
		{"tab at the stop", "12345678\tx", "12345678        x"},
		{"too many tabs", strings.Repeat("\t", 9000), strings.Repeat(" ", 4096+9000-4096/8)},
		{"tab after wide", "日本\tx", "日本    x"},
		{"mark", "e\u0301", "e\u0301"},
		{"mark alone", "\u0301e", "◌\u0301e"},
		{"too many marks", "e" + strings.Repeat("\u0301", 50), "e" + strings.Repeat("\u0301", 4)},
		{"too many marks after a control", "\x01e" + strings.Repeat("\u0301", 50), "␁e" + strings.Repeat("\u0301", 4)},
		{"too many marks between dropped characters", "e" + strings.Repeat("\u0301\u200b", 50), "e" + strings.Repeat("\u0301", 4)},
		{"too many spacing marks", "क" + strings.Repeat("\u093e", 50), "क" + strings.Repeat("\u093e", 4)},
		{"spacing mark alone", "\u093eक", "◌\u093eक"},
		{"Hindi", "हिन्दी में", "हिन्दी में"},
		{"hangul in parts", "\u1112\u1161\u11ab\u1100\u1173\u11af.txt", "한글.txt"},
		{"hangul in parts, without final", "\u1100\u1161\u1102\u1161", "가나"},
		{"hangul around dropped characters", "\u1112\u200b\u1161\u200b\u11ab", "한"},
		{"old hangul", "\u1100\u119e", "\u1100\u119e"},
		{"all syllables", "\u1100\u1161\u11a8\u1112\u1175\u11a8\u1112\u1175\u11c2", "각힉힣"},
		{"the last old hangul", "\x01\u1161\u11ff\ud7b0\ud7fb\ud7c7\ud7fc", "␁\u1161\u11ff\ud7b0\ud7fb\ufffd\ufffd"},
		{"an old final alone", "\u11ff", "◌\u11ff"},
		{"other old vowels and finals alone", "\ud7b0", "◌\ud7b0"},
		{"the first mark alone", "\u0300", "◌\u0300"},
		{"the first character of two octets", "5 \x80", "5 €"},
		{"delete", "a\x7f", "a␡"},
		{"mostly utf-8, of which nine could not be read", strings.Repeat("\ufffd", 9) + "\xffa", strings.Repeat("\ufffd", 10) + "a"},
		{
			"beside the parts of syllables", "\u1113\u1161\u1100\u0301\u1100\u1176가\u11a7가\u11c3",
			"\u1113\u1161\u1100\u0301\u1100\u1176가\u11a7가\u11c3",
		},
		{"parts that are no syllable", "a\u1161가\u1161각\u11ab", "a\u1161가\u1161각\u11ab"},
		{"flags", "🇩🇪🇫🇷", "🇩🇪🇫🇷"},
		{"flags of A and Z", "\x01🇿🇦🇦🇿🇿🇿🇦🇦", "␁🇿🇦🇦🇿🇿🇿🇦🇦"},
		{"half a flag", "🇩🇪🇫 🇷x🇿 🇦", "🇩🇪\ufffd \ufffdx\ufffd \ufffd"},
		{"wider in some terminals", "a㉈b⸺c\U0001d166㉏\U0001d16d\U0001d172\U00011a84\U00011a89", "a\ufffdb\ufffdc" + strings.Repeat("\ufffd", 6)},
		{"beside the wider characters", "㉇㉐\U0001d16c", "㉇㉐\U0001d16c"},
		{"no-break space", "a\u00a0b", "a\u00a0b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Line(tt.in); got != tt.want {
				t.Errorf("Line(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestText(t *testing.T) {
	tests := []struct{ in, want string }{
		{"  a\tb  ", "a b"},
		{"\t", ""},
		{" \u0301x", "◌\u0301x"},
		{"\u202e evil.txt \u2028", "evil.txt"},
		{"a\r\n", "a␍␊"},
	}
	for _, tt := range tests {
		if got := Text(tt.in); got != tt.want {
			t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// faults returns the first reason why s must never be shown, or "" if s is harmless.
func faults(s string) string {
	if !utf8.ValidString(s) {
		return "it is not valid UTF-8"
	}
	for _, r := range s {
		switch {
		case r < ' ', r >= 0x7f && r < 0xa0:
			return "it has a control character"
		case unicode.Is(unicode.Bidi_Control, r):
			return "it has a bidi control"
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r), r == 0x2028, r == 0x2029:
			return "it has an invisible character"
		case unicode.Is(unicode.Co, r), !unicode.IsGraphic(r):
			return "it has a character that is not assigned"
		}
	}
	if r, _ := utf8.DecodeRuneInString(s); unicode.Is(unicode.M, r) {
		return "it begins with a combining mark"
	}
	return ""
}

// TestEveryCharacter checks that no character of Unicode leads to unsafe output. It skips the planes 4
// to 13, which have no assigned characters, and the private planes 15 and 16.
func TestEveryCharacter(t *testing.T) {
	const block, plane = 0x80, 0x10000
	for first := rune(0); first < 15*plane; first += block {
		if first == 4*plane {
			first = 14 * plane
		}
		s, harmless := "é", "a"
		for r := first; r < first+block; r++ {
			s += "a" + string(r)
			if IsPrintable(r) {
				harmless += string(r)
			}
		}
		if why := faults(Line(s)); why != "" {
			t.Errorf("the line of %U to %U: %s", first, first+block-1, why)
		}
		if why := faults(harmless); why != "" {
			t.Errorf("the harmless characters of %U to %U: %s", first, first+block-1, why)
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{
		"", "plain", "a\tb", "\x1b[31m\x9b0m", "Gr\xfc\xdfe", "\xda\xc4\xc4\xbf", "\u202e\u200d\ufe0f", "👨\u200d👩",
		"\u0301\u0301", "\u200b\u0301",
		" \u0301", "\xc3", "\xef\xbf\xbd\xff", "\U000e0041", "\u1161\u1161\t", "日本\t\u0301",
		"\u1112\u1161\u11ab\u11ab", "\u1112\u200b\u1161", "क\u093e\u093e\u093e\u093e\u093e\u1161", "🇩🇪🇩", "\u1100\t\u1161",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for c := charset.Auto; c <= charset.KOI8R; c++ {
			r := Reading{Charset: c, AllLines: true}
			line := r.Line(s)
			if why := faults(line); why != "" {
				t.Errorf("%v.Line(%q) = %q: %s", c, s, line, why)
			}
			if again := Line(line); again != line {
				t.Errorf("Line(Line(%q)) = %q, want %q", s, again, line)
			}
			text := r.Text(s)
			if why := faults(text); why != "" {
				t.Errorf("%v.Text(%q) = %q: %s", c, s, text, why)
			}
			if again := Text(text); again != text {
				t.Errorf("Text(Text(%q)) = %q, want %q", s, again, text)
			}
			if !utf8.ValidString(r.Decode(s)) {
				t.Errorf("%v.Decode(%q) is not valid UTF-8", c, s)
			}
		}
	})
}

func BenchmarkLine(b *testing.B) {
	for _, bm := range []struct{ name, s string }{
		{"ascii", strings.Repeat("The quick brown fox jumps over it. ", 2)},
		{"utf8", strings.Repeat("Größere Übel, Straße und so weiter ", 2)},
		{"cjk", strings.Repeat("日本語の文章です。", 8)},
		{"latin1", strings.Repeat("Gr\xf6\xdfere \xdcbel, Stra\xdfe und so weiter ", 2)},
		{"tabs", "name\tsize\tdate\tand what else there is"},
		{"escapes", strings.Repeat("\x1b[31mred\x1b[0m ", 6)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.s)))
			b.ReportAllocs()
			for b.Loop() {
				Line(bm.s)
			}
		})
	}
}
