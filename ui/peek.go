package ui

import (
	"errors"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/picture"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

const (
	// peekDelay is the time between the last move of the cursor and the load of the item.
	peekDelay = 150 * time.Millisecond
	// The load of an item stops at these amounts.
	peekLines   = 200
	peekOctets  = 64 << 10
	peekPicture = 4 << 20 // octets of a picture, which cannot be drawn in part
	// peekMemory is the largest memory for the items that the pane has shown.
	peekMemory = 32 << 20
)

// peek is a pane beside the page or below it, with the beginning of the item under the cursor. An
// item in the pane is not recorded as a visit.
type peek struct {
	tab     *tab
	open    bool
	url     urlcore.URL // URL of the item, or nil
	title   string      // title of the item
	message string      // text in place of the item
	id      int         // number of the last move of the cursor

	pageURL   urlcore.URL // URL of the page whose cursor the pane follows
	ofList    bool        // the pane was opened on a menu or a listing
	document  urlcore.URL // URL of the document for whose links the pane was opened, or nil
	focused   bool        // keys act in the pane
	place     nav.Place   // position in the item when the focus left it
	listWidth int         // width that the user has chosen, or 0
}

// peekMsg reports that the cursor has not moved for peekDelay.
type peekMsg struct{ id int }

func newPeek(h *viewer.Host) peek {
	p := peek{tab: newTab(h)}
	p.tab.PictureView.Fill = true
	(&nav.Memory{Limit: peekMemory}).Use(&p.tab.Session)
	return p
}

// panes describes how the page and the pane share the rows between the horizontal rules.
type panes struct {
	width, rows         int  // size of the page
	side                bool // the pane is beside the page, not below it
	paneWidth, paneRows int  // size of the item, without its title; 0: no pane
}

// minPaneRows is the least number of rows that the page and the pane can share.
const minPaneRows = 5

// wideScreen is the least width of a screen that has the pane beside the page instead of below it.
const wideScreen = 110

func (m *Model) panes() panes {
	rows := m.regions().rows - m.questionRows()
	p := panes{width: m.width, rows: rows}
	switch {
	case !m.peek.open || rows < minPaneRows || m.hidesPane() || m.otherPane() != nil:
	case m.width >= wideScreen:
		p.width, p.side = m.listWidth(), true
		p.paneWidth, p.paneRows = m.width-p.width-2, rows-1
	default:
		p.rows = rows / 2
		p.paneWidth, p.paneRows = m.width, rows-p.rows-1
	}
	return p
}

// togglePeek opens or closes the pane.
func (m *Model) togglePeek() tea.Cmd {
	if m.otherPane() != nil {
		return m.notify("two tabs are on the screen: " + m.keys.keyOf("pair") + " leaves one, which can have a preview")
	}
	if m.peek.open && !m.hidesPane() {
		m.closePeek()
		return nil
	}
	if m.regions().rows < minPaneRows {
		return m.notify("no room for a pane")
	}
	if m.tab.HasNoItem() {
		return m.notify("no item on this page to show in the pane")
	}
	m.peek.open, m.peek.ofList, m.peek.document = true, !m.tab.Pager.IsProse(), nil
	m.peek.pageURL, _ = m.tab.PageURL()
	if m.tab.Pager.IsDocument() {
		m.peek.document = m.peek.pageURL
	}
	m.resize(m.width, m.height)
	return m.updatePeek(true)
}

func (m *Model) closePeek() {
	m.peek.open, m.peek.ofList = false, false
	m.peek.forget()
	m.resize(m.width, m.height)
}

// forget stops the load and clears the pane.
func (p *peek) forget() {
	p.tab.Session.Stop()
	if page := p.tab.Pager.Page; page != nil {
		page.Filter = nil
	}
	p.tab.Prompt, p.tab.Finder = nil, viewer.Finder{}
	p.tab.Pager.Show(nil)
	p.tab.PictureView.Show(nil)
	p.url, p.title, p.message = nil, "", ""
	p.focused, p.place = false, nav.Place{Cursor: -1}
	p.id++
}

// followCursor shows the item under the cursor.
func (m *Model) followCursor() tea.Cmd {
	p := &m.peek
	if a := m.pageArea(m.tab); a.Dx() != m.tab.Pager.Width || a.Dy() != m.tab.Pager.Height { // the page has changed from a document to a list, or the reverse
		m.resize(m.width, m.height)
		m.drawn = false
	}
	if !p.open {
		return nil
	}
	if u, _ := m.tab.PageURL(); u != p.pageURL {
		p.forget()
		p.pageURL, p.message = u, noItemText
		m.drawn = false
	}
	return m.updatePeek(false)
}

// noItemText is the text in the pane if there is no item.
const noItemText = "no item under the cursor"

// updatePeek makes the pane follow the cursor. It stops the load of the previous item. It begins to
// load the new item after peekDelay, or at once if the parameter immediately is set.
func (m *Model) updatePeek(immediately bool) tea.Cmd {
	p := &m.peek
	if !p.open || m.panes().paneWidth == 0 {
		return nil
	}
	line, _ := m.tab.Pager.Current()
	if !immediately && line.Link == p.url {
		return nil
	}
	m.drawn = false
	p.forget()
	p.url = line.Link
	if p.url == nil {
		p.message = noItemText
		return nil
	}
	p.title = strings.Join(strings.Fields(m.tab.Pager.LineText(&line)), " ")
	if p.message = unfetchedText(m.keys, &line); p.message != "" {
		return nil
	}
	if immediately {
		return peekMsg{p.id}.apply(m)
	}
	if page := p.tab.Session.GoToPage(p.url); page != nil && (errors.Is(page.Err, io.EOF) || hasEnough(page)) {
		p.show(page) // page was fetched before
		return nil
	}
	return m.after(peekDelay, peekMsg{p.id})
}

// unfetchedText returns a description of an item that is not fetched for the pane, or "".
func unfetchedText(km *keymap, line *protocols.Line) string {
	if _, ok := line.Note.(protocols.Action); ok {
		return "press " + km.keyOf("open")
	}
	switch line.Kind.Opening() {
	case protocols.OpensPrompt:
		return "search: press " + km.keyOf("open") + " to type the words"
	case protocols.OpensForm:
		return "form: press " + km.keyOf("open") + " to fill it in"
	case protocols.OpensProgram:
		return line.Link.Scheme() + ": opened by another program"
	case protocols.OpensFile:
		return line.Kind.String() + ": press " + km.keyOf("save") + " to save it"
	}
	return ""
}

// apply begins to load the item, unless the cursor has moved.
func (msg peekMsg) apply(m *Model) tea.Cmd {
	p := &m.peek
	if !p.open || msg.id != p.id || p.url == nil {
		return nil
	}
	// The page has chosen the item, not the user: no login is used at another server than that of the page.
	l := m.opts.Open(protocols.Unattended(m.ctx, p.pageURL), protocols.Request{URL: p.url}, nav.Show{Width: textWidth(p.tab.Pager.Width)})
	p.tab.Session.Begin(l)
	return p.tab.waitAnswer(l)
}

// handlePeekAnswer does the same as [Model.handleAnswer] for the pane, which has no prompts.
func (m *Model) handlePeekAnswer(msg answerMsg) tea.Cmd {
	p := &m.peek
	if msg.load != p.tab.Session.Loading() {
		return nil
	}
	if msg.err != nil {
		if p.message = questionText(m.keys, msg.err); p.message != "" {
			p.tab.Session.Stop()
			return nil
		}
		if page := p.tab.Session.Fail(msg.load, msg.err); page != nil {
			page.Lines = dropActions(&page.Lines)
			p.show(page)
		}
		return nil
	}
	if msg.load.Session() != nil {
		p.tab.Session.Stop()
		p.message = "interactive session: press " + m.keys.keyOf("open")
		return nil
	}
	page := p.tab.Session.Answer(msg.load, msg.head)
	if p := m.tab.Session.Page(); p != nil {
		p.LearnKind(page)
	}
	if msg.head.Layout == protocols.LayoutBinary && picture.CanDecode(msg.head.Media) {
		if msg.head.Size > peekPicture {
			return p.showTooLarge()
		}
		msg.load.Progress.Limit(peekPicture, msg.load.Stop)
	}
	p.show(page)
	return p.tab.waitLines(msg.load, nil, nil)
}

// dropActions returns the lines that do not name an action. The keys of actions act on the page,
// not in the pane.
func dropActions(all *nav.Lines) (rest nav.Lines) {
	for _, line := range all.All(0) {
		if _, ok := line.Note.(protocols.Action); !ok {
			rest.Append(line)
		}
	}
	return rest
}

// questionText describes the question that err asks the user, or returns "" for other errors.
func questionText(km *keymap, err error) string {
	open := ": press " + km.keyOf("open")
	switch protocols.QuestionOf(err).(type) {
	case *protocols.Ask:
		return "input needed" + open
	case *protocols.Login:
		return "login required" + open
	case *protocols.Confirm:
		return "confirmation needed" + open
	case *protocols.Compose:
		return "message to write" + open
	case *protocols.Handoff:
		return "opened by another program" + open
	}
	return ""
}

func (p *peek) showTooLarge() tea.Cmd {
	p.tab.Session.Stop()
	p.show(nil)
	p.message = "picture of more than " + cell.Size(peekPicture) + ": press " + p.tab.Pager.KeyOf("open")
	return nil
}

// show shows a page, which may be nil. A line of the page is selected only if the pane has the
// focus.
func (p *peek) show(page *nav.Page) {
	if page != nil && page != p.tab.Pager.Page {
		page.Place = nav.Place{Cursor: -1}
	}
	p.tab.Pager.Show(page)
	p.tab.PictureView.Show(page)
	if p.focused && page != nil {
		page.Cursor = max(page.Cursor, 0)
		p.tab.Pager.SelectFirstLink()
	}
	if page != nil && errors.Is(page.Err, nav.ErrStopped) {
		p.tab.Pager.SetTail("(press " + p.tab.Pager.KeyOf("open") + " for more)")
	}
}

// addPeekLines does the same as [Model.addLines] for the pane. It stops the load when the pane has
// enough lines.
func (m *Model) addPeekLines(msg linesMsg) tea.Cmd {
	p := &m.peek
	if !p.tab.Session.Append(msg.load, msg.lines, msg.err) {
		return nil
	}
	m.drawn = false
	page := p.tab.Session.Page()
	p.show(page)
	if msg.err == nil && !hasEnough(page) {
		return tea.Batch(p.tab.waitLines(msg.load, nil, nil), p.tab.Scan())
	}
	switch {
	case msg.err == nil:
		p.tab.Session.Stop()
		p.show(page)
	case errors.Is(msg.err, nav.ErrStopped) && page.Lines.Len() == 0:
		return p.showTooLarge()
	}
	return p.tab.Scan()
}

// hasEnough reports whether the pane needs no more lines of a page.
func hasEnough(page *nav.Page) bool {
	return page.Lines.Len() >= peekLines || page.Lines.Bytes() >= peekOctets
}

// drawSplitRow draws a row of the page, of the pane, or of both.
func (s *screen) drawSplitRow(w *cell.RowWriter, y int) {
	g := s.panes
	row := y - s.page
	switch {
	case s.m.otherPane() != nil:
		s.drawPairRow(w, y)
	case g.paneWidth == 0 || !g.side && row < g.rows:
		s.drawPageRow(w, s.m.tab, y)
	case g.side:
		left := &cell.RowWriter{Builder: w.Builder, Cells: w.Cells, Width: g.width}
		s.drawPageRow(left, s.m.tab, y)
		left.PadTo(g.width)
		left.Width = w.Width
		left.Put(s.m.styles.Dim, s.m.glyphs.Vertical)
		s.drawPaneRow(&cell.RowWriter{Builder: w.Builder, Cells: w.Cells, Width: g.paneWidth}, row)
	default:
		s.drawPaneRow(w, row-g.rows)
	}
}

// drawPaneRow draws a row of the pane. The first row is a horizontal rule with the title.
func (s *screen) drawPaneRow(w *cell.RowWriter, row int) {
	p, st := &s.m.peek, &s.m.styles
	if row == 0 {
		s.pane = s.newBody(p.tab)
		rule := strings.Repeat(s.m.glyphs.Rule, min(1, w.Width))
		w.Put(st.Dim, rule)
		title, taken := w.Cells.Fit(p.title, w.Width-6, s.m.glyphs.Cut)
		if s.m.isPaneFocused() {
			w.Put(st.Bold+st.Selected, " "+s.m.glyphs.Towards+" "+title+" ")
		} else if taken > 0 {
			w.Put(st.Bold, " "+title+" ")
		}
		w.Put(st.Dim, strings.Repeat(s.m.glyphs.Rule, max(0, w.Width-w.Col)))
		return
	}
	switch {
	case s.pane != nil:
		if x := s.pane.Next(w); x >= 0 && s.m.isPaneFocused() && s.m.openPrompt() == nil {
			s.setCursor(s.m.width-w.Width+x, s.page+row)
		}
	case row > 1 || p.url == nil && p.message == "":
	case p.message != "":
		w.PadTo(cell.Margin(w.Width))
		w.Put(st.Dim, p.message)
	default:
		w.PadTo(cell.Margin(w.Width))
		w.Put(st.Dim, "loading "+s.m.glyphs.URL(p.url, w.Width-w.Col-len("loading ")))
	}
}
