package nav

import "slices"

// Matches holds the lines of a page that match a pattern, as far as they have been searched. The
// zero value has no matches.
type Matches struct {
	Pattern  string   // the typed pattern
	States   State    // if not 0: the lines with one of these bits were selected instead of the matches, and Pattern names them
	Lines    []uint32 // indexes of the lines, in order
	Searched int      // number of lines searched
}

// Rank returns the number of matches above line i, and whether line i is a match.
func (m *Matches) Rank(i int) (n int, ok bool) {
	if i < 0 {
		return 0, false
	}
	return slices.BinarySearch(m.Lines, uint32(i))
}

// After returns the first match below line i, or -1.
func (m *Matches) After(i int) int {
	n, ok := m.Rank(i)
	if ok {
		n++
	}
	if n == len(m.Lines) {
		return -1
	}
	return int(m.Lines[n])
}

// Before returns the last match above line i, or -1.
func (m *Matches) Before(i int) int {
	n, _ := m.Rank(i)
	if n == 0 {
		return -1
	}
	return int(m.Lines[n-1])
}

// Restart returns Matches with the same pattern and no searched lines. Without a pattern it returns nil.
func (m *Matches) Restart() *Matches {
	if m == nil || m.States != 0 {
		return nil
	}
	return &Matches{Pattern: m.Pattern}
}

// reorder returns the matches after the lines of the page were reordered. The line with index i had the
// index previous(i) before. If some lines were not yet searched, the result has no matches.
func (m *Matches) reorder(lines int, previous func(i int) int) *Matches {
	if m.Searched < lines {
		return m.Restart()
	}
	moved := &Matches{Pattern: m.Pattern, States: m.States, Searched: lines}
	for i := range lines {
		if _, ok := m.Rank(previous(i)); ok {
			moved.Lines = append(moved.Lines, uint32(i))
		}
	}
	return moved
}
