package ui

import (
	"strings"
	"testing"
)

// TestHelpSentencesFit checks that few sentences of the help wrap on a wide screen: at most a fifth of the
// rows continue the previous row.
func TestHelpSentencesFit(t *testing.T) {
	for _, width := range []int{120, 132, 160} {
		d := drive(t, library(), Options{}, width, 43)
		d.press("?")
		wrapped, rows := 0, 0
		for row := range strings.Lines(d.page()) {
			cells := []rune(strings.TrimRight(row, "\n"))
			columns := [][]rune{cells}
			if width >= 132 {
				half := min(width/2, len(cells))
				columns = [][]rune{cells[:half], cells[half:]}
			}
			for _, c := range columns {
				if text := string(c); strings.TrimSpace(text) != "" {
					rows++
					if strings.HasPrefix(text, strings.Repeat(" ", 10)) { // no key
						wrapped++
					}
				}
			}
		}
		if rows < 30 || wrapped*5 > rows {
			t.Errorf("%d columns: %d of %d rows continue a sentence:\n%s", width, wrapped, rows, d.screen())
		}
	}
}
