package ui

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// items returns the texts of the items on the screen.
func (d *driver) items() (all []string) {
	for line := range strings.Lines(d.screen()) {
		if _, text, ok := strings.Cut(line, "▸ "); ok {
			text, _, _ = strings.Cut(strings.TrimSuffix(text, " <<\n"), "  ")
			all = append(all, strings.TrimSpace(text))
		}
	}
	return all
}

func (d *driver) wantItems(want ...string) *driver {
	d.t.Helper()
	if got := d.items(); fmt.Sprint(got) != fmt.Sprint(want) {
		d.t.Errorf("got the items %q, want %q", got, want)
	}
	return d
}

func (d *driver) wantCursor(want int) *driver {
	d.t.Helper()
	if got := d.Model.tab.Session.Page().Cursor; got != want {
		d.t.Errorf("the cursor is on line %d, want %d", got, want)
	}
	return d
}

func TestFilter(t *testing.T) {
	d := drive(t, numberedMenu(60), Options{}, 80, 24)
	d.press("down", "down")
	before := d.screen()
	d.press("&").typeText("gold 5")
	d.wantItems("item 5 Gold", "item 15 Gold", "item 25 Gold", "item 35 Gold", "item 45 Gold", "item 55 Gold")
	d.wantShown("6 of 60")
	d.press("backspace").typeText("2").wantItems("item 25 Gold")
	d.press("esc")
	fetchtest.Equal(t, d.screen(), before, "after Esc")

	d.press("&").typeText("GOLD").wantItems().wantShown("(no line matches)", "0 of 60")
	d.press("ctrl+u").typeText("5 Gold").press("enter").wantShown("─ & 5 Gold ───", "1/6 of 60").wantCursor(5)
	for _, tt := range []struct {
		key  string
		want int
	}{{"down", 15}, {"tab", 25}, {"end", 55}, {"up", 45}, {"home", 5}, {"pgdown", 55}, {"shift+tab", 45}, {"pgup", 5}, {"down", 15}, {"down", 25}} {
		d.press(tt.key).wantCursor(tt.want)
	}
	d.wantShown("3/6 of 60")

	d.press("enter").wantShown("here it is")
	d.press("backspace").wantShown("3/6 of 60").wantCursor(25)
	d.press("r").wantShown("3/6 of 60").wantCursor(25)
	d.press("u", "backspace")

	d.press("/").typeText("item 4").wantCursor(45).wantShown("match 1 of 1")
	d.press("esc").wantCursor(25)
	d.press("&")
	fetchtest.Equal(t, d.typedInPrompt(), "5 Gold", "the filter proposed")
	d.press("enter", "esc").wantNotShown("of 60").wantShown("26/60").wantCursor(25)
	d.press("down").wantCursor(26)
}

// TestFilterOnAllPages checks that a filter leaves only matching lines in directories, groups,
// articles, texts and menus, at two screen sizes.
func TestFilterOnAllPages(t *testing.T) {
	for _, tt := range []struct {
		name  string
		home  urlcore.URL
		typed string
	}{
		{"menu", item('1', "/"), "hole"},
		{"directory", file("pub"), "2025"},
		{"groups", urlcore.News{Group: "*"}, "laboratory news"},
		{"group", urlcore.News{Group: "lab.threads"}, "jürgen"},
		{"text", item('0', "/about.txt"), `\v^.*tab`},
	} {
		for _, size := range []struct{ width, height int }{{80, 24}, {40, 12}} {
			name := fmt.Sprintf("filter-%s-%dx%d", tt.name, size.width, size.height)
			t.Run(name, func(t *testing.T) {
				d := drive(t, library(), Options{Home: tt.home}, size.width, size.height)
				d.press("&").typeText(tt.typed)
				checkGolden(t, name+".txt", d.screen())
				d.press("enter")
				if p := d.Model.tab.Session.Page(); p.Filter == nil || len(p.Filter.Lines) != 1 && tt.name != "menu" {
					t.Errorf("the filter %v of the %s does not show one line", p.Filter, name)
				}
			})
		}
	}
}

// TestFilterIsPerPage checks that a filter belongs to its page, not to the tab.
func TestFilterIsPerPage(t *testing.T) {
	d := drive(t, numberedMenu(60), Options{}, 80, 24)
	d.submit("&", "25").press("enter").wantURL(item('1', "/25")).wantShown("here it is")
	d.press("backspace", "&", "ctrl+u")
	d.wantItems("item 0", "item 1", "item 2", "item 3", "item 4", "item 5 Gold", "item 6", "item 7", "item 8", "item 9",
		"item 10", "item 11", "item 12", "item 13", "item 14", "item 15 Gold", "item 16", "item 17", "item 18", "item 19")
	d.press("enter", "f", "backspace")
	if d.Model.tab.Session.Page().Filter != nil {
		t.Error("an empty filter is kept")
	}
}

// TestReturnToFilteredPage checks that an unfinished filter continues when its page is shown again.
// If the lines of the page have changed, the filter must restart.
func TestReturnToFilteredPage(t *testing.T) {
	d := drive(t, numberedMenu(50_000), Options{}, 80, 24)
	late := d.startFilter("gold 2")
	d.press("enter").wantShown("here it is")
	d.run(late)
	d.press("backspace").wantShown("1/2084 of 50000")
	p := d.Model.tab.Session.Page()
	p.Lines = linesOf(info("gold 2"), info("sand"))
	d.Model.tab.Pager.Show(p)
	d.run(d.Model.tab.Scan())
	d.drawn = false
	d.wantShown("1/1 of 2")
}

// TestClearFilterOfAText checks that the lines at the top of the screen stay there when the filter
// of a text is cleared.
func TestClearFilterOfAText(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	w := web{}
	w.addText(item('0', "/"), "long", text.String())
	d := drive(t, w, Options{Home: item('0', "/")}, 80, 24)
	d.press("&").typeText("7").press("pgdown", "enter", "pgdown")
	first, _ := d.Model.tab.Pager.VisibleLines()
	d.wantShown(fmt.Sprintf("line %d", first))
	d.press("esc")
	if got, last := d.Model.tab.Pager.VisibleLines(); got != first || last != first+19 {
		t.Errorf("the lines %d to %d are on the screen, want %d to %d", got, last, first, first+19)
	}
}

// TestFilterSelectsFirstMatch checks that the cursor moves to the first matching link that arrives, if
// no earlier line matches the filter.
func TestFilterSelectsFirstMatch(t *testing.T) {
	d := drive(t, web{}, Options{}, 80, 24)
	l := d.opts.Open(t.Context(), protocols.Request{URL: item('1', "/")}, nav.Show{})
	l.Cancel()
	d.Model.tab.Session.Begin(l)
	d.Model.tab.Session.Answer(l, protocols.Head{URL: item('1', "/"), Layout: protocols.LayoutMenu})
	d.Model.tab.showPage()
	add := func(lines ...protocols.Line) {
		d.Update(linesMsg{tab: d.tab, load: l, lines: linesOf(lines...)})
		d.send(viewer.ScanMsg{Viewer: &d.tab.Viewer})
	}
	add(link(protocols.Menu, "sand", item('1', "/s")))
	d.startFilter("gold")
	d.drawn = false
	d.wantItems()
	add(info("more sand"), link(protocols.Menu, "gold", item('1', "/g")))
	d.drawn = false
	d.wantItems("gold").wantCursor(2)
}

// TestFilterHidesThreads checks that filtered articles are shown without the branches of threads.
func TestFilterHidesThreads(t *testing.T) {
	d := drive(t, library(), Options{Home: urlcore.News{Group: "lab.threads"}}, 80, 24)
	d.wantShown("├")
	d.press("&").typeText("re").wantNotShown("├")
	d.press("esc").wantShown("├")
}
