package charset

import (
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// maxStep is the most octets that a decoder of this package writes at once.
const maxStep = 8 * utf8.UTFMax

// utf7 decodes UTF-7 (RFC 2152). A control character in base64 becomes U+FFFD, so that none is hidden from
// code that has looked at the octets. A "+" before fewer characters than one unit takes is a plus sign, as
// in "C++".
type utf7 struct {
	shifted bool
	run     []byte // the characters since the shift, if they are not yet a unit
	decoded bool   // the run has a unit
	bits    uint32
	count   int  // number of bits
	high    rune // the first half of a surrogate pair, or 0
}

func (u *utf7) Reset() { *u = utf7{} }

// Transform implements [transform.Transformer].
func (u *utf7) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for _, c := range src {
		if len(dst)-nDst < maxStep {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += copy(dst[nDst:], u.add(c))
		nSrc++
	}
	if atEOF {
		if len(dst)-nDst < maxStep {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += copy(dst[nDst:], u.end(nil))
	}
	return nDst, nSrc, nil
}

// add returns the text that c completes.
func (u *utf7) add(c byte) (text []byte) {
	value := base64Value(c)
	switch {
	case !u.shifted && c == '+':
		u.shifted, u.run = true, append(u.run[:0], c)
	case !u.shifted && c < utf8.RuneSelf:
		return []byte{c}
	case !u.shifted:
		return utf8.AppendRune(nil, utf8.RuneError)
	case value >= 0:
		if !u.decoded {
			u.run = append(u.run, c)
		}
		u.bits, u.count = u.bits<<6|uint32(value), u.count+6
		if u.count >= 16 {
			u.count -= 16
			u.decoded = true
			return u.addUnit(rune(u.bits >> u.count & 0xffff))
		}
	case c == '-' && len(u.run) == 1 && !u.decoded:
		u.Reset()
		return []byte{'+'}
	default:
		text = u.end(nil)
		if c != '-' {
			text = append(text, u.add(c)...)
		}
	}
	return text
}

// addUnit returns the character that a unit of UTF-16 completes.
func (u *utf7) addUnit(unit rune) (text []byte) {
	if u.high != 0 {
		r := utf16.DecodeRune(u.high, unit)
		u.high = 0
		if r != utf8.RuneError {
			return utf8.AppendRune(nil, r)
		}
		text = utf8.AppendRune(nil, utf8.RuneError)
	}
	switch {
	case unit >= 0xd800 && unit < 0xdc00:
		u.high = unit
		return text
	case unit < ' ' || unit >= 0x7f && unit < 0xa0:
		unit = utf8.RuneError
	}
	return utf8.AppendRune(text, unit)
}

// end appends to text the text of an incomplete run, and leaves the base64.
func (u *utf7) end(text []byte) []byte {
	switch {
	case u.high != 0:
		text = utf8.AppendRune(text, utf8.RuneError)
	case u.shifted && !u.decoded:
		text = append(text, u.run...)
	}
	u.Reset()
	return text
}

func base64Value(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return -1
}
