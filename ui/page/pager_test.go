package page

import (
	"strings"
	"testing"

	"gofer/nav"
	"gofer/protocols"
)

// TestLaidLinesAreBounded: of a page of long lines no more octets are kept laid out
// than are counted and allowed.
func TestLaidLinesAreBounded(t *testing.T) {
	p := nav.Page{Head: protocols.Head{Layout: protocols.LayoutMenu}}
	v := Pager{Page: &p, Width: 80, Height: 24}
	v.Invalidate()
	long := strings.Repeat("\x01", 64<<10)
	most := 0
	for i := range MaxLaid {
		p.Lines.Append(protocols.Line{Kind: protocols.Info, Text: long})
		v.Line(i)
		most = max(most, v.Held)
	}
	held := 0
	for _, l := range v.Laid {
		held += len(l.Text)
	}
	if held != v.Held || held == 0 || most > MaxLaidOctets {
		t.Errorf("%d octets are held, counted as %d, at most %d; want at most %d", held, v.Held, most, MaxLaidOctets)
	}
}
