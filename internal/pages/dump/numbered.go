package dump

import (
	"fmt"
	"strings"

	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/urlcore"
)

// FormatNumbered returns the text of line i of a page for screen readers and slow connections, and the
// links of the line. The text is as [Write] writes it in the format Text, but without columns
// and with a number in brackets before each link. The first link has the number n. The function line
// returns line i of the page, or false if there is none.
func FormatNumbered(h *protocols.Head, i, n int, line func(i int) (protocols.Line, bool), r clean.Reading) (text string, links []protocols.Hyperlink) {
	l, _ := line(i)
	p := textPrinter{layout: h.Layout, reading: &r}
	_ = p.head(*h)
	mark := func(u urlcore.URL, fragment string) string {
		links = append(links, protocols.Hyperlink{URL: u, Fragment: fragment})
		return fmt.Sprintf("[%d]", n+len(links)-1)
	}
	if h.Layout.IsDocument() && h.Layout != protocols.LayoutBinary && l.Link == nil {
		found, _ := document.TextLinks(h, &l, func(k int) (string, bool) {
			after, ok := line(i + k)
			return after.Text, ok
		})
		var b strings.Builder
		at := 0
		for _, f := range found {
			b.WriteString(l.Text[at:f.Start] + mark(f.URL, f.Fragment))
			at = f.Start
		}
		l.Text = b.String() + l.Text[at:]
		return p.formatText(&l), links
	}
	if h.Layout == protocols.LayoutMenu && l.Link == nil && l.Note == nil && (l.Kind == protocols.Info || l.Kind == protocols.Heading) {
		return strings.TrimRight(r.Line(l.Text), " "), nil // keep the width that the author chose
	}
	if l.Link == nil {
		text = strings.TrimRight(p.formatText(&l), " ")
		if h.Layout != protocols.LayoutPage && !h.Layout.IsDocument() {
			text = strings.TrimLeft(text, " ")
		}
		return text, nil
	}
	return mark(l.Link, l.Fragment()) + " " + p.spokenText(&l), links
}

// spokenText returns an item as a screen reader reads it: its text, then its known values.
func (p *textPrinter) spokenText(l *protocols.Line) string {
	text := strings.TrimSpace(p.reading.Line(l.Text))
	var known []string
	if p.layout != protocols.LayoutPage && !p.layout.IsDocument() {
		known = append(known, l.Kind.String())
	}
	if note := l.Note; note != nil {
		row := note.Row()
		if row.Text != "" {
			text = mimeheader.Text(*p.reading, row.Text)
		}
		if note == protocols.ActionMore {
			text, _, _ = strings.Cut(text, ": ") // the text after the colon says to press Enter, but here the user types the number
		}
		text = strings.Repeat("  ", min(row.Depth, 12)) + text
		if row.Target != "" {
			text += " -> " + p.reading.Text(row.Target)
		}
		for _, c := range note.Columns() {
			width := printedWidth(&c)
			if width == 0 {
				continue
			}
			value := strings.TrimSpace(p.formatValue(&c, width))
			if value == "" || value == "-" {
				continue
			}
			switch c.Value.(type) {
			case protocols.Octets:
				value += " octets"
			case int, int64, uint16, uint64:
				value = strings.TrimSpace(c.Head + " " + value)
			}
			known = append(known, value)
		}
		if row.Description != "" {
			known = append(known, p.reading.Text(row.Description))
		}
	}
	return strings.Join(append([]string{text}, known...), ", ")
}
