package charset

import (
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// wide maps names to encodings with two or four octets for each character. A byte order mark in the
// text overrides the byte order in the name. If both are missing, the most significant octet is
// first (RFC 2781, section 4.3).
var wide = map[string]encoding.Encoding{
	"utf-16le": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16be": unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
	"utf-32le": utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), "utf-32be": utf32.UTF32(utf32.BigEndian, utf32.UseBOM),
}

// canonicalName returns the name of a charset in lower case, without quotes, a language (RFC 2231, section
// 5) and a comment. The names of UTF-16 and UTF-32 get a byte order.
func canonicalName(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(strings.Trim(name, " \t\r\n\"'<>;")), "*")
	name, _, _ = strings.Cut(name, " (")
	switch name {
	case "utf-16", "ucs-2", "iso-10646-ucs-2":
		return "utf-16be"
	case "utf-32", "ucs-4", "iso-10646-ucs-4":
		return "utf-32be"
	}
	return name
}

// IsWide reports whether the named charset is UTF-16 or UTF-32.
func IsWide(name string) bool { return wide[canonicalName(name)] != nil }

// ByName returns the encoding of the named charset, or nil for UTF-8, ASCII and unknown
// names.
func ByName(name string) encoding.Encoding {
	name = canonicalName(name)
	if e := wide[name]; e != nil {
		return e
	}
	return lookUp(name)
}

// IsKnown reports whether name is the name of a charset that can be decoded, such as UTF-8, ASCII or a name that
// [ByName] knows.
func IsKnown(name string) bool {
	name = canonicalName(name)
	return ByName(name) != nil || isUTF8(name) || lookUpRegistered(name) != nil || lookUpRegistered(registeredName(squeeze(name))) != nil
}

// lookUp returns the encoding with a name registered by IANA or in the Encoding Standard, or with a name that
// mail programs use for it. It returns nil for UTF-8, ASCII and unknown names. For ISO 8859-1 and ISO 8859-9
// it returns windows-1252 and windows-1254, like the Encoding Standard.
func lookUp(name string) encoding.Encoding {
	e := lookUpRegistered(name)
	if e == nil {
		name = registeredName(squeeze(name))
		if e = otherEncodings[name]; e == nil {
			e = lookUpRegistered(name)
		}
	}
	switch e {
	case charmap.ISO8859_1:
		return charmap.Windows1252
	case charmap.ISO8859_9:
		return charmap.Windows1254
	case unicode.UTF8, ascii(), charmap.XUserDefined:
		return nil
	}
	return e
}

func lookUpRegistered(name string) encoding.Encoding {
	if e, err := ianaindex.MIME.Encoding(name); err == nil && e != nil {
		return e
	}
	if e, err := htmlindex.Get(name); err == nil && e != encoding.Replacement {
		return e
	}
	return nil
}

// ascii returns the encoding that has U+FFFD for each octet above 0x7F.
func ascii() encoding.Encoding {
	e, _ := ianaindex.MIME.Encoding("us-ascii")
	return e
}

// NewReader returns a reader that converts r from the named charset to UTF-8. For UTF-8, ASCII and
// unknown names it returns r itself.
func NewReader(r io.Reader, name string) io.Reader {
	if e := ByName(name); e != nil {
		return e.NewDecoder().Reader(r)
	}
	return r
}

// ToUTF8 converts s from the named charset to UTF-8. For UTF-8, ASCII and unknown names it returns s
// if s is valid UTF-8, and otherwise converts s from windows-1252.
func ToUTF8(s, name string) string {
	if e := ByName(name); e != nil {
		if t, err := e.NewDecoder().String(s); err == nil {
			return t
		}
	}
	if utf8.ValidString(s) {
		return s
	}
	t, err := charmap.Windows1252.NewDecoder().String(s)
	if err != nil {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	return t
}
