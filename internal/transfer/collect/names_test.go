package collect

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
)

// TestUniqueNames names many items alike, which would take hours if each name tried all numbers.
func TestUniqueNames(t *testing.T) {
	c := New(new(download.Manager), nil, "", Options{})
	seen := make(map[string]bool)
	for range 200_000 {
		for _, name := range []string{"d/X.txt", "d/x.txt"} {
			seen[strings.ToLower(c.unique(name))] = true
		}
	}
	fetchtest.Equal(t, len(seen), 400_000, "different names")
	fetchtest.Equal(t, c.unique("d/x.txt"), "d/x(400000).txt", "the last name")
}
