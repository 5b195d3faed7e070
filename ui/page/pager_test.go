package page

import (
	"slices"
	"strings"
	"testing"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
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
		t.Errorf("%d octets are cached, cachedOctets is %d, its maximum was %d; want equal numbers of at most %d", cached, v.cachedOctets, most, maxCachedOctets)
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

// TestNarrowMenus checks that the prose and the titles of a menu are wrapped on a narrow screen
// unless the user pans them, and that drawings are not.
func TestNarrowMenus(t *testing.T) {
	const prose = "Welcome to this hole in the ground, which has been here since 1993."
	p := nav.Page{Head: protocols.Head{Layout: protocols.LayoutMenu}}
	p.Lines.Append(
		protocols.Line{Kind: protocols.Info, Text: prose},
		protocols.Line{Kind: protocols.Info, Text: "      " + prose},
		protocols.Line{Kind: protocols.Menu, Text: prose, Link: urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h.example"}, Type: '1'}},
		protocols.Line{Kind: protocols.Info, Text: `   /\_/\   /\_/\   /\_/\   /\_/\   /\_/\   /\_/\`},
		protocols.Line{Kind: protocols.Info, Text: "=========== the gopher project of the year ==========="},
		protocols.Line{Kind: protocols.Info, Text: `|_|-o-|_||_|-o-|_||_|-o-|_||_|-o-|_||_|-o-|_||_|-o-|_|`},
		protocols.Line{Kind: protocols.Info, Text: "2024-01-02      a table of things      12 kB       text"},
	)
	wrapped, one := []int{2, 3, 2, 1, 1, 1, 1}, []int{1, 1, 1, 1, 1, 1, 1}
	for _, tt := range []struct {
		width int
		pan   bool
		want  []int
	}{{40, false, wrapped}, {40, true, one}, {80, false, one}} {
		v := Pager{Page: &p, Width: tt.width, Height: 24, Settings: Settings{PanMenus: tt.pan}}
		v.Invalidate()
		var got []int
		for i := range p.Lines.Len() {
			got = append(got, v.rowCount(i))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("width %d, pan %v: the lines take %v rows, want %v", tt.width, tt.pan, got, tt.want)
		}
	}
}
