package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/ui/cell"
	"gofer/ui/page"
)

// regions are the rows of the screen; -1 where there is no room for a part.
type regions struct {
	bar, rule, page, rows, foot, status int

	list, listRows int      // of choices, over the last rows of the page
	said           []string // words of the server, over the last rows of the page
}

// ruledHeight is the height from which on there is room for rules.
const ruledHeight = 8

func (m *Model) regions() regions {
	h := m.height
	r := regions{bar: -1, rule: -1, page: 0, rows: h, foot: -1, status: -1}
	if h >= 2 {
		r.status = h - 1
		r.rows--
	}
	if h >= 3 {
		r.bar, r.page = 0, 1
		r.rows--
	}
	if h >= ruledHeight {
		r.rule, r.page, r.foot = 1, 2, h-2
		r.rows -= 2
	}
	if p := m.tab.prompt; p != nil && p.list != nil && r.status > 0 {
		r.listRows = min(len(p.list.choices), r.rows-r.rows/4)
		r.list = r.status - r.listRows
		if r.foot >= 0 {
			r.foot -= r.listRows
		}
	}
	if r.status > 0 {
		r.said = m.saidRows(min(r.rows/2, maxSaidRows))
		if r.foot >= 0 {
			r.foot -= len(r.said)
		}
	}
	return r
}

// maxSaidRows is how many rows the words of a server take in a prompt or form.
const maxSaidRows = 6

// View draws the screen, or returns it as it was when nothing has changed.
func (m *Model) View() tea.View {
	if !m.drawn && !m.awaiting {
		m.view = m.draw()
		m.drawn = true
	}
	return m.view
}

func (m *Model) draw() tea.View {
	var b strings.Builder
	b.Grow(m.width*m.height*2 + 256)
	s := screen{m: m, b: &b, regions: m.regions(), panes: m.panes(), listed: m.shownCompletions(), question: m.questionRows(), form: m.formRows()}
	if m.width > 0 {
		for y := range m.height {
			if y > 0 {
				b.WriteByte('\n')
			}
			s.row(y)
		}
	}
	content, title := b.String(), m.windowTitle()
	if m.opts.ASCIIOnly {
		content, title = clean.ASCII(content), clean.ASCII(title)
	}
	v := tea.NewView(content)
	v.AltScreen = true
	v.WindowTitle = title
	v.ProgressBar = m.progressBar()
	v.Cursor = s.cursor
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// screen is one drawing of the whole.
type screen struct {
	regions
	panes  panes
	m      *Model
	b      *strings.Builder
	cursor *tea.Cursor
	below  []string // rows over the page: why the bar's text is no URL
	listed int      // rows of completions over the page

	question []string  // the rows of the question that is asked
	form     []formRow // the rows of the form that is filled in; nil: none
	formAt   int       // the one that the cursor is on

	body body
	pane body // of the item that is peeked at
}

// body draws what is between the rules: each call of Next the next row, of
// which it returns the column of the cursor, or -1. A page of lines is drawn by
// a [page.Painter], a picture by a [pictureview.Body].
type body interface {
	Next(w *cell.RowWriter) (cursor int)
}

func (s *screen) row(y int) {
	w := &cell.RowWriter{Builder: s.b, Cells: s.m.tab.pager.Cells, Width: s.m.width}
	switch {
	case s.m.bar.editing && y == s.editor():
		s.cursorAt(s.m.editRow(w), y)
	case y >= s.page && y <= s.page+s.listed && s.listed > 0:
		s.pageRow(&cell.RowWriter{Builder: new(strings.Builder), Cells: w.Cells, Width: w.Width}, y) // under it
		s.m.completionRow(w, y-s.page)
	case s.filling() && y == s.foot:
		s.m.formRule(w)
	case s.filling() && y == s.status:
		s.m.formStatus(w)
	case s.filling() && s.status < 0:
		s.formRow(w, y)
	case s.m.tab.prompt != nil && !s.m.bar.editing && y == max(s.status, 0):
		s.cursorAt(s.m.promptRow(w), y)
	case y < s.status && y > s.status-len(s.question) && !s.m.bar.editing:
		w.To(cell.Margin(w.Width))
		w.Put(s.m.styles.Bold, s.question[y-1-s.status+len(s.question)])
	case y < s.status && y >= s.status-len(s.said) && !s.m.bar.editing:
		w.To(cell.Margin(w.Width))
		w.Put("", s.said[y-s.status+len(s.said)])
	case s.listRows > 0 && y >= s.list && y < s.status:
		s.m.tab.prompt.list.row(w, y-s.list, s.listRows, &s.m.styles, &s.m.glyphs)
	case s.form != nil && y >= s.page && y < s.page+s.rows && y != s.foot:
		s.formRow(w, y-s.page)
	case y == s.bar:
		s.m.barRow(w)
	case y == s.rule && s.m.bar.err != "":
		s.below = s.m.barErrorRow(w, s.cursor)
	case len(s.below) > 0:
		s.splitRow(&cell.RowWriter{Builder: new(strings.Builder), Cells: w.Cells, Width: w.Width}, y) // under it
		w.To(cell.Margin(w.Width))
		w.Put(s.m.styles.Bold, s.below[0])
		s.below = s.below[1:]
	case y == s.status && s.rule < 0 && s.m.bar.err != "":
		w.Put(s.m.styles.Bold, clean.Short(s.m.bar.err))
	case y == s.foot && s.m.tab.prompt != nil && s.m.tab.prompt.yes == nil:
		s.m.titledRule(w)
	case y == s.foot:
		s.m.footRow(w)
	case y == s.rule:
		s.m.tabRow(w)
	case y == s.status:
		s.m.statusRow(w)
	default:
		s.splitRow(w, y)
	}
}

// filling reports whether a form is filled in, and nothing is over it.
func (s *screen) filling() bool {
	return s.form != nil && s.m.tab.prompt.form != nil && !s.m.bar.editing
}

// editor is the row in which a URL is typed.
func (s *screen) editor() int {
	if s.bar >= 0 {
		return s.bar
	}
	return max(s.status, 0)
}

func (s *screen) cursorAt(x, y int) {
	if x < 0 {
		return
	}
	s.cursor = tea.NewCursor(x, y)
	s.cursor.Blink = false
}

func (s *screen) pageRow(w *cell.RowWriter, y int) {
	if y == s.page {
		s.body = s.m.body(s.m.tab)
	}
	if s.body == nil {
		if y == s.page && s.m.tab.session.Page() == nil && s.m.tab.session.Loading() != nil {
			w.To(cell.Margin(w.Width))
			w.Put(s.m.styles.Dim, s.m.glyphs.URL(s.m.tab.session.Loading().URL, w.Width-w.Col))
		}
		return
	}
	if x := s.body.Next(w); s.cursor == nil && !s.m.bar.editing && s.m.tab.prompt == nil {
		s.cursorAt(x, y)
	}
}

// body draws the page of a tab, nil where there is nothing to draw yet.
func (m *Model) body(t *tab) body {
	switch {
	case t.picture() != nil:
		return t.pictureView.Body()
	case t.pager.Total() == 0:
		return nil
	}
	p := page.NewPainter(&t.pager, &m.styles, &m.glyphs, m.opts.Zone, t.foundPattern())
	if p.Labels, p.Typed = m.labelled(t); p.Labels != nil {
		p.Found = nil // it would cover them
	}
	p.Hidden, p.Hyperlinks = m.hiddenStates(), m.hyperlinks
	return p
}

// barRow draws the URL of the page, its parts in colour, or the words for a page
// of gofer's own, the page's title and charset.
func (m *Model) barRow(w *cell.RowWriter) {
	c := m.tab.pager.Cells
	_, title := m.tab.pageHere()
	w.To(cell.Margin(w.Width))
	m.tabCount(w)
	waiting := m.tab.session.Waiting() || m.tab.prompt != nil && m.tab.prompt.url != nil
	if p := m.tab.session.Page(); p != nil && p.FirstWords {
		title = "" // they stand below
	}
	if waiting {
		w.Put(m.styles.Accent, m.glyphs.Towards+" ")
		title = ""
	}
	badges := ""
	if !waiting && w.Width >= leastBadges {
		badges = m.badges(m.tab.session.Page(), w.Width/5)
	}
	right := w.Width - cell.Margin(w.Width)
	end := right - c.Width(badges)
	if badges != "" {
		right = end - 2
	}
	w.Spans(m.barSpans(m.barURL(), right-w.Col), 0, "")
	if room := right - w.Col - 3; title != "" && room >= 16 {
		title, taken := c.Fit(title, room, m.glyphs.Cut)
		w.To(right - taken)
		w.Raw(m.styles.Dim, title, taken)
	}
	if badges != "" {
		w.To(end)
		w.Put(m.styles.Accent, badges)
	}
}

// editRow draws the URL being typed and returns the column of the cursor.
func (m *Model) editRow(w *cell.RowWriter) int {
	w.To(cell.Margin(w.Width))
	line := &m.bar.line
	left, at := line.Scrolled(m.tab.pager.Cells, w.Width-w.Col)
	col := w.Col + at
	under := cell.Style("")
	if line.All {
		under = m.styles.Selected
	}
	w.Spans(m.styles.Spans(line.String()), left, under)
	return min(col, w.Width-1)
}

// barErrorRow says below the bar why what was typed is no URL, with a caret
// under the place. Where there is no room beside the caret, the rows below
// have to say it, which it returns.
func (m *Model) barErrorRow(w *cell.RowWriter, cursor *tea.Cursor) (below []string) {
	x := 0
	if cursor != nil {
		x = cursor.X
	}
	c := m.tab.pager.Cells
	text := clean.Short(m.bar.err)
	n := c.Width(text)
	switch {
	case x+2+n <= w.Width:
		w.To(x)
		w.Put(m.styles.Accent, m.glyphs.Caret+" ")
		w.Put(m.styles.Bold, text)
	case n+1 <= x:
		w.To(x - n - 1)
		w.Put(m.styles.Bold, text+" "+m.glyphs.Caret)
	default:
		w.To(x)
		w.Put(m.styles.Accent, m.glyphs.Caret)
		below = c.Lines(text, w.Width-2*cell.Margin(w.Width))
	}
	return below
}

// titledRule draws what is asked in the rule above the prompt. The server that
// asks is never cut off at its end.
func (m *Model) titledRule(w *cell.RowWriter) {
	w.Put(m.styles.Dim, m.glyphs.Rule)
	server, title := "", " "+m.tab.prompt.title+" "
	if m.tab.prompt.login {
		server = " " + m.glyphs.Host(m.tab.prompt.server, w.Width-w.Col-len(" : "))
		title = ":" + title
	}
	w.Put(m.styles.Bold, server)
	text, taken := m.tab.pager.Cells.FitNames(title, w.Width-w.Col, m.glyphs.Cut)
	w.Raw(m.styles.Bold, text, taken)
	w.Put(m.styles.Dim, strings.Repeat(m.glyphs.Rule, max(0, w.Width-w.Col)))
}

// windowTitle is the title of the page, else its URL.
func (m *Model) windowTitle() string {
	u, title := m.tab.pageHere()
	switch {
	case title != "":
		title, _ = m.tab.pager.Cells.Fit(title, 80, m.glyphs.Cut)
		return title + " - gofer"
	case u != nil:
		return m.glyphs.URL(u, 80) + " - gofer"
	}
	return "gofer"
}
