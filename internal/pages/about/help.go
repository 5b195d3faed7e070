package about

import (
	"fmt"

	"gofer/protocols"
)

// keysWidth is the least width of the column of keys, which is as wide as a
// group of keys needs. A row is no wider than a screen of eighty columns.
const keysWidth = 22

func (c *Client) help(first string) []protocols.Line {
	lines := []protocols.Line{
		{Text: "Go to a section", Note: protocols.ActionOutline},
		{Text: "Run an action by its name", Note: protocols.ActionList},
	}
	if c.KeyPreset != "" {
		lines = append([]protocols.Line{text("Preset: " + c.KeyPreset + ` ("keys" in the settings)`)}, lines...)
	}
	var keys []Key
	if c.Keys != nil {
		keys = c.Keys(first)
	}
	group, width := "", keysWidth
	for i, k := range keys {
		if k.Group != "" && k.Group != group {
			group = k.Group
			width = widthOf(keys[i:])
			lines = append(lines, text(""), heading(group))
		}
		lines = append(lines, text(fmt.Sprintf("%-*s  %s", width, k.Keys, k.Help)))
	}
	if len(c.Search) > 0 {
		lines = append(lines, text(""), heading("Search words"), text("Typed in the URL bar with words behind them; set in [search] of the settings."))
		for _, s := range c.Search {
			lines = append(lines, text(fmt.Sprintf("%-*s  %s", keysWidth, s.Name+" WORDS", s.Template)))
		}
	}
	lines = append(lines, text(""), link("The manual", Page("manual")), link("The start page", Page("home")))
	if c.Demo != nil {
		lines = append(lines, link("The tour", Page("demo")))
	}
	return lines
}

// widthOf is the width of the column for the group that keys begin with.
func widthOf(keys []Key) int {
	width := keysWidth
	for _, k := range keys {
		if k.Group != "" && k.Group != keys[0].Group {
			break
		}
		width = max(width, len(k.Keys))
	}
	return width
}
