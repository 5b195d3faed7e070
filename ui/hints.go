package ui

import (
	"strconv"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// linkLabels are what the links on the screen are called for a while.
type linkLabels struct {
	links  []int // the lines that lead somewhere
	labels []string
	label  func(i, n int) string // the i-th of n
	all    bool                  // show also those that do not begin with what is typed
}

// show labels the links that are on the screen now.
func (l *linkLabels) show(v *pager) {
	l.links, l.labels = l.links[:0], l.labels[:0]
	first, last := v.visible()
	for i := first; i <= last; i = v.after(i) {
		if v.linked(i) {
			l.links = append(l.links, i)
		}
	}
	for i := range l.links {
		l.labels = append(l.labels, l.label(i, len(l.links)))
	}
}

// of returns the label of line i that begins with what is typed, or "".
func (l *linkLabels) of(i int, typed string) string {
	for k, line := range l.links {
		if line == i && strings.HasPrefix(l.labels[k], typed) {
			return l.labels[k]
		}
	}
	return ""
}

// find returns the line whose label is typed, or -1, and whether a label
// begins so.
func (l *linkLabels) find(typed string) (line int, begins bool) {
	for k, label := range l.labels {
		if label == typed {
			return l.links[k], true
		}
		begins = begins || strings.HasPrefix(label, typed)
	}
	return -1, begins
}

// relabel labels the links of the tab's prompt anew, when others are on the
// screen.
func (t *tab) relabel() {
	if t.prompt != nil && t.prompt.labels != nil {
		t.prompt.labels.show(&t.pager)
	}
}

// labelled are the labels that are on the screen, and how they begin.
func (m *Model) labelled() (labels *linkLabels, typed string) {
	if m.prompt == nil || m.prompt.labels == nil || m.bar.editing {
		return nil, ""
	}
	if m.prompt.labels.all {
		return m.prompt.labels, ""
	}
	return m.prompt.labels, strings.ToLower(m.prompt.line.String())
}

// newLabels labels the links on the screen, if there are any.
func (m *Model) newLabels(label func(i, n int) string) (*linkLabels, tea.Cmd) {
	l := &linkLabels{label: label}
	if m.session.Page() != nil {
		l.show(&m.pager)
	}
	if len(l.links) == 0 {
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
	l.all = true
	p := &prompt{title: "Number of a link on the screen", fields: []field{{label: "Link"}}, labels: l}
	cursor, line := m.location(), -1
	p.changed = func(m *Model, typed string) tea.Cmd {
		m.goTo(cursor)
		p.err = ""
		if line, _ = l.find(typed); line >= 0 {
			m.session.Page().Cursor = line
		} else if typed != "" {
			p.err = "there is no such link"
		}
		return nil
	}
	p.left = func(m *Model, _ []string) { m.goTo(cursor) }
	p.done = func(m *Model, _ []string) tea.Cmd {
		if line < 0 || !m.pager.linked(line) {
			m.prompt = p
			return nil
		}
		return m.follow()
	}
	m.ask(p.begin())
	if m.pressed >= "1" && m.pressed <= "9" {
		m.paste(m.pressed)
	}
	return m.promptTyped()
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
	p := &prompt{title: "Letters of a link; a capital selects it", fields: []field{{label: "Follow"}}, labels: l}
	p.changed = func(m *Model, typed string) tea.Cmd {
		line, begins := l.find(strings.ToLower(typed))
		switch {
		case !begins:
			p.line.eraseLeft()
			p.typed = p.line.String()
		case line >= 0 && m.pager.linked(line):
			m.prompt = nil
			m.session.Page().Cursor = line
			if last := []rune(typed); !unicode.IsUpper(last[len(last)-1]) {
				return m.follow()
			}
		}
		return nil
	}
	p.done = func(m *Model, _ []string) tea.Cmd {
		m.prompt = p
		return nil
	}
	return m.ask(p.begin())
}
