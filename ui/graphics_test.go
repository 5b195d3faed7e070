package ui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"gofer/internal/picture"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
)

// graphicsOptions returns options with the setting for pictures, and with one variable of the environment.
func graphicsOptions(images, variable string) Options {
	return Options{Config: config.Config{Images: images, Hyperlinks: "never"}, Env: func(name string) string {
		value, _ := strings.CutPrefix(variable, name+"=")
		return strings.TrimSuffix(value, variable)
	}}
}

// takeRaw returns the octets that were sent to the terminal without the renderer since the last call.
func (d *driver) takeRaw() string {
	var b strings.Builder
	for _, msg := range d.otherMsgs {
		if r, ok := msg.(tea.RawMsg); ok {
			fmt.Fprint(&b, r.Msg)
		}
	}
	d.otherMsgs = nil
	return b.String()
}

// TestKittyAnswers checks that a picture is drawn with characters until the terminal reports that it
// supports Kitty graphics. The terminal must then get the image. An unneeded image must be deleted.
func TestKittyAnswers(t *testing.T) {
	placeholder := string(rune(kitty.Placeholder))
	w := library()
	w.addPicture(item('I', "/sunset.jpg"), pngFile(t, 240, 160))
	d := drive(t, w, graphicsOptions("auto", "TERM_PROGRAM=ghostty"), 80, 24)
	d.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	fetchtest.Equal(t, d.takeRaw(), "", "asked without need")
	d.press("down", "down", "enter")
	fetchtest.Equal(t, d.takeRaw(), "\x1b[16t\x1b[>q"+picture.KittyQuery(), "asked")
	d.wantShown("▀")
	d.send(uv.KittyGraphicsEvent{Payload: []byte("ENOTSUPPORTED")}).wantShown("▀")
	d.send(uv.KittyGraphicsEvent{Payload: []byte("OK")}).wantShown(placeholder).wantNotShown("▀")
	transmission := func(id int) string { return fmt.Sprintf("\x1b_Gf=100,q=2,i=%d,U=1,c=", id) }
	deletion := func(id int) string { return picture.KittyDelete(id, picture.Kitty) }
	if raw := d.takeRaw(); !strings.HasPrefix(raw, transmission(0x670001)+"24,r=8,") {
		t.Errorf("sent %.60q, want the image", raw)
	}
	d.send(uv.CellSizeEvent{Width: 8, Height: 20})
	if raw := d.takeRaw(); !strings.HasPrefix(raw, transmission(0x670002)+"30,r=8,") || !strings.HasSuffix(raw, deletion(0x670001)) {
		t.Errorf("for another size of cells: sent %.60q, want the second image and the deletion of the first", raw)
	}
	d.press("+")
	if raw := d.takeRaw(); !strings.HasPrefix(raw, transmission(0x670003)+"60,r=16,") || !strings.HasSuffix(raw, deletion(0x670002)) {
		t.Errorf("magnified: sent %.60q, want the third image and the deletion of the second", raw)
	}
	d.press("backspace")
	fetchtest.Equal(t, d.takeRaw(), deletion(0x670003), "sent after leaving the page")
	d.press("f")
	if raw := d.takeRaw(); !strings.HasPrefix(raw, transmission(0x670004)) {
		t.Errorf("forward: sent %.60q, want the fourth image", raw)
	}
}

// writtenSixels returns the written sequences that draw sixel pictures, each with the cursor movements
// before and after it.
func (tm *terminal) writtenSixels() []string {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	return regexp.MustCompile("(?s)\x1b\\[[0-9;]*H\x1bP0;1q.*?\x1b\\\\\x1b\\[[0-9;]*H").FindAllString(string(tm.wrote), -1)
}

// waitForSixels waits until n sixel pictures have been written. For each picture it returns the
// position, the size in pixels, and the cursor position afterwards.
func (tm *terminal) waitForSixels(n int) (places []string) {
	tm.t.Helper()
	if !waitUntil(func() bool { return len(tm.writtenSixels()) >= n }) {
		tm.t.Fatalf("%d sixel pictures were written, want %d", len(tm.writtenSixels()), n)
	}
	for _, s := range tm.writtenSixels() {
		at, rest, _ := strings.Cut(strings.TrimPrefix(s, "\x1b["), "H")
		_, rest, _ = strings.Cut(rest, "\"1;1;")
		size, _, _ := strings.Cut(rest, "#")
		after := strings.TrimSuffix(rest[strings.LastIndex(rest, "[")+1:], "H")
		places = append(places, at+" "+size+" "+after)
	}
	return places
}

// TestSixelProgram checks that a sixel picture is written after the blank cells in its place, and again after each redraw
// of the screen. Leaving the page must clear the picture.
func TestSixelProgram(t *testing.T) {
	w := library()
	w.addPicture(item('I', "/sunset.jpg"), pngFile(t, 240, 160))
	tm := startProgram(t, w, graphicsOptions("sixel", ""), 80, 24)
	tm.waitFor("Welcome to the hole")
	menu := tm.screen()
	tm.typeKeys("jj\r")
	tm.waitFor("▀") // drawn with characters until the size of a cell is known
	tm.typeKeys("\x1b[6;20;10t")
	got := tm.waitForSixels(1)
	fetchtest.Equal(t, got[0], "9;29 240;160 16;53", "drawn at")
	for _, row := range strings.Split(tm.screen(), "\n")[2:22] {
		if strings.TrimSpace(row) != "" {
			t.Errorf("got the characters %q in the cells of the picture, want blanks", row)
		}
	}
	tm.waitFor("240x160 PNG")
	tm.typeKeys("+")
	got = tm.waitForSixels(2)
	fetchtest.Equal(t, got[len(got)-1], "5;17 480;320 20;65", "magnified: drawn at")
	tm.waitFor(", x2")
	tm.typeKeys("g\x15gopher://x:99999/\r") // the error covers the picture
	tm.waitFor("▀")
	drawn := len(tm.writtenSixels())
	tm.typeKeys("\x1b")
	tm.waitFor("/sunset.jpg") // wait, so that Esc and the next key are not taken for Alt
	tm.waitForSixels(drawn + 1)
	tm.typeKeys("\x7f")
	tm.waitFor("Welcome to the hole")
	tm.waitFor(strings.Split(menu, "\n")[5])
	tm.mu.Lock()
	wrote := string(tm.wrote)
	tm.mu.Unlock()
	_, since, _ := strings.Cut(wrote, ", x2")
	if !strings.Contains(since, "\x1b[2J") && !strings.Contains(since, "\x1b[J") {
		t.Error("the screen was not cleared")
	}
	if strings.ContainsRune(wrote, kitty.Placeholder) {
		t.Error("the mark of a picture was written to the terminal")
	}
	tm.typeKeys("q")
	tm.waitForEnd()
}

// driveSixel returns a driver in a terminal that supports sixel pictures. The other results point to
// the last arguments of Graphics.Put, which replaces mark in the output.
func driveSixel(t *testing.T, w web) (d *driver, mark, replacement *string) {
	mark, replacement = new(string), new(string)
	d = drive(t, w, addCompletions(graphicsOptions("auto", "")), 80, 24)
	d.graphics.Put = func(m, r string) { *mark, *replacement = m, r }
	d.graphics.Measure = func() tea.Msg { return uv.CellSizeEvent{Width: 10, Height: 20} }
	d.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	return d, mark, replacement
}

// wasCleared reports whether the screen was cleared since the last call.
func (d *driver) wasCleared() bool {
	n := len(d.otherMsgs)
	d.otherMsgs = slices.DeleteFunc(d.otherMsgs, func(msg tea.Msg) bool { return msg == tea.ClearScreen() })
	return len(d.otherMsgs) < n
}

// TestSixelUncovered checks that a picture is drawn again after completions covered its first rows.
// The renderer cannot do this, because it knows only the blank cells of the picture.
func TestSixelUncovered(t *testing.T) {
	w := library()
	w.addPicture(item('I', "/sunset.jpg"), pngFile(t, 800, 600))
	d, mark, _ := driveSixel(t, w)
	d.send(uv.PrimaryDeviceAttributesEvent{4}).press("down", "down", "enter", "g").typeText("gopher:").wantShown("Floodgap")
	before := *mark
	d.press("esc").wantNotShown("Floodgap")
	if before == *mark || strings.Count(d.View().Content, *mark) != 1 {
		t.Errorf("the mark was %q and is %q, want another one, exactly once on the screen", before, *mark)
	}
}

// TestSixelPlaces checks that each sixel picture is written to the terminal in place of its mark. When a
// picture moves or leaves the screen, the screen must be cleared.
func TestSixelPlaces(t *testing.T) {
	w := library()
	w.addPicture(item('I', "/sunset.jpg"), pngFile(t, 240, 160))
	w.addPicture(item('I', "/large.jpg"), pngFile(t, 800, 600))
	d, mark, replacement := driveSixel(t, w)
	d.send(uv.PrimaryDeviceAttributesEvent{62, 4}).press("down", "down", "t", "g", "ctrl+u")
	d.typeText(item('I', "/large.jpg").String())
	at := func(x, y int) string { return ansi.CursorPosition(x+1, y+1) + "\x1bP0;1q" }
	for i, step := range []struct {
		keys    []string
		at      string // empty without a picture
		cleared bool
	}{
		{[]string{"alt+enter"}, at(13, 2), false},
		{[]string{"["}, "", true},
		{[]string{"]"}, at(13, 2), false},
		{[]string{"]"}, at(28, 8), true},
		{[]string{"["}, at(13, 2), true},
		{[]string{"]", "+"}, at(16, 4), true},
		{[]string{"backspace"}, at(16, 4), false},
		{[]string{"[", "[", "p"}, at(26, 13), true},
		{[]string{"p"}, "", true},
	} {
		d.press(step.keys...)
		content := d.View().Content
		switch {
		case step.at == "" && strings.ContainsRune(content, kitty.Placeholder):
			t.Errorf("step %d: there is a mark on the screen", i+1)
		case step.at != "" && strings.Count(content, *mark) != 1:
			t.Errorf("step %d: the screen does not contain the mark exactly once", i+1)
		case step.at != "" && !strings.HasPrefix(*replacement, " "+step.at):
			t.Errorf("step %d: drawn at %.20q, want %q", i+1, *replacement, step.at)
		}
		fetchtest.Equal(t, d.wasCleared(), step.cleared, "step %d: cleared", i+1)
	}
}
