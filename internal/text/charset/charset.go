// Package charset detects the charset of octets from servers, decodes them, and encodes text
// for servers. Decoded text is not safe to show: see package clean.
package charset

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
)

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
