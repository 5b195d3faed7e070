package ui

import (
	"errors"
	"os"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/program"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room"
	"gofer/ui/term"
	"gofer/urlcore"
)

// draftMsg has a draft, before or after the user edits it. After the edit, the field confirm asks
// whether to send the message. The field err is the reason why the message cannot be edited or sent,
// or nil.
type draftMsg struct {
	tab     *tab
	compose *protocols.Compose
	path    string
	confirm *protocols.Confirm
	err     error
}

// compose opens the editor for a message. After the editor has ended, the whole message is shown
// with the question whether to send it. The draft stays on the disk until the message is sent.
func (m *Model) compose(t *tab, c *protocols.Compose) tea.Cmd {
	if m.opts.Editor == nil {
		return m.notify("no editor: messages cannot be written")
	}
	t.draft = c
	return func() tea.Msg {
		path, err := c.Draft.File()
		return draftMsg{tab: t, compose: c, path: path, err: err}
	}
}

// apply opens the editor, or asks whether to send the message.
func (msg draftMsg) apply(m *Model) tea.Cmd {
	t, c := msg.tab, msg.compose
	switch {
	case errors.Is(msg.err, protocols.ErrEmptyDraft):
		return m.notifyIn(t, msg.err.Error())
	case msg.err != nil:
		t.ShowError(c.URL, msg.err)
		return nil
	case msg.confirm == nil:
		editor := program.Program{Argv: m.opts.Editor(msg.path, c.Draft.StartLine()), Name: "the editor", Env: os.Environ()}
		var confirm *protocols.Confirm
		return m.terminal.LendTo(m.ctx, func(l *term.Lease) error {
			if err := l.Program(editor); err != nil {
				return &protocols.Error{Reason: protocols.Unfinished, Op: "run the editor", Err: err, Lines: c.DraftLines(msg.path)}
			}
			var err error
			confirm, err = c.Draft.Preview()
			return err
		}, func(err error) tea.Msg { return draftMsg{t, c, msg.path, confirm, err} })
	}
	return m.askSend(t, c, msg.confirm)
}

// askSend asks whether to send the message. If the user answers no, the draft is kept.
func (m *Model) askSend(t *tab, c *protocols.Compose, confirm *protocols.Confirm) tea.Cmd {
	t.ShowError(c.URL, confirm)
	q := ask.NewConfirm(confirm, func() tea.Cmd { return m.send(t, c) })
	q.No = func() tea.Cmd {
		return m.notify("not sent: the draft is kept; " + m.keys.keyOf("reload") + " edits it")
	}
	t.AskHere(q)
	return nil
}

// send sends a message that the user has confirmed.
func (m *Model) send(t *tab, c *protocols.Compose) tea.Cmd {
	ctx := m.ctx
	return tea.Batch(m.notify("sending..."), m.writeInBackground(func() resultFunc {
		err := c.Draft.Send(ctx)
		return func() tea.Cmd { return m.showSendResult(t, c, err) }
	}))
}

// showSendResult reports the result of an attempt to send a message.
func (m *Model) showSendResult(t *tab, c *protocols.Compose, err error) tea.Cmd {
	switch q := protocols.QuestionOf(err).(type) {
	case *protocols.Login:
		t.AskHere(ask.NewLogin(q, c.URL, func() tea.Cmd { return m.send(t, c) }))
		return nil
	case *protocols.Confirm:
		return m.askSend(t, c, q)
	}
	text := "sent"
	if errors.Is(err, protocols.ErrQueued) {
		text, err = err.Error(), nil
	}
	if err != nil {
		t.ShowError(c.URL, err)
		return m.notifyIn(t, "not sent: the draft is kept")
	}
	if p := t.Session.Page(); p != nil && p.Failed != nil && p.URL == c.URL && t.Session.CanGoBack() {
		t.Session.GoBack() // leaves the page with the message
		t.Show()
	}
	if c.Answer != nil && c.Answer() != nil {
		return tea.Batch(m.visit(room.Target{URL: c.Answer()}, room.How{Tab: &t.Viewer, Fresh: true}), m.notifyIn(t, text))
	}
	if p := t.Session.Page(); p != nil && p.Layout == protocols.LayoutArticles && p.Failed == nil && t.Session.Loading() == nil {
		return tea.Batch(m.reloadTab(t), m.notifyIn(t, text)) // the page may list the posted article
	}
	return m.notifyIn(t, text)
}

// editFile edits the file under the cursor, or the Gemini page by Titan.
func (m *Model) editFile() tea.Cmd {
	p := m.tab.Session.Page()
	if p == nil || p.URL == nil || p.URL.Scheme() != "gemini" {
		return m.changes.EditFile()
	}
	u, _ := p.URL.(urlcore.HTTP)
	u.Name = "titan"
	return m.visit(room.Target{URL: u}, room.How{})
}

// removeDraft asks whether to remove the draft under the cursor.
func (m *Model) removeDraft() tea.Cmd {
	line, ok := m.tab.Pager.Current()
	remove := m.opts.RemoveDraft
	if _, isAction := line.Note.(protocols.Action); !ok || isAction || line.Link == nil || remove == nil {
		return m.notify("no draft under the cursor")
	}
	u, t := line.Link, m.tab
	t.Prompt = ask.NewQuestion("Remove the draft and its text?", true, func() tea.Cmd {
		return m.change(func() (*room.Undo, func() tea.Cmd) {
			text := "draft removed"
			if err := remove(u); err != nil {
				text = "draft not removed: " + err.Error()
			}
			return nil, func() tea.Cmd {
				return tea.Batch(m.notifyIn(t, text), m.reloadOwn(about.Drafts))
			}
		})
	})
	return nil
}
