package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// pairWeb has two menus, each with a menu below it.
func pairWeb() web {
	w := web{}
	for _, name := range []string{"left", "right"} {
		w.addPage(item('1', "/"+name), protocols.LayoutMenu, "The "+name+" menu",
			link(protocols.Text, name+" one", item('0', "/"+name+"/1")), link(protocols.Menu, name+" two", item('1', "/"+name+"/2")))
		w.addPage(item('1', "/"+name+"/2"), protocols.LayoutMenu, "Below", link(protocols.Text, name+" deep", item('0', "/deep")))
	}
	return w
}

// drivePair returns a driver with the two menus of pairWeb in a pair.
func drivePair(t *testing.T, w web, width, height int) *driver {
	t.Helper()
	return drive(t, w, Options{Start: item('1', "/left").String(), Beside: item('1', "/right").String()}, width, height)
}

// column returns the rows of the screen from column x on, up to width cells.
func (d *driver) column(x, width int) string {
	var b strings.Builder
	for line := range strings.Lines(d.screen()) {
		row := []rune(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), " <<"))
		b.WriteString(string(row[min(x, len(row)):min(x+width, len(row))]) + "\n")
	}
	return b.String()
}

// TestPair checks that each tab of a pair has its own URL, cursor and history, and that Tab moves the focus.
func TestPair(t *testing.T) {
	d := drivePair(t, pairWeb(), 120, 24)
	left, right := d.column(0, 59), d.column(60, 60)
	for _, tt := range []struct{ name, rows, want, not string }{{"left", left, "left two", "right two"}, {"right", right, "right two", "left two"}} {
		if !strings.Contains(tt.rows, tt.want) || strings.Contains(tt.rows, tt.not) || !strings.Contains(tt.rows, "gopher.example.org/1/"+tt.name) {
			t.Errorf("the %s side:\n%s", tt.name, tt.rows)
		}
	}
	d.wantURL(item('1', "/left")).press("down", "tab").wantURL(item('1', "/right")).wantCurrent("right one")
	d.press("down", "enter").wantURL(item('1', "/right/2")).wantShown("left two", "right deep")
	d.press("tab").wantURL(item('1', "/left")).wantCurrent("left two")
	d.press("left").wantShown("no previous page")
	d.press("tab", "left").wantURL(item('1', "/right")).wantCurrent("right two")
	d.press("shift+tab").wantURL(item('1', "/right")).wantCurrent("right one") // moves the link
	d.press("ctrl+o").wantURL(item('1', "/right")).wantNotShown("left two")
	d.press("ctrl+o").wantURL(item('1', "/right")).wantShown("left two", "right two")
	d.press("esc").wantShown("left two", "right two")
}

// TestPairSizes checks where the second page of a pair is at each width of the screen.
func TestPairSizes(t *testing.T) {
	for _, tt := range []struct {
		width           int
		beside, stacked bool
	}{{100, true, false}, {99, false, true}, {60, false, true}, {59, false, false}} {
		d := drivePair(t, pairWeb(), tt.width, 24)
		beside, stacked := false, false
		for line := range strings.Lines(d.screen()) {
			beside = beside || strings.Contains(line, "left two") && strings.Contains(line, "right two")
			stacked = stacked || strings.Contains(line, "right two")
		}
		if beside != tt.beside || stacked && !beside != tt.stacked {
			t.Errorf("width %d: side by side %v, one above the other %v; want %v, %v:\n%s", tt.width, beside, stacked && !beside, tt.beside, tt.stacked, d.screen())
		}
		d.press("tab").wantURL(item('1', "/right")).wantShown("right two")
	}
}

// TestOpenPair checks what is shown beside the tab: the next tab, or else the item in the preview, or the same page.
func TestOpenPair(t *testing.T) {
	d := drive(t, pairWeb(), Options{Home: item('1', "/left")}, 120, 24)
	d.press("ctrl+o")
	fetchtest.Equal(t, strings.Count(d.screen(), "left two"), 2, "a single tab: the page is shown")
	d.press("W").wantNotShown("│").wantURL(item('1', "/left"))

	d.press("down", "p", "ctrl+o").wantURL(item('1', "/left"))
	d.press("tab").wantURL(item('1', "/left/2")).press("p").wantShown("two tabs are on the screen")
	d.press("ctrl+o", "]", "ctrl+o", "tab").wantURL(item('1', "/left/2")) // the last tab is beside the one before it
	d.press("T", "esc").wantNotShown("left deep")                         // a third tab has the whole screen
	d.press("[").wantShown("left two", "left deep")
}

// TestPairMouse checks that a click acts in the page under the pointer.
func TestPairMouse(t *testing.T) {
	d := drivePair(t, pairWeb(), 120, 24)
	click := func(x, y int) { d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click(70, 3)
	d.wantURL(item('1', "/right/2"))
	click(59, 3) // the border
	d.wantURL(item('1', "/right/2"))
	click(5, 3)
	d.wantURL(item('1', "/left/2"))
}

// TestKeysOfAPair checks that keys wait for the page of their own pane, and that Tab waits for none.
func TestKeysOfAPair(t *testing.T) {
	w := pairWeb()
	w.addStall(item('1', "/left/2"))
	d := drivePair(t, w, 120, 24).press("down")
	for _, k := range []string{"enter", "tab", "down"} {
		d.sendWithoutRun(keyPress(k)) // the load goes on
	}
	d.wantURL(item('1', "/right")).wantCurrent("right two")

	d = drivePair(t, pairWeb(), 120, 24).press("down")
	d.pressAtOnce("enter", "down", "tab", "down", "enter")
	d.wantURL(item('1', "/right/2")).press("tab").wantURL(item('1', "/left/2"))
}
