package ui

import (
	"errors"
	"strconv"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"gofer/ui/ask"
	"gofer/ui/page"
)

// linkPrompt asks for a link on the screen by the label beside it.
type linkPrompt struct {
	*ask.Line
	labels *page.LinkLabels
}

// relabel labels the links of the tab's prompt anew, when others are on the
// screen.
func (t *reader) relabel() {
	if p, ok := t.prompt.(*linkPrompt); ok {
		p.labels.Show(&t.pager)
	}
}

// startNumber asks for the number of a link on the screen, which may begin with the digit
// that was pressed.
func (m *Model) startNumber() tea.Cmd {
	cmd := m.tab.askNumber()
	if _, ok := m.tab.prompt.(*linkPrompt); ok && m.pressed >= "1" && m.pressed <= "9" {
		return m.paste(m.pressed)
	}
	return cmd
}

// labelled are the labels that are on the screen in a tab, and how they begin.
func (m *Model) labelled(t *tab) (labels *page.LinkLabels, typed string) {
	p, ok := m.asking().(*linkPrompt)
	switch {
	case t != m.tab || !ok:
		return nil, ""
	case p.labels.All:
		return p.labels, ""
	}
	return p.labels, strings.ToLower(p.Typed())
}

// newLabels labels the links on the screen, if there are any.
func (t *reader) newLabels(label func(i, n int) string) (*page.LinkLabels, tea.Cmd) {
	l := &page.LinkLabels{Label: label}
	if t.session.Page() != nil {
		l.Show(&t.pager)
	}
	if len(l.Links) == 0 {
		return nil, t.host.Say("there are no links on the screen")
	}
	return l, nil
}

// askNumber asks for the number of a link on the screen and selects it.
func (t *reader) askNumber() tea.Cmd {
	l, said := t.newLabels(func(i, _ int) string { return strconv.Itoa(i + 1) })
	if l == nil {
		return said
	}
	l.All = true
	p := &linkPrompt{ask.NewLine(ask.Head{Title: "Number of a link on the screen"}, ask.Field{Label: "Link"}), l}
	cursor, link := t.location(), page.LinkPlace{Line: -1}
	p.Changed = func(typed string) (tea.Cmd, error) {
		t.goTo(cursor)
		if link, _ = l.Find(typed); link.Line >= 0 {
			t.pager.Put(link)
		} else if typed != "" {
			return nil, errors.New("there is no such link")
		}
		return nil, nil
	}
	p.Leave = func([]string) { t.goTo(cursor) }
	p.Finish = func([]string) tea.Cmd {
		if _, ok := t.pager.Current(); link.Line < 0 || !ok {
			t.prompt = p
			return nil
		}
		return t.host.Follow()
	}
	return t.ask(p)
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
func (t *reader) startHints() tea.Cmd {
	l, said := t.newLabels(hintLabel)
	if l == nil {
		return said
	}
	p := &linkPrompt{ask.NewLine(ask.Head{Title: "Letters of a link (capital: select)"}, ask.Field{Label: "Follow"}), l}
	p.Changed = func(typed string) (tea.Cmd, error) {
		link, begins := l.Find(strings.ToLower(typed))
		switch {
		case !begins:
			p.EraseLast()
		case link.Line >= 0:
			p.Close()
			t.pager.Put(link)
			if last := []rune(typed); !unicode.IsUpper(last[len(last)-1]) {
				return t.host.Follow(), nil
			}
		}
		return nil, nil
	}
	p.Finish = func([]string) tea.Cmd {
		t.prompt = p
		return nil
	}
	return t.ask(p)
}
