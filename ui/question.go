package ui

// questionRows are the rows of the question that is asked, the last one in the
// status line, the others over the page; nil where none is asked. The keys that
// answer it are always there.
func (m *Model) questionRows() []string {
	if m.prompt == nil || m.prompt.yes == nil || m.width <= 0 {
		return nil
	}
	c, width := m.pager.cells, m.width-2*margin(m.width)
	yes, no := m.keys.keyIn("question", "yes", "y"), "N"
	if !m.prompt.destructive { // Enter says yes
		if no = "n"; yes == "y" {
			yes = "Y"
		}
	}
	keys := " (" + yes + "/" + no + ")"
	room := width - c.width(keys)
	if m.height >= ruledHeight {
		room += width - leastWord // rows end between words
	}
	text, _ := c.shorten(short(m.prompt.title), room, m.glyphs.cut)
	return split(text+keys, c.wrap(text+keys, width, 0))
}

// split cuts text at those octets.
func split(text string, at []int) []string {
	var rows []string
	for i, from := range at {
		to := len(text)
		if i+1 < len(at) {
			to = at[i+1]
		}
		rows = append(rows, text[from:to])
	}
	return rows
}
