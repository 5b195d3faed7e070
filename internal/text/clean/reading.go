package clean

import (
	"strings"
	"unicode/utf8"

	"gofer/internal/text/charset"
)

// Reading contains the charset of the lines of a page. The zero value guesses the charset of each
// line.
type Reading struct {
	Charset  charset.Charset // charset of the lines that are not UTF-8
	AllLines bool            // Charset is the charset of all lines, even of those in UTF-8
	// Items finds the charset of each line or name, or is nil. If Items is not nil, Charset is the
	// charset of most lines that are not UTF-8.
	Items *charset.Items
	// Source is the charset from which the lines have been converted to UTF-8, or Auto. If Charset is another one, the
	// lines are read again in it.
	Source charset.Charset
	// Stripped makes Line remove control sequences. Otherwise Line shows their ESC as a symbol.
	Stripped bool
	Joiners  Joiners // invisible characters that Line keeps
}

// charsetOf returns the charset of one line.
func (r Reading) charsetOf(s string) charset.Charset {
	switch {
	case r.AllLines:
		return r.Charset
	case r.Items != nil:
		return r.Items.Of(s)
	}
	return r.Charset.OfLine(s)
}

// Decode decodes a line like [charset.Charset.Decode].
func (r Reading) Decode(s string) string {
	if r.Source != charset.Auto && utf8.ValidString(s) { // not a title, which has not been converted
		return r.Charset.Reread(s, r.Source)
	}
	return r.charsetOf(s).Decode(s)
}

// Line makes one line safe to show.
func (r Reading) Line(s string) string {
	if countPrintable(s) == len(s) {
		return s
	}
	if r.Stripped && hasEscape(s) {
		return r.strip(s, nil)
	}
	return makeSafe(r.Decode(s), true, r.Joiners)
}

// Text makes a name or a title safe to show.
func (r Reading) Text(s string) string {
	if countPrintable(s) == len(s) {
		return strings.TrimSpace(s)
	}
	s = strings.TrimSpace(makeSafe(r.Decode(s), false, 0))
	if r, _ := utf8.DecodeRuneInString(s); isMark(r) {
		s = dottedCircle + s
	}
	return s
}
