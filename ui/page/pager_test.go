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
	for i := range maxLaid {
		p.Lines.Append(protocols.Line{Kind: protocols.Info, Text: long})
		v.line(i)
		most = max(most, v.held)
	}
	held := 0
	for _, l := range v.laid {
		held += len(l.text)
	}
	if held != v.held || held == 0 || most > maxLaidOctets {
		t.Errorf("%d octets are held, counted as %d, at most %d; want at most %d", held, v.held, most, maxLaidOctets)
	}
}
