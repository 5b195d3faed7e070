package page

import (
	"strings"
	"testing"

	"gofer/nav"
	"gofer/protocols"
)

// TestCacheIsBounded checks that the cache of laid out lines stays within its limit and counts its
// octets correctly.
func TestCacheIsBounded(t *testing.T) {
	p := nav.Page{Head: protocols.Head{Layout: protocols.LayoutMenu}}
	v := Pager{Page: &p, Width: 80, Height: 24}
	v.Invalidate()
	long := strings.Repeat("\x01", 64<<10)
	most := 0
	for i := range maxCached {
		p.Lines.Append(protocols.Line{Kind: protocols.Info, Text: long})
		v.line(i)
		most = max(most, v.cachedOctets)
	}
	cached := 0
	for _, l := range v.cache {
		cached += len(l.text)
	}
	if cached != v.cachedOctets || cached == 0 || most > maxCachedOctets {
		t.Errorf(
			"%d octets are cached, cachedOctets is %d, its maximum was %d; want equal numbers of at most %d", cached,
			v.cachedOctets, most, maxCachedOctets,
		)
	}
}

// progress is a note with a changing text.
type progress struct {
	*protocols.FileNote
	text string
	live bool
}

func (p *progress) Row() protocols.Row { return protocols.Row{Text: p.text, Live: p.live} }

// TestLiveText checks that a text marked as live is laid out again when it changes.
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
			t.Errorf("live %v: the line has the text %q after the change to %q", live, got, note.text)
		}
	}
}
