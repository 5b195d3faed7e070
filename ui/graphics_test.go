package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"

	"gofer/internal/picture"
)

// raw is what the program has sent past the renderer since the last call.
func (d *driver) raw() string {
	var b strings.Builder
	for _, msg := range d.said {
		if r, ok := msg.(tea.RawMsg); ok {
			fmt.Fprint(&b, r.Msg)
		}
	}
	d.said = nil
	return b.String()
}

// TestKittyAnswers: pictures are drawn with characters until the terminal has
// answered; then it gets the image, and is told when it is no longer needed.
func TestKittyAnswers(t *testing.T) {
	placeholder := string(rune(kitty.Placeholder))
	w := library()
	w.picture(item('I', "/sunset.jpg"), pngFile(t, 600, 400))
	d := drive(t, w, Options{Graphics: picture.KittyAsked}, 80, 24)
	d.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	if raw := d.raw(); raw != "" {
		t.Errorf("asked without need: %q", raw)
	}
	d.press("down", "down", "enter")
	if raw := d.raw(); raw != "\x1b[16t"+picture.KittyQuery() {
		t.Errorf("asked %q", raw)
	}
	d.wantShown("▀")
	d.send(uv.KittyGraphicsEvent{Payload: []byte("ENOTSUPPORTED")})
	d.wantShown("▀")
	d.send(uv.KittyGraphicsEvent{Payload: []byte("OK")})
	d.wantShown(placeholder)
	d.wantNotShown("▀")
	sent := func(id int) string { return fmt.Sprintf("\x1b_Gf=100,q=2,i=%d,U=1,c=", id) }
	gone := func(id int) string { return picture.KittyDelete(id, picture.Kitty) }
	if raw := d.raw(); !strings.HasPrefix(raw, sent(0x670001)+"60,r=20,") {
		t.Errorf("sent %.60q", raw)
	}
	d.send(uv.CellSizeEvent{Width: 8, Height: 20})
	if raw := d.raw(); !strings.HasPrefix(raw, sent(0x670002)+"75,r=20,") || !strings.HasSuffix(raw, gone(0x670001)) {
		t.Errorf("for another size of cells: sent %.60q", raw)
	}
	d.press("+")
	if raw := d.raw(); !strings.HasPrefix(raw, sent(0x670003)+"80,r=20,") || !strings.HasSuffix(raw, gone(0x670002)) {
		t.Errorf("magnified: sent %.60q", raw)
	}
	d.press("backspace")
	if raw := d.raw(); raw != gone(0x670003) {
		t.Errorf("left: sent %.60q", raw)
	}
	d.press("f")
	if raw := d.raw(); !strings.HasPrefix(raw, sent(0x670004)) {
		t.Errorf("forward: sent %.60q", raw)
	}
}

// TestGraphicsLies: sizes of cells that cannot be are not believed.
func TestGraphicsLies(t *testing.T) {
	for _, size := range []uv.CellSizeEvent{{}, {Width: -5, Height: 10}, {Width: 1 << 30, Height: 1}} {
		var g graphics
		if g.answered(size); g.aspect() != 0 {
			t.Errorf("%v: aspect %v", size, g.aspect())
		}
	}
	var g graphics
	if g.answered(uv.CellSizeEvent{Width: 500, Height: 1}); g.aspect() != 1 {
		t.Errorf("aspect %v", g.aspect())
	}
}
