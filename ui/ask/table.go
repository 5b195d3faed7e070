package ask

import (
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"gofer/ui/cell"
)

// The least size of a screen and of its page for boxes with a border. On a smaller screen the rows of a prompt have the whole
// width of the screen.
const minBoxWidth, minBoxRows = wideScreen, 12

// boxWidth returns the width of the rows in a box over the page, of which they need the given part; or 0 if the screen is too
// small for a box.
func (s *Screen) boxWidth(need int) int {
	if s.Width < minBoxWidth || s.Rows < minBoxRows {
		return 0
	}
	return min(max(need, minBoxWidth-2), s.Width-2)
}

// drawTable draws a table without borders whose columns have the given widths. The function selected reports whether a cell
// belongs to the selected choice.
func drawTable(s *Screen, rows [][]string, widths []int, selected func(row, col int) bool) []string {
	if len(rows) == 0 {
		return nil
	}
	tiles := cell.Tiles{Cells: s.Cells}
	t := table.New().Wrap(false).BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).
		StyleFunc(func(row, col int) lipgloss.Style {
			if selected(row, col) {
				return s.Styles.TintedCell.Width(widths[col])
			}
			return lipgloss.NewStyle().Width(widths[col])
		})
	for _, row := range rows {
		for i := range row {
			row[i] = tiles.Tile(row[i])
		}
		t.Row(row...)
	}
	return strings.Split(tiles.Untile(t.String()), "\n")
}
