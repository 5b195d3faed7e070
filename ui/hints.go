package ui

import (
	"strconv"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// linkLabels are what the links on the screen are called for a while.
type linkLabels struct {
	links  []linkPlace
	labels []string
	label  func(i, n int) string // the i-th of n
	all    bool                  // show also those that do not begin with what is typed
}

// linkPlace is a link by its line and, if it stands in a text, its number there.
type linkPlace struct{ line, n int }

// show labels the links that are on the screen now, those of a text that begin
// there.
func (l *linkLabels) show(v *pager) {
	l.links, l.labels = l.links[:0], l.labels[:0]
	if v.total() == 0 {
		return
	}
	first, last := v.visible()
	top := v.start()
	end, _ := v.move(top, v.height-1)
	for i := first; i <= last; i = v.after(i) {
		if v.linked(i) {
			l.links = append(l.links, linkPlace{line: i})
			continue
		}
		laid := v.line(i)
		for k := range laid.links {
			link := &laid.links[k]
			if at := (position{i, laid.rowOf(link.From)}); link.Line == i && !at.before(top) && !end.before(at) {
				l.links = append(l.links, linkPlace{i, link.N})
			}
		}
	}
	for i := range l.links {
		l.labels = append(l.labels, l.label(i, len(l.links)))
	}
}

// of returns the label of a link that begins with what is typed, or "".
func (l *linkLabels) of(at linkPlace, typed string) string {
	for k, link := range l.links {
		if link == at && strings.HasPrefix(l.labels[k], typed) {
			return l.labels[k]
		}
	}
	return ""
}

// find returns the link whose label is typed, line -1 if there is none, and
// whether a label begins so.
func (l *linkLabels) find(typed string) (link linkPlace, begins bool) {
	for k, label := range l.labels {
		if label == typed {
			return l.links[k], true
		}
		begins = begins || strings.HasPrefix(label, typed)
	}
	return linkPlace{line: -1}, begins
}

// put puts the cursor on a link.
func (v *pager) put(at linkPlace) { v.page.Cursor, v.page.Link = at.line, at.n }

// relabel labels the links of the tab's prompt anew, when others are on the
// screen.
func (t *tab) relabel() {
	if t.prompt != nil && t.prompt.labels != nil {
		t.prompt.labels.show(&t.pager)
	}
}

// labelled are the labels that are on the screen in a tab, and how they begin.
func (m *Model) labelled(t *tab) (labels *linkLabels, typed string) {
	if t != m.tab || m.prompt == nil || m.prompt.labels == nil || m.bar.editing {
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
	cursor, link := m.location(), linkPlace{line: -1}
	p.changed = func(m *Model, typed string) tea.Cmd {
		m.goTo(cursor)
		p.err = ""
		if link, _ = l.find(typed); link.line >= 0 {
			m.pager.put(link)
		} else if typed != "" {
			p.err = "there is no such link"
		}
		return nil
	}
	p.left = func(m *Model, _ []string) { m.goTo(cursor) }
	p.done = func(m *Model, _ []string) tea.Cmd {
		if _, ok := m.pager.current(); link.line < 0 || !ok {
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
	p := &prompt{title: "Letters of a link (capital: select)", fields: []field{{label: "Follow"}}, labels: l}
	p.changed = func(m *Model, typed string) tea.Cmd {
		link, begins := l.find(strings.ToLower(typed))
		switch {
		case !begins:
			p.line.EraseLeft()
			p.typed = p.line.String()
		case link.line >= 0:
			m.prompt = nil
			m.pager.put(link)
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
