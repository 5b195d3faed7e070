package main

import (
	"fmt"
	"strings"
	"testing"

	"gofer/ui"
)

// The README's cheat sheet is made from the table that the program uses.
func TestReadmeKeys(t *testing.T) {
	checkReadme(t, "keys", cheatSheet(ui.Keys(nil)))
}

// cheatSheet lists the keys of each section in two columns, in at most eighty
// characters a line; what needs more room has a line of its own.
func cheatSheet(keys []ui.KeyHelp) string {
	const column, keysWidth = 40, 19
	var b strings.Builder
	section, left := "", ""
	end := func() {
		if left != "" {
			b.WriteString(strings.TrimRight(left, " ") + "\n")
		}
		left = ""
	}
	for _, k := range keys {
		if k.Section != section {
			end()
			if section != "" {
				b.WriteString("\n")
			}
			section = k.Section
			b.WriteString(section + "\n")
		}
		labels := strings.Join(k.Keys, " ")
		entry := fmt.Sprintf("  %-*s  %s", keysWidth, labels, k.Name)
		switch {
		case len(labels) > keysWidth:
			end()
			b.WriteString(entry + "\n")
		case left == "":
			left = fmt.Sprintf("%-*s", column, entry)
		default:
			left += entry
			end()
		}
	}
	end()
	return b.String()
}
