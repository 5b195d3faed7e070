package main

import (
	"testing"

	"github.com/clipperhouse/displaywidth"

	"gofer/internal/about"
	"gofer/ui"
	"gofer/urlcore"
)

// Each key takes one row of the help page on a screen of eighty columns.
func TestHelpFitsScreen(t *testing.T) {
	const width = 77 // what a page has beside its signs
	u, err := urlcore.Parse("about:help")
	if err != nil {
		t.Fatal(err)
	}
	page, err := (&about.Client{Keys: keys()}).Fetch(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line, err := range page.Lines {
		if err != nil {
			t.Fatal(err)
		}
		rows++
		if got := displaywidth.String(line.Text); got > width {
			t.Errorf("%d columns, want at most %d: %s", got, width, line.Text)
		}
	}
	if want := len(ui.Keys()); rows < want {
		t.Errorf("the help page has %d lines for %d keys", rows, want)
	}
}
