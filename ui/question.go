package ui

import (
	"gofer/ui/cell"
)

// questionRows are the rows of the question that is asked, the last one in the
// status line, the others over the page; nil where none is asked. All of gofer's own
// words are there, and the keys that answer it.
func (m *Model) questionRows() []string {
	p := m.tab.prompt
	if p == nil || p.yes == nil || m.width <= 0 {
		return nil
	}
	c, width := m.tab.pager.Cells, m.width-2*cell.Margin(m.width)
	yes, no := m.keys.keyIn("question", "yes", "y"), "N"
	if !p.destructive { // Enter says yes
		if no = "n"; yes == "y" {
			yes = "Y"
		}
	}
	keys := " (" + yes + "/" + no + ")"
	least := 1
	if m.height >= ruledHeight {
		least = 2
	}
	if p.reason != "" {
		if rows := c.LayOut(p.title+" "+p.reason, keys, width, least, m.height/2, m.glyphs.Cut); rows != nil {
			return rows
		}
	}
	rows := c.LayOut(p.title, keys, width, least, max(m.height-1, 1), m.glyphs.Cut) // the URL stays in sight
	if rows == nil {
		text, _ := c.Shorten(p.title, width-c.Width(keys), m.glyphs.Cut)
		rows = c.NameRows(text+keys, width)
	}
	return rows
}
