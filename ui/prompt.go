package ui

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/room"
)

// openPrompt returns the prompt that reads the keys: the help over a prompt, the URL bar, or the
// prompt of a tab. It returns nil if no prompt is open.
func (m *Model) openPrompt() ask.Prompt {
	p := m.promptTab().Prompt
	if m.bar != nil {
		p = m.bar
	}
	if m.promptHelp != nil { // the help reads the next key even if p was replaced
		return m.promptHelp
	}
	return p
}

// pageKey returns the key of an action on pages, or "" while a question reads the keys.
func (m *Model) pageKey(action string) string {
	if m.context() == contextQuestion {
		return ""
	}
	return m.keys.keyOf(action)
}

// promptTab returns the tab whose prompt reads the keys. A prompt of the page has priority
// over a prompt of the pane.
func (m *Model) promptTab() *tab {
	if m.tab.Prompt != nil {
		return m.tab
	}
	return m.focusedTab()
}

// askScreen describes the screen to the prompt.
func (m *Model) askScreen() *ask.Screen {
	r := m.regions()
	return &ask.Screen{
		Width: m.width, Height: m.height, Rows: r.rows, Ruled: r.rule >= 0,
		Cells: m.tab.Pager.Cells, Styles: &m.styles, Glyphs: &m.glyphs, Keys: m.keys, More: m.moreHint(), Context: m.ctx,
		Notify: m.notify, Notice: m.newScreen().drawNotice,
		RunInBackground: shell{m}.RunInBackground,
		AskInBackground: shell{m}.AskInBackground,
	}
}

// answer runs an action on the open prompt.
func (m *Model) answer(action string) tea.Cmd {
	t, p := m.promptTab(), m.openPrompt()
	cmd := p.Key(action, m.askScreen())
	return tea.Batch(cmd, m.finishPrompt(t, p))
}

// pasteText inserts a pasted text into the prompt. Without a prompt it searches the text for URLs.
func (m *Model) pasteText(text string) tea.Cmd {
	switch p := m.openPrompt(); {
	case p == nil:
		return m.pasteURLs(text)
	case p == m.bar:
		return m.bar.Paste(text, m.askScreen())
	}
	return m.insert(text)
}

// insert inserts a text into the prompt.
func (m *Model) insert(text string) tea.Cmd {
	t, p := m.promptTab(), m.openPrompt()
	cmd := p.Insert(text, m.askScreen())
	return tea.Batch(cmd, m.finishPrompt(t, p))
}

// finishPrompt removes p if p has ended: the help over a prompt, the URL bar or the prompt of t. It
// then calls the function that p returns, which may show the next prompt.
func (m *Model) finishPrompt(t *tab, p ask.Prompt) tea.Cmd {
	next, done := p.Done()
	if !done {
		return nil
	}
	switch p {
	case m.promptHelp:
		m.promptHelp = nil
	case m.bar:
		m.bar = nil
	case t.Prompt:
		t.Prompt = nil
	}
	var cmd tea.Cmd
	if next != nil {
		cmd = next()
	}
	return tea.Batch(cmd, t.Scan())
}

// leaveActions returns the actions that leave a prompt, a form or a question for another URL.
func leaveActions() []action {
	return []action{{[]string{"ctrl+l"}, "URL", "type another URL; Esc returns to the prompt", (*Model).editURLOverPrompt, interrupts, always}}
}

// newTabActions returns the actions that leave a prompt or the URL bar for a new tab.
func newTabActions() []action {
	return []action{{[]string{"ctrl+t"}, "new tab", "type the URL of a new tab; the prompt stays in its tab", (*Model).typeInTab, interrupts, always}}
}

// editURLOverPrompt opens the URL bar over the open prompt, which opens again if the bar is left without a URL. A prompt of
// the pane is canceled.
func (m *Model) editURLOverPrompt() tea.Cmd {
	m.promptHelp = nil
	left := m.dropPrompt(m.peek.tab)
	return tea.Batch(left, m.editURL())
}

// maxNextPrompts is the largest number of prompts that cancel each other in dropPrompt.
const maxNextPrompts = 8

// dropPrompt cancels the prompt of t, because t shows another page, and the prompts that follow when it is canceled.
func (m *Model) dropPrompt(t *tab) (cmd tea.Cmd) {
	for n := 0; t.Prompt != nil && n < maxNextPrompts; n++ {
		p, ok := t.Prompt.(interface{ Drop() tea.Cmd })
		if t.Prompt = nil; ok {
			cmd = tea.Batch(cmd, p.Drop())
		}
	}
	t.Prompt = nil
	return cmd
}

// newAsk returns the prompt or the form for an Ask in t. It proposes the last answers, except
// secrets.
func (m *Model) newAsk(t *tab, a *protocols.Ask) ask.Prompt {
	q := nav.ReadAsk(a, m.aids.CharsetOf(&t.Viewer, a.URL))
	fields, proposed, isForm := ask.Fields(q, m.lastAnswers[a.URL])
	head := ask.Head{Title: clean.Short(a.Title), Server: clean.Short(a.Server), ServerText: q.Reading.Short(a.ServerTitle), URL: a.URL, Reading: q.Reading}
	secret := slices.ContainsFunc(fields, func(f ask.Field) bool { return f.Secret })
	keep := func(answers []string) tea.Cmd { m.keepAnswers(a, fields, answers); return nil }
	var line *ask.Line
	var form *ask.Form
	finish := func(answers []string) tea.Cmd {
		keep(answers)
		if !isForm && strings.TrimSpace(strings.Join(answers, "")) == "" {
			return m.notify("not sent: nothing typed")
		}
		u, err := q.Answer(proposed, answersTo(a, answers))
		switch {
		case err != nil && isForm:
			t.Prompt = form
			form.Reopen(invalidField(err))
			return m.notify(err.Error())
		case err != nil:
			t.Prompt = line
			line.Reopen(invalidField(err), clean.Short(err.Error()))
			return nil
		}
		searchTerms := ""
		if !secret && !isForm {
			searchTerms = strings.Join(answers, " ")
		}
		title := t.target.Title
		if protocols.KindOf(a.URL).Opening() == protocols.OpensPrompt {
			title = "" // the link does not tell what is searched
		}
		return m.visit(room.Target{URL: u, Title: title, SearchTerms: searchTerms}, room.How{Tab: &t.Viewer, Typed: t.hasTyped(u)})
	}
	if isForm {
		form = ask.NewForm(head, "Send", fields...)
		form.FromServer, form.Finish, form.Leave = true, finish, keep
		return form
	}
	line = ask.NewLine(head, fields...)
	line.Finish, line.Leave = finish, keep
	return line
}

// invalidField returns the index of the field whose answer err rejects, or -1.
func invalidField(err error) int {
	if refused, ok := errors.AsType[*nav.AnswerError](err); ok {
		return refused.Field
	}
	return -1
}

// answersTo returns the answers to the fields of ask, with ~ expanded in paths.
func answersTo(ask *protocols.Ask, answers []string) []string {
	answers = slices.Clone(answers[:max(len(ask.Fields), 1)])
	for i, f := range ask.Fields {
		if f.Input == protocols.InputFile {
			answers[i] = userfile.ExpandHome(answers[i])
		}
	}
	return answers
}

// keepAnswers stores the answers to an Ask for its URL, without secrets, to propose them again.
func (m *Model) keepAnswers(a *protocols.Ask, fields []ask.Field, answers []string) {
	if a.URL == nil || m.private || a.IsAnew {
		return
	}
	if len(m.lastAnswers) >= maxTypedForms {
		clear(m.lastAnswers)
	}
	kept := slices.Clone(fields)
	for i := range kept {
		if kept[i].Value = answers[i]; kept[i].Secret {
			kept[i].Value = ""
		}
	}
	m.lastAnswers[a.URL] = kept
}

// maxTypedForms is the largest number of forms whose answers are kept.
const maxTypedForms = 256

// drawNotice draws the current notice. It returns false if there is none.
func (s *screen) drawNotice(w *cell.RowWriter) bool {
	if notice, _ := s.m.statusNotice(); notice == "" {
		return false
	}
	s.drawLeft(w, w.Width-w.Col-cell.Margin(w.Width))
	return true
}
