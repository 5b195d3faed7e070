package ui

import (
	"strconv"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"gofer/ui/page"
)

// relabel labels the links of the tab's prompt anew, when others are on the
// screen.
func (t *tab) relabel() {
	if t.prompt != nil && t.prompt.labels != nil {
		t.prompt.labels.Show(&t.pager)
	}
}

// labelled are the labels that are on the screen in a tab, and how they begin.
func (m *Model) labelled(t *tab) (labels *page.LinkLabels, typed string) {
	if t != m.tab || m.tab.prompt == nil || m.tab.prompt.labels == nil || m.bar.editing {
		return nil, ""
	}
	if m.tab.prompt.labels.All {
		return m.tab.prompt.labels, ""
	}
	return m.tab.prompt.labels, strings.ToLower(m.tab.prompt.line.String())
}

// newLabels labels the links on the screen, if there are any.
func (m *Model) newLabels(label func(i, n int) string) (*page.LinkLabels, tea.Cmd) {
	l := &page.LinkLabels{Label: label}
	if m.tab.session.Page() != nil {
		l.Show(&m.tab.pager)
	}
	if len(l.Links) == 0 {
		return nil, m.say("there are no links on the screen")
	}
	return l, nil
}

// startNumber asks for the number of a link on the screen and selects it.
func (m *Model) startNumber() tea.Cmd {
	l, said := m.newLabels(func(i, _ int) string { return strconv.Itoa(i + 1) })
	if l == nil {
		return said
	}
	l.All = true
	p := &prompt{title: "Number of a link on the screen", fields: []field{{label: "Link"}}, labels: l}
	cursor, link := m.tab.location(), page.LinkPlace{Line: -1}
	p.changed = func(typed string) tea.Cmd {
		m.tab.goTo(cursor)
		p.err = ""
		if link, _ = l.Find(typed); link.Line >= 0 {
			m.tab.pager.Put(link)
		} else if typed != "" {
			p.err = "there is no such link"
		}
		return nil
	}
	p.left = func(_ []string) { m.tab.goTo(cursor) }
	p.done = func(_ []string) tea.Cmd {
		if _, ok := m.tab.pager.Current(); link.Line < 0 || !ok {
			m.tab.prompt = p
			return nil
		}
		return m.follow()
	}
	m.tab.ask(p.begin())
	if m.pressed >= "1" && m.pressed <= "9" {
		m.paste(m.pressed)
	}
	return m.tab.promptTyped()
}

// hintLetters are those under the fingers.
const hintLetters = "asdfghjkl"

// hintLabel is the i-th of n labels, all of which have as few letters as will
// do.
func hintLabel(i, n int) string {
	label := ""
	for size := 1; label == "" || size < n; size *= len(hintLetters) {
		label = string(hintLetters[i%len(hintLetters)]) + label
		i /= len(hintLetters)
	}
	return label
}

// startHints shows letters beside the links on the screen, which follow them;
// a capital at the end only selects.
func (m *Model) startHints() tea.Cmd {
	l, said := m.newLabels(hintLabel)
	if l == nil {
		return said
	}
	p := &prompt{title: "Letters of a link (capital: select)", fields: []field{{label: "Follow"}}, labels: l}
	p.changed = func(typed string) tea.Cmd {
		link, begins := l.Find(strings.ToLower(typed))
		switch {
		case !begins:
			p.line.EraseLeft()
			p.typed = p.line.String()
		case link.Line >= 0:
			m.tab.prompt = nil
			m.tab.pager.Put(link)
			if last := []rune(typed); !unicode.IsUpper(last[len(last)-1]) {
				return m.follow()
			}
		}
		return nil
	}
	p.done = func(_ []string) tea.Cmd {
		m.tab.prompt = p
		return nil
	}
	return m.tab.ask(p.begin())
}
