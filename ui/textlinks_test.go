package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// linkedText is a text with links of all kinds.
const linkedText = `Two in a line: gopher://gopher.example.org/0/a and <ftp://ftp.example.org/b>.
	After a tab, and schön: <URL:gopher://gopher.example.org/1/
   menu> goes on.

> quoted <URL:http://www.example.org/
> page.html> too
A line that is long enough to be wrapped: its link gopher://gopher.example.org/0/a-name-that-is-broken is over the edge.
End.
`

func linkedWeb() web {
	w := library()
	w.addText(item('0', "/links"), "Links", linkedText)
	w.addText(item('0', "/a"), "A", "a\n")
	w.addPage(item('1', "/menu"), protocols.LayoutMenu, "M", info("menu"))
	return w
}

// currentURL returns the URL of the link under the cursor.
func currentURL(d *driver) string {
	line, ok := d.Model.tab.Pager.Current()
	if !ok {
		return ""
	}
	return line.Link.String()
}

func TestTabGoesThroughTheLinksOfAText(t *testing.T) {
	want := []string{
		"gopher://gopher.example.org/0/a", "ftp://ftp.example.org/b", "gopher://gopher.example.org/1/menu",
		"http://www.example.org/page.html", "gopher://gopher.example.org/0/a-name-that-is-broken",
	}
	for _, size := range sizes {
		for _, wrap := range []bool{true, false} {
			t.Run(fmt.Sprint(size, wrap), func(t *testing.T) {
				d := drive(t, linkedWeb(), Options{Home: item('0', "/links")}, size.width, size.height)
				if !wrap {
					d.press("w")
				}
				fetchtest.Equal(t, currentURL(d), "", "the link at first")
				var got []string
				for range want {
					d.press("tab")
					got = append(got, currentURL(d))
					if c := d.View().Cursor; c == nil || c.Y < 2 {
						t.Errorf("the cursor of the terminal is at %+v, want the link", c)
					}
				}
				fetchtest.EqualSlices(t, got, want, "tab")
				d.press("tab")
				fetchtest.Equal(t, currentURL(d), want[4], "after the last link")
				d.wantShown("no more links")
				got = nil
				for range want[1:] {
					d.press("shift+tab")
					got = append(got, currentURL(d))
				}
				slices.Reverse(got)
				fetchtest.EqualSlices(t, got, want[:4], "shift+tab")
			})
		}
	}
}

func TestClickOnALinkOfAText(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		text string // text under the pointer
		want urlcore.URL
	}{
		{nil, "opher.example.org/0/a", item('0', "/a")},
		{nil, "<ftp:", file("b")},
		{nil, "menu>", item('1', "/menu")},
		{nil, "After", nil},
		{nil, "goes on", nil},
		{[]string{"w", ">", ">"}, "org/0/a", item('0', "/a")},
		{[]string{"w"}, "menu>", item('1', "/menu")},
	} {
		d := drive(t, linkedWeb(), Options{Home: item('0', "/links"), Config: config.Config{Mouse: true}}, 64, 16)
		d.press(tt.keys...)
		for y, row := range strings.Split(d.screen(), "\n") {
			if x := strings.Index(row, tt.text); x >= 0 && y > 1 {
				d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
				break
			}
		}
		want := tt.want
		if want == nil {
			want = item('0', "/links")
		}
		d.wantURL(want)
	}
}

// TestLinksWhileATextLoads checks that a URL on two lines becomes a link as soon as both lines have
// arrived.
func TestLinksWhileATextLoads(t *testing.T) {
	d := drive(t, web{}, Options{}, 80, 24)
	l := d.opts.Open(t.Context(), protocols.Request{URL: item('0', "/")}, nav.Show{})
	t.Cleanup(l.Cancel)
	d.Model.tab.Session.Begin(l)
	d.Model.tab.Session.Answer(l, protocols.Head{URL: item('0', "/")})
	d.Model.tab.Show()
	for _, tt := range []struct{ line, want string }{
		{"see <URL:ftp://ftp.example.org/", "ftp://ftp.example.org/"},
		{"  b> and", "ftp://ftp.example.org/b"},
		{"more", "ftp://ftp.example.org/b"},
	} {
		d.sendWithoutRun(linesMsg{tab: d.tab, load: l, lines: linesOf(info(tt.line))})
		d.press("home", "tab")
		fetchtest.Equal(t, currentURL(d), tt.want, "after %q", tt.line)
	}
}
