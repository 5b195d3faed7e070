package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/ask"
)

// TestBoxOverPage checks that the box of a list leaves the page beside it as it is, also where its edge divides a wide
// character, and that a small screen has no box.
func TestBoxOverPage(t *testing.T) {
	w := web{}
	var lines []protocols.Line
	for range 40 {
		lines = append(lines, info(strings.Repeat("世界", 35)+" 👍🏽 e\u0301 end"))
	}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "", lines...)
	for _, size := range []struct {
		width, height int
		box           bool
	}{{160, 40, true}, {161, 40, true}, {60, 16, true}, {59, 24, false}, {80, 12, false}} {
		d := drive(t, w, Options{}, size.width, size.height)
		before := strings.Split(ansi.Strip(d.View().Content), "\n")
		d.press(":")
		after := strings.Split(ansi.Strip(d.View().Content), "\n")
		left, right := 0, 0
		for y, row := range after {
			if n := d.tab.Pager.Cells.Width(row); n > size.width {
				t.Errorf("%d by %d: row %d takes %d cells: %q", size.width, size.height, y, n, row)
			}
			if i := strings.LastIndex(row, "│"); strings.HasPrefix(row, "│") && i > 0 {
				left++
				if rest := strings.TrimSpace(row[i+len("│"):]); rest != "" && strings.HasSuffix(strings.TrimSpace(before[y]), rest) {
					right++
				}
			}
		}
		fetchtest.Equal(t, left > 0, size.box, "%d by %d: has a box", size.width, size.height)
		if size.width >= 160 {
			fetchtest.Equal(t, right, left, "%d by %d: rows of the page beside the box", size.width, size.height)
		}
	}
}

// TestFormInBox checks that the cursor is in the open field of a form in a box, and that a click opens a field.
func TestFormInBox(t *testing.T) {
	d := drive(t, library(), Options{}, 80, 24)
	d.tab.AskHere(ask.NewForm(ask.Head{Title: "A form"}, "Save", ask.Field{Label: "Title"}, ask.Field{Label: "Tags"}))
	d.drawn = false
	for _, label := range []string{"Title", "Tags"} {
		row, column := 0, 0
		for y, s := range strings.Split(ansi.Strip(d.View().Content), "\n") {
			if before, _, ok := strings.Cut(s, label+" "); ok && strings.HasPrefix(s, "│") {
				row, column = y, ansi.StringWidth(before)
			}
		}
		d.click(column, row)
		d.press("ctrl+u").press("x")
		cursor := d.View().Cursor
		if cursor == nil {
			t.Fatalf("%s: no cursor", label)
		}
		line := strings.Split(ansi.Strip(d.View().Content), "\n")[cursor.Y]
		fetchtest.Equal(t, cursor.Y, row, "row of the cursor in %s", label)
		if typed := ansi.Truncate(line, cursor.X, ""); !strings.HasSuffix(typed, "[x") {
			t.Errorf("%s: %q is before the cursor, want the typed text", label, typed)
		}
	}
}

// TestLongValueInBox checks that a proposed text is not cut beside empty cells.
func TestLongValueInBox(t *testing.T) {
	long := strings.Repeat("0123456789", 10)
	for width, shown := range map[int]string{160: "[" + long + " ]", 80: "[" + long[:50]} {
		d := drive(t, library(), Options{}, width, 24)
		d.tab.AskHere(ask.NewForm(ask.Head{Title: "A form"}, "Save", ask.Field{Label: "Title"}, ask.Field{Label: "URL", Value: long}))
		d.drawn = false
		d.wantShown(shown)
	}
}
