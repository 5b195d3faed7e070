package ask

import (
	"fmt"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

func TestRecalledBounds(t *testing.T) {
	var r InputHistory
	for i := range 3 * maxInputHistory {
		r.Add(fmt.Sprint(i))
	}
	fetchtest.Equal(t, len(r), maxInputHistory, "lines")
	fetchtest.Equal(t, r[0], fmt.Sprint(3*maxInputHistory-1), "the first line")
}

// TestFolderAfterCancel checks that neither an error nor a list is shown if a form is canceled
// while the folder of its file is being read.
func TestFolderAfterCancel(t *testing.T) {
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "no folder", "file")} {
		var listed func() tea.Cmd
		s := newScreen(80, 24)
		s.Notify = func(text string) tea.Cmd {
			t.Errorf("got the notice %q after the end of the form", text)
			return nil
		}
		s.RunInBackground = func(do func() func() tea.Cmd) tea.Cmd {
			listed = do()
			return nil
		}
		f := NewForm(Head{}, "Send", Field{Label: "Path", Value: path, Input: protocols.InputFile})
		f.Key("choose", s)
		f.Key("cancel", s)
		if _, done := f.Done(); !done || listed == nil {
			t.Fatal("the form has not ended, or no folder is listed")
		}
		listed()
		if f.overlay != nil {
			t.Error("a list is shown over a form that has ended")
		}
	}
}
