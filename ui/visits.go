package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/nav"
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
	return m.writeInBackground(func() resultFunc {
		err := visit(ctx, u, title)
		return func() tea.Cmd {
			if err == nil || err.Error() == m.historyError {
				return nil
			}
			m.historyError = err.Error()
			return m.notifyBesideHint(m.historyError)
		}
	})
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
