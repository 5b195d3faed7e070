package viewer

import (
	"io"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
)

// newViewer returns a viewer of 80 by 24 cells with a page of lines, and the notices that it shows.
func newViewer(lines ...protocols.Line) (v *Viewer, notices *[]string) {
	v, notices = new(Viewer), new([]string)
	v.Begin(&Host{
		Notify:   func(text string) tea.Cmd { *notices = append(*notices, text); return nil },
		KeyOf:    func(string) string { return "" },
		Patterns: new(ask.InputHistory),
	})
	p := &nav.Page{Head: protocols.Head{Layout: protocols.LayoutMenu}, Err: io.EOF}
	p.Lines.Append(lines...)
	v.Session.PushOverlay(p)
	v.Resize(80, 24, 20)
	v.Show()
	return v, notices
}

// TestScanLimitsOctets checks that one message searches a limited number of octets.
func TestScanLimitsOctets(t *testing.T) {
	long := func(of string) []protocols.Line {
		return slices.Repeat([]protocols.Line{{Kind: protocols.Info, Text: strings.Repeat(of, 64<<10/len(of))}}, 50)
	}
	subject := protocols.Line{Note: &protocols.ArticleNote{Subject: strings.Repeat("x", 1<<20)}}
	for name, lines := range map[string][]protocols.Line{
		"invalid octets": long("\xff\xfe\x80\x81"),
		"controls":       long("\x01"),
		"subjects":       {subject, subject},
	} {
		t.Run(name, func(t *testing.T) {
			v, notices := newViewer(lines...)
			if _, err := v.findTyped("nowhere", 1); err != nil {
				t.Fatal(err)
			}
			longest := 0
			for v.Finder.Search != nil {
				from, octets := v.Finder.Search.next, 0
				v.SearchPortion(true)
				to := len(lines)
				if s := v.Finder.Search; s != nil {
					to = s.next
				}
				for i := from; i < to; i++ {
					text, _, raw := v.Pager.Text(i)
					octets += max(len(text), raw)
					longest = max(longest, len(text), raw)
				}
				if to == from && from < len(lines) || octets >= portionOctets+longest {
					t.Errorf("one message searched %d lines with %d octets, want fewer octets", to-from, octets)
				}
			}
			fetchtest.EqualSlices(t, *notices, []string{"not found: nowhere"}, "notices")
		})
	}
}

// TestCountGrowsUnderFilter checks that matches in lines that arrive later are counted under a
// filter.
func TestCountGrowsUnderFilter(t *testing.T) {
	line := func(text string) protocols.Line { return protocols.Line{Kind: protocols.Info, Text: text} }
	v, _ := newViewer(line("gold red"), line("gold blue"))
	fetchtest.Must(v.filterTyped("red"))(t)
	v.finishSearches()
	fetchtest.Must(v.findTyped("gold", 1))(t)
	v.finishSearches()
	fetchtest.Equal(t, v.matchText(), "match 1 of 1", "before")
	v.Session.Page().Lines.Append(line("gold red"))
	v.finishSearches()
	fetchtest.Equal(t, v.matchText(), "match 1 of 2", "after")
}
