package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/transfer/download"
	"gofer/protocols"
)

// enter is what the key Enter does on a line.
type enter struct {
	do    func() tea.Cmd // nil: it opens the link
	hint  string         // text of the key hint, or ""
	typed bool           // the user has entered the link, see [protocols.Request]
}

// enterOn returns what Enter does on the line under the cursor: the row of the items of its page, or of its note.
func (m *Model) enterOn(line *protocols.Line) enter {
	e := enter{}
	if row := itemKeys()[m.tab.OwnPage().Items].enter; row != nil {
		e = row(m, line)
	}
	if name, ok := line.Note.(protocols.Action); ok && e.do == nil {
		e.do = m.noteAction(name, line)
	}
	return e
}

// noteAction returns the action that the note of a line names, or nil.
func (m *Model) noteAction(name protocols.Action, line *protocols.Line) func() tea.Cmd {
	switch name {
	case protocols.ActionMore:
		return func() tea.Cmd { return m.loadOlder(m.tab.Session.Page().MoreItems(name)) }
	case protocols.ActionSetting:
		return enterSetting(m, line).do
	}
	a, _ := m.keys.findAction(contextPage, string(name))
	if a == nil {
		return nil
	}
	return func() tea.Cmd { return a.do(m) }
}

// itemKey is what keys do on an item of one of gofer's own pages.
type itemKey struct {
	enter  func(*Model, *protocols.Line) enter
	remove func(*Model) tea.Cmd // removes the item under the cursor
}

// itemKeys returns the rows of the items that are not just links. The items of an own page are [about.OwnPage.Items].
func itemKeys() map[about.Data]itemKey {
	return map[about.Data]itemKey{
		about.Bookmarks: {enterBookmark, func(m *Model) tea.Cmd { return m.bookmarks.Remove() }},
		about.Downloads: {enterDownload, func(m *Model) tea.Cmd { return m.downloads.Remove() }},
		about.Drafts:    {nil, (*Model).removeDraft},
		about.Settings:  {enterSetting, nil},
		about.Visits:    {nil, (*Model).forgetVisit},
	}
}

// enterBookmark folds or unfolds a folder, or opens a link that the user has entered.
func enterBookmark(m *Model, _ *protocols.Line) enter {
	p := m.tab.Session.Page()
	switch {
	case !m.isInFolder() || !p.IsFolder(p.Cursor):
		return enter{typed: true}
	case p.IsFolded(p.Cursor):
		return enter{do: m.fold, hint: "unfold"}
	}
	return enter{do: m.fold, hint: "fold"}
}

// enterDownload pauses or resumes a download, or shows what can be done with a saved file.
func enterDownload(m *Model, line *protocols.Line) (e enter) {
	row, ok := line.Note.(download.Row)
	if !ok {
		return e
	}
	if e.do = func() tea.Cmd { return m.downloads.Toggle(row.Item) }; row.Item.Status().State != download.Saved {
		e.hint = "resume" // a running download shows its state instead of hints
	}
	return e
}

func enterSetting(m *Model, line *protocols.Line) enter {
	key, ok := about.SettingKey(line.Link)
	if !ok {
		return enter{}
	}
	return enter{do: func() tea.Cmd { return m.changeSetting(key) }, hint: "change"}
}
