package charset

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

func TestCharset(t *testing.T) {
	in := "\xf0\xd2\xc9"
	tests := []struct {
		c    Charset
		name string
		want string
	}{
		{Auto, "auto", "ðÒÉ"},
		{UTF8, "UTF-8", "\ufffd"},
		{Windows1252, "windows-1252", "ðÒÉ"},
		{CP437, "IBM437", "≡╥╔"},
		{KOI8R, "KOI8-R", "При"},
	}
	for _, tt := range tests {
		if got := tt.c.Decode(in); got != tt.want {
			t.Errorf("%v.Decode(%q) = %q, want %q", tt.c, in, got, tt.want)
		}
		if got := tt.c.String(); got != tt.name {
			t.Errorf("String() = %q, want %q", got, tt.name)
		}
	}
}

func TestParseCharset(t *testing.T) {
	for _, c := range All() {
		if got, ok := Parse(c.String()); !ok || got != c {
			t.Errorf("Parse(%q) = %v, %v, want the same charset", c, got, ok)
		}
	}
	for name, want := range map[string]Charset{
		"latin1": Windows1252, "ISO-8859-1": Windows1252, "cp437": CP437, "koi8-r": KOI8R, "gb2312": GB18030, "gbk": GB18030,
		"sjis": ShiftJIS, "cp866": CP866, "UTF8": UTF8, "auto": Auto,
	} {
		if got, ok := Parse(name); !ok || got != want {
			t.Errorf("Parse(%q) = %v, %v, want %v, true", name, got, ok, want)
		}
	}
	for _, name := range []string{"", "us-ascii", "nonsense", "utf-16"} {
		if got, ok := Parse(name); ok {
			t.Errorf("Parse(%q) = %v, true, want false", name, got)
		}
	}
}

// TestByName checks the names of charsets in mails, with octets and their text.
func TestByName(t *testing.T) {
	for _, tt := range []struct{ names, octets, want string }{
		{"utf-8 UTF8 utf_8 \"utf-8\" csUTF8 unicode-1-1-utf-8 x-utf-8", "\xc3\xa9", "é"},
		{"us-ascii ASCII ansi_x3.4-1968 ANSI_X3.4-1986 iso646-us cp367 unknown-8bit x-unknown x-user-defined 8bit none", "\xe9 \x93", "é “"},
		{"iso-8859-1 ISO_8859-1:1987 iso8859_1 iso88591 latin1 l1 cp819 windows-1252 win-1252 cp1252 x-ansi1252", "\xe9 \x93", "é “"},
		{"iso-8859-2 iso8859-2 iso_8859-2 latin2 'iso-8859-2'", "\xb3", "ł"},
		{"iso-8859-9 latin5 windows-1254 cp-1254", "\xfd \x93", "ı “"},
		{"iso-8859-15 iso_8859-15 iso885915 latin9", "\xa4", "€"},
		{"iso-8859-8 iso-8859-8-i iso-8859-8-e windows-1255", "\xf9", "ש"},
		{"iso-8859-6 iso-8859-6-i", "\xd3", "س"},
		{"iso-8859-7 greek", "\xe1", "α"},
		{"iso-8859-5 cyrillic", "\xd0", "а"},
		{"tis-620 iso-8859-11 windows-874 cp874", "\xa1", "ก"},
		{"koi8-r KOI8R koi8 cskoi8r \"KOI8-R (Russian)\"", "\xc1", "а"},
		{"koi8-u koi8-ru", "\xa4", "є"},
		{"windows-1251 cp1251 win-1251 x-cp1251 windows1251 windows_1251", "\xe0", "а"},
		{"cp866 ibm866 dos-866 866", "\xa0", "а"},
		{"cp1125 ruscii cp866u", "\xa0", "а"},
		{"ibm437 cp437 437", "\x81", "ü"},
		{"cp850 ibm850", "\x81", "ü"},
		{"cp737 ibm737", "\x98", "α"},
		{"cp857", "\x8d", "ı"},
		{"cp858 ibm00858", "\xd5", "€"},
		{"shift_jis sjis x-sjis shift-jis cp932 windows-31j csWindows31J ms_kanji MS932 x-mac-japanese", "\x93\xfa\x87\x40", "日①"},
		{"euc-jp x-euc-jp eucJP ujis eucjp-ms cp51932", "\xc6\xfc", "日"},
		{"iso-2022-jp csISO2022JP iso-2022-jp-2 iso-2022-jp-ms cp50221 jis", "a\x1b$BF|\x1b(Bb", "a日b"},
		{"iso-2022-kr csISO2022KR iso2022kr", "\x1b$)Ca\x0eGQ\x0fb \x0e19", "a한b 국"},
		{"iso-2022-kr", "\xc7\xd1 \x0eGQ\n\x1bx\x0eG", "한 한\n\ufffdx\ufffd"},
		{"iso-2022-cn iso-2022-cn-ext", "\x1b$)A\x0e=;;;\x0f.\n", "交换.\n"},
		{"iso-2022-cn", "\x1b$)G\x0e(a", "\ufffd"},
		{"euc-kr ks_c_5601-1987 ksc5601 ks_c_5601 cp949 uhc windows-949 korean x-mac-korean", "\xc7\xd1", "한"},
		{"gb2312 gbk x-gbk gb_2312-80 cp936 euc-cn gb18030 windows-936 csGB2312 chinese x-mac-simp-chinese", "\xd6\xd0", "中"},
		{"hz-gb-2312 hz HZ-GB2312", "a~{VP~}b", "a中b"},
		{"big5 x-big5 big-5 cn-big5 big5-hkscs cp950 csBig5 x-mac-trad-chinese", "\xa4\xa4", "中"},
		{"utf-7 UTF7 unicode-1-1-utf-7 csUnicode11UTF7 x-utf-7 cp65000", "Hi Mom -+Jjo--! A+ImIDkQ. +AGEAYg-c +2D3eAA", "Hi Mom -☺-! A≢Α. abc 😀"},
		{"utf-7", "1 +- 1, C++ a+b+ +AAoAGw- +2D0- +A", "1 + 1, C++ a+b+ \ufffd\ufffd \ufffd +A"},
		{"viscii VISCII1.1 csVISCII", "Ti\xaang Vi\xaet \x02", "Tiếng Việt Ẳ"},
		{"tcvn x-viet-tcvn5712 tcvn-5712 TCVN5712-1", "Vi\xd6t", "Việt"},
		{"windows-1258", "\xf0", "đ"},
		{"macintosh mac x-mac-roman macroman", "\x8e", "é"},
		{"x-mac-ce x-mac-centraleurroman mac-centraleurope", "\xb8", "ł"},
		{"x-mac-cyrillic x-mac-ukrainian maccyrillic", "\xe0", "а"},
		{"x-mac-greek", "\xe1", "α"},
		{"x-mac-turkish", "\xdd", "ı"},
		{"x-mac-icelandic", "\xdf", "þ"},
		{"x-mac-romanian", "\xbf", "ș"},
		{"x-mac-croatian", "\xf0", "đ"},
		{"kz-1048 strk1048-2002", "\xbc", "ә"},
		{"hp-roman8 r8", "\xc5", "é"},
		{"x-nextstep", "\xdd", "é"},
	} {
		name := ""
		for _, word := range strings.Fields(tt.names) {
			if name += word; strings.Count(name, `"`) == 1 {
				name += " "
				continue
			}
			if got := ToUTF8(tt.octets, name); got != tt.want {
				t.Errorf("ToUTF8(%q, %q) = %q, want %q", tt.octets, name, got, tt.want)
			}
			name = ""
		}
	}
}

// FuzzByName decodes octets in a charset with states, whole and octet by octet. It checks that both texts are
// equal, that the text is not much longer than the octets, and that the only control characters are those that
// the octets have outside of shifts.
func FuzzByName(f *testing.F) {
	names := []string{"utf-7", "iso-2022-kr", "iso-2022-cn", "viscii", "tcvn", "x-mac-ce"}
	for i, octets := range []string{
		"A+ImIDkQ. +2D3eAA- +AAo- +- ++ +AGEA", "\x1b$)Ca\x0eGQ\x0fb\x0e1",
		"\x1b$)A\x0e=;;;\x0f\n\x1b$)G\x0e(a\x1b$)\x1b", "\x02\xae", "\x01\xd6", "\xb8",
	} {
		f.Add(octets, uint8(i))
	}
	f.Fuzz(func(t *testing.T, octets string, n uint8) {
		name := names[int(n)%len(names)]
		decoder := ByName(name).NewDecoder()
		text, err := decoder.String(octets)
		if err != nil || !utf8.ValidString(text) || len(text) > 8*len(octets)+8 {
			t.Fatalf("decoding %q from %s = %q, %v", octets, name, text, err)
		}
		slow, err := io.ReadAll(transform.NewReader(iotest.OneByteReader(strings.NewReader(octets)), ByName(name).NewDecoder()))
		if err != nil || string(slow) != text {
			t.Errorf("decoding %q from %s = %q, but octet by octet %q, %v", octets, name, text, slow, err)
		}
		for _, r := range text {
			if unicode.IsControl(r) && !strings.ContainsRune(octets, r) {
				t.Errorf("decoding %q from %s = %q with the control character %U", octets, name, text, r)
			}
		}
	})
}
