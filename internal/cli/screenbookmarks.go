package cli

import (
	"errors"

	"gofer/history/bookmarks"
	"gofer/ui"
	"gofer/urlcore"
)

// screenBookmarks are the bookmarks as the screen knows them.
type screenBookmarks struct{ *bookmarks.Store }

func (m screenBookmarks) Find(u urlcore.URL) (ui.Bookmark, bool, error) {
	b, ok, err := m.Store.Find(u)
	return ui.Bookmark(b), ok, err
}

func (m screenBookmarks) Put(old urlcore.URL, b ui.Bookmark) error {
	return m.Store.Put(old, bookmarks.Bookmark(b))
}

func (m screenBookmarks) Undo() error {
	err := m.Store.Undo()
	if errors.Is(err, bookmarks.ErrNothingToUndo) {
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
