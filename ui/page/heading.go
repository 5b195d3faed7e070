package page

import (
	"strings"
	"unicode"

	"gofer/protocols"
)

// maxHeading is the largest length of a heading in octets.
const maxHeading = 60

// isHeading reports whether line i of a menu is a heading. A heading is a short title, perhaps between
// horizontal rules. It is above a link, and below a blank line or at the top of the page.
func (v *Pager) isHeading(i int, line *protocols.Line) bool {
	if v.layout() != protocols.LayoutMenu || line.Kind != protocols.Info || !isTitle(line.Text) {
		return false
	}
	below, above := i+1, i-1
	if text := v.infoText(below); text == "" || isRule(text) {
		below++
	}
	if isRule(v.infoText(above)) {
		above--
	}
	return below < v.Page.Lines.Len() && v.Page.Lines.HasLink(below) && (above < 0 || v.infoText(above) == "")
}

// infoText returns the text of line i if it is an information line, else "none".
func (v *Pager) infoText(i int) string {
	if i < 0 || i >= v.Page.Lines.Len() {
		return "none"
	}
	line := v.Page.Lines.WithoutLink(i)
	if line.Kind != protocols.Info {
		return "none"
	}
	return strings.TrimSpace(line.Text)
}

// isRule reports whether text is a horizontal rule: it is not empty and has no letters.
func isRule(text string) bool { return text != "" && !strings.ContainsFunc(text, unicode.IsLetter) }

// isTitle reports whether text may be the title of a group of links. Such a text is short, and neither
// a sentence nor a drawing.
func isTitle(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxHeading || strings.ContainsAny(text[len(text)-1:], ".,") || strings.Contains(text, "   ") {
		return false
	}
	isSign := func(r rune) bool { return r != ' ' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	text = strings.TrimFunc(text, isSign)
	signs := 0
	for _, r := range text {
		if isSign(r) {
			signs++
		}
	}
	return len(text) >= 2 && signs*5 <= len(text)
}
