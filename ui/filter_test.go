package ui

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
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

	d.press("&").typeText("GOLD").wantItems().wantShown("(no line matches: Esc shows all lines)", "0 of 60")
	d.press("ctrl+u").typeText("5 Gold").press("enter").wantShown("─ & 5 Gold ───", "1/6 of 60").wantCursor(5)
	for _, tt := range []struct {
		key  string
		want int
	}{
		{"down", 15},
		{"tab", 25},
		{"end", 55},
		{"up", 45},
		{"home", 5},
		{"pgdown", 55},
		{"shift+tab", 45},
		{"pgup", 5},
		{"down", 15},
		{"down", 25},
	} {
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
