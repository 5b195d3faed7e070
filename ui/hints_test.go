package ui

import (
	"fmt"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/ui/ask"
	"gofer/urlcore"
)

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
