package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/userfile/sessions"
	"gofer/ui/room"
)

// listenForTabs begins to receive the requests of other gofer processes that gofer opens a URL in a tab.
func (m *Model) listenForTabs() tea.Cmd {
	if m.opts.ListenForTabs == nil || m.opts.Private {
		return nil
	}
	ctx, listen, requests := m.ctx, m.opts.ListenForTabs, make(chan *sessions.TabRequest, 1)
	m.writes.Go(func() {
		defer m.panics.Catch()
		l, err := listen(ctx)
		if err != nil || l == nil {
			return
		}
		l.Serve(ctx, func(r *sessions.TabRequest) {
			select {
			case requests <- r:
			case <-ctx.Done():
			}
		})
	})
	return m.waitTabRequest(requests)
}

// waitTabRequest returns the command that waits for the next request.
func (m *Model) waitTabRequest(requests <-chan *sessions.TabRequest) tea.Cmd {
	ctx := m.ctx
	return func() tea.Msg {
		select {
		case r := <-requests:
			return resultFunc(func() tea.Cmd { return tea.Batch(m.openRequested(r), m.waitTabRequest(requests)) })
		case <-ctx.Done():
			return nil
		}
	}
}

// openRequested opens the URL of a request in a new tab, except on another desktop, in private mode or if there are too many
// tabs. While a prompt is open or the user types, the tab stays in the background.
func (m *Model) openRequested(r *sessions.TabRequest) tea.Cmd {
	opens := !m.private && len(m.tabs) < maxTabs && r.Desktop == sessions.Desktop(m.client.Env)
	if !r.Answer(opens) || !opens {
		return nil
	}
	n := len(m.tabs)
	if m.openPrompt() == nil && !m.isTyping() {
		return tea.Batch(m.openAndShowTab(n, room.Target{URL: r.URL}, room.How{}), m.notifyBesideHint("opened by another program"))
	}
	_, cmd := m.openTab(n, room.Target{URL: r.URL}, room.How{}, nil)
	return tea.Batch(cmd, m.notifyURL(fmt.Sprintf("another program opened tab %d:", n+1), r.URL))
}
