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
			t.Errorf("at %d: got %d, %d, %d, %v, want %v", tt.at, after, before, rank, ok, tt)
		}
	}
	if none := new(Matches); none.After(-1) >= 0 || none.Before(5) >= 0 {
		t.Error("got a match, want none")
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
			t.Errorf("got %v, want the lines %v of %d", f, want, searched)
		}
	}
}

// TestFilterStays checks that a page is still filtered after a reload. A page with dropped lines
// has no indexes of lines.
func TestFilterStays(t *testing.T) {
	p := &Page{Filter: &Matches{Pattern: "cat", Lines: []uint32{1}, Searched: 5}}
	p.drop()
	if f := p.Filter; f == nil || f.Pattern != "cat" || f.Searched != 0 || f.Lines != nil {
		t.Errorf("dropped: got %v", f)
	}
	q := new(Page)
	q.keepPlace(&Page{Place: Place{Cursor: 3, Top: 2}, Filter: p.Filter})
	if q.Cursor != 3 || q.Top != 2 || q.Filter == nil || q.Filter.Pattern != "cat" || q.Filter == p.Filter {
		t.Errorf("reloaded: got %+v", q)
	}
}
