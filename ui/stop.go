package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/ui/ask"
	"gofer/ui/room"
	"gofer/ui/viewer"
)

// stop stops the attempt to reach a server of the settings, or else the load. If nothing loads, it does the first of these
// that has an effect: it closes the pane, removes the filter, stops a change, removes the marks of a search, or stops a
// download. A download for another program is stopped before the marks are removed.
func (m *Model) stop() tea.Cmd {
	if m.stopTrial() {
		return m.notify("stopped: the setting is not changed")
	}
	if l := m.tab.Session.Loading(); l != nil {
		if m.tab.Session.IsWaiting() {
			m.tab.stoppedURL = l.URL
		}
		m.tab.Session.Stop()
		m.tab.Show()
		return m.notify("stopped")
	}
	if m.peek.open {
		m.closePeek()
		return nil
	}
	if p := m.tab.Session.Page(); p != nil && p.Filter != nil {
		return m.clearFilter(p.Filter)
	}
	if m.changes.IsRunning() {
		return m.changes.Stop()
	}
	if m.inbox.IsRunning() {
		return m.inbox.Stop()
	}
	if item, n := m.downloads.Active(); n > 0 && (item.Status().Private || m.tab.SearchPattern() == nil) {
		return m.downloads.Stop(item)
	}
	m.tab.Finder = viewer.Finder{}
	return nil
}

func (m *Model) stopOrQuit() tea.Cmd {
	if m.tab.Session.Loading() != nil || m.trial != nil {
		return m.stop()
	}
	return m.quit()
}

// quit ends the program. It asks first if a server is being changed or a file is being downloaded.
func (m *Model) quit() tea.Cmd {
	if m.changes.IsRunning() {
		return m.tab.Ask(ask.NewQuestion("Still "+m.changes.ShortText()+". Quit anyway?", false, m.leaveDownloads))
	}
	return m.leaveDownloads()
}

// leaveDownloads ends the program. If a file is being downloaded, it asks first whether the downloads go on in the background.
func (m *Model) leaveDownloads() tea.Cmd {
	switch quit := func() tea.Cmd { return tea.Quit }; {
	case m.downloads.ActiveHere() == 0:
		return tea.Quit
	case m.opts.CanDetach == nil || !m.opts.CanDetach():
		return m.tab.Ask(ask.NewQuestion("Pause the downloads and quit?", false, quit))
	default:
		q := ask.NewQuestion("Quit, and let the downloads go on in the background?", false, func() tea.Cmd {
			m.detaches = true
			return tea.Quit
		})
		q.Pause = quit
		return m.tab.Ask(q)
	}
}

func (m *Model) suspend() tea.Cmd {
	if m.opts.Config.Restrict.Enabled {
		return m.notify(room.NotAllowed)
	}
	return m.terminal.Suspend(m.ctx)
}
