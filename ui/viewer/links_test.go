package viewer

import "testing"

func TestHintLabels(t *testing.T) {
	for _, n := range []int{1, 9, 10, 81, 82, 500} {
		seen := map[string]bool{}
		size := len(hintLabel(0, n))
		for i := range n {
			label := hintLabel(i, n)
			if seen[label] || len(label) != size {
				t.Errorf("label %d of %d: %q is used twice or has another length", i, n, label)
			}
			seen[label] = true
		}
		if want := map[int]int{1: 1, 9: 1, 10: 2, 81: 2, 82: 3, 500: 3}[n]; size != want {
			t.Errorf("%d links: got labels of %d letters, want %d", n, size, want)
		}
	}
}
