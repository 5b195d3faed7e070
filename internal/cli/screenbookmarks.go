package cli

import (
	"errors"

	"gofer/history"
	"gofer/ui"
	"gofer/urlcore"
)

// screenBookmarks are the bookmarks as the screen knows them.
type screenBookmarks struct{ *history.Bookmarks }

func (m screenBookmarks) Find(u urlcore.URL) (ui.Bookmark, bool, error) {
	b, ok, err := m.Bookmarks.Find(u)
	return ui.Bookmark(b), ok, err
}

func (m screenBookmarks) Put(old urlcore.URL, b ui.Bookmark) error {
	return m.Bookmarks.Put(old, history.Bookmark(b))
}

func (m screenBookmarks) Undo() error {
	err := m.Bookmarks.Undo()
	if errors.Is(err, history.ErrNothingToUndo) {
		return ui.ErrNothingToUndo
	}
	return err
}

// screenBookmarks returns the bookmarks for the screen, nil if there is no place for them
// or nobody may change them.
func (st *state) screenBookmarks() ui.Bookmarks {
	if st.bookmarks == nil || st.config.Restrict.Enabled {
		return nil
	}
	return screenBookmarks{st.bookmarks}
}
