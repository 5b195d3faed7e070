package ui

import (
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// recordTitledVisit records a visit to p, the page of l, when the title of p is known or the parameter
// ended is set.
func (m *Model) recordTitledVisit(p *nav.Page, l *nav.Load, ended bool) tea.Cmd {
	if p.IsUntitled() && !ended {
		return nil
	}
	return m.recordVisit(p, l.URL)
}

// recordVisit records p in the history. The parameter requested is the URL that was opened, which may
// differ from the URL of p.
func (m *Model) recordVisit(p *nav.Page, requested urlcore.URL) tea.Cmd {
	if m.private || p.URL.Scheme() == "about" || urlcore.IsStandardInput(p.URL) {
		return nil
	}
	m.markOpened(requested, p.URL)
	if m.opts.Visit == nil {
		return nil
	}
	ctx, visit, u, title := m.ctx, m.opts.Visit, urlcore.Redact(p.URL), p.ListTitle()
	return m.writeInOrder(&m.lastVisit, func() resultFunc { return m.historyResult(visit(ctx, requested, u, title)) })
}

// historyResult returns a result that shows an error of the history as a notice, unless it was shown before.
func (m *Model) historyResult(err error) resultFunc {
	return func() tea.Cmd {
		if err == nil || err.Error() == m.historyError {
			return nil
		}
		m.historyError = err.Error()
		return m.notifyBesideHint(m.historyError)
	}
}

// keepText keeps the text of p for searches, if the load l has read the page to its end. The visit is recorded before it.
func (m *Model) keepText(p *nav.Page, l *nav.Load, end error) tea.Cmd {
	keep := m.opts.KeepText
	if keep == nil || m.private || !errors.Is(end, io.EOF) || p.Failed != nil || p.SearchTerms != "" || p.Layout == protocols.LayoutPage ||
		urlcore.IsStandardInput(p.URL) {
		return nil
	}
	ctx, head, reading := m.ctx, p.Head, p.Reading()
	return m.writeInOrder(&m.lastVisit, func() resultFunc { return m.historyResult(keep(ctx, l.URL, &head, l.Text(reading))) })
}

// askToRemember asks once whether the text of pages is to be remembered, at the first search in it.
func (m *Model) askToRemember(t *tab) {
	if t.OwnPage().Name != about.SearchName || m.opts.Config.RememberText != nil || m.opts.SetSetting == nil || m.private {
		return
	}
	set := func(value string) func() tea.Cmd {
		return func() tea.Cmd {
			return m.setSetting("", func(error) tea.Cmd { return nil }, config.Edit{Key: "remember_text", Text: value})
		}
	}
	q := ask.NewQuestion("Remember the text of the pages that you read?", true, set("true"))
	q.Reason = "Only on this machine, to search in it."
	q.No = set("false")
	t.AskHere(q)
}

// markOpened records the URLs of a page that was opened, so that links to the page are marked at
// once.
func (m *Model) markOpened(urls ...urlcore.URL) {
	if len(m.openedURLs) > maxOpened {
		clear(m.openedURLs)
	}
	for _, u := range urls {
		m.openedURLs[urlcore.Redact(u).String()] = true
	}
	for _, t := range m.tabs {
		t.lookup.forget()
	}
}
