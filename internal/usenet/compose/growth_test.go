package compose

import (
	"testing"

	"gofer/internal/testbed/memorygrowth"
)

// TestParseGrows checks that the memory for a draft grows with its length, whatever its lines are.
func TestParseGrows(t *testing.T) {
	for _, in := range []memorygrowth.Input{
		{Name: "fields", Unit: "A#: b\n", Tail: "\nbody"},
		{Name: "a folded field", Head: "A:", Unit: "\n b", Tail: "\n\nbody"},
		{Name: "a body", Head: "A: b\n\n", Unit: "a\n"},
	} {
		memorygrowth.Check(t, in, 60, func(text string) {
			if _, err := Parse(text); err != nil {
				t.Errorf("%s: %v", in.Name, err)
			}
		})
	}
}
