package ask

import "slices"

// Recalled holds the lines that were typed before, the latest first.
type Recalled []string

// maxRecalled bounds the number of lines.
const maxRecalled = 200

// Add makes s the latest line, unless it is empty.
func (r *Recalled) Add(s string) {
	if s == "" {
		return
	}
	older := slices.DeleteFunc(*r, func(old string) bool { return old == s })
	*r = slices.Insert(older[:min(len(older), maxRecalled-1)], 0, s)
}

// At returns the n-th line, counted from 1.
func (r Recalled) At(n int) (string, bool) {
	if n < 1 || n > len(r) {
		return "", false
	}
	return r[n-1], true
}
