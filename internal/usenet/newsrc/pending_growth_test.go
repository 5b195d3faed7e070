package newsrc

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestManyPendingChanges applies a change for each of 500 and of 4,000 articles of a group, and checks
// that the memory that is allocated grows with the number of changes, not with its square.
func TestManyPendingChanges(t *testing.T) {
	measure := func(n int) uint64 {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a.b + %d\n", 2*i+1)
		}
		b.WriteString("a.b - 1\nc.d :\na.b + 2\n")
		list, f := parseEdits([]byte(b.String())), Parse([]byte("a.b: \n"))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f.apply(list)
		runtime.ReadMemStats(&after)
		g, _ := f.Group("a.b")
		fetchtest.Equal(t, g.Read.String()[:6], "2-3,5,", "read articles")
		fetchtest.Equal(t, g.Read.Count(1, 1<<20), uint64(n), "number of read articles")
		return after.TotalAlloc - before.TotalAlloc
	}
	if a, b := measure(500), measure(4000); b > 12*a {
		t.Errorf("500 changes allocate %d octets and 4,000 allocate %d, want at most 12 times as much", a, b)
	}
}
