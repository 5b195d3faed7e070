package about

import (
	"context"
	"fmt"
	"strings"

	"gofer/protocols"
)

// keysWidth is the width of the column of keys.
const keysWidth = 20

// helpPage returns the page with the key table. The actions for pages of the kind in the query follow the
// general actions.
func (c *Client) helpPage(_ context.Context, r request) ([]protocols.Line, error) {
	var lines []protocols.Line
	if c.KeyPreset != "" {
		lines = append(lines, text("Preset: "+c.KeyPreset+` ("keys" in the settings)`))
	}
	lines = append(lines,
		actionLine("Go to a section", protocols.ActionOutline, r),
		actionLine("Run an action by its name", protocols.ActionList, r))
	var keys []Key
	if c.Keys != nil {
		keys = c.Keys(unescape(r.query))
	}
	group := ""
	for _, k := range keys {
		if k.Group != group {
			group = k.Group
			lines = append(lines, text(""), heading(group))
		}
		row, help := "", k.Help
		for _, key := range append(k.Keys, "") {
			if row != "" && (key == "" || len(row)+1+len(key) > keysWidth) {
				lines = append(lines, text(strings.TrimRight(fmt.Sprintf("%-*s  %s", keysWidth, row, help), " ")))
				row, help = "", ""
			}
			row = strings.TrimLeft(row+" "+key, " ")
		}
	}
	if len(c.Search) > 0 {
		lines = append(lines, text(""), heading("Search words"), text("Type one in the URL bar with words after it. [search] in the settings defines them."))
		for _, s := range c.Search {
			lines = append(lines, text(fmt.Sprintf("%-*s  %s", keysWidth, s.Name+" WORDS", s.Template)))
		}
	}
	lines = append(lines, text(""), link("The manual", Page("manual")), link("The start page", Page("home")))
	if c.StartDemo != nil {
		lines = append(lines, link("The tour", Page("tour")))
	}
	return lines, nil
}
