package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/ui/ask"
	"gofer/ui/room"
	"gofer/urlcore"
)

// forgetItem removes the item under the cursor: a visit, a bookmark, a download, a draft or a file.
func (m *Model) forgetItem() tea.Cmd {
	if _, dir := m.tab.directory(); !dir && m.tab.Items().Tagged {
		return m.notify("only files are removed by tags: " + m.keys.keyOf("untag all") + " untags all items")
	}
	if remove := itemKeys()[m.tab.OwnPage().Items].remove; remove != nil {
		return remove(m)
	}
	if _, ok := m.tab.directory(); ok {
		return m.changes.Remove()
	}
	return m.notify("no visit under the cursor: press " + m.keys.keyOf(about.ListOf(about.Visits).Name) + " for the history")
}

// forgetVisit removes the visit under the cursor.
func (m *Model) forgetVisit() tea.Cmd {
	line, ok := m.tab.Pager.Current()
	if !ok || line.Link.Scheme() == "about" {
		return m.notify("no visit under the cursor")
	}
	return m.forget(Selection{URL: line.Link})
}

// askForget asks which visits to remove. It proposes the host of the item or the page.
func (m *Model) askForget() tea.Cmd {
	u := m.tab.CurrentURL()
	host := ""
	if u != nil {
		host = urlcore.Host(u)
	}
	return m.tab.AskLine("Forget visits", "Host, all or day (2026-01-31)", host, func(answer string) tea.Cmd {
		if answer = strings.TrimSpace(answer); answer == "all" {
			return m.tab.Ask(ask.NewQuestion("Remove all visits from the history?", true, func() tea.Cmd {
				return m.forget(Selection{All: true})
			}))
		}
		if strings.Trim(answer, "0123456789-") != "" {
			return m.forget(Selection{Host: answer})
		}
		day, err := time.ParseInLocation(time.DateOnly, answer, m.opts.Zone)
		if err != nil {
			return m.notify(answer + " is not a day: a day is written as 2026-01-31")
		}
		return m.forget(Selection{Day: day})
	})
}

func (m *Model) forget(sel Selection) tea.Cmd {
	do := m.opts.Forget
	if do == nil {
		return m.notify("no history is kept")
	}
	return m.change(func() (*room.Undo, func() tea.Cmd) {
		text, err := do(sel)
		if err != nil {
			text = strings.TrimPrefix(text+"; "+err.Error(), "; ")
		}
		return nil, func() tea.Cmd { return m.updateHistory(text) }
	})
}

// forgetLogins forgets the logins, cookies and consents of this run.
func (m *Model) forgetLogins() tea.Cmd {
	do := m.opts.ForgetLogins
	if do == nil {
		return m.notify("no logins are kept")
	}
	return m.writeInBackground(func() resultFunc {
		o := do()
		return func() tea.Cmd {
			used := m.useOptions(o)
			clear(m.lastAnswers)
			return tea.Batch(used, m.notify("forgot the typed logins, cookies and consents"))
		}
	})
}

// updateHistory shows text as a notice and reloads the history after visits were removed.
func (m *Model) updateHistory(text string) tea.Cmd {
	clear(m.openedURLs)
	for _, t := range m.tabs {
		t.lookup.forget()
	}
	return tea.Batch(m.notify(text), m.reloadOwn(about.Visits))
}

// reloadOwn reloads gofer's own pages that show the changed data, in every tab that waits for no other page.
func (m *Model) reloadOwn(changed about.Data) tea.Cmd {
	var cmd tea.Cmd
	for _, t := range m.tabs {
		if t.OwnPage().Shows&changed != 0 && t.pendingURL() == nil {
			cmd = tea.Batch(cmd, m.visit(room.Target{}, room.How{Tab: &t.Viewer, Again: true, Changed: true}))
		}
	}
	return cmd
}
