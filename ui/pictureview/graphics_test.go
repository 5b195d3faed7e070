package pictureview

import (
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"gofer/internal/picture"
	"gofer/ui/term"
)

// TestWrongCellSize checks that impossible sizes of cells are ignored, and that flat cells have the aspect 1.
func TestWrongCellSize(t *testing.T) {
	for _, size := range []uv.CellSizeEvent{{}, {Width: -5, Height: 10}, {Width: 1 << 30, Height: 1}} {
		var g Graphics
		if g.HandleAnswer(size); g.aspect() != 0 {
			t.Errorf("cells of %v: got the aspect %v, want 0", size, g.aspect())
		}
	}
	var g Graphics
	if g.HandleAnswer(uv.CellSizeEvent{Width: 500, Height: 1}); g.aspect() != 1 {
		t.Errorf("cells of 500x1: got the aspect %v, want 1", g.aspect())
	}
}

// TestKittyVersion checks that pictures are drawn with characters if the version of kitty has no
// placeholders.
func TestKittyVersion(t *testing.T) {
	for name, want := range map[string]picture.Graphics{
		"kitty(0.26.5)": picture.NoGraphics, "kitty(0.28.0)": picture.Kitty, "kitty(1.0.0)": picture.Kitty, "ghostty 1.1.3": picture.Kitty,
	} {
		g := NewGraphics(picture.KittyIfSupported, &term.Version{Name: name})
		if g.HandleAnswer(uv.KittyGraphicsEvent{Payload: []byte("OK")}); g.protocol != want {
			t.Errorf("%s: got the protocol %d, want %d", name, g.protocol, want)
		}
	}
}
