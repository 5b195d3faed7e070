package aids

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/nav"
	"gofer/protocols"
)

// ToggleRaw shows the octets of the page over the page, or goes back to the page.
func (a *Aids) ToggleRaw() tea.Cmd {
	p := a.program.Tab().Session.Page()
	if p != nil && p == a.program.Tab().Raw {
		return a.Back()
	}
	if p == nil || p.Layout == protocols.LayoutPage {
		return a.program.Notify("this page has no octets of a server")
	}
	raw := rawPage(p)
	if raw == nil {
		return a.program.Notify("the octets of this page are not kept: save it to see them")
	}
	a.program.Tab().Raw = raw
	a.pushOverlay(a.program.Tab(), raw)
	return nil
}

// rawLine is the largest number of octets in a line of a raw page.
const rawLine = 4096

// rawPage returns a page that shows the octets that the server sent for p, as far as they are kept. If no
// octets are kept, rawPage shows the lines of a text. For other pages without octets it returns nil.
func rawPage(p *nav.Page) *nav.Page {
	octets, all := p.Transcript.Received()
	if !isPageOctets(octets, p) {
		octets, all = nil, 0
	}
	if len(octets) == 0 && (p.Layout != protocols.LayoutText || p.Lines.Len() == 0) {
		return nil
	}
	raw := aboutPage(p.URL, "Raw")
	if len(octets) == 0 { // show the lines without their line ends
		for i := range p.Lines.Len() {
			raw.Lines.Append(protocols.Line{Text: clean.Octets(p.Lines.WithoutLink(i).Text)})
		}
		return raw
	}
	shown := int64(len(octets))
	for len(octets) > 0 {
		n := bytes.IndexByte(octets, '\n') + 1
		if n == 0 || n > rawLine {
			n = min(len(octets), rawLine)
		}
		raw.Lines.Append(protocols.Line{Text: clean.Octets(string(octets[:n]))})
		octets = octets[n:]
	}
	if shown < all {
		raw.Lines.Append(protocols.Line{}, protocols.Line{Kind: protocols.Quote, Text: fmt.Sprintf("The first %d of %d octets. Save the page to get all of them.", shown, all)})
	}
	return raw
}

// isPageOctets reports whether the parameter octets has the octets of p, and not a dialogue with the
// server. The octets of p must contain the first line of p that is not empty. Of a line of hypertext, they must
// contain half of the words.
func isPageOctets(octets []byte, p *nav.Page) bool {
	for i := range min(p.Lines.Len(), 100) {
		text := p.Lines.WithoutLink(i).Text
		if !document.IsHypertext(p.Media) {
			if text != "" {
				return bytes.Contains(octets, []byte(text))
			}
			continue
		}
		words, found := 0, 0
		for word := range strings.FieldsFuncSeq(text, isNoWord) {
			if words++; bytes.Contains(octets, []byte(word)) {
				found++
			}
		}
		if words > 0 {
			return 2*found >= words
		}
	}
	return len(octets) > 0
}

// isNoWord reports whether r is none of the letters and digits that hypertexts write as they are.
func isNoWord(r rune) bool {
	return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}
