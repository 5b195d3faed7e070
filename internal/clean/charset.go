package clean

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Charset is how octets become characters. The zero value is Auto.
type Charset uint8

// The charsets.
const (
	Auto        Charset = iota // what Guess says, line by line
	UTF8                       // with U+FFFD for what is none
	Windows1252                // ISO 8859-1 with printable characters at 0x80-0x9F
	CP437                      // the IBM PC's, of box drawings
	KOI8R                      // Russian, RFC 1489
)

// String returns the charset's name as IANA registers it, "auto" for Auto.
func (c Charset) String() string {
	switch c {
	case UTF8:
		return "UTF-8"
	case Windows1252:
		return "windows-1252"
	case CP437:
		return "IBM437"
	case KOI8R:
		return "KOI8-R"
	}
	return "auto"
}

// Guess tells the charset of one line by its octets alone: UTF-8 if it is
// valid, or has more whole sequences than stray octets (a line that was cut
// off); CP437 if it has a run of box drawings or letters at octets which
// windows-1252 gives no letter; else windows-1252, of which ISO 8859-1 text is
// a part. It never answers Auto or KOI8R: nothing tells Cyrillic in eight bits
// from Latin capitals in a line.
func Guess(s string) Charset {
	if utf8.ValidString(s) || mostlyUTF8(s) {
		return UTF8
	}
	if looksCP437(s) {
		return CP437
	}
	return Windows1252
}

func mostlyUTF8(s string) bool {
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
	return good > bad
}

// looksCP437 looks for what would be nonsense in windows-1252: octets that it
// leaves undefined, quotation marks between letters, three or more of the
// octets of box drawings in a row with two alike side by side ("ÄÄÄ", "ÚÄÄ¿"),
// and vertical bars that stand alone ("³ text ³").
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

// Decode returns s as valid UTF-8 and leaves its control characters alone: it
// is not safe to show. A string that is valid UTF-8 is returned as it is.
func (c Charset) Decode(s string) string {
	if isASCII(s) {
		return s
	}
	if c == Auto {
		c = Guess(s)
	}
	var table *charmap.Charmap
	switch c {
	case Windows1252:
		table = charmap.Windows1252
	case CP437:
		table = charmap.CodePage437
	case KOI8R:
		table = charmap.KOI8R
	default:
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

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
