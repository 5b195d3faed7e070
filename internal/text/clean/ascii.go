package clean

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"

	"gofer/internal/text/charset"
)

// ASCIILocale reports whether the locale is set and does not name UTF-8. Gofer then writes only
// ASCII, which the charset of any locale includes.
func ASCIILocale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(getenv(name)); v != "" {
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return false
}

// ASCII replaces each character of s beyond ASCII with a similar ASCII character, or with "?". The
// result has as many cells as s. The screen calls ASCII for each frame, because an octet beyond
// ASCII may be a control character in the charset of the terminal.
func ASCII(s string) string {
	if charset.IsASCII(s) {
		return s
	}
	b := make([]byte, 0, len(s))
	for _, r := range s {
		if r < utf8.RuneSelf {
			b = append(b, byte(r))
			continue
		}
		if r == softHyphen {
			continue
		}
		near, next := nearestASCII(r), byte(' ')
		if near == '?' {
			next = '?'
		}
		for range ansi.WcWidth.StringWidth(string(r)) {
			b = append(b, near)
			near = next
		}
	}
	return string(b)
}

// lookalikes is a list of pairs: an ASCII character, and the character of one cell that the ASCII
// character replaces.
const lookalikes = "'\u2018'\u2019'\u201a'\u201b'\u2032\"\u201c\"\u201d\"\u201e\"\u201f\"\u2033<‹>›\"«\"»" +
	"-\u2010-\u2011-\u2012-–-—-―-−*•*·*∙.…|¦!¡x×" +
	"sßAÆaæOØoøOŒoœDÐdðDĐdđLŁlłHĦhħiıc©r®<←>→^↑v↓"

// nearestASCII returns the ASCII character that looks most like r, or "?".
func nearestASCII(r rune) byte {
	if i := strings.IndexRune(lookalikes, r); i > 0 {
		return lookalikes[i-1]
	}
	switch {
	case unicode.Is(unicode.Zs, r):
		return ' '
	case r >= 0x2500 && r <= 0x257f:
		return nearestLine(r)
	case r >= 0x2580 && r <= 0x259f:
		return '#'
	case r >= 0x25a0 && r <= 0x25ff:
		return '*'
	case r >= 0xff01 && r <= 0xff5e: // the wide forms of ASCII
		return byte(r - 0xff01 + '!')
	}
	d := norm.NFD.PropertiesString(string(r)).Decomposition()
	if len(d) > 0 && d[0] < utf8.RuneSelf && !bytes.ContainsRune(d, '\u0338') { // not for U+0338, a stroke that negates a sign
		return d[0]
	}
	return '?'
}

// nearestLine returns the ASCII character that looks most like the box drawing r.
func nearestLine(r rune) byte {
	switch {
	case strings.ContainsRune("─━┄┅┈┉╌╍═╴╶╸╺╼╾", r):
		return '-'
	case strings.ContainsRune("│┃┆┇┊┋╎╏║╵╷╹╻╽╿", r):
		return '|'
	}
	return '+'
}
