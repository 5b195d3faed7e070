package cli

import (
	"path/filepath"
	"testing"

	"gofer/history/bookmarks"
	"gofer/internal/testbed/fetchtest"
	"gofer/ui"
)

func TestNothingToUndo(t *testing.T) {
	m := screenBookmarks{bookmarks.Open(filepath.Join(t.TempDir(), "bookmarks.txt"))}
	fetchtest.ErrorIs(t, m.Undo(), ui.ErrNothingToUndo, "Undo")
}
