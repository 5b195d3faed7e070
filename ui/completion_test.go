package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/urlcore"
)

// visits are completions and URLs visited, of a history in memory.
func visits(o Options) Options {
	known := []Completion{
		{"gopher://gopher.floodgap.com/1/", "Floodgap Systems: the first hole to visit, with a list of all the others"},
		{"gopher://gopher.example.org/0/about.txt", "About this hole"},
		{"ftp://ftp.example.org/pub/a/directory/that/is/long/and/longer/than/any/row/of/the/screen/;type=d", ""},
		{"nntp://news.example.org/comp.lang.go", "comp.lang.go\x1b[31m"},
		{"v ", "search Veronica-2"},
		{"gopher://gopher.example.org/1/", "A hole in the ground"},
		{"gopher://f.example.org/1", "6"},
		{"gopher://f.example.org/2", "7"},
		{"gopher://f.example.org/3", "8"},
		{"gopher://f.example.org/4", "9"},
	}
	o.Complete = func(_ context.Context, typed string, limit int) (found []Completion) {
		for _, c := range known {
			if strings.Contains(c.Text, typed) && len(found) < limit {
				found = append(found, c)
			}
		}
		return found
	}
	o.Recent = func(context.Context, int) []string {
		return []string{"gopher://gopher.floodgap.com/1/", "gopher://gopher.example.org/1/phlogs"}
	}
	return o
}

func (d *driver) wantTyped(want string) *driver {
	d.t.Helper()
	if got := d.bar.line.String(); !d.bar.editing || got != want {
		d.t.Errorf("typed: got %q (%v), want %q", got, d.bar.editing, want)
	}
	return d
}

func TestCompletion(t *testing.T) {
	d := drive(t, library(), visits(Options{}), 80, 24)
	d.press("g").wantNotShown("Floodgap")
	d.enter("about").wantTyped("about").wantShown("About this hole")
	d.press("down").wantTyped("gopher://gopher.example.org/0/about.txt")
	d.press("enter").wantURL(item('0', "/about.txt"))

	d.press("g").enter("gopher:").press("tab", "down", "shift+tab", "down", "end", "backspace")
	d.wantTyped("gopher://gopher.example.org/0/about.tx").wantShown("About this hole")
	d.press("esc").wantTyped("gopher://gopher.example.org/0/about.tx").wantNotShown("Floodgap")
	d.press("esc")
	if d.bar.editing {
		t.Error("the second Esc has not left the bar")
	}
	d.press("g").enter("gopher:").press("down", "down", "up", "up") // above the first: what was typed
	d.wantTyped("gopher:")
	d.press("down", "esc").wantTyped("gopher:").wantNotShown("Floodgap")
	d.press("esc")

	d.press("g").enter("nowhere.example").press("down", "up", "tab").wantTyped("nowhere.example")
}

// TestCompletionNeverChangesWhatWasTyped unasked: Enter opens what was typed,
// whatever is offered.
func TestCompletionNeverChangesWhatWasTyped(t *testing.T) {
	d := drive(t, library(), visits(Options{}), 80, 24)
	d.press("g").enter("gopher://gopher.example.org/0/about.tx").wantShown("About this hole")
	d.press("enter").wantURL(item('0', "/about.tx"))
}

// TestCompletionScrolls: rows for which there is no room come with the cursor.
func TestCompletionScrolls(t *testing.T) {
	d := drive(t, library(), visits(Options{Mouse: true}), 40, 12)
	d.press("g").enter("e").wantNotShown("f.example.org/1")
	d.press("up").wantTyped("gopher://f.example.org/3").wantShown("f.example.org/2").wantNotShown("floodgap")
	d.send(tea.MouseClickMsg{Button: tea.MouseLeft, Y: 3}).wantTyped("gopher://f.example.org/1")
	d.press("down", "down", "down").wantTyped("gopher://gopher.floodgap.com/1/")
}

func TestClickTakesACompletion(t *testing.T) {
	d := drive(t, library(), visits(Options{Mouse: true}), 80, 24)
	d.press("g").enter("gopher:")
	d.send(tea.MouseClickMsg{Button: tea.MouseLeft, Y: 3}).wantTyped("gopher://gopher.example.org/0/about.txt")
	d.send(tea.MouseClickMsg{Button: tea.MouseLeft, Y: 20}).wantTyped("gopher://gopher.example.org/0/about.txt")
}

// TestStaleCompletions: what comes for a line that has changed since, or for a bar
// that was closed, is dropped, and its question is ended.
func TestStaleCompletions(t *testing.T) {
	var ended []context.Context
	o := visits(Options{})
	inner := o.Complete
	o.Complete = func(ctx context.Context, typed string, limit int) []Completion {
		ended = append(ended, ctx)
		return inner(ctx, typed, limit)
	}
	d := drive(t, library(), o, 80, 24)
	d.press("g").enter("flood")
	older := d.hold(keyPress("g"))
	newer := d.hold(keyPress("ü"))
	msg := older()
	if ended[len(ended)-1].Err() == nil {
		t.Error("the older question has not been ended")
	}
	d.send(msg).wantShown("Floodgap") // of before
	d.run(newer).wantNotShown("Floodgap")
	d.press("ctrl+u")
	pending := d.hold(keyPress("a"))
	d.press("esc")
	d.run(pending)
	if d.bar.editing || len(d.bar.rows) != 0 {
		t.Error("rows in a bar that is closed")
	}
	d.press("g")
	d.run(pending)
	if n := len(d.bar.rows); n != 0 {
		t.Errorf("%d rows in a bar that was just opened", n)
	}
}

func TestUpLeadsToWhatWasOpenedBefore(t *testing.T) {
	d := drive(t, library(), visits(Options{}), 80, 24)
	d.submit("g", "ftp://joe:secret@ftp.example.org/").submit("g", "gopher.example.org/0/about.txt").press("g")
	first := d.bar.line.String()
	for _, want := range []string{
		"gopher.example.org/0/about.txt", "ftp://joe@ftp.example.org/",
		"gopher://gopher.floodgap.com/1/", "gopher://gopher.example.org/1/phlogs", "gopher://gopher.example.org/1/phlogs",
	} {
		d.press("up").wantTyped(want)
	}
	d.press("down", "down", "down", "down", "down").wantTyped(first)
	d.press("end", "backspace", "esc", "up").wantTyped(first[:len(first)-1])
	d.press("esc", "g")

	d.press("esc") // Up is pressed before the history has been read
	d.barLines = recalled{}
	pending := d.hold(keyPress("g"))
	d.press("up")
	d.run(pending).wantTyped("gopher://gopher.floodgap.com/1/")
	d.press("up", "enter").wantURL(item('1', "/phlogs"))
}

func TestRememberBounds(t *testing.T) {
	d := drive(t, library(), Options{}, 80, 24)
	for i := range 3 * maxRecalled {
		d.remember(fmt.Sprint(i), urlcore.News{Group: "a.b"})
	}
	if lines := d.barLines; len(lines) != maxRecalled || lines[0] != fmt.Sprint(3*maxRecalled-1) {
		t.Errorf("%d lines, the first %q", len(lines), lines[0])
	}
}
