package ui

import (
	"context"
	"strings"
	"testing"

	"gofer/ui/ask"
)

// addCompletions returns a copy of o that completes URLs and lists recent ones.
func addCompletions(o Options) Options {
	known := []ask.Completion{
		{Text: "gopher://gopher.floodgap.com/1/", Title: "Floodgap Systems: the first hole to visit, with a list of all the others"},
		{Text: "gopher://gopher.example.org/0/about.txt", Title: "About this hole"},
		{Text: "ftp://ftp.example.org/pub/a/directory/that/is/long/and/longer/than/any/row/of/the/screen/;type=d", Title: ""},
		{Text: "nntp://news.example.org/comp.lang.go", Title: "comp.lang.go\x1b[31m"},
		{Text: "v ", Title: "search Veronica-2"},
		{Text: "gopher://gopher.example.org/1/", Title: "A hole in the ground"},
		{Text: "gopher://f.example.org/1", Title: "6"},
		{Text: "gopher://f.example.org/2", Title: "7"},
		{Text: "gopher://f.example.org/3", Title: "8"},
		{Text: "gopher://f.example.org/4", Title: "9"},
	}
	o.Complete = func(_ context.Context, typed string, limit int) (found []ask.Completion) {
		for _, c := range known {
			if strings.Contains(c.Text, typed) && len(found) < limit {
				found = append(found, c)
			}
		}
		return found
	}
	o.Recent = func(context.Context, int) []string {
		return []string{"gopher://gopher.floodgap.com/1/", "gopher://gopher.example.org/1/phlogs"}
	}
	return o
}

// typedURL returns the text of the URL bar, or "-" if the bar is not open.
func (d *driver) typedURL() string {
	if d.bar == nil {
		return "-"
	}
	return d.bar.Typed()
}

// typedInPrompt returns the text of the prompt.
func (d *driver) typedInPrompt() string { return d.tab.Prompt.(interface{ Typed() string }).Typed() }

func (d *driver) wantTyped(want string) *driver {
	d.t.Helper()
	if got := d.typedURL(); got != want {
		d.t.Errorf("typed: got %q, want %q", got, want)
	}
	return d
}

func TestCompletion(t *testing.T) {
	d := drive(t, library(), addCompletions(Options{}), 80, 24)
	d.press("g").wantNotShown("Floodgap")
	d.typeText("about").wantTyped("about").wantShown("About this hole")
	d.press("down").wantTyped("gopher://gopher.example.org/0/about.txt")
	d.press("enter").wantURL(item('0', "/about.txt"))

	d.press("g").typeText("gopher:").press("tab", "down", "shift+tab", "down", "end", "backspace")
	d.wantTyped("gopher://gopher.example.org/0/about.tx").wantShown("About this hole")
	d.press("esc").wantNotShown("Floodgap").wantTyped("gopher://gopher.example.org/0/about.tx")
	if d.press("esc"); d.bar != nil {
		t.Error("the second Esc did not close the bar")
	}
	d.press("g").typeText("gopher:").press("down", "down", "up", "up") // Up on the first completion returns to the typed text
	d.wantTyped("gopher:")
	d.press("down", "esc", "esc").wantURL(item('0', "/about.txt")).wantNotShown("Floodgap")

	d.press("g").typeText("nowhere.example").press("down", "up", "tab").wantTyped("nowhere.example")
}

// TestWordsInBar checks that words that are no URL leave the list of what they could be on the screen.
func TestWordsInBar(t *testing.T) {
	o := addCompletions(Options{})
	o.Complete = func(context.Context, string, int) []ask.Completion {
		return []ask.Completion{{Text: "gopher://gopher.example.org/0/about.txt", Title: "found"}}
	}
	d := drive(t, library(), o, 80, 24)
	d.press("g").typeText("about holes").press("enter").wantShown("^ a URL", "about.txt ")
	d.press("down").wantNotShown("^ a URL").press("enter").wantURL(item('0', "/about.txt"))
}

// TestTabWaitsForCompletions presses Tab and Enter before the completions have been found.
func TestTabWaitsForCompletions(t *testing.T) {
	d := drive(t, library(), addCompletions(Options{}), 80, 24)
	d.press("g").typeText("abou")
	completions := d.sendWithoutRun(keyPress("t"))
	tab := d.sendWithoutRun(keyPress("tab"))
	d.press("enter").run(completions).run(tab).wantURL(item('0', "/about.txt"))
}

// TestStaleCompletions checks that completions for an older text or for a closed bar are dropped,
// and that their context is canceled.
func TestStaleCompletions(t *testing.T) {
	var contexts []context.Context
	o := addCompletions(Options{})
	inner := o.Complete
	o.Complete = func(ctx context.Context, typed string, limit int) []ask.Completion {
		contexts = append(contexts, ctx)
		return inner(ctx, typed, limit)
	}
	d := drive(t, library(), o, 80, 24)
	d.press("g").typeText("flood")
	older := d.sendWithoutRun(keyPress("g"))
	d.press("ü")
	msg := older()
	if contexts[len(contexts)-1].Err() == nil {
		t.Error("the context of the older completions was not canceled")
	}
	newer := d.sendWithoutRun(msg)
	d.wantShown("Floodgap") // the completions of "flood" stay until the newest arrive
	d.run(newer).wantNotShown("Floodgap")
	d.press("ctrl+u")
	pending := d.sendWithoutRun(keyPress("a"))
	d.press("esc")
	d.run(pending)
	if d.bar != nil {
		t.Error("the closed bar has rows of completions")
	}
	d.press("g")
	d.run(pending)
	if n := d.bar.CoveredRows(d.askScreen()); n != 0 {
		t.Errorf("a newly opened bar has %d rows of completions", n)
	}
}

func TestRecalledURLs(t *testing.T) {
	d := drive(t, library(), addCompletions(Options{}), 80, 24)
	d.submit("g", "ftp://joe:secret@ftp.example.org/").submit("g", "gopher.example.org/0/about.txt").press("g")
	first := d.typedURL()
	for _, want := range []string{
		"gopher.example.org/0/about.txt", "ftp://joe@ftp.example.org/",
		"gopher://gopher.floodgap.com/1/", "gopher://gopher.example.org/1/phlogs", "gopher://gopher.example.org/1/phlogs",
	} {
		d.press("up").wantTyped(want)
	}
	d.press("down", "down", "down", "down", "down").wantTyped(first)
	d.press("end", "backspace").wantTyped(first[:len(first)-1])
	d.press("esc", "esc", "g")

	d.press("esc") // below, Up is pressed before the history has been read
	d.barLines = nil
	pending := d.sendWithoutRun(keyPress("g"))
	d.press("up")
	d.run(pending).wantTyped("gopher://gopher.floodgap.com/1/")
	d.press("up", "enter").wantURL(item('1', "/phlogs"))
}
