// Package charset detects the charset of octets from servers, decodes them, and encodes text
// for servers. Decoded text is not safe to show: see package clean.
package charset

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// Charset is a mapping of octets to characters. The zero value is Auto.
type Charset uint8

// The charsets. Of several similar charsets, the most likely one comes first.
const (
	Auto        Charset = iota // detected by Guess, line by line
	UTF8                       // with U+FFFD for invalid octets
	Windows1252                // ISO 8859-1 with printable characters at 0x80-0x9F
	CP437                      // IBM PC, with box drawings
	CP850                      // like CP437, with more letters
	Windows1250                // Central Europe
	ISO8859_2                  // Central Europe, on Unix
	KOI8R                      // Russian, RFC 1489
	KOI8U                      // Ukrainian, RFC 2319
	Windows1251                // Cyrillic
	CP866                      // Cyrillic with box drawings
	ISO8859_5                  // Cyrillic
	ISO8859_7                  // Greek
	ShiftJIS
	EUCJP
	ISO2022JP // seven bits, with escape sequences
	GB18030   // includes GBK and GB2312
	Big5
	EUCKR
	Macintosh
	numCharsets
)

// All returns all charsets except Auto.
func All() []Charset {
	all := make([]Charset, 0, numCharsets-1)
	for c := UTF8; c < numCharsets; c++ {
		all = append(all, c)
	}
	return all
}

// charsets describes each charset.
var charsets = [numCharsets]struct {
	name      string            // registered by IANA
	encoding  encoding.Encoding // a [*charmap.Charmap] if each octet is a character; nil for UTF8 and Auto
	languages []language        // languages written in the charset
	likely    float64           // logarithm of the prior probability
}{
	Auto:        {name: "auto"},
	UTF8:        {name: "UTF-8"},
	Windows1252: {"windows-1252", charmap.Windows1252, western, 0},
	CP437:       {"IBM437", charmap.CodePage437, western, -1},
	CP850:       {"IBM850", charmap.CodePage850, western, -2},
	Windows1250: {"windows-1250", charmap.Windows1250, central, -2},
	ISO8859_2:   {"ISO-8859-2", charmap.ISO8859_2, central, -2.5},
	KOI8R:       {"KOI8-R", charmap.KOI8R, russian, -1.5},
	KOI8U:       {"KOI8-U", charmap.KOI8U, ukrainian, -2.5},
	Windows1251: {"windows-1251", charmap.Windows1251, russian, -1.5},
	CP866:       {"IBM866", charmap.CodePage866, russian, -2.5},
	ISO8859_5:   {"ISO-8859-5", charmap.ISO8859_5, russian, -4},
	ISO8859_7:   {"ISO-8859-7", charmap.ISO8859_7, greek, -4},
	ShiftJIS:    {"Shift_JIS", japanese.ShiftJIS, kanji, -3.5},
	EUCJP:       {"EUC-JP", japanese.EUCJP, kanji, -3.5},
	ISO2022JP:   {"ISO-2022-JP", japanese.ISO2022JP, kanji, -3.5},
	GB18030:     {"GB18030", simplifiedchinese.GB18030, simplified, -3.5},
	Big5:        {"Big5", traditionalchinese.Big5, traditional, -3.5},
	EUCKR:       {"EUC-KR", korean.EUCKR, hangul, -3.5},
	Macintosh:   {"macintosh", charmap.Macintosh, western, -5},
}

// String returns the name that IANA has registered, or "auto" for Auto.
func (c Charset) String() string { return charsets[c].name }

// Name returns the usual name of the charset, for example CP437 for IBM437.
func (c Charset) Name() string {
	if number, ok := strings.CutPrefix(c.String(), "IBM"); ok {
		return "CP" + number
	}
	return c.String()
}

// Parse returns the charset with a name registered by IANA or in the Encoding Standard, or Auto for
// "auto". For some names it returns a charset that includes the named one, such as windows-1252 for
// Latin-1. It returns false for unknown names, and for ASCII, which nearly all charsets include.
func Parse(name string) (Charset, bool) {
	name = canonicalName(name)
	if name == "auto" {
		return Auto, true
	}
	e := lookUp(name)
	switch e {
	case nil:
		if isUTF8(name) {
			return UTF8, true
		}
		return Auto, false
	case simplifiedchinese.GBK:
		e = simplifiedchinese.GB18030
	}
	for c := range charsets {
		if charsets[c].encoding == e {
			return Charset(c), true
		}
	}
	return Auto, false
}

// table returns the table of a charset with one octet for each character, or nil for other
// charsets.
func (c Charset) table() *charmap.Charmap {
	t, _ := charsets[c].encoding.(*charmap.Charmap)
	return t
}

// Guess guesses the charset of one line from its octets alone. It returns UTF8 if at most a few
// octets are invalid UTF-8, as in a truncated line. It returns CP437 if the line has a run of box
// drawings, or octets that make no sense in windows-1252. Otherwise it returns Windows1252, which
// includes ISO 8859-1. One line is not enough to recognize other charsets (see [Evidence]).
func Guess(s string) Charset {
	if utf8.ValidString(s) || isMostlyUTF8(s) {
		return UTF8
	}
	if looksCP437(s) {
		return CP437
	}
	return Windows1252
}

// OfLine returns the charset of the line s of a page. The lines of the page are in c, in UTF-8, or in
// ISO-2022-JP, whose escape sequences are in no other text.
func (c Charset) OfLine(s string) Charset {
	if IsASCII(s) {
		if isISO2022JP(s) {
			return ISO2022JP
		}
		return UTF8
	}
	if (utf8.ValidString(s) || c != Auto && isMostlyUTF8(s)) && !c.looksLikeLineArt(s) {
		return UTF8
	}
	return c
}

// looksLikeLineArt reports whether s, which is valid UTF-8, looks like line art in c. In line art,
// all octets beyond ASCII are box drawings, and none is next to a letter. The octets of "╬", "╧",
// "╨" and "╤" do not count as line art. In UTF-8 they begin Greek and Cyrillic letters. In line art
// they follow another box drawing, and such a pair is not valid UTF-8.
func (c Charset) looksLikeLineArt(s string) bool {
	if c != CP437 && c != CP850 && c != CP866 {
		return false
	}
	for i := range len(s) {
		if b := s[i]; b >= utf8.RuneSelf && (!isBox(b) || b >= 0xce && b <= 0xd1 || i > 0 && isLetter(s[i-1]) || i+1 < len(s) && isLetter(s[i+1])) {
			return false
		}
	}
	return true
}

// isMostlyUTF8 reports whether s is UTF-8 with a truncated sequence at the end, or with few invalid
// octets among many sequences.
func isMostlyUTF8(s string) bool {
	for i := len(s) - 1; i >= max(0, len(s)-utf8.UTFMax); i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				s = s[:i]
			}
			break
		}
	}
	good, bad := 0, 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		} else {
			good++
		}
		i += n
	}
	return good > 8*bad
}

// looksCP437 reports whether s has octets that make no sense in windows-1252 but do in CP437. These
// are octets that windows-1252 does not define, signs between letters, and two single vertical bars
// ("³ text ³"). Three or more box drawings in a row also count, if two neighbors are equal ("ÄÄÄ",
// "ÚÄÄ¿").
func looksCP437(s string) bool {
	run, alike, bars := 0, false, 0
	for i := range len(s) {
		c := s[i]
		if !isBox(c) {
			run, alike = 0, false
		} else {
			alike = alike || run > 0 && s[i-1] == c
			if run++; run >= 3 && alike {
				return true
			}
		}
		switch c {
		case 0x81, 0x8d, 0x8f, 0x90, 0x9d:
			return true
		case 0x80, 0x82, 0x84, 0x86, 0x87, 0x88, 0x89, 0x8b, 0x93, 0x94, 0x95, 0x98, 0x99, 0x9b:
			if i > 0 && isLetter(s[i-1]) && i+1 < len(s) && isLetter(s[i+1]) {
				return true
			}
		case 0xb3, 0xba:
			if (i == 0 || s[i-1] == ' ') && (i+1 == len(s) || s[i+1] == ' ') {
				bars++
			}
		}
	}
	return bars >= 2
}

func isBox(c byte) bool { return c >= 0xb0 && c <= 0xdf || c == 0xfe }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Decode converts s to valid UTF-8. It keeps control characters, so the result is not safe to show.
// With UTF8 or Auto, valid UTF-8 stays unchanged.
func (c Charset) Decode(s string) string {
	if IsASCII(s) && c != ISO2022JP {
		return s
	}
	if c == Auto {
		c = Guess(s)
	}
	table := c.table()
	if table == nil {
		if e := charsets[c].encoding; e != nil {
			if t, err := e.NewDecoder().String(s); err == nil {
				return t
			}
		}
		return strings.ToValidUTF8(s, "\ufffd")
	}
	b := make([]byte, 0, len(s)+len(s)/2)
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			b = append(b, s[i])
		} else {
			b = utf8.AppendRune(b, table.DecodeByte(s[i]))
		}
	}
	return string(b)
}

// IsASCII reports whether s has no octet above 0x7F.
func IsASCII(s string) bool {
	i := 0
	for ; i+16 <= len(s); i += 16 {
		w := s[i : i+16]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		y := uint64(w[8]) | uint64(w[9])<<8 | uint64(w[10])<<16 | uint64(w[11])<<24 |
			uint64(w[12])<<32 | uint64(w[13])<<40 | uint64(w[14])<<48 | uint64(w[15])<<56
		if (x|y)&0x8080808080808080 != 0 {
			return false
		}
	}
	for ; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// HighOctets returns the characters of the octets from 0x80 on. The result ok is false if some characters of c have
// several octets.
func (c Charset) HighOctets() (high *[128]rune, ok bool) {
	t := c.table()
	if t == nil {
		return nil, false
	}
	high = new([128]rune)
	for i := range high {
		high[i] = t.DecodeByte(byte(utf8.RuneSelf + i))
	}
	return high, true
}

// Reread returns s, a text whose octets were decoded as from, as its octets read in c. Characters that from lacks stay.
// If from is not a charset with one octet for each character, or c is Auto, Reread returns s.
func (c Charset) Reread(s string, from Charset) string {
	t := from.table()
	if t == nil || c == Auto || c == from || IsASCII(s) {
		return s
	}
	var b strings.Builder
	var octets []byte
	for _, r := range s {
		if octet, ok := t.EncodeRune(r); ok {
			octets = append(octets, octet)
			continue
		}
		b.WriteString(c.Decode(string(octets)))
		b.WriteRune(r)
		octets = octets[:0]
	}
	b.WriteString(c.Decode(string(octets)))
	return b.String()
}
