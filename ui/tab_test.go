package ui

import (
	"slices"
	"strings"
	"testing"

	"gofer/nav"
	"gofer/protocols"
)

// TestMessagesGoToTheirTab checks that messages for a background tab do not change the current tab.
func TestMessagesGoToTheirTab(t *testing.T) {
	d := drive(t, library(), Options{}, 80, 24)
	other := newTab(&d.host)
	d.tabs = append(d.tabs, other)
	d.resize(80, 24)
	d.drawn = false
	before := d.page()

	l := d.opts.Open(t.Context(), protocols.Request{URL: item('0', "/about.txt")}, nav.Show{})
	other.Session.Begin(l)
	t.Cleanup(other.Session.Close)
	d.run(other.waitAnswer(l))
	d.drawn = false
	d.wantShown("2•About this hole")
	if after := d.page(); after != before {
		t.Errorf("the load of the other tab changed the screen to\n%s\nfrom\n%s", after, before)
	}
	p := other.Session.Page()
	if p == nil || p.URL != item('0', "/about.txt") || p.IsLoading() || p.Lines.Len() == 0 {
		t.Fatalf("the other tab has not got its page: %v", p)
	}
	d.tab, d.drawn = other, false
	d.wantShown("About this hole", "This text has a line")

	stale := answerMsg{tab: other, load: l}
	d.send(stale)
	d.send(linesMsg{tab: d.tabs[0], load: l, lines: linesOf(info("not here"))}).wantNotShown("not here")
	d.tab, d.drawn = d.tabs[0], false
	d.wantNotShown("not here")
}

// page returns the screen without its second row, which is the horizontal rule or the row of tabs.
func (d *driver) page() string {
	rows := strings.Split(d.screen(), "\n")
	return strings.Join(slices.Delete(rows, 1, 2), "\n")
}
