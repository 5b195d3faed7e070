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

// progress is a note with a text that changes.
type progress struct {
	*protocols.FileNote
	text string
	live bool
}

func (p *progress) Row() protocols.Row { return protocols.Row{Text: p.text, Live: p.live} }

// TestLiveText lays a text out anew if it changes while the page is shown.
func TestLiveText(t *testing.T) {
	for _, live := range []bool{false, true} {
		note := &progress{FileNote: new(protocols.FileNote), text: "1 of 2 files", live: live}
		var p nav.Page
		p.Lines.Append(protocols.Line{Text: "tree", Note: note})
		v := Pager{Page: &p, Width: 80, Height: 24}
		v.Invalidate()
		_ = v.line(0)
		note.text = "2 of 2 files"
		if got := v.line(0).text; (got == note.text) != live {
			t.Errorf("live %v: got %q after %q", live, got, note.text)
		}
	}
}
