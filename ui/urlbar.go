package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/ui/edit"
	"gofer/urlcore"
)

// bar is the line at the top: the URL of the page, or the one being typed.
type bar struct {
	editing bool
	line    edit.Line
	err     string // why what was typed is no URL; the cursor is at the place
	completer
}

// open begins to edit s.
func (b *bar) open(s string) {
	*b = bar{editing: true}
	b.line.Set(s)
}

// fail puts the cursor where err says that the URL goes wrong.
func (b *bar) fail(err error) {
	b.err = err.Error()
	var bad *urlcore.Error
	if errors.As(err, &bad) {
		typed := b.line.String()
		offset := bad.Offset
		if strings.HasSuffix(bad.Input, typed) {
			offset -= len(bad.Input) - len(typed) // what was guessed before it
		}
		b.line.At = runeIndex(typed, max(0, offset))
	}
}

// runeIndex is the index of the character that holds octet i of s.
func runeIndex(s string, i int) int {
	n := 0
	for at := range s {
		if at >= i {
			return n
		}
		n++
	}
	return n
}

// barURL is the URL that the bar shows: of what is being waited for or was
// given up waiting for, else of the page.
func (m *Model) barURL() urlcore.URL {
	switch l := m.tab.session.Loading(); {
	case l != nil && m.tab.session.Waiting():
		return l.URL
	case m.tab.stoppedURL != nil && m.bar.editing:
		return m.tab.stoppedURL
	case m.tab.prompt != nil && m.tab.prompt.url != nil:
		return m.tab.prompt.url
	}
	u, _ := m.tab.pageHere()
	return u
}

// editURL begins to edit the URL of the page.
func (m *Model) editURL() tea.Cmd {
	m.bar.editing = true
	u := m.barURL()
	s := ""
	if u != nil {
		s = urlcore.Redact(u).String()
	}
	m.bar.open(s)
	m.bar.line.Propose(s)
	return m.beginTyping()
}

func (m *Model) selectTyped() tea.Cmd {
	m.bar.err = ""
	m.bar.line.Propose(m.bar.line.String())
	return nil
}

// goTyped opens what is in the bar, or says where it goes wrong.
func (m *Model) goTyped() tea.Cmd { return m.openTyped(m.visit) }

func (m *Model) goTypedInTab() tea.Cmd { return m.openTyped(m.visitInTab) }

func (m *Model) openTyped(visit func(urlcore.URL) tea.Cmd) tea.Cmd {
	typed := strings.TrimSpace(m.bar.line.String())
	if typed == "" {
		m.bar = bar{}
		return nil
	}
	m.bar.line.Set(typed)
	u, err := m.opts.Guess(typed)
	if err != nil {
		m.bar.close()
		m.bar.fail(err)
		return nil
	}
	m.remember(typed, u)
	m.bar = bar{}
	cmd := visit(u)
	m.tab.fragment, m.tab.revealNext = typedFragment(u, typed), 0
	return cmd
}
