package ui

import (
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/text/sentence"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/term"
)

// sessionMsg reports the end of an interactive session of a tab.
type sessionMsg struct {
	tab  *tab
	load *nav.Load
	err  error
}

// openSession gives the terminal to a connected session.
func (m *Model) openSession(t *tab, msg answerMsg, s protocols.InteractiveSession) tea.Cmd {
	run := m.terminal.LendTo(m.ctx, func(l *term.Lease) error { return l.Session(s, sessionText) }, func(err error) tea.Msg {
		return sessionMsg{t, msg.load, err}
	})
	return tea.Batch(m.recordVisit(&nav.Page{Head: msg.head}, msg.load.URL), run)
}

// apply shows the page before the session. If there is no such page, it shows a page with the
// reason why the session has ended.
func (msg sessionMsg) apply(m *Model) tea.Cmd {
	t := msg.tab
	if msg.load != t.Session.Loading() {
		return nil
	}
	msg.load.Stop()
	t.Prompt = nil
	replaces := t.Session.Page() != nil && t.Session.Page().Failed == nil
	if !replaces && !t.Session.CanGoBack() {
		err := msg.err
		if err == nil || errors.Is(err, io.EOF) {
			err = nav.ErrSessionEnded
		}
		t.Session.Fail(msg.load, err)
		t.Show()
		return nil
	}
	t.Session.Stop()
	if !replaces {
		t.Session.GoBack() // leaves the page with the question
	}
	t.Show()
	return m.notify(sessionText(msg.err))
}

// sessionText returns the reason why a session has ended.
func sessionText(err error) string {
	switch {
	case err == nil:
		return "session closed"
	case errors.Is(err, io.EOF):
		return "the server closed the session"
	}
	return clean.Short(sentence.Of(err))
}
