package nav

import (
	"slices"
	"testing"

	"gofer/protocols"
)

func TestMatches(t *testing.T) {
	m := &Matches{Lines: []uint32{2, 3, 7}, Searched: 9}
	for _, tt := range []struct {
		at, after, before, rank int
		ok                      bool
	}{
		{-1, 2, -1, 0, false},
		{0, 2, -1, 0, false},
		{2, 3, -1, 0, true},
		{3, 7, 2, 1, true},
		{5, 7, 3, 2, false},
		{7, -1, 3, 2, true},
		{8, -1, 7, 3, false},
	} {
		rank, ok := m.Rank(tt.at)
		if after, before := m.After(tt.at), m.Before(tt.at); after != tt.after || before != tt.before || rank != tt.rank || ok != tt.ok {
			t.Errorf("line %d: got After %d, Before %d, Rank %d, %v; want %+v", tt.at, after, before, rank, ok, tt)
		}
	}
	if none := new(Matches); none.After(-1) >= 0 || none.Before(5) >= 0 {
		t.Error("After or Before of empty Matches returned a match")
	}
}

// TestFilterOfAPageThatIsSorted checks that the filter of a sorted page shows the same lines in
// their new order, and that an unfinished filter starts again.
func TestFilterOfAPageThatIsSorted(t *testing.T) {
	for _, searched := range []int{4, 3} {
		p := &Page{Head: protocols.Head{Layout: protocols.LayoutDirectory}}
		for _, name := range []string{"zebra", "gnu", "ape", "bee"} {
			p.Lines.Append(protocols.Line{Text: name, Note: &protocols.FileNote{}})
		}
		p.Filter = &Matches{Pattern: "e", Lines: []uint32{0, 2}, Searched: searched}
		p.sortEntries()
		want := []uint32{0, 3}
		if searched < 4 {
			want, searched = nil, 0
		}
		if f := p.Filter; !slices.Equal(f.Lines, want) || f.Searched != searched || f.Pattern != "e" {
			t.Errorf("the filter is %v, want the lines %v and %d searched lines", f, want, searched)
		}
	}
}
