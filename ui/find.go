package ui

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
)

// findSlice and findOctets bound how many lines, and of what length together,
// one message searches: little enough that keys stay live in a page of a
// million lines, and in one of long lines that are slow to clean.
const (
	findSlice  = 4096
	findOctets = 128 << 10
)

// finder is a search in the page.
type finder struct {
	words   string // folded; "" for none
	running *search
}

// search is one run over the lines of a page, a slice at a time.
type search struct {
	page *nav.Page
	next int // the line to look at
	dir  int
	left int // how many lines are still to be looked at
}

// findMsg asks to go on with a search in a tab.
type findMsg struct {
	tab    *tab
	search *search
}

func (m *Model) startFind() tea.Cmd {
	if m.session.Page() == nil {
		return nil
	}
	m.prompt = newFindPrompt(m.finder.words)
	return nil
}

// findWords begins to search after the words were typed.
func (m *Model) findWords(words string) tea.Cmd {
	m.finder.words = fold(words)
	return m.find(1, true)
}

func (m *Model) findNext() tea.Cmd     { return m.find(1, false) }
func (m *Model) findPrevious() tea.Cmd { return m.find(-1, false) }

// find searches from the cursor, or from the top of the screen when the cursor
// is elsewhere, all around the page.
func (m *Model) find(dir int, here bool) tea.Cmd {
	p := m.session.Page()
	if p == nil || m.pager.total() == 0 {
		return nil
	}
	if m.finder.words == "" {
		return m.say("nothing to search for: press " + keyOf("find"))
	}
	n := m.pager.total()
	first, last := m.pager.visible()
	from := p.Cursor
	if from < first || from > last {
		from, here = first, true
	}
	if !here {
		from += dir
	}
	s := &search{page: p, next: (from + n) % n, dir: dir, left: n}
	m.finder.running = s
	return m.findOn(findMsg{m.tab, s})
}

// findOn searches a slice of the page.
func (m *Model) findOn(msg findMsg) tea.Cmd {
	t, s := msg.tab, msg.search
	if s != t.finder.running || s.page != t.session.Page() {
		return nil
	}
	n := t.pager.total()
	octets := 0
	for range min(findSlice, s.left) {
		if octets >= findOctets {
			break
		}
		if s.next >= n || s.next < 0 {
			s.next = (s.next + n) % n
		}
		text, raw := t.pager.text(s.next)
		octets += max(len(text), raw)
		if at, _ := indexFold(text, t.finder.words); at >= 0 {
			t.finder.running = nil
			m.drawn = false
			t.pager.moveTo(s.next, at)
			return nil
		}
		s.next += s.dir
		s.left--
	}
	if s.left <= 0 {
		t.finder.running = nil
		m.drawn = false
		return m.sayIn(t, "not found: "+t.finder.words)
	}
	return func() tea.Msg { return msg }
}

// text is the clean text of line i, laid out or not, and how many octets it was
// made of.
func (v *pager) text(i int) (text string, raw int) {
	n := v.page.Lines.Len()
	if i >= n {
		return v.tail[i-n], 0
	}
	line := v.page.Lines.WithoutLink(i)
	raw = len(line.Text)
	if line.Note != nil {
		raw += line.Note.Memory()
	}
	return lineText(v.reading, &line), raw
}

// moveTo puts the cursor on line i and shows the place at octet at of its text.
func (v *pager) moveTo(i, at int) {
	v.page.Cursor = min(i, max(0, v.page.Lines.Len()-1))
	v.center(i)
	l := v.line(i)
	if v.inText() {
		v.page.Link = 0
		if link, _ := v.linkAt(i, at); link.Line == i {
			v.page.Link = link.N
		}
	}
	if !v.wrap() {
		if col := v.cells.width(l.text[:at]); col < v.page.Left || col >= v.page.Left+v.textWidth()-1 {
			v.page.Left = max(0, col-v.textWidth()/2)
		}
		return
	}
	row := max(0, sort.SearchInts(l.rows, at+1)-1)
	here, top := position{i, row}, v.start()
	if end, _ := v.move(top, v.height-1); here.before(top) || end.before(here) {
		top, _ = v.move(here, -v.height/2)
		v.page.Top, v.page.TopRow = top.line, top.row
	}
}

// fold is s in the form in which words are compared.
func fold(s string) string { return strings.ToLower(s) }

// indexFold returns where the folded words are in s, whatever the case there,
// and how many octets of s they take; -1 if they are not there.
func indexFold(s, words string) (at, octets int) {
	if words == "" {
		return -1, 0
	}
	first := words[0]
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c != first {
				continue
			}
		} else if !utf8.RuneStart(s[i]) {
			continue
		}
		if n := prefixFold(s[i:], words); n >= 0 {
			return i, n
		}
	}
	return -1, 0
}

// prefixFold returns how many octets of s the folded words take at its
// beginning, or -1.
func prefixFold(s, words string) int {
	n := 0
	for len(words) > 0 {
		if n >= len(s) {
			return -1
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		want, wsize := utf8.DecodeRuneInString(words)
		if unicode.ToLower(r) != want {
			return -1
		}
		n += size
		words = words[wsize:]
	}
	return n
}
