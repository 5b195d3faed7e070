package about

import (
	"strings"
	"unicode/utf8"

	"gofer/protocols"
)

// The help is made for a screen of forty columns, and so reads well on any: the
// keys, and what they do in a column of its own; keys that need more room have
// a line for themselves.
const (
	helpIndent = 8
	helpWidth  = 37
)

func (c *Client) help() []protocols.Line {
	var lines []protocols.Line
	group := ""
	for _, k := range c.Keys {
		if k.Group != "" && k.Group != group {
			if len(lines) > 0 {
				lines = append(lines, text(""))
			}
			group = k.Group
			lines = append(lines, heading(group))
		}
		first := k.Keys
		n := helpIndent - utf8.RuneCountInString(first)
		if n < 2 {
			lines = append(lines, text(first))
			first, n = "", helpIndent
		}
		lines = append(lines, hanging(first+strings.Repeat(" ", n), k.Help)...)
	}
	lines = append(lines, text(""), link("The start page", Page("home")))
	if c.Demo != nil {
		lines = append(lines, link("The tour", Page("demo")))
	}
	return lines
}

// hanging are the words of s after first, those that need further lines under
// the first of them.
func hanging(first, s string) []protocols.Line {
	var lines []protocols.Line
	row, width := first, 0
	for word := range strings.FieldsSeq(s) {
		n := utf8.RuneCountInString(word)
		if width > 0 && helpIndent+width+1+n > helpWidth {
			lines = append(lines, text(row))
			row, width = strings.Repeat(" ", helpIndent), 0
		}
		if width > 0 {
			row, width = row+" ", width+1
		}
		row, width = row+word, width+n
	}
	return append(lines, text(row))
}
