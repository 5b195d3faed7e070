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
	// peekDelay is how long the cursor rests on an item before it is fetched.
	peekDelay = 150 * time.Millisecond
	// What is read of an item at most.
	peekLines   = 200
	peekOctets  = 64 << 10
	peekPicture = 4 << 20 // of a picture, which needs all of its octets
	// peekMemory is what all the items that were shown may take.
	peekMemory = 32 << 20
)

// peek is a pane beside the page or below it, which shows the beginning of the
// item under the cursor. What it shows is no visit.
type peek struct {
	tab     *tab
	open    bool
	url     urlcore.URL // of the item, nil for none
	title   string      // of the item
	message string      // shown in place of the item
	id      int         // of the last move of the cursor

	at        urlcore.URL // the page whose cursor it follows
	rests     bool        // until a key is pressed on a page that has just come
	wide      bool        // it was opened beside a list on a screen for two panes
	focused   bool        // keys move in the pane
	place     nav.Place   // of the item when the focus left it
	listWidth int         // that the user has chosen, or 0
}

// peekMsg says that the cursor has rested on an item.
type peekMsg struct{ id int }

func newPeek(h *viewer.Host) peek {
	p := peek{tab: newTab(h)}
	(&nav.Memory{Limit: peekMemory}).Use(&p.tab.Session)
	return p
}

// panes is how the page and the pane share the rows between the rules.
type panes struct {
	width, rows         int // of the page
	side                bool
	paneWidth, paneRows int // of the item, without its title; 0: no pane
}

// leastPane is how many rows are left to share if there is to be a pane.
const leastPane = 5

// wideScreen is the width from which on the pane is beside the page, not below it.
const wideScreen = 110

func (m *Model) panes() panes {
	rows := m.regions().rows
	p := panes{width: m.width, rows: rows}
	switch {
	case !m.peek.open || rows < leastPane || m.hidesPane():
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
	if m.peek.open && !m.hidesPane() {
		m.closePeek()
		return nil
	}
	if m.regions().rows < leastPane {
		return m.say("there is no room to peek")
	}
	if m.tab.Itemless() {
		return m.say("there is no item on this page to peek at")
	}
	m.peek.open, m.peek.rests, m.peek.wide = true, false, m.width >= twoPaneScreen && !m.tab.Pager.Prose()
	m.resize(m.width, m.height)
	return m.peekAt(true)
}

func (m *Model) closePeek() {
	m.peek.open, m.peek.wide = false, false
	m.peek.forget()
	m.resize(m.width, m.height)
}

// forget ends the load and leaves the pane empty.
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

// follow has the pane follow the cursor of t from now on: a key has been pressed.
func (p *peek) follow(t *tab) {
	p.at, _ = t.PageHere()
	if p.rests && p.open {
		p.rests, p.message = false, noItem
	}
}

// followCursor shows the item under the cursor. On a page that has come since the last
// key nothing is fetched until the next one.
func (m *Model) followCursor() tea.Cmd {
	p := &m.peek
	if m.panes().width != m.tab.Pager.Width { // a list has followed a document, or a document a list
		m.resize(m.width, m.height)
		m.drawn = false
	}
	if !p.open {
		return nil
	}
	if u, _ := m.tab.PageHere(); u != p.at && !p.rests {
		p.forget()
		p.at, p.rests = u, !m.twoPanes()
		p.message = map[bool]string{true: "move the cursor to look at an item", false: noItem}[p.rests]
		m.drawn = false
	}
	if p.rests {
		return nil
	}
	return m.peekAt(false)
}

// noItem is shown in the pane where there is nothing to show.
const noItem = "no item under the cursor"

// peekAt follows the cursor: the load of the item that it was on ends at once,
// the new one begins when it has rested, or now.
func (m *Model) peekAt(now bool) tea.Cmd {
	p := &m.peek
	if !p.open || m.panes().paneWidth == 0 {
		return nil
	}
	line, _ := m.tab.Pager.Current()
	if !now && line.Link == p.url {
		return nil
	}
	m.drawn = false
	p.forget()
	p.url = line.Link
	if p.url == nil {
		p.message = noItem
		return nil
	}
	p.title = strings.TrimSpace(m.tab.Pager.LineText(&line))
	if p.message = notPeeked(m.keys, &line); p.message != "" {
		return nil
	}
	if now {
		return peekMsg{p.id}.apply(m)
	}
	if page := p.tab.Session.Recall(p.url); page != nil && (errors.Is(page.Err, io.EOF) || enough(page)) {
		p.present(page) // as it was a moment ago
		return nil
	}
	return m.after(peekDelay, peekMsg{p.id})
}

// notPeeked says what an item is that is not fetched to be looked at, "" for
// any other.
func notPeeked(km *keymap, line *protocols.Line) string {
	if _, ok := line.Note.(protocols.Action); ok {
		return "press " + km.keyOf("open")
	}
	switch line.Kind {
	case protocols.Search, protocols.Phonebook:
		return "search: press " + km.keyOf("open") + " to type the terms"
	case protocols.FormItem:
		return "form: press " + km.keyOf("open") + " to fill it in"
	case protocols.Session, protocols.Mail, protocols.Other:
		return line.Link.Scheme() + ": opened by another program"
	case protocols.Sound, protocols.Movie, protocols.Document, protocols.Archive, protocols.Binary:
		return line.Kind.String() + ": press " + km.keyOf("save") + " to save it"
	}
	return ""
}

// apply begins to load the item, if the cursor is still there.
func (msg peekMsg) apply(m *Model) tea.Cmd {
	p := &m.peek
	if !p.open || msg.id != p.id || p.url == nil {
		return nil
	}
	l := m.opts.Open(m.ctx, p.url)
	p.tab.Session.Begin(l)
	return p.tab.wait(l)
}

// peekAnswer is [Model.pageAnswer] for the pane, which has no prompts.
func (m *Model) peekAnswer(msg answerMsg) tea.Cmd {
	p := &m.peek
	if msg.load != p.tab.Session.Loading() {
		return nil
	}
	if msg.err != nil {
		if p.message = needs(m.keys, msg.err); p.message != "" {
			p.tab.Session.Stop()
			return nil
		}
		if page := p.tab.Session.Fail(msg.load, msg.err); page != nil {
			page.Lines = withoutActions(&page.Lines)
			p.present(page)
		}
		return nil
	}
	if msg.load.Session() != nil {
		p.tab.Session.Stop()
		p.message = "interactive session: press " + m.keys.keyOf("open")
		return nil
	}
	page := p.tab.Session.Answer(msg.load, msg.head)
	if shown := m.tab.Session.Page(); shown != nil {
		shown.LearnKind(page)
	}
	if msg.head.Layout == protocols.LayoutBinary && picture.Known(msg.head.Media) {
		if msg.head.Size > peekPicture {
			return p.tooLarge()
		}
		msg.load.Progress.Limit(peekPicture, msg.load.Stop)
	}
	p.present(page)
	return p.tab.next(msg.load, nil, nil)
}

// withoutActions leaves out the lines that tell of keys, which are the page's.
func withoutActions(all *nav.Lines) (rest nav.Lines) {
	for _, line := range all.All(0) {
		if _, ok := line.Note.(protocols.Action); !ok {
			rest.Append(line)
		}
	}
	return rest
}

// needs says what the reader would be asked for, "" for other errors.
func needs(km *keymap, err error) string {
	open := ": press " + km.keyOf("open")
	switch protocols.QuestionOf(err).(type) {
	case *protocols.Ask:
		return "input needed" + open
	case *protocols.Login:
		return "login required" + open
	case *protocols.Confirm:
		return "confirmation needed" + open
	case *protocols.Compose:
		return "a message to write" + open
	case *protocols.Handoff:
		return "opened by another program" + open
	}
	return ""
}

func (p *peek) tooLarge() tea.Cmd {
	p.tab.Session.Stop()
	p.present(nil)
	p.message = "picture of more than " + cell.Size(peekPicture) + ": press " + p.tab.Pager.KeyOf("open")
	return nil
}

// present shows a page without a selection, unless the pane has the focus; nil is no page.
func (p *peek) present(page *nav.Page) {
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
		p.tab.Pager.EndWith("(press " + p.tab.Pager.KeyOf("open") + " for more)")
	}
}

// peekMore is [Model.lines] for the pane: it stops when there is enough.
func (m *Model) peekMore(msg linesMsg) tea.Cmd {
	p := &m.peek
	if !p.tab.Session.Append(msg.load, msg.lines, msg.err) {
		return nil
	}
	m.drawn = false
	page := p.tab.Session.Page()
	p.present(page)
	if msg.err == nil && !enough(page) {
		return tea.Batch(p.tab.next(msg.load, nil, nil), p.tab.Scan())
	}
	switch {
	case msg.err == nil:
		p.tab.Session.Stop()
		p.present(page)
	case errors.Is(msg.err, nav.ErrStopped) && page.Lines.Len() == 0:
		return p.tooLarge()
	}
	return p.tab.Scan()
}

// enough reports whether there is no more to read of a page for the pane.
func enough(page *nav.Page) bool {
	return page.Lines.Len() >= peekLines || page.Lines.Bytes() >= peekOctets
}

// splitRow draws a row that the page and the pane share, or one of them has.
func (s *screen) splitRow(w *cell.RowWriter, y int) {
	g := s.panes
	row := y - s.page
	switch {
	case g.paneWidth == 0 || !g.side && row < g.rows:
		s.pageRow(w, y)
	case g.side:
		left := &cell.RowWriter{Builder: w.Builder, Cells: w.Cells, Width: g.width}
		s.pageRow(left, y)
		left.To(g.width)
		left.Width = w.Width
		left.Put(s.m.styles.Dim, s.m.glyphs.Vertical)
		s.paneRow(&cell.RowWriter{Builder: w.Builder, Cells: w.Cells, Width: g.paneWidth}, row)
	default:
		s.paneRow(w, row-g.rows)
	}
}

// paneRow draws a row of the pane: its title, in the rule if it is below the
// page, then the item.
func (s *screen) paneRow(w *cell.RowWriter, row int) {
	p, st := &s.m.peek, &s.m.styles
	if row == 0 {
		s.pane = s.bodyOf(p.tab)
		rule := strings.Repeat(s.m.glyphs.Rule, min(1, w.Width))
		w.Put(st.Dim, rule)
		title, taken := w.Cells.Fit(p.title, w.Width-6, s.m.glyphs.Cut)
		if s.m.paneFocused() {
			w.Put(st.Bold+st.Selected, " "+s.m.glyphs.Towards+" "+title+" ")
		} else if taken > 0 {
			w.Put(st.Bold, " "+title+" ")
		}
		w.Put(st.Dim, strings.Repeat(s.m.glyphs.Rule, max(0, w.Width-w.Col)))
		return
	}
	switch {
	case s.pane != nil:
		if x := s.pane.Next(w); x >= 0 && s.m.paneFocused() && s.m.openPrompt() == nil {
			s.cursorAt(s.m.width-w.Width+x, s.page+row)
		}
	case row > 1 || p.url == nil && p.message == "":
	case p.message != "":
		w.To(cell.Margin(w.Width))
		w.Put(st.Dim, p.message)
	default:
		w.To(cell.Margin(w.Width))
		w.Put(st.Dim, "loading "+s.m.glyphs.URL(p.url, w.Width-w.Col-len("loading ")))
	}
}
