package about

import (
	"fmt"

	"gofer/protocols"
)

// keysWidth is the column of what keys do: a row is no wider than a screen of
// eighty columns. Keys that need more room push it to the right.
const keysWidth = 22

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
		lines = append(lines, text(fmt.Sprintf("%-*s  %s", keysWidth, k.Keys, k.Help)))
	}
	if len(c.Search) > 0 {
		lines = append(lines, text(""), heading("Search words"), text("Typed in the URL bar with words behind them; set in [search] of the settings."))
		for _, s := range c.Search {
			lines = append(lines, text(fmt.Sprintf("%-*s  %s", keysWidth, s.Name+" WORDS", s.Template)))
		}
	}
	lines = append(lines, text(""), link("The start page", Page("home")))
	if c.Demo != nil {
		lines = append(lines, link("The tour", Page("demo")))
	}
	return lines
}
