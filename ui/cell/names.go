package cell

import "strings"

// QuestionRows breaks a question into rows of at most width cells. The question consists of the
// parameters title and keys. Names are the parts of title in quotation marks. QuestionRows uses at
// most minRows rows if each name then has at least MinNameWidth cells, and otherwise as many rows as
// that takes, up to maxRows. It shortens hosts only if the question does not fit otherwise. If the
// question does not fit even then, the result is nil.
func (c Cells) QuestionRows(title, keys string, width, minRows, maxRows int, mark string) (rows []string) {
	longest := max(width-len(`""?`), 2) // greatest width of a name without the quotation marks and the question mark
	names, hosts := min(MinNameWidth, longest), longest
	fits := func(names, maxRows int) bool {
		rows = c.NameRows(c.cutNames(title, names, hosts, mark)+keys, width)
		return len(rows) <= maxRows
	}
	for !fits(names, maxRows) {
		switch {
		case hosts > MinNameWidth:
			hosts--
		case names > 2:
			names--
		default:
			return nil
		}
	}
	maxRows = max(len(rows), min(minRows, maxRows))
	for wider := longest; wider > names; wider-- {
		if fits(wider, maxRows) {
			return rows
		}
	}
	fits(names, maxRows)
	return rows
}

// FitNames returns a text that is shortened to at most width cells, and its width. FitNames first shortens
// names, the parts in quotation marks, by cutting their middle. Then it shortens the hosts, and at last it
// leaves out words.
func (c Cells) FitNames(text string, width int, mark string) (string, int) {
	for names, hosts := max(width, 2), max(width, 2); ; {
		short := c.cutNames(text, names, hosts, mark)
		switch n := c.Width(short); {
		case n <= width:
			return short, n
		case names > MinNameWidth:
			names--
		case hosts > MinNameWidth:
			hosts--
		case names > 2:
			names--
		default:
			return c.Shorten(text, width, mark)
		}
	}
}

// cutNames shortens the names in quotation marks to nameWidth cells. It shortens hosts and paths
// outside of quotation marks to hostWidth cells, but not below MinNameWidth.
func (c Cells) cutNames(text string, nameWidth, hostWidth int, mark string) string {
	parts := strings.Split(text, `"`)
	for i, part := range parts {
		if i%2 == 1 {
			parts[i], _ = c.ShortenMiddle(part, nameWidth, mark)
			continue
		}
		words := strings.Split(part, " ")
		for k, word := range words {
			if n := c.Width(word); n > maxWordWidth || isName(word) {
				words[k], _ = c.ShortenMiddle(word, max(hostWidth, MinNameWidth), mark)
			}
		}
		parts[i] = strings.Join(words, " ")
	}
	return strings.Join(parts, `"`)
}

// NameRows breaks a text into rows of at most width cells. It does not break at a blank in quotation
// marks, because the rest of the name could look like gofer's words.
func (c Cells) NameRows(text string, width int) []string {
	parts := strings.Split(text, `"`)
	for i := 1; i < len(parts); i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], " ", "_")
	}
	return splitRows(text, c.Wrap(strings.Join(parts, `"`), width, 0))
}

// splitRows returns the rows of text. The parameter starts has the offset of each row.
func splitRows(text string, starts []int) (rows []string) {
	for i := range starts {
		rows = append(rows, Row(text, starts, i))
	}
	return rows
}
