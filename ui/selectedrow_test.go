package ui

import (
	"fmt"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"

	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// TestTheSelectedRow checks that each theme selects one row of a page, a list or the help: the cells of the row have
// another background than the terminal, from the first cell on, and the first cell has a mark that can be seen.
func TestTheSelectedRow(t *testing.T) {
	menu, group := item('1', "/"), urlcore.News{Group: "lab.threads"}
	for _, tt := range []struct {
		home   urlcore.URL
		width  int
		keys   string
		marked bool
		start  int // column where the row begins
	}{
		{menu, 80, "", true, 0},
		{menu, 80, "enter h", true, 0}, // a visited link
		{menu, 80, "# up", true, 0},
		{menu, 80, "'", false, 0}, // a label in place of the sign
		{menu, 11, "", false, 0},
		{file("pub"), 80, "# up", true, 0},
		{file("pub"), 40, "", true, 0},
		{group, 80, "", true, 0},
		{menu, 160, "?", true, 0},
		{menu, 80, "?", true, 0},
		{menu, 40, "?", true, 0},
		{menu, 80, ":", true, 1}, // in a box
		{menu, 40, "e", true, 0},
	} {
		for _, asciiOnly := range []bool{false, true} {
			d := drive(t, library(), Options{Home: tt.home, Config: config.Config{ASCII: asciiOnly}}, tt.width, 24)
			if tt.home == group {
				d.Model.tab.Session.Page().Lines.SetState(0, nav.New)
			}
			d.press(strings.Fields(tt.keys)...)
			for _, theme := range []string{"auto", "dark", "light", "terminal", "contrast", "colorblind"} {
				if asciiOnly && theme != "auto" && theme != "terminal" {
					continue
				}
				for _, colors := range []string{"all", "16", "none"} {
					for _, background := range []cell.Background{cell.DarkBackground, cell.LightBackground} {
						d.preview, d.fewColors, d.opts.NoColor = theme, colors == "16", colors == "none"
						d.restyle(background)
						d.drawn = false
						if why := faultInSelectedRow(d, tt.marked, tt.start); why != "" {
							t.Errorf("%s, %s colors, background %d, ASCII %v, %s at %d after %q: %s:\n%s",
								theme, colors, background, asciiOnly, tt.home, tt.width, tt.keys, why, d.screen())
						}
					}
				}
			}
		}
	}
}

// faultInSelectedRow says what is wrong with the selected row of the screen, or returns "".
func faultInSelectedRow(d *driver, marked bool, want int) string {
	emu := vt.NewEmulator(d.width, d.height)
	defer emu.Close()
	_, _ = emu.WriteString(strings.ReplaceAll(d.View().Content, "\n", "\r\n"))
	rows, start := 0, 0
	for y := d.regions().page; y < d.regions().foot; y++ {
		length := 0
		for x := range d.width {
			if _, paper := colorsIn(emu.CellAt(x, y)); paper == "background" {
				length = 0
				continue
			}
			if length++; length == cell.GutterWidth+2 { // longer than a sign or a label
				rows, start = rows+1, x-length+1
				if ink, paper := colorsIn(emu.CellAt(start, y)); marked && (ink == paper || emu.CellAt(start, y).Content == " ") {
					return "no mark before the selected row"
				}
			}
		}
	}
	switch {
	case rows != 1:
		return fmt.Sprintf("%d selected rows", rows)
	case start != want:
		return fmt.Sprintf("the selected row begins in column %d, want %d", start, want)
	}
	return ""
}

// colorsIn returns the colors of a cell: of its character and of the cell around it.
func colorsIn(c *uv.Cell) (ink, paper string) {
	ink, paper = "foreground", "background"
	if c.Style.Fg != nil {
		ink = fmt.Sprint(c.Style.Fg)
	}
	if c.Style.Bg != nil {
		paper = fmt.Sprint(c.Style.Bg)
	}
	if c.Style.Attrs&uv.AttrReverse != 0 {
		ink, paper = paper, ink
	}
	if c.Content == "█" {
		return "", ink
	}
	return ink, paper
}
