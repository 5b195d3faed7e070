package download

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// legible returns a name without invisible characters, and with one blank in place of several. Otherwise these
// characters could move the end of a name, such as ".exe", out of sight. Octets that are not UTF-8 stay.
func legible(name string) string {
	var b strings.Builder
	blanks, start := 0, 0 // the number of blanks at the end of the name so far, and the offset of the first one
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		switch {
		case isInvisible(r):
		case isBlank(r):
			if blanks == 0 {
				start = i
			}
			blanks++
		default:
			writeBlank(&b, name[start:], blanks)
			blanks = 0
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	writeBlank(&b, name[start:], blanks)
	return b.String()
}

// isLegible reports whether legible has nothing to change in a name but a few spaces, which keep the end in sight.
func isLegible(name string) bool {
	plain := strings.NewReplacer("   ", " ", "  ", " ").Replace(name)
	return !strings.Contains(name, "    ") && legible(plain) == plain
}

// writeBlank writes one blank if n is not 0. A single blank, with which the parameter rest begins, stays unless it is of
// emptySigns.
func writeBlank(b *strings.Builder, rest string, n int) {
	if n == 0 {
		return
	}
	r, size := utf8.DecodeRuneInString(rest)
	if n > 1 || !unicode.Is(unicode.Zs, r) {
		rest, size = " ", 1
	}
	b.WriteString(rest[:size])
}

func isBlank(r rune) bool { return r == '\t' || unicode.In(r, unicode.Z, emptySigns) }

// isInvisible reports whether r has no sign of its own: Default_Ignorable_Code_Point of The Unicode Standard, and format
// characters.
func isInvisible(r rune) bool {
	return r != utf8.RuneError && r > 0x7f && unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, fillers)
}

// emptySigns contains letters and symbols whose sign is empty: the braille pattern without dots, blank hieroglyphs and
// the null notehead.
var emptySigns = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x13441, Hi: 0x13442, Stride: 1}, {Lo: 0x1d159, Hi: 0x1d159, Stride: 1}},
}

// fillers contains the marks that only fill a place in a cluster, and the blocks that Unicode reserves for characters of
// this kind.
var fillers = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0xfff0, Hi: 0xfff8, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x16fe4, Hi: 0x16fe4, Stride: 1}, {Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}},
}
