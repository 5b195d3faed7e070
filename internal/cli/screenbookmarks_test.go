package cli

import (
	"errors"
	"path/filepath"
	"testing"

	"gofer/history"
	"gofer/ui"
)

func TestNothingToUndo(t *testing.T) {
	m := screenBookmarks{history.OpenBookmarks(filepath.Join(t.TempDir(), "bookmarks.txt"))}
	if err := m.Undo(); !errors.Is(err, ui.ErrNothingToUndo) {
		t.Errorf("Undo: %v", err)
	}
}
