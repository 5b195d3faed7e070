package cell

import (
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/testbed/fetchtest"
)

// TestTiles checks that tiled text takes the same number of cells for Lip Gloss as for Cells, and that a wide character that
// was divided becomes a blank.
func TestTiles(t *testing.T) {
	for _, method := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
		for _, s := range []string{
			"plain", "a\x1b[1m世界\x1b[m\n世", "\x1b]8;;http://h/\x1b\\é e\u0301\x1b]8;;\x1b\\", "x👍🏽y 🇩🇪", strings.Repeat("क्", 50),
			"\U000f0000\U000f0001",
		} {
			tiles := Tiles{Cells: Cells{Method: method}}
			tiled := tiles.Tile(s)
			fetchtest.Equal(t, tiles.Untile(tiled), s, "%v: text", method)
			for i, line := range strings.Split(s, "\n") {
				want := 0
				for rest := ansi.Strip(line); rest != ""; {
					n, w := tiles.Cells.Next(rest)
					want, rest = want+w, rest[n:]
				}
				fetchtest.Equal(t, lipgloss.Width(strings.Split(tiled, "\n")[i]), want, "%v: width of %q", method, line)
			}
		}
	}
	tiles := Tiles{}
	runes := []rune(tiles.Tile("世界"))
	fetchtest.Equal(t, tiles.Untile(string(runes[:3])), "世 ", "without the last cell")
	fetchtest.Equal(t, tiles.Untile(string(runes[1:])), " 界", "without the first cell")
}
