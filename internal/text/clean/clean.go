// Package clean makes text from a server safe to show. It converts any octets to valid UTF-8
// without characters that control the terminal.
package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// tabStop is the number of columns between tab stops.
const tabStop = 8

// maxTabColumn is the column after which a tab becomes one space. Without this limit, a line of
// tabs would become eight times as long.
const maxTabColumn = 4096

// maxMarks is the largest number of combining marks on a character. More marks could cover the
// lines above and below.
const maxMarks = 4

// Line makes one line from a server safe to show. [charset.Guess] finds the charset of the line.
//
// Control characters, ESC included, become visible symbols: U+2400 and following for C0 and DEL,
// U+FFFD for C1. U+FFFD also replaces unassigned and private characters, half a flag, Hangul fillers,
// and the few characters that hide the next one or are wider than the width tables say. Invisible
// characters are dropped: bidirectional and other format controls, zero-width characters, variation
// selectors, joiners, line and paragraph separators, and tags. Skin tones are dropped, because
// terminals disagree on their widths. The fifth and further marks on a character are dropped too. Hangul syllables
// written in parts are composed. Tabs become spaces up to the next tab stop, or one space after
// column 4096.
//
// Line returns a clean line unchanged and without allocation. Line(Line(s)) equals Line(s).
func Line(s string) string { return Reading{}.Line(s) }

// Text is like [Line], but each tab becomes one space, and blanks at both ends are removed. It is
// used for names, titles and error texts.
func Text(s string) string { return Reading{}.Text(s) }

// dottedCircle is inserted before a combining mark that has no base character.
const dottedCircle = "\u25cc"

// countPrintable returns the number of printable ASCII octets at the beginning of s.
func countPrintable(s string) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := s[i : i+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		// The expression sets the high bit of each octet that is below 0x20 or above 0x7e.
		if (x|(x-ones*0x20)|(x+ones))&highs != 0 {
			break
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] < 0x7f {
		i++
	}
	return i
}

// treatment says how a character is shown.
type treatment uint8

const (
	keep treatment = iota
	mark           // keep, up to maxMarks in a row
	flag           // half of a flag: keep a pair, replace a single half with U+FFFD
	drop
	replace // replace with U+FFFD
	picture // replace with the symbol of the control character
	tab
)

// treatmentCache caches treatments, because searching the Unicode tables is slow.
type treatmentCache struct {
	seen [64]struct {
		r rune
		v treatment
	}
}

// get returns the treatment of r.
func (j *treatmentCache) get(r rune) treatment {
	v, ok := treatCommon(r)
	if !ok {
		known := &j.seen[r%64]
		if known.r != r {
			known.r, known.v = r, treatRare(r)
		}
		v = known.v
	}
	return v
}

// makeSafe returns s, which is valid UTF-8, without unsafe characters. If the parameter line is
// true, a tab becomes spaces up to the next tab stop, otherwise one space. The parameter joiners says which
// invisible characters stay.
func makeSafe(s string, line bool, joiners Joiners) string {
	var j treatmentCache
	marks, last := maxMarks, rune(0) // maxMarks, because a mark at the beginning has no base character
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		v := j.get(r)
		switch {
		case v == keep:
			marks = 0
		case v == mark && marks < maxMarks && !canCompose(last, r):
			marks++
		case v == flag && isFlag(s[i+size:]):
			marks = 0
			size += size
		default:
			return j.rewrite(s, i, marks, line, joiners)
		}
		last = r
		i += size
	}
	return s
}

// rewrite cleans s from octet i on. The text before i is clean, and its last character has the
// given number of marks.
func (j *treatmentCache) rewrite(s string, i, marks int, line bool, joiners Joiners) string {
	b := append(make([]byte, 0, len(s)+min((tabStop-1)*strings.Count(s, "\t"), maxTabColumn)+16), s[:i]...)
	var tabs tabStops
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		v := j.get(r)
		if v != mark && v != drop {
			marks = 0
		}
		switch v {
		case drop:
			if joiners.keeps(b, r, s[i+size:]) {
				b = append(b, s[i:i+size]...)
			}
		case keep:
			b = append(b, s[i:i+size]...)
		case mark:
			b, marks = appendMark(b, r, marks)
		case flag:
			if isFlag(s[i+size:]) {
				size += size
				b = append(b, s[i:i+size]...)
			} else {
				b = utf8.AppendRune(b, utf8.RuneError)
			}
		case replace:
			b = utf8.AppendRune(b, utf8.RuneError)
		case picture:
			b = utf8.AppendRune(b, symbol(r))
		case tab:
			if line {
				b = tabs.append(b)
			} else {
				b = append(b, ' ')
			}
		}
		i += size
	}
	return string(b)
}

// tabStops contains the number of columns and octets of a line up to its last tab.
type tabStops struct{ column, octets int }

// append appends the spaces for a tab to the line b.
func (t *tabStops) append(b []byte) []byte {
	n := 1
	if t.column < maxTabColumn {
		t.column += displaywidth.Bytes(b[t.octets:])
		n = tabStop - t.column%tabStop
	}
	b = append(b, "        "[:n]...)
	t.column, t.octets = t.column+n, len(b)
	return b
}

// appendMark appends the mark r to b. The last character of b has the given number of marks.
// appendMark returns the new text and the new number of marks.
func appendMark(b []byte, r rune, marks int) ([]byte, int) {
	if len(b) == 0 {
		b, marks = append(b, dottedCircle...), 0
	}
	if last, size := utf8.DecodeLastRune(b); canCompose(last, r) {
		return utf8.AppendRune(b[:len(b)-size], compose(last, r)), 0
	}
	if marks == maxMarks {
		return b, marks
	}
	return utf8.AppendRune(b, r), marks + 1
}

// The Hangul syllables and their parts (The Unicode Standard, section 3.12).
const (
	syllables, leads, vowels, finals = 0xac00, 0x1100, 0x1161, 0x11a7
	nVowels, nFinals                 = 21, 28
)

// canCompose reports whether a and b are parts of one Hangul syllable. File names on macOS contain
// syllables in parts, and terminals disagree on the width of the parts.
func canCompose(a, b rune) bool {
	switch {
	case b < vowels || b >= finals+nFinals:
		return false
	case b < vowels+nVowels:
		return a >= leads && a < leads+19
	}
	return b > finals && a >= syllables && a < syllables+19*nVowels*nFinals && (a-syllables)%nFinals == 0
}

// compose returns the Hangul syllable of two parts.
func compose(a, b rune) rune {
	if b > finals {
		return a + b - finals
	}
	return syllables + ((a-leads)*nVowels+b-vowels)*nFinals
}

// isFlag reports whether s begins with half of a flag.
func isFlag(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0x1f1e6 && r <= 0x1f1ff
}

// symbol returns the control picture of a C0 control or DEL.
func symbol(r rune) rune {
	if r == 0x7f {
		return '\u2421'
	}
	return '\u2400' + r
}

// treatCommon returns the treatment of a common character. ok is false for any other character. The
// ranges beyond ASCII only save time: treatRare keeps these characters too.
func treatCommon(r rune) (v treatment, ok bool) {
	switch {
	case r >= ' ' && r < 0x7f:
		return keep, true
	case r == '\t':
		return tab, true
	case r <= 0x7f:
		return picture, true
	case r >= 0xa0 && r < 0x300 && r != 0xad, r >= 0x2500 && r < 0x27c0, r >= 0x3041 && r <= 0x3096,
		r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3, r >= 0x1f300 && r < 0x1f3fb, r >= 0x1f400 && r < 0x1f650:
		return keep, true
	}
	return 0, false
}

func treatRare(r rune) treatment {
	switch {
	case r == 0x2028, r == 0x2029, r == 0x34f, r == 0x17b4, r == 0x17b5, r >= 0x1f3fb && r <= 0x1f3ff,
		unicode.Is(unicode.Variation_Selector, r):
		return drop
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0:
		return replace // Hangul fillers are invisible
	case unicode.Is(disputed, r):
		return replace
	case r >= 0x1f1e6 && r <= 0x1f1ff:
		return flag
	case isMark(r):
		return mark
	case unicode.Is(unicode.Cf, r):
		if unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
			return replace // visible, but hides the next character
		}
		return drop
	case unicode.IsGraphic(r):
		return keep
	}
	return replace
}

// disputed contains the characters that common terminals show wider than the width tables say. Text
// after such a character would cross the edge of the screen. They are some signs of several cells,
// the stems of musical notes, and letters of a few Indic scripts that join with the next letter.
var disputed = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0xcf3, Hi: 0xcf3, Stride: 1}, {Lo: 0xd4e, Hi: 0xd4e, Stride: 1}, {Lo: 0x2e3a, Hi: 0x2e3b, Stride: 1}, {Lo: 0x3248, Hi: 0x324f, Stride: 1}},
	R32: []unicode.Range32{
		{Lo: 0x111c2, Hi: 0x111c3, Stride: 1},
		{Lo: 0x113d1, Hi: 0x113d1, Stride: 1},
		{Lo: 0x1171e, Hi: 0x1171e, Stride: 1},
		{Lo: 0x1193f, Hi: 0x1193f, Stride: 1},
		{Lo: 0x11941, Hi: 0x11941, Stride: 1},
		{Lo: 0x11a3a, Hi: 0x11a3a, Stride: 1},
		{Lo: 0x11a84, Hi: 0x11a89, Stride: 1},
		{Lo: 0x11d46, Hi: 0x11d46, Stride: 1},
		{Lo: 0x11f02, Hi: 0x11f02, Stride: 1},
		{Lo: 0x1d165, Hi: 0x1d166, Stride: 1},
		{Lo: 0x1d16d, Hi: 0x1d172, Stride: 1},
	},
}

// isMark reports whether r combines with the character before it.
func isMark(r rune) bool { return unicode.In(r, jamo, unicode.M) }

// jamo contains the vowels and finals of Hangul syllables. They have no width.
var jamo = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x1161, Hi: 0x11ff, Stride: 1}, {Lo: 0xd7b0, Hi: 0xd7c6, Stride: 1}, {Lo: 0xd7cb, Hi: 0xd7fb, Stride: 1},
}}

// IsPrintable reports whether a terminal shows r as a character and does nothing else. It is false for a tab.
func IsPrintable(r rune) bool {
	v, ok := treatCommon(r)
	if !ok {
		v = treatRare(r)
	}
	return v == keep || v == mark || v == flag
}
