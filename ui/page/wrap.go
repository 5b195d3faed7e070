package page

import (
	"strings"
	"unicode"

	"gofer/internal/text/document"
	"gofer/protocols"
)

// Wrap says which long lines of a page are wrapped. The other lines are cut at the edge of the screen and
// panned.
type Wrap byte

// The lines that are wrapped.
const (
	WrapNone       Wrap = iota
	WrapParagraphs      // all but preformatted lines, and drawings in menus
	WrapAll
)

// Wrapping returns which long lines of the page are wrapped.
func (v *Pager) Wrapping() Wrap {
	if wrap, ok := v.WrapHost[v.Server]; ok {
		return wrap
	}
	switch {
	case v.IsProse():
		return v.WrapText
	case v.WrapLists == WrapNone && v.layout() == protocols.LayoutMenu && v.Width < protocols.DateScreen && !v.PanMenus:
		return WrapParagraphs
	}
	return v.WrapLists
}

// WrapsLines reports whether long lines of the page, or all but the preformatted ones, are wrapped.
func (v *Pager) WrapsLines() bool { return v.Wrapping() != WrapNone }

// NextWrap returns which lines the page wraps after the user has pressed the key for wrapping.
func (v *Pager) NextWrap() Wrap {
	switch v.Wrapping() {
	case WrapNone:
		return WrapParagraphs
	case WrapParagraphs:
		if v.MayBePreformatted() {
			return WrapAll
		}
	}
	return WrapNone
}

// MayBePreformatted reports whether lines of the page may be preformatted or drawings.
func (v *Pager) MayBePreformatted() bool {
	return v.layout() == protocols.LayoutMenu || v.Page != nil && v.Page.Drawing ||
		v.HasLinksInText() && (v.Page.Media == protocols.MediaArticle || document.IsHypertext(v.Page.Media))
}

// wrapsLine reports whether line i is wrapped. The parameter text is its text.
func (v *Pager) wrapsLine(i int, line *protocols.Line, text string) bool {
	var row protocols.Row
	if line.Note != nil {
		row = line.Note.Row()
	}
	switch wrap := v.Wrapping(); {
	case wrap != WrapParagraphs:
		return wrap == WrapAll
	case row.Verbatim || row.Hang > 0:
		return !row.Verbatim
	}
	return v.layout() != protocols.LayoutMenu || line.Kind != protocols.Info || v.Page.Lines.HasLink(i) || !v.isDrawn(i, text)
}

// maxFrame is the largest number of lines above a line of a menu that are read to find its frame.
const maxFrame = 50

// isDrawn reports whether line i of a menu belongs to a drawing or a table. A text in a frame of signs
// does.
func (v *Pager) isDrawn(i int, text string) bool {
	for n := 0; n < maxFrame && isFramed(text) && !isDrawing(text); n++ {
		i--
		text = v.infoText(i)
	}
	return isDrawing(text)
}

// isFramed reports whether text has the same sign at both ends, like a line in a frame.
func isFramed(text string) bool {
	text = strings.TrimSpace(text)
	n := len(text) - 1
	return n > 0 && strings.IndexByte("|!:*#+=~", text[0]) >= 0 && text[n] == text[0]
}

// isDrawing reports whether text looks like a row of a drawing or a table: it has few letters, is
// between vertical lines, or is arranged and has no sentence.
func isDrawing(text string) bool {
	letters, signs := 0, 0
	var first, last rune
	for _, r := range text {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			letters++
		case r != ' ':
			signs++
		}
		if r != ' ' {
			if last = r; first == 0 {
				first = r
			}
		}
	}
	return letters <= signs && signs > 0 || isVertical(first) && isVertical(last) && letters+signs > 1 || isArranged(text) && !hasSentence(text)
}

// isVertical reports whether r is a vertical line or another character for drawing.
func isVertical(r rune) bool { return r == '|' || r == '¦' || r >= '\u2500' && r <= '\u259f' }

// sentenceWords is the number of words, with one or two blanks between them, that are a sentence.
const sentenceWords = 8

// hasSentence reports whether text has as many words in a row as a sentence.
func hasSentence(text string) bool {
	for part := range strings.SplitSeq(text, "   ") {
		words := 0
		for word := range strings.FieldsSeq(part) {
			if !strings.ContainsFunc(word, unicode.IsLetter) {
				continue
			}
			if words++; words == sentenceWords {
				return true
			}
		}
	}
	return false
}
