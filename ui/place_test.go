package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestPlaceCountsRows checks that the position in the status line counts all rows, even those without
// a link.
func TestPlaceCountsRows(t *testing.T) {
	w := web{}
	var lines []protocols.Line
	for i := range 100 {
		l := info(fmt.Sprintf("row %d", i+1))
		if i%40 == 9 {
			l = link(protocols.Text, l.Text, item('0', fmt.Sprint("/", i)))
		}
		lines = append(lines, l)
	}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "rows", lines...)
	d := drive(t, w, Options{}, 80, 24) // the page area of the screen has 20 rows
	d.wantShown(" 10/100 ")
	for _, want := range []string{" 10/100 ", " 11/100 ", " 12/100 "} {
		d.wantShown(want)
		for strings.Contains(d.screen(), want) {
			d.press("down")
		}
	}
	d.wantShown(" 13/100 ")
	d.press("end").wantShown(" 90/100 ")
	d.press("home").wantShown(" 10/100 ")
}

// TestPlaceAfterResize enlarges the screen, so that the first link of the page is visible and selected, and
// makes it small again. The page must stay at its top, unless a key has moved the cursor, which must stay
// visible.
func TestPlaceAfterResize(t *testing.T) {
	w := web{}
	var lines []protocols.Line
	for i := range 60 {
		l := info(fmt.Sprintf("row %d", i+1))
		if i >= 30 {
			l = link(protocols.Text, l.Text, item('0', fmt.Sprint("/", i)))
		}
		lines = append(lines, l)
	}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "rows", lines...)
	small, large := tea.WindowSizeMsg{Width: 80, Height: 24}, tea.WindowSizeMsg{Width: 80, Height: 50}
	d := drive(t, w, Options{}, small.Width, small.Height)
	d.send(large).wantCursor(30).send(small).wantShown("row 1\n")
	d.send(large).press("down").wantCursor(31).send(small).wantShown("row 32 ")
}

// TestMouseKey checks that M turns the mouse on and off.
func TestMouseKey(t *testing.T) {
	d := drive(t, library(), Options{}, 80, 24)
	for _, want := range []tea.MouseMode{tea.MouseModeCellMotion, tea.MouseModeNone} {
		d.press("M")
		fetchtest.Equal(t, d.View().MouseMode, want, "mouse mode")
		d.wantShown("the mouse s", "; M lets it s")
	}
}

// TestPaneWaitsOnNewPage checks that the pane fetches nothing for a new page until a key is
// pressed.
func TestPaneWaitsOnNewPage(t *testing.T) {
	w := library()
	fetched := 0
	w.addPage(item('1', "/phlogs"), protocols.LayoutMenu, "Phlogs", link(protocols.Text, "first", item('0', "/first")), link(protocols.Text, "second", item('0', "/second")))
	for _, at := range []string{"/first", "/second"} {
		w.addText(item('0', at), at, "the text of "+at+"\n")
		open := w[item('0', at)]
		w[item('0', at)] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			fetched++
			return open(ctx, req)
		}
	}
	d := drive(t, w, Options{}, 80, 24)
	d.after = func(_ time.Duration, msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }
	d.press("p", "enter").wantShown("move the cursor")
	if fetched != 0 {
		t.Errorf("%d items fetched before a key, want none", fetched)
	}
	d.press("down").wantShown("the text of /second")
	d.press("backspace", "enter")
	if d.wantNotShown("the text of /first"); fetched != 1 {
		t.Errorf("%d items fetched, want 1", fetched)
	}
}
