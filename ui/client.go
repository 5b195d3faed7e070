package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/userfile/config"
	"gofer/ui/term"
)

// isRemote reports whether the terminal is another machine's, by the setting or as far as gofer knows.
func (m *Model) isRemote() bool {
	switch m.opts.Config.Remote {
	case config.RemoteAlways:
		return true
	case config.RemoteNever:
		return false
	}
	return m.client.Remote
}

// isInMultiplexer reports whether gofer runs in tmux or screen, so that the user may detach it from one terminal and attach
// it to another.
func (m *Model) isInMultiplexer() bool { return m.env("TMUX")+m.env("STY") != "" }

// pauseTime is a time without keys in which the user may have attached gofer to another terminal. tmux reports that only if
// its setting focus-events is on.
const pauseTime = 10 * time.Second

// findClientAfterPause is called for each key, and returns findClient for the first one after a pause.
func (m *Model) findClientAfterPause() tea.Cmd {
	now := m.now()
	paused := !m.lastKeyTime.IsZero() && now.Sub(m.lastKeyTime) >= pauseTime
	if m.lastKeyTime = now; !paused {
		return nil
	}
	return m.findClient()
}

// findClient returns the command that finds the terminal at which the user sits now.
func (m *Model) findClient() tea.Cmd {
	if m.opts.FindClient == nil || m.seekingClient {
		return nil
	}
	m.seekingClient = true
	ctx, find := m.ctx, m.opts.FindClient
	return runInBackground(func() resultFunc {
		c := find(ctx)
		return func() tea.Cmd {
			m.seekingClient = false
			m.useClient(c)
			return nil
		}
	})
}

// useClient draws for the terminal c from now on.
func (m *Model) useClient(c term.Client) {
	if c.Hyperlinks == term.Unknown {
		c.Hyperlinks = m.client.Hyperlinks
	}
	changed := c.Remote != m.client.Remote || c.Hyperlinks != m.client.Hyperlinks
	if m.client = c; changed {
		m.terminal.SetRemote(m.isRemote())
		m.restyle(m.background)
	}
}

// requestVersion asks a terminal that is named like screen or tmux for its version, unless gofer runs in tmux and can ask it
// for more: over SSH the terminal may be the tmux of another machine.
func (m *Model) requestVersion() tea.Cmd {
	if m.isInMultiplexer() || !strings.HasPrefix(m.env("TERM"), "screen") {
		return nil
	}
	return tea.Raw(m.version.Query())
}

// recordVersion uses the answer of the terminal to the request for its version.
func (m *Model) recordVersion() {
	if support := term.TmuxHyperlinks(m.version.Name); support != term.Unknown && m.env("TMUX") == "" {
		c := m.client
		c.Hyperlinks = support
		m.useClient(c)
	}
}
