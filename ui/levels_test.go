package ui

import (
	"context"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/ask"
)

// levels returns the levels above the page, the topmost last.
func (d *driver) levels() (all []string) {
	add := func(on bool, name string) {
		if on {
			all = append(all, name)
		}
	}
	main, pane := d.Model.tab, d.peek.tab
	p := main.Session.Page()
	line, _ := main.Prompt.(*ask.Line)
	add(main.SearchPattern() != nil && (line == nil || line.Label() != "Find"), "marks")
	add(p != nil && p.Filter != nil, "filter")
	add(d.peek.open, "pane")
	add(d.peek.focused, "focus")
	add(pane.Session.Page() != nil && pane.Session.Page().Filter != nil, "pane filter")
	add(main.Session.Loading() != nil, "load")
	add(len(d.typeahead.keys) > 0, "keys")
	add(d.firstKey != nil, "first key")
	if t := d.promptTab(); t.Prompt != nil {
		add(true, map[bool]string{true: "prompt", false: "prompt in the pane"}[t == main])
		f, _ := t.Prompt.(*ask.Form)
		add(f != nil && f.KeyContext() != contextForm, "list")
	}
	add(d.bar != nil, "bar")
	add(d.promptHelp != nil, "help")
	return all
}

// openLevels presses keys on a page that was opened from another page, and compares the levels with want.
func openLevels(t *testing.T, width int, keys, want string) *driver {
	w := linkedWeb()
	w.addPicture(item('I', "/sunset.jpg"), pngFile(t, 60, 40))
	w.addStall(item('1', "/stalls"))
	w.addForm(item('0', "/survey"), &survey{fields: []protocols.Field{{Label: "Color", Choices: []string{"red", "green"}, Input: protocols.InputChoice}}})
	w[file("private")] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		return nil, &protocols.Login{Server: "ftp.example.org:21", User: "ann", With: func(string, string) {}}
	}
	w.addPage(item('1', "/levels"), protocols.LayoutMenu, "Levels",
		link(protocols.Menu, "hole", item('1', "/")), link(protocols.Text, "about", item('0', "/about.txt")), link(protocols.Image, "sunset", item('I', "/sunset.jpg")),
		link(protocols.Text, "survey", item('0', "/survey")), link(protocols.Menu, "stalls", item('1', "/stalls")), link(protocols.Text, "private", file("private")))
	o := (&fakeHistory{}).options()
	o.Config.Keys.Page = map[string][]string{"top": {"gg"}}
	o.Forget = func(Selection) (string, error) { return "", nil }
	d := drive(t, w, o, width, 40)
	if width >= twoPaneScreen {
		d.removePaneDelay()
	}
	d.run(d.visit(item('1', "/levels")))
	for _, key := range strings.Fields(keys) {
		if cmd := d.sendWithoutRun(keyPress(key)); d.Model.tab.Session.Loading() == nil || d.Model.tab.Session.Loading().URL != item('1', "/stalls") {
			d.run(cmd)
		}
	}
	fetchtest.Equal(t, strings.Join(d.levels(), ", "), want, "levels")
	return d
}

// TestEscape checks that Esc closes the topmost level, and neither another level nor the page.
func TestEscape(t *testing.T) {
	for _, tt := range []struct {
		width        int
		keys, levels string
	}{
		{80, "", ""},
		{80, "/ h o", "prompt"},
		{80, "/ h o f1", "prompt, help"},
		{80, "/ h o enter", "marks"},
		{80, "& h o enter", "filter"},
		{80, "& h o enter & l", "filter, prompt"},
		{80, "& h o enter / o enter p", "marks, filter, pane"},
		{80, "& h o enter / o enter p : f1", "marks, filter, pane, prompt, help"},
		{80, "ctrl+l x f1", "bar, help"},
		{80, "?", "prompt"},
		{80, ": x", "prompt"},
		{80, "2", "prompt"},
		{80, "'", "prompt"},
		{80, "alt+t *", "prompt"},
		{80, "# # :", "prompt"},
		{80, "g", "first key"},
		{80, "X", "prompt"},
		{80, "X a l l enter", "prompt"},
		{80, "down down enter + +", ""},
		{80, "down down down enter", "prompt"},
		{80, "down down down enter space", "prompt, list"},
		{80, "end enter", "prompt"},
		{80, "p down down down down enter", "pane, load"},
		{80, "down down down down enter", "load"},
		{80, "down down down down enter ?", "load, prompt"},
		{80, "down down down down enter ctrl+l", "load, bar"},
		{160, "p tab", "pane, focus"},
		{160, "p tab /", "pane, focus, prompt in the pane"},
		{160, "p tab & a enter", "pane, focus, pane filter"},
	} {
		t.Run(tt.keys, func(t *testing.T) {
			d := openLevels(t, tt.width, tt.keys, tt.levels)
			page, tags := d.url(), d.Model.tab.Session.Page().Tags.Count
			for levels := d.levels(); len(levels) > 0; {
				levels = levels[:len(levels)-1]
				d.press("esc")
				fetchtest.Equal(t, strings.Join(d.levels(), ", "), strings.Join(levels, ", "), "levels after Esc")
				if t.Failed() {
					return
				}
			}
			d.press("esc", "esc").wantURLText(page)
			fetchtest.Equal(t, d.Model.tab.Session.Page().Tags.Count, tags, "tags")
		})
	}
}

// TestErasePrompt checks that the key that erases closes a prompt without text, and then does not go back while it
// is held.
func TestErasePrompt(t *testing.T) {
	for _, tt := range []struct {
		keys   string
		open   int // number of times that the key leaves the prompt open
		levels string
	}{
		{"/", 0, "prompt"},
		{"/ h o", 2, "prompt"},
		{"&", 0, "prompt"},
		{"& h o enter &", 1, "filter, prompt"}, // the filter is proposed
		{":", 0, "prompt"},
		{": x", 1, "prompt"},
		{"?", 0, "prompt"},
		{"2", 1, "prompt"},
		{"'", 0, "prompt"},
		{"alt+t", 1, "prompt"}, // the last pattern is proposed
		{"ctrl+l", 1, "bar"},   // the URL of the page is proposed
		{"ctrl+l x y", 2, "bar"},
		{"down down down enter space", 0, "prompt, list"},
		{"end enter", 2, "prompt"}, // from the empty password to the proposed user
	} {
		for _, key := range []string{"backspace", "ctrl+h"} {
			t.Run(tt.keys+" "+key, func(t *testing.T) {
				d := openLevels(t, 80, tt.keys, tt.levels)
				page := d.url()
				depth := func() (n int) {
					for _, level := range d.levels() {
						if level == "prompt" || level == "bar" || level == "list" {
							n++
						}
					}
					return n
				}
				opened := depth()
				for range tt.open {
					d.press(key)
				}
				fetchtest.Equal(t, depth(), opened, "open prompts before the text is empty")
				d.press(key)
				fetchtest.Equal(t, depth(), opened-1, "open prompts after the text is empty")
				if opened == 1 {
					d.press(key, key, key).wantURLText(page)
				}
			})
		}
	}
}

// wantURLText compares the URL of the page.
func (d *driver) wantURLText(want string) {
	d.t.Helper()
	fetchtest.Equal(d.t, d.url(), want, "the URL of the page")
}
