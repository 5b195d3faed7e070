package charset

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// iso2022 decodes ISO-2022-KR (RFC 1557) and ISO-2022-CN (RFC 1922). SO begins characters of two octets, and
// SI or the end of the line ends them. An escape sequence selects the set of these characters.
//
// The octets of such a set are those of an EUC charset without the eighth bit. Texts of the EUC charset itself
// under the name of the other are decoded too. The planes of CNS 11643 are decoded as U+FFFD: no known mail has
// them.
type iso2022 struct {
	first   encoding.Encoding // the set at the beginning of each line, or nil
	set     encoding.Encoding // the set that SO selects; nil: an unknown one
	shifted bool
	pending []byte // the beginning of a character or of an escape sequence
}

func newISO2022(set encoding.Encoding) *iso2022 { return &iso2022{first: set, set: set} }

func (d *iso2022) Reset() { *d = iso2022{first: d.first, set: d.first} }

const (
	shiftOut = 0x0e
	shiftIn  = 0x0f
	escape   = 0x1b
)

// Transform implements [transform.Transformer].
func (d *iso2022) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for _, c := range src {
		if len(dst)-nDst < maxStep {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += copy(dst[nDst:], d.add(c))
		nSrc++
	}
	if atEOF && len(d.pending) > 0 {
		if len(dst)-nDst < maxStep {
			return nDst, nSrc, transform.ErrShortDst
		}
		d.pending = d.pending[:0]
		nDst += utf8.EncodeRune(dst[nDst:], utf8.RuneError)
	}
	return nDst, nSrc, nil
}

// add returns the text that c completes.
func (d *iso2022) add(c byte) []byte {
	if len(d.pending) > 0 && d.pending[0] == escape {
		return d.addEscaped(c)
	}
	switch {
	case c == escape || c == shiftOut || c == shiftIn || c <= ' ' || c == 0x7f:
		return d.addControl(c)
	case len(d.pending) == 0 && !d.shifted && c < utf8.RuneSelf:
		return []byte{c}
	case len(d.pending) == 0:
		d.pending = append(d.pending, c)
		return nil
	}
	pair := []byte{d.pending[0] | 0x80, c | 0x80}
	d.pending = d.pending[:0]
	if d.set == nil {
		return utf8.AppendRune(nil, utf8.RuneError)
	}
	text, err := d.set.NewDecoder().Bytes(pair)
	if r, n := utf8.DecodeRune(text); err != nil || n != len(text) || r < 0xa0 {
		return utf8.AppendRune(nil, utf8.RuneError)
	}
	return text
}

// addControl adds a control character or a blank, which ends a character.
func (d *iso2022) addControl(c byte) (text []byte) {
	if len(d.pending) > 0 {
		text = utf8.AppendRune(text, utf8.RuneError)
		d.pending = d.pending[:0]
	}
	switch c {
	case escape:
		d.pending = append(d.pending, c)
		return text
	case shiftOut, shiftIn:
		d.shifted = c == shiftOut
		return text
	case '\n':
		d.shifted = false
		d.set = d.first
	case '\r', '\t', '\f', ' ':
	default:
		return utf8.AppendRune(text, utf8.RuneError)
	}
	return append(text, c)
}

// addEscaped adds an octet of an escape sequence. An unknown sequence becomes U+FFFD, and its other octets
// text.
func (d *iso2022) addEscaped(c byte) []byte {
	d.pending = append(d.pending, c)
	seq := d.pending
	switch string(seq) {
	case "\x1b$)C":
		d.set = koreanSet
	case "\x1b$)A":
		d.set = chineseSet
	case "\x1b$)G", "\x1b$)E":
		d.set = nil
	case "\x1b$*H": // a set of single characters
	default:
		for _, known := range []string{"\x1b$)", "\x1b$*"} {
			if bytes.HasPrefix([]byte(known), seq) {
				return nil
			}
		}
		text := utf8.AppendRune(nil, utf8.RuneError)
		rest := bytes.Clone(seq[1:])
		d.pending = d.pending[:0]
		for _, c := range rest {
			text = append(text, d.add(c)...)
		}
		return text
	}
	d.pending = d.pending[:0]
	return nil
}
