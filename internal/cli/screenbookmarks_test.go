package cli

import (
	"path/filepath"
	"testing"

	"gofer/history"
	"gofer/internal/testbed/fetchtest"
	"gofer/ui"
)

func TestNothingToUndo(t *testing.T) {
	m := screenBookmarks{history.OpenBookmarks(filepath.Join(t.TempDir(), "bookmarks.txt"))}
	fetchtest.ErrorIs(t, m.Undo(), ui.ErrNothingToUndo, "Undo")
}
