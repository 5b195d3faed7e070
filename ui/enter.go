package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/download"
	"gofer/protocols"
	"gofer/ui/ask"
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
	p := m.tab.Session.Page()
	if p != nil && p.URL == line.Link && slices.Contains(itemActions(), name) {
		return func() tea.Cmd { return m.chooseItem(a) }
	}
	return func() tea.Cmd { return a.do(m) }
}

// itemActions returns the actions on an item of a page. A line of the page that names one of them asks for the item.
func itemActions() []protocols.Action {
	return []protocols.Action{protocols.ActionOpen, protocols.ActionExplain, protocols.ActionDetails, protocols.ActionForget}
}

// chooseItem asks for an item of the page, unless there is only one, and runs an action on the item.
func (m *Model) chooseItem(a *action) tea.Cmd {
	p := m.tab.Session.Page()
	var choices []ask.Choice
	for i := range p.Lines.Len() {
		line := p.Lines.At(i)
		if _, isAction := line.Note.(protocols.Action); isAction || line.Link == nil {
			continue
		}
		choices = append(choices, ask.Choice{Text: clean.Short(m.tab.Pager.LineText(&line)), Do: func() tea.Cmd {
			now := m.tab.Session.Page() // the page may have been loaded again
			at := -1
			if now != nil && now.URL == p.URL {
				at = now.Lines.IndexLink(line.Link, 0)
			}
			if at < 0 {
				return m.notify("this item is no longer on the page")
			}
			m.tab.Pager.MoveTo(at, 0)
			return a.do(m)
		}})
	}
	switch len(choices) {
	case 0:
		return m.notify(m.noLinkText())
	case 1:
		return choices[0].Do()
	}
	return m.tab.Choose(strings.ToUpper(a.name[:1])+a.name[1:], "Item", ask.NewList(choices, false, 0))
}

// itemKey is what keys do on an item of one of gofer's own pages.
type itemKey struct {
	enter  func(*Model, *protocols.Line) enter
	remove func(*Model) tea.Cmd // removes the item under the cursor
}

// itemKeys returns the rows of the items that are not just links. The items of an own page are [about.OwnPage.Items].
func itemKeys() map[about.Data]itemKey {
	return map[about.Data]itemKey{
		about.Bookmarks:  {enterBookmark, func(m *Model) tea.Cmd { return m.bookmarks.Remove() }},
		about.Downloads:  {enterDownload, func(m *Model) tea.Cmd { return m.downloads.Remove() }},
		about.Drafts:     {nil, (*Model).removeDraft},
		about.Identities: {nil, (*Model).removeIdentity},
		about.Settings:   {enterSetting, nil},
		about.Later:      {nil, func(m *Model) tea.Cmd { return m.offline.Remove() }},
		about.Visits:     {nil, (*Model).forgetVisit},
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
