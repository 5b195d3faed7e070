package ask

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"gofer/internal/picture"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/ui/cell"
)

// texts returns the shown choices, joined by commas.
func (l *List) texts() string {
	var all []string
	for _, m := range l.visible {
		all = append(all, l.Choices[m.index].Text)
	}
	return strings.Join(all, ",")
}

func TestNarrowedList(t *testing.T) {
	actions := []Choice{
		{Text: "page down", About: "one screen down"},
		{Text: "previous link"},
		{Text: "down"},
		{Text: "Download", About: "Schöne Grüße"},
		{Text: "pan left", Keys: []string{"Left", "Alt-j"}},
		{Text: "narrow", About: "j", Keys: []string{"]", "J"}},
		{Text: "turn", Keys: []string{"j"}},
	}
	for _, tt := range []struct {
		typed   string
		ordered bool
		want    string
	}{
		{"", false, "page down,previous link,down,Download,pan left,narrow,turn"},
		{"down", false, "down,page down,Download"},
		{"DOWN", true, "down,page down,Download"},
		{"pd", false, "page down"},
		{"pd", true, ""},
		{"link prev", false, "previous link"},
		{"link prev", true, "previous link"},
		{"prl", false, "previous link"},
		{"screen", false, "page down"},
		{"d", true, "down,Download,page down"},
		{"n link", false, "previous link"},
		{"grüße", false, "Download"},
		{"nothing at all", false, ""},
		{"]", false, "narrow"},
		{"alt-j", true, "pan left"},
		{"Alt-", false, "pan left"},
		{"j", true, "turn,narrow"},
		{"J", false, "narrow,turn"},
		{"left", false, "pan left"},
	} {
		l := NewList(actions, tt.ordered, 0)
		l.Narrow(tt.typed)
		fetchtest.Equal(t, l.texts(), tt.want, "%q", tt.typed)
	}
}

func TestMoveInList(t *testing.T) {
	l := NewList(make([]Choice, 5), true, 9)
	for i, tt := range []struct{ n, want int }{{0, 4}, {1, 0}, {-1, 4}, {-3, 1}, {-3, 0}, {10, 4}, {10, 4}, {1, 0}} {
		if l.move(tt.n); l.index != tt.want {
			t.Errorf("move %d: move(%d) selects choice %d, want %d", i, tt.n, l.index, tt.want)
		}
	}
	l.Narrow("x")
	l.move(1)
	if _, ok := l.Selected(); ok || l.positionText() != "" {
		t.Error("a choice of an empty list is selected")
	}
}

// rows returns n rows of a list as text. It adds "<<" to the selected row.
func (l *List) rows(width, n int) string {
	st, g := cell.NewStyles("dark", config.Colors{}, cell.DarkBackground, picture.TrueColor), cell.NewGlyphs(false, false)
	var b strings.Builder
	for _, row := range l.lines(&Screen{Styles: &st, Glyphs: &g}, n, width) {
		mark := ""
		if strings.Contains(row, "48;5;24") {
			mark = "<<"
		}
		fmt.Fprintf(&b, "%s|%s\n", ansi.Strip(row), mark)
	}
	return b.String()
}

func TestListRows(t *testing.T) {
	l := NewList([]Choice{
		{Text: "up", About: "one row up", Key: "Up k"},
		{Text: "a heading far below that is long", About: "left out", Depth: 2},
		{Text: "世界", About: "wide", Key: "Ctrl-L"},
	}, true, 1)
	for _, tt := range []struct {
		width, rows int
		want        string
	}{
		{
			60, 4,
			"   up                                    one row up    Up k |\n" +
				"█      a heading far below that is long  left out           |<<\n" +
				"   世界                                  wide        Ctrl-L |\n",
		},
		{24, 1, "█      a heading far b… |<<\n"},
	} {
		fetchtest.Equal(t, l.rows(tt.width, tt.rows), tt.want, "%d cells", tt.width)
	}
	l.move(1)
	if got := l.rows(40, 2); strings.Contains(got, "up") || !strings.Contains(got, "<<") {
		t.Errorf("the selected row is not on the screen:\n%s", got)
	}
}
