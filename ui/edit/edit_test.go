package edit

import (
	"testing"

	"gofer/ui/cell"
)

// TestTextSteps moves the cursor of a text through its rows.
func TestTextSteps(t *testing.T) {
	e := Line{Multiline: true}
	e.Set("one two three\n\nfour 世界 five")
	for _, want := range []struct {
		n, at int
		ok    bool
	}{{1, 0, false}, {-1, 22, true}, {-1, 19, true}, {-1, 14, true}, {-1, 8, true}, {-1, 0, true}, {-1, 0, false}, {1, 8, true}} {
		ok := e.Step(cell.Cells{}, 8, want.n)
		if want.ok != ok || ok && e.Cursor != want.at {
			t.Errorf("Step by %d rows: got the cursor %d, %v, want %d, %v", want.n, e.Cursor, ok, want.at, want.ok)
		}
	}
}
