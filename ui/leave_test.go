package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/ask"
)

// TestLeavePrompts checks that each kind of prompt obeys the keys that leave it: for another URL, for a new tab, for
// another tab, and to close it. Leaving for a URL answers nothing but "no", and Esc in the URL bar returns to the prompt.
func TestLeavePrompts(t *testing.T) {
	form := func(d *driver) ask.Prompt {
		f := ask.NewForm(ask.Head{Title: "A form"}, "Send", ask.Field{Label: "Name"}, ask.Field{Label: "Color", Input: protocols.InputChoice, Choices: []string{"red", "blue"}})
		f.Finish = func([]string) tea.Cmd { return d.notify("answered") }
		return f
	}
	line := func(d *driver, secret bool) ask.Prompt {
		l := ask.NewLine(ask.Head{Title: "A line"}, ask.Field{Label: "Words", Secret: secret})
		l.Finish = func([]string) tea.Cmd { return d.notify("answered") }
		return l
	}
	for _, tt := range []struct {
		name   string
		open   func(d *driver) ask.Prompt
		keys   []string // keys pressed in the prompt
		closed int      // number of presses of Esc that close the prompt
	}{
		{"line", func(d *driver) ask.Prompt { return line(d, false) }, []string{"w"}, 1},
		{"secret", func(d *driver) ask.Prompt { return line(d, true) }, []string{"w"}, 1},
		{"list", func(d *driver) ask.Prompt {
			return ask.NewChoose(ask.Head{Title: "A list"}, "Which", ask.NewList([]ask.Choice{{Text: "a"}, {Text: "b"}}, true, 0))
		}, nil, 1},
		{"form", form, []string{"w"}, 1},
		{"list of a form", form, []string{"tab", "space"}, 2},
		{"question", func(d *driver) ask.Prompt {
			q := ask.NewQuestion("Remove it?", false, func() tea.Cmd { return d.notify("answered") })
			q.No = func() tea.Cmd { return d.notify("kept") }
			return q
		}, nil, 1},
		{"help over a line", func(d *driver) ask.Prompt { return line(d, false) }, []string{"f1"}, 2},
		{"help", func(*driver) ask.Prompt { return nil }, []string{"?"}, 1},
		{"palette", func(*driver) ask.Prompt { return nil }, []string{":", "s"}, 1},
		{"URL bar", func(*driver) ask.Prompt { return nil }, []string{"g", "x"}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			begin := func() *driver {
				d := drive(t, library(), Options{}, 80, 24)
				d.press("t", "t") // other tabs
				d.tab.Prompt = tt.open(d)
				return d.press(tt.keys...)
			}
			isOpen := func(d *driver) bool { return d.openPrompt() != nil }
			d := begin()
			before := d.openPrompt()
			urlKey := "ctrl+l"
			if tt.name == "question" {
				urlKey = "g" // Esc may have opened the question
			}
			if d.press("ctrl+l"); d.bar == nil {
				t.Fatalf("Ctrl-L does not open the URL bar:\n%s", d.screen())
			}
			if tt.name != "URL bar" {
				if d.press("esc"); d.bar != nil || before != d.openPrompt() && tt.name != "help over a line" {
					t.Errorf("Esc in the URL bar does not return to the prompt:\n%s", d.screen())
				}
				d.press(urlKey)
			}
			d.typeText("gopher://gopher.example.org/0/about.txt").press("enter").wantURL(item('0', "/about.txt")).wantNotShown("answered")
			fetchtest.Equal(t, isOpen(d), false, "a prompt is open on the next page")

			d = begin()
			d.press("ctrl+t")
			fetchtest.Equal(t, len(d.tabs), 4, "tabs after Ctrl-T")
			fetchtest.Equal(t, d.bar != nil && d.openPrompt() == ask.Prompt(d.bar), true, "Ctrl-T opens the URL bar")

			for _, key := range []string{"ctrl+pgdown", "ctrl+pgup", "alt+2"} {
				d = begin()
				d.press(key)
				if d.tab == d.tabs[0] || isOpen(d) {
					t.Errorf("%s does not show another tab without a prompt:\n%s", key, d.screen())
				}
			}
			for _, key := range []string{"esc", "ctrl+c", "ctrl+g"} {
				d = begin()
				for range tt.closed {
					d.press(key)
				}
				if isOpen(d) || len(d.otherMsgs) > 0 && key != "ctrl+c" {
					t.Errorf("%s does not close the prompt:\n%s", key, d.screen())
				}
			}
		})
	}
}
