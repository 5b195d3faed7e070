package ui

import (
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/page"
)

// regions holds the first row of each part of the screen, or -1 for a part without space. The field
// rows is the number of rows of the page.
type regions struct {
	bar, rule, page, rows, foot, status int
}

// minRuledHeight is the least height of a screen that has horizontal rules.
const minRuledHeight = 8

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
	if h >= minRuledHeight {
		r.rule, r.page, r.foot = 1, 2, h-2
		r.rows -= 2
	}
	return r
}

// View draws the screen, or returns the last drawing if nothing has changed.
func (m *Model) View() tea.View {
	if !m.drawn && !m.awaitsFirstFrame() {
		never := m.opts.Config.Remote == config.RemoteNever
		if slow := !never && (m.isRemote() || m.terminal.IsSlow()); slow != m.slowLine {
			m.slowLine = slow
			m.restyle(m.background)
		}
		m.view = m.draw()
		m.drawn = true
		m.noteDrawn()
	}
	return m.view
}

func (m *Model) draw() tea.View {
	var b strings.Builder
	b.Grow(m.width*m.height*2 + 256)
	s := screen{m: m, b: &b, regions: m.regions(), panes: m.panes()}
	s.areas[0], s.areas[1] = m.pairAreas()
	s.layOutPrompt()
	if m.width > 0 {
		for y := range m.height {
			if y > 0 {
				b.WriteByte('\n')
			}
			s.drawRow(y)
		}
	}
	content, title := b.String(), s.windowTitle()
	if s.hasBox() {
		rows := strings.Split(content, "\n")
		s.drawBox(rows)
		content = strings.Join(rows, "\n")
	}
	if m.opts.Config.ASCII {
		content, title = clean.ASCII(content), clean.ASCII(title)
	}
	v := tea.NewView(content)
	v.AltScreen = true
	v.WindowTitle = title
	v.ProgressBar = s.progressBar()
	v.Cursor = s.cursor
	v.ReportFocus = m.isInMultiplexer()
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// screen draws the Model without changing it.
type screen struct {
	regions
	panes  panes
	areas  [2]image.Rectangle // of the pages of a pair; the first one has the origin of a page that is alone
	m      *Model
	b      *strings.Builder
	cursor *tea.Cursor
	prompt ask.Drawing // drawing of the open prompt

	body body
	pane body // body of the pane, or of the other tab of a pair
}

// body draws the rows between the horizontal rules. Each call of Next draws a row and returns the column
// of the cursor in it, or -1. A [page.Painter] draws lines, a [pictureview.Body] a picture.
type body interface {
	Next(w *cell.RowWriter) (cursor int)
}

// layOutPrompt lays out the open prompt. The horizontal rule above the rows of the prompt replaces the
// one above the status line.
func (s *screen) layOutPrompt() {
	p := s.m.openPrompt()
	if p == nil || s.m.width <= 0 {
		return
	}
	screen := s.m.askScreen()
	s.prompt = p.Draw(screen)
	if f := s.m.tab.Form(); f != nil && p == ask.Prompt(s.m.bar) { // the form stays visible under the bar
		if page := f.Draw(screen).Page; page != nil {
			s.prompt.Page = func(w *cell.RowWriter, y int) int {
				page(w, y)
				return -1
			}
		}
	}
	s.addDropped(p)
	_, isQuestion := p.(*ask.Question)
	if (s.prompt.Rule != nil || isQuestion) && s.foot >= 0 && !s.hasBox() {
		s.foot -= len(s.prompt.Last)
	}
}

// addDropped adds a row with the notice about keys that were dropped because p was unread. A form and a question in a box show
// notices in the status line.
func (s *screen) addDropped(p ask.Prompt) {
	_, isForm := p.(*ask.Form)
	_, isQuestion := p.(*ask.Question)
	if !s.m.showsDropped() || isForm || isQuestion && s.hasBox() || len(s.prompt.Last)+1 >= s.status {
		return
	}
	row := func(w *cell.RowWriter) {
		w.PadTo(cell.Margin(w.Width))
		s.drawNotice(w)
	}
	s.prompt.Last = append([]func(*cell.RowWriter){row}, s.prompt.Last...)
}

func (s *screen) drawRow(y int) {
	w, a := &cell.RowWriter{Builder: s.b, Cells: s.m.tab.Pager.Cells, Width: s.m.width}, &s.prompt
	first, last := y-s.page, y-s.status+len(a.Last)
	switch {
	case y == s.bar && a.Bar != nil:
		s.setCursor(a.Bar(w), y)
	case y == s.rule && a.BarRule != nil:
		a.BarRule(w)
	case first >= 0 && first < len(a.First):
		s.drawSplitRow(&cell.RowWriter{Builder: new(strings.Builder), Cells: w.Cells, Width: w.Width}, y) // not shown, but the body must advance
		a.First[first](w)
	case y == max(s.status, 0) && a.Status != nil:
		s.setCursor(a.Status(w), y)
	case y < s.status && last >= 0 && !s.hasBox():
		a.Last[last](w)
	case y == s.foot && a.Rule != nil && !s.hasBox():
		a.Rule(w)
	case a.Page != nil && first >= 0 && first < s.rows && y != s.foot:
		s.setCursor(a.Page(w, first), y)
	case y == s.bar && s.m.otherPane() != nil:
		s.drawPairBars(w)
	case y == s.bar:
		s.drawBarRow(w, s.m.tab)
	case y == s.foot:
		s.drawFootRow(w)
	case y == s.rule:
		s.drawTabRow(w)
	case y == s.status:
		s.drawStatusRow(w)
	default:
		s.drawSplitRow(w, y)
	}
}

func (s *screen) setCursor(x, y int) {
	if x < 0 {
		return
	}
	s.cursor = tea.NewCursor(x, y)
	s.cursor.Blink = false
}

// drawPageRow draws row y of the screen, a row of the page of t.
func (s *screen) drawPageRow(w *cell.RowWriter, t *tab, y int) {
	area, b := s.areas[0], &s.body
	if t != s.m.tab {
		b = &s.pane
	}
	if t == s.m.pair.second {
		area = s.areas[1]
	}
	if y == area.Min.Y {
		*b = s.newBody(t)
	}
	if *b == nil {
		if y == area.Min.Y && t.Session.Page() == nil && t.Session.Loading() != nil {
			w.PadTo(cell.Margin(w.Width))
			w.Put(s.m.styles.Dim, s.itemText(t.Session.Loading().URL, w.Width-w.Col))
		}
		return
	}
	if x := (*b).Next(w); x >= 0 && t == s.m.tab && s.cursor == nil && s.m.openPrompt() == nil && !s.m.isPaneFocused() {
		s.setCursor(area.Min.X+x, y)
	}
}

// newBody returns the body for the page of a tab, or nil if there is nothing to draw yet.
func (s *screen) newBody(t *tab) body {
	switch {
	case t.Picture() != nil:
		return t.PictureView.Body()
	case t.Pager.Total() == 0:
		return nil
	}
	styles := s.m.styles
	if s.prompt.Selects || t == s.m.otherPane() {
		styles.Tint = ""
	}
	p := page.NewPainter(&t.Pager, &styles, &s.m.glyphs, s.m.opts.Zone, t.MarkedPattern())
	p.Match = t.MatchLine()
	if p.Labels, p.Typed = s.linkLabels(t); p.Labels != nil {
		p.Found = nil // marks of matches would cover the labels
	}
	p.Hidden, p.Links = s.m.hiddenStates(), s.m.links
	p.HeaderRule = !s.m.isRemote()
	return p
}

// drawBarRow draws the URL of the page of t in color, or the description of an about page, and the page's
// title and badges.
func (s *screen) drawBarRow(w *cell.RowWriter, t *tab) {
	c := t.Pager.Cells
	title := ""
	w.PadTo(cell.Margin(w.Width))
	s.drawTabCount(w)
	waiting := t.Session.IsWaiting() || t.Prompt != nil && t.Prompt.Subject() != nil
	if waiting {
		w.Put(s.m.styles.Accent, s.m.glyphs.Towards+" ")
	} else if p := t.Session.Page(); p != nil {
		title = p.BarTitle()
		if _, asks := protocols.QuestionOf(p.Failed).(*protocols.Confirm); asks { // the page and the prompt have the question
			title = ""
		}
	}
	badges := ""
	if !waiting && w.Width >= minBadgesWidth {
		badges = s.badgeText(t.Session.Page(), max(w.Width/5, w.Width-54))
	}
	right := w.Width - cell.Margin(w.Width)
	end := right - c.Width(badges)
	if badges != "" {
		right = end - 2
	}
	fragment, taken := c.Fit(t.barFragment(), (right-w.Col)/3, s.m.glyphs.Cut)
	w.PutSpans(s.barSpans(t.barURL(), right-w.Col-taken), 0, "")
	w.PutMeasured(s.m.styles.Dim, fragment, taken)
	if room := right - w.Col - 3; title != "" && room >= 16 {
		title, taken := c.Fit(title, room, s.m.glyphs.Cut)
		w.PadTo(right - taken)
		w.PutMeasured(s.m.styles.Dim, title, taken)
	}
	if badges != "" {
		w.PadTo(end)
		w.Put(s.m.styles.Accent, badges)
	}
}

// windowTitle returns the title of the page, or else its URL.
func (s *screen) windowTitle() string {
	u, title := s.m.tab.PageURL()
	switch {
	case title != "":
		title, _ = s.m.tab.Pager.Cells.Fit(title, 80, s.m.glyphs.Cut)
		return title + " - gofer"
	case u != nil:
		return s.m.glyphs.URL(u, 80) + " - gofer"
	}
	return "gofer"
}

// newScreen returns a screen for the current state.
func (m *Model) newScreen() *screen { return &screen{m: m} }
