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

// markLinks returns the screen. Links are in «» and the selected link is in ‹›.
func markLinks(d *driver) string {
	link, selected := string(d.styles.Link), string(d.styles.Selected)
	var b strings.Builder
	for line := range strings.Lines(d.View().Content + "\n") {
		for part := range strings.SplitAfterSeq(line, sgrReset) {
			before, after, _ := strings.Cut(part, "\x1b")
			b.WriteString(before)
			if after == "" {
				continue
			}
			sgr := "\x1b" + strings.TrimSuffix(after, sgrReset)
			text := formatText(sgr) + strings.Repeat(" ", len(sgr)-len(strings.TrimRight(sgr, " ")))
			switch {
			case strings.HasPrefix(sgr, selected):
				text = "‹" + text + "›"
			case strings.HasPrefix(sgr, link):
				text = "«" + text + "»"
			}
			b.WriteString(text)
		}
	}
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func formatText(s string) string {
	v := formatScreen(tea.NewView(s))
	return strings.TrimSuffix(strings.TrimSuffix(v, "\n"), " <<")
}

func TestLinksOfATextAreDrawn(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
	}{
		{"wrapped", []string{"tab", "tab"}},
		{"unwrapped", []string{"w", "tab", "tab", "tab", "tab"}},
		{"panned", []string{"w", ">", ">", ">", ">", ">", ">"}},
		{"found", []string{"/", "g", "o", "p", "h", "e", "r", ":", "enter"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := drive(t, linkedWeb(), Options{Home: item('0', "/links")}, 64, 16)
			d.press(tt.keys...)
			checkGolden(t, "links-"+tt.name+".txt", markLinks(d))
		})
	}
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

func TestKeysOnALinkOfAText(t *testing.T) {
	d := drive(t, linkedWeb(), Options{Home: item('0', "/links")}, 80, 24)
	d.press("y").wantShown("copied gopher://gopher.example.org/0/links")
	d.press("tab", "y").wantShown("copied gopher://gopher.example.org/0/a")
	before := d.screen()
	d.press("enter").wantURL(item('0', "/a"))
	d.press("left", "y") // the link is still selected
	fetchtest.Equal(t, d.screen(), before, "after back")
	d.press("tab", "tab", "enter").wantURL(item('1', "/menu"))
	d.press("left", "j", "j")
	fetchtest.Equal(t, currentURL(d), "gopher://gopher.example.org/1/menu", "after scrolling")
	d.press("home")
	fetchtest.Equal(t, currentURL(d), "", "after home")
}

func TestTabBeginsAtTheScreen(t *testing.T) {
	w := web{}
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "line %d gopher://gopher.example.org/0/%d and gopher://gopher.example.org/0/%d\n", i, 2*i, 2*i+1)
	}
	w.addText(item('0', "/"), "many", b.String())
	d := drive(t, w, Options{Home: item('0', "/")}, 80, 24)
	d.press("pgdown", "tab")
	first, _ := d.Model.tab.Pager.VisibleLines()
	fetchtest.Equal(t, currentURL(d), item('0', fmt.Sprintf("/%d", 2*first)).String(), "tab")
	d.press("pgdown", "pgdown", "pgup", "pgup", "pgdown", "pgdown", "shift+tab")
	if _, last := d.Model.tab.Pager.VisibleLines(); currentURL(d) != item('0', fmt.Sprintf("/%d", 2*last+1)).String() {
		t.Errorf("shift+tab: the cursor is on %s, want the last link of line %d", currentURL(d), last)
	}
}

// TestTabInALongText checks that the search for a distant link runs in the background, and that another
// key cancels the search.
func TestTabInALongText(t *testing.T) {
	w := web{}
	w.addText(item('0', "/"), "long", strings.Repeat("nothing to see here: nothing\n", 300_000)+"gopher://gopher.example.org/0/a\n")
	d := drive(t, w, Options{Home: item('0', "/")}, 80, 24)
	cmd := d.sendWithoutRun(keyPress("tab"))
	if cmd == nil {
		t.Fatal("the whole page was searched at once")
	}
	d.press("j")
	d.run(cmd)
	if got := currentURL(d); got != "" || d.Model.tab.Session.Page().Top != 1 {
		t.Errorf("the cursor is on %q, want no link and one row further down, because another key was pressed", got)
	}
	d.press("tab")
	fetchtest.Equal(t, currentURL(d), "gopher://gopher.example.org/0/a", "on")
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
	d.Model.tab.showPage()
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

func TestUpFromAnArticle(t *testing.T) {
	w := library()
	body := "From: a\nNewsgroups: lab.threads,lab.big\nMessage-ID: <2@x>\n\nsee <12345@x>\n"
	w.addBody(urlcore.News{MessageID: "2@x"}, protocols.MediaArticle, body)
	d := drive(t, w, Options{Home: urlcore.News{MessageID: "2@x"}}, 80, 24)
	d.press("u").wantURL(urlcore.News{Group: "lab.threads"})
}

// TestLinksOfAFilteredText checks that the hint about links ignores lines hidden by a filter.
func TestLinksOfAFilteredText(t *testing.T) {
	w := library()
	w.addText(item('0', "/links"), "Links", "apple\n<gopher://gopher.example.org/0/a>\napple\n")
	d := drive(t, w, Options{Home: item('0', "/links")}, 80, 24)
	d.wantShown("next link")
	d.submit("&", "apple").wantNotShown("next link")
}

// TestNoMoreLinks checks the notices after the last and before the first link of a menu.
func TestNoMoreLinks(t *testing.T) {
	d := drive(t, library(), Options{}, 80, 24)
	d.press("tab", "tab", "tab", "tab", "tab").wantNotShown("no more links")
	d.press("tab").wantShown("no more links")
	d.press("home", "shift+tab").wantShown("no links above")
}
