package ui

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

func TestLinkNumbers(t *testing.T) {
	d := drive(t, numberedMenu(60), Options{}, 80, 24)
	d.press("pgdown")
	at := d.Model.tab.Session.Page().Cursor
	d.press("7").wantShown("Link: 7", " 7 item 25 Gold <<")
	d.wantCursor(25)
	d.press("esc").wantCursor(at)
	d.press("2", "1").wantShown("no such link").wantCursor(at)
	d.press("enter").wantShown("no such link")
	d.press("backspace", "backspace", "7", "enter").wantURL(item('1', "/25")).wantShown("here it is")
	d.press("1").wantShown("no links on the screen")
}

func TestHints(t *testing.T) {
	d := drive(t, numberedMenu(60), Options{}, 80, 24)
	d.press("pgdown")
	for _, tt := range []struct {
		keys   []string
		cursor int
		url    urlcore.URL
	}{
		{[]string{"'", "a", "G"}, 23, item('1', "/")},
		{[]string{"'", "a", "x", "F"}, 22, item('1', "/")},
		{[]string{"'", "a", "backspace", "s", "A"}, 28, item('1', "/")},
		{[]string{"'", "a", "enter", "esc"}, 28, item('1', "/")},
		{[]string{"'", "a", "j"}, 0, item('1', "/25")},
	} {
		d.press(tt.keys...).wantURL(tt.url)
		if d.url() == item('1', "/").String() {
			d.wantCursor(tt.cursor)
		}
		if d.Model.tab.Prompt != nil {
			t.Fatalf("%v: the labels of the links are still shown", tt.keys)
		}
	}
	d.press("'").wantShown("no links on the screen")
}

// TestLabelsInText checks that links within a text have numbers and letters too.
func TestLabelsInText(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"1", "enter"}, item('0', "/a").String()},
		{[]string{"'", "a"}, item('0', "/a").String()},
		{[]string{"'", "A", "enter"}, item('0', "/a").String()},
		{[]string{"/", "gopher", "enter", "'", "d"}, item('1', "/menu").String()},
		{[]string{"3", "enter"}, item('1', "/menu").String()},
		{[]string{"tab", "3", "esc", "enter"}, item('0', "/a").String()},
	} {
		d := drive(t, linkedWeb(), Options{Home: item('0', "/links")}, 80, 24)
		for _, k := range tt.keys {
			if len(k) == 6 {
				d.typeText(k)
				continue
			}
			d.press(k)
		}
		fetchtest.Equal(t, d.url(), tt.want, "%v leads to", tt.keys)
	}
}

func TestPalette(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {40, 12}} {
		d := drive(t, library(), Options{}, size.width, size.height)
		var choices []ask.Choice
		for i, a := range moveActions()[:30/size.height+6] {
			choices = append(choices, ask.Choice{Text: a.name, About: a.help, Key: keyLabel(a.keys[0]), Depth: i / 4})
		}
		d.tab.Choose("Actions", "Action", ask.NewList(choices, false, 2))
		d.drawn = false
		checkGolden(t, fmt.Sprintf("list-%dx%d.txt", size.width, size.height), d.screen())
		d.typeText("pgd")
		checkGolden(t, fmt.Sprintf("list-typed-%dx%d.txt", size.width, size.height), d.screen())
		d.press("esc").wantURL(item('1', "/"))
	}
	d := drive(t, library(), Options{}, 80, 24)
	for _, tt := range []struct {
		typed string
		shown string
	}{
		{"wrap", "paragraphs are wrapped"}, {"find", "Find:"}, {"zzz", "Action: zzz"}, {"link num", "Link:"},
	} {
		d.submit("ctrl+p", tt.typed).wantShown(tt.shown)
		d.press("esc")
	}
	d.press(":")
	list := d.tab.Prompt.(*ask.Choose).List
	first := list.Len()
	names := make(map[string]bool)
	for _, k := range Keys(nil) {
		if k.Context == "page" {
			names[k.Name] = true
		}
	}
	fetchtest.Equal(t, first, len(names), "actions in the list")
	d.press("down", "pgdown", "up", "pgup")
	if i, ok := list.Selected(); !ok || i != 0 {
		t.Errorf("choice %d is selected, want the first", i)
	}
	d.press("esc").submit(":", "quit")
	if len(d.otherMsgs) == 0 {
		t.Error("quit does not quit")
	}
}

// TestPaletteRunsAllActions runs each action from the list of actions.
func TestPaletteRunsAllActions(t *testing.T) {
	for _, k := range Keys(nil) {
		if k.Context != "page" {
			continue
		}
		d := drive(t, library(), Options{}, 80, 24)
		d.press("t").submit(":", k.Name)
		checkView(t, d, 80, 24)
	}
	d := drive(t, library(), Options{}, 80, 24)
	d.press("down", "t").submit(":", "tab by number").press("down", "enter").wantURL(item('0', "/about.txt"))
}

// TestHintsBesideThePane checks that only the links of the page get labels, not the links in the pane.
func TestHintsBesideThePane(t *testing.T) {
	d := drive(t, library(), Options{}, 80, 24)
	d.press("down", "p")
	pane := func() string {
		_, rows, _ := strings.Cut(d.screen(), "About this hole ──")
		rows, _, _ = strings.Cut(rows, "End.")
		return rows
	}
	before := pane()
	d.press("'").wantShown(" a Phlogs")
	fetchtest.Equal(t, pane(), before, "in the pane")
}

// TestStatusHints checks the hints of a page without a selected link, and of a list with a pane.
func TestStatusHints(t *testing.T) {
	for _, tt := range []struct {
		keys, want string
		width      int
	}{
		{"enter", "Backspace back  ? help", 80},
		{"p", "p close  Enter open  ? help", 80},
		{"p", "Tab pane  p close  Enter open  ? help", 170},
		{"p tab", "Tab list  p close  Enter open  ? help", 170},
	} {
		d := drive(t, library(), Options{}, tt.width, 24)
		d.press("down").press(strings.Fields(tt.keys)...).wantShown(tt.want).wantNotShown("q quit")
	}
}

// TestHelpHint checks that the status line has room for the key of the help, however long the URL
// of the item is.
func TestHelpHint(t *testing.T) {
	w := make(web)
	long := item('0', "/"+strings.Repeat("long-name-", 20))
	w.addPage(item('1', "/"), protocols.LayoutMenu, "", link(protocols.Text, "A long name", long))
	for _, width := range []int{40, 80, 132} {
		d := drive(t, w, Options{}, width, 12)
		row := strings.Split(d.screen(), "\n")[11]
		if !strings.Contains(row, "…") || !strings.HasSuffix(strings.TrimRight(row, " "), "? help") {
			t.Errorf("%d columns: the status line is %q", width, row)
		}
	}
}
