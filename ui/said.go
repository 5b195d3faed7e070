package ui

import (
	"strings"

	"gofer/internal/text/clean"
	"gofer/ui/cell"
)

// saidInset indents the rows of a server's words after the first.
const saidInset = "  "

// saidRows returns at most most rows of the server's words about the field of the
// prompt, in quotation marks behind its name. Words that are too long are cut within the
// quotation marks. gofer's own words are in the rule above and in the prompt.
func (m *Model) saidRows(most int) []string {
	p := m.tab.prompt
	if p == nil || p.yes != nil || p.form != nil || p.list != nil || m.width <= 0 {
		return nil
	}
	words := p.said
	if said := p.fields[p.at].said; said != "" {
		words = said
	}
	return m.quoteRows(p.server, words, m.width-2*cell.Margin(m.width), most)
}

// saysText returns "HOST says:", with the host shortened to fit width cells.
func (m *Model) saysText(server string, width int) string {
	return m.glyphs.Host(clean.Host(server), width-len(" says: ")) + " says:"
}

// quoteRows lays out the words of a server in at most most rows of width cells. It
// returns nil if none of them fits.
func (m *Model) quoteRows(server, words string, width, most int) []string {
	c := m.tab.pager.Cells
	if words == "" {
		return nil
	}
	width = max(width-len(saidInset), 1)
	head := m.saysText(server, width) + " "
	for room := most*width - c.Width(head) - len(`""`); room > 0; room -= max(width/4, 1) {
		seen, _ := c.Fit(words, room, m.glyphs.Cut)
		text := head + clean.Quoted(seen)
		if rows := c.Lines(text, width); len(rows) <= most {
			rows[0] = strings.TrimRight(rows[0], " ")
			for i := range rows[1:] {
				rows[i+1] = saidInset + strings.TrimRight(rows[i+1], " ")
			}
			return rows
		}
	}
	return nil
}
