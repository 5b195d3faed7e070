package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room"
)

// chooseIdentity opens the form about the identity for the page. On a page without a server, it shows the identities.
func (m *Model) chooseIdentity() tea.Cmd {
	u := m.tab.CurrentURL()
	if u == nil || u.Scheme() == "about" {
		return m.visit(room.Target{URL: about.Page(about.ListOf(about.Identities).Name)}, room.How{})
	}
	return m.visit(room.Target{URL: about.IdentityURL(u)}, room.How{})
}

// removeIdentity asks whether to remove the identity under the cursor.
func (m *Model) removeIdentity() tea.Cmd {
	line, ok := m.tab.Pager.Current()
	remove := m.opts.RemoveIdentity
	if _, isAction := line.Note.(protocols.Action); !ok || isAction || remove == nil || about.IdentityName(line.Link) == "" {
		return m.notify("no identity under the cursor")
	}
	name, t := about.IdentityName(line.Link), m.tab
	t.Prompt = ask.NewQuestion("Remove the identity "+name+" and its key? Servers will not know you by it any more.", true, func() tea.Cmd {
		return m.change(func() (*room.Undo, func() tea.Cmd) {
			text := "identity removed"
			if err := remove(name); err != nil {
				text = err.Error()
			}
			return nil, func() tea.Cmd { return tea.Batch(m.notifyIn(t, text), m.reloadOwn(about.Identities)) }
		})
	})
	return nil
}
