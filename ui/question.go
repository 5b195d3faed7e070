package ui

import "strings"

// questionRows are the rows of the question that is asked, the last one in the
// status line, the others over the page; nil where none is asked. All of gofer's own
// words are there, and the keys that answer it.
func (m *Model) questionRows() []string {
	p := m.prompt
	if p == nil || p.yes == nil || m.width <= 0 {
		return nil
	}
	c, width := m.pager.cells, m.width-2*margin(m.width)
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
		if rows := c.layOut(p.title+" "+p.reason, keys, width, least, m.height/2, m.glyphs.cut); rows != nil {
			return rows
		}
	}
	rows := c.layOut(p.title, keys, width, least, max(m.height-1, 1), m.glyphs.cut) // the URL stays in sight
	if rows == nil {
		text, _ := c.shorten(p.title, width-c.width(keys), m.glyphs.cut)
		rows = c.nameRows(text+keys, width)
	}
	return rows
}

// layOut breaks a question into rows of at most width cells: into least of them if the
// names fit when leastWord cells are left of each, else into as many as they need. Hosts
// are shortened only if most rows do not suffice. It returns nil if the question needs
// more rows than most even then.
func (c cells) layOut(title, keys string, width, least, most int, mark string) (rows []string) {
	longest := max(width-len(`""?`), 2) // of a name, which is one word with its quotation marks
	names, hosts := min(leastWord, longest), longest
	fits := func(names, most int) bool {
		rows = c.nameRows(c.cutNames(title, names, hosts, mark)+keys, width)
		return len(rows) <= most
	}
	for !fits(names, most) {
		switch {
		case hosts > leastWord:
			hosts--
		case names > 2:
			names--
		default:
			return nil
		}
	}
	most = max(len(rows), min(least, most))
	for wider := longest; wider > names; wider-- {
		if fits(wider, most) {
			break
		}
	}
	if len(rows) > most {
		fits(names, most)
	}
	return rows
}

// fitNames returns a text in one row of width cells and how many it takes. Its names lose
// of their middle what has no room, then its hosts, and only then words are left out.
func (c cells) fitNames(text string, width int, mark string) (string, int) {
	for names, hosts := max(width, 2), max(width, 2); ; {
		short := c.cutNames(text, names, hosts, mark)
		switch n := c.width(short); {
		case n <= width:
			return short, n
		case names > leastWord:
			names--
		case hosts > leastWord:
			hosts--
		case names > 2:
			names--
		default:
			return c.shorten(text, width, mark)
		}
	}
}

// cutNames shortens the names in a text, which are in quotation marks, to at most names
// cells, and the hosts and paths outside the marks to hosts cells, but not below
// leastWord.
func (c cells) cutNames(text string, names, hosts int, mark string) string {
	parts := strings.Split(text, `"`)
	for i, part := range parts {
		if i%2 == 1 {
			parts[i], _ = c.middle(part, names, mark)
			continue
		}
		words := strings.Split(part, " ")
		for k, word := range words {
			if n := c.width(word); n > longWord || isName(word) {
				words[k], _ = c.middle(word, max(hosts, leastWord), mark)
			}
		}
		parts[i] = strings.Join(words, " ")
	}
	return strings.Join(parts, `"`)
}

// nameRows breaks a text between gofer's own words into rows of at most width cells. A
// name in quotation marks is one word: no row begins within it, as if it were gofer's.
func (c cells) nameRows(text string, width int) []string {
	parts := strings.Split(text, `"`)
	for i := 1; i < len(parts); i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], " ", "_")
	}
	return split(text, c.wrap(strings.Join(parts, `"`), width, 0))
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
