package app

import (
	"slices"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui"
)

// TestHelpFitsScreen checks that each line of the help page fits a screen of 80 columns.
func TestHelpFitsScreen(t *testing.T) {
	const width = 77 // columns for the text of a line on such a screen
	u := fetchtest.Parse(t, "about:help")
	page := fetchtest.Must(ownPages(Setup{Getenv: func(string) string { return "" }}, new(protocols.Guarded)).Fetch(t.Context(), protocols.Request{URL: u}))(t)
	var sections []string
	rows := 0
	for line, err := range page.Lines {
		fetchtest.NoError(t, err)
		rows++
		if line.Kind == protocols.Heading {
			sections = append(sections, line.Text)
		}
		if got := displaywidth.String(line.Text); got > width {
			t.Errorf("%d columns, want at most %d: %s", got, width, line.Text)
		}
	}
	want := []string{"Basics"}
	for _, k := range ui.Keys(nil) {
		if k.Context != "news" {
			want = append(want, k.Section)
		}
	}
	if rows < len(want) {
		t.Errorf("the help page has %d lines for %d keys", rows, len(want))
	}
	if want = slices.Compact(want); !slices.Equal(sections, want) {
		t.Errorf("the help page has the sections %q, want %q", sections, want)
	}
}
