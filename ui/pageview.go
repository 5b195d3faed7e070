package ui

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"gofer/internal/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
)

// maxLaid and maxLaidOctets bound how many lines, and of what length together,
// are kept laid out: more than a screen holds.
const (
	maxLaid       = 512
	maxLaidOctets = 64 << 20
)

// maxLinkSearch bounds how many lines one key press looks through for a link.
const maxLinkSearch = 1 << 18

// laid is a line made ready for the screen.
type laid struct {
	text   string         // clean
	rows   []int          // where each row begins in text; nil: one row
	hang   int            // the indent of the rows after the first
	places []cell.Place   // of text, as far as it has been panned
	links  []nav.TextLink // of a text; where they are in text
	looks  []clean.Look   // of a text whose colours are shown
	mark   string         // of a quote, before each of its rows
}

// pager shows a part of a page. Its work depends on the size of the screen,
// never on the length of the page.
type pager struct {
	pagerSettings
	width, height int
	keyOf         func(action string) string // the key of an action, "" if none is bound
	server        string                     // of the page

	page    *nav.Page
	reading clean.Reading // of the page

	intoFolds bool // folded threads are gone through as well

	tail   []string   // lines of our own below the page
	quotes longQuotes // of the page
	laid   map[int]laid
	held   int // octets of the texts of laid

	full struct { // has no margin
		page  *nav.Page
		width int
	}
}

// pagerSettings are how pages are shown, in a new tab as in the one before.
type pagerSettings struct {
	cells     cell.Cells
	wrapText  bool            // wrap documents
	wrapLists bool            // wrap menus and listings
	wrapHost  map[string]bool // by server, in place of both
	colors    bool            // show the colours of texts
	headers   bool            // show all headers of articles

	foldQuotes bool // show one line of long quotes
}

// show makes p the page; nil is no page.
func (v *pager) show(p *nav.Page) {
	if p != v.page {
		v.page, v.server = p, ""
		v.invalidate()
	}
	if p == nil {
		return
	}
	v.server = serverOf(p)
	if r := p.Reading(); r != v.reading {
		v.reading = r
		v.invalidate()
	}
	if p.Filter != nil && p.Filter.Searched > p.Lines.Len() { // the lines are others
		p.Filter = &nav.Matches{Pattern: p.Filter.Pattern}
	}
	v.tail = v.tailOf(p)
}

// invalidate drops what was laid out, when the width or the page is another.
func (v *pager) invalidate() { v.laid, v.held = make(map[int]laid), 0 }

// tailOf is what gofer itself has to say at the end of a page.
func (v *pager) tailOf(p *nav.Page) []string {
	if p.Err == nil {
		return nil
	}
	var tail []string
	switch {
	case errors.Is(p.Err, nav.ErrStopped):
		tail = append(tail, "(stopped here)")
	case p.Lines.Len() == 0 && p.Content == nil && errors.Is(p.Err, io.EOF) && !p.Dropped:
		tail = append(tail, "(empty)")
	case p.Filter != nil && len(p.Filter.Lines) == 0 && p.Filter.Searched == p.Lines.Len():
		tail = append(tail, "(no line matches)")
	}
	if p.Layout == protocols.LayoutArticles && p.Hidden > 0 {
		tail = append(tail, fmt.Sprintf("Note: killed by score rules: %d (%s shows them)", p.Hidden, v.keyOf("hidden")))
	} else if p.Hidden == 1 {
		tail = append(tail, "Note: 1 name that begins with a dot is hidden ("+v.keyOf("hidden")+" shows it)")
	} else if p.Hidden > 1 {
		tail = append(tail, fmt.Sprintf("Note: %d names that begin with a dot are hidden (%s shows them)", p.Hidden, v.keyOf("hidden")))
	}
	for _, n := range p.Notes {
		tail = append(tail, "Note: "+clean.Short(n))
	}
	return tail
}

func (v *pager) wrap() bool {
	if wrap, ok := v.wrapHost[v.server]; ok {
		return wrap
	}
	if v.prose() {
		return v.wrapText
	}
	return v.wrapLists
}

// prose reports whether the page is made to be read, not a menu or a listing.
func (v *pager) prose() bool {
	return v.layout().Document() || v.layout() == protocols.LayoutPage
}

// layout is that of the page.
func (v *pager) layout() protocols.Layout {
	if v.page == nil {
		return protocols.LayoutText
	}
	return v.page.Layout
}

// gutter is the room for the sign at the left.
func (v *pager) gutter() int {
	switch {
	case v.layout().Document() && v.full.page == v.page && v.full.width == v.width, v.width < 12:
		return 0
	case v.layout().Document():
		return cell.Margin(v.width)
	}
	return cell.GutterWidth
}

// fillScreen gives up the margin of a text that has a line, as most art for
// terminals has, which fits into the screen only without.
func (v *pager) fillScreen() {
	if !v.layout().Document() || !v.wrap() || v.gutter() == 0 {
		return
	}
	first, last := v.visible()
	for i := first; i <= last; i = v.after(i) {
		if v.cells.Fills(v.line(i).text, v.width) {
			v.full.page, v.full.width = v.page, v.width
			v.invalidate()
			return
		}
	}
}

// maxProse is how wide paragraphs are.
const maxProse = 80

// room is how wide rows of a text are; it stays as wide as the screen allows
// where it is a table or a drawing.
func (v *pager) room(text string) int {
	room := v.textWidth()
	if room > maxProse && v.prose() && !arranged(text) {
		return maxProse
	}
	return room
}

// arranged reports whether text is laid out with blanks or rules.
func arranged(text string) bool {
	last, run := rune(0), 0
	for _, r := range strings.TrimLeft(text, " ") {
		if run++; r != last {
			last, run = r, 1
		}
		if run == 3 && r == ' ' || run == 5 && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return true
		}
	}
	return false
}

// textWidth is the room for text.
func (v *pager) textWidth() int { return v.width - v.gutter() }

// total is the number of lines, ours at the end and those that are filtered out
// included; 0 when nothing is shown.
func (v *pager) total() int {
	if v.page == nil || v.page.Filter != nil && len(v.page.Filter.Lines)+len(v.tail) == 0 {
		return 0
	}
	return v.page.Lines.Len() + len(v.tail)
}

// line returns line i ready for the screen.
func (v *pager) line(i int) laid {
	if l, ok := v.laid[i]; ok {
		return l
	}
	if n := v.page.Lines.Len(); i >= n {
		return laid{text: v.tail[i-n]}
	}
	if b, ok := v.foldedQuote(i); ok {
		return laid{text: b.text()}
	}
	line := v.page.Lines.WithoutLink(i)
	l := laid{text: v.lineText(&line), looks: v.looks(i, line.Text)}
	if v.wrap() {
		room := v.room(l.text)
		if cols, taken := v.columns(line.Note); len(cols) > 0 {
			room = v.right() - v.gutter() - taken
		}
		if line.Note != nil {
			l.hang = max(0, min(line.Note.Row().Hang, room/2))
		}
		if mark := v.quoteMark(&line, l.text); mark != "" && len(mark) <= room/2 {
			l.mark, l.hang = mark, len(mark)
		}
		l.rows = v.cells.Wrap(l.text, room, l.hang)
	}
	var open bool
	if l.links, open = v.textLinks(i, l.text); open {
		return l
	}
	if len(v.laid) >= maxLaid || v.held+len(l.text) > maxLaidOctets {
		v.invalidate()
	}
	v.held += len(l.text)
	v.laid[i] = l
	return l
}

// panned returns the text of line i from a character on that begins left of
// the screen or at its edge, and how many columns of it are out of sight.
func (v *pager) panned(i int) (text string, left int) {
	l := v.line(i)
	if v.page.Left == 0 {
		return l.text, 0
	}
	at, places := v.cells.Seek(l.text, l.places, v.page.Left)
	if _, kept := v.laid[i]; kept && len(places) > len(l.places) {
		l.places = places
		v.laid[i] = l
	}
	return l.text[at.Octet:], v.page.Left - at.Column
}

// rows is how many rows of the screen line i takes.
func (v *pager) rows(i int) int {
	if !v.wrap() {
		return 1
	}
	return max(1, len(v.line(i).rows))
}

// linked reports whether line i, not its text, leads somewhere and is shown.
func (v *pager) linked(i int) bool {
	return v.page != nil && !v.inText() && i >= 0 && i < v.page.Lines.Len() && v.page.Lines.Linked(i) && v.shown(i)
}

// current returns the line that is under the cursor and leads somewhere, if it
// is on the screen.
func (v *pager) current() (protocols.Line, bool) {
	if v.inText() {
		return v.currentInText()
	}
	if v.page == nil || !v.linked(v.page.Cursor) {
		return protocols.Line{}, false
	}
	first, last := v.visible()
	if v.page.Cursor < first || v.page.Cursor > last {
		return protocols.Line{}, false
	}
	return v.page.Lines.At(v.page.Cursor), true
}

// find returns the first line from..to, in this direction, that leads
// somewhere, or -1.
func (v *pager) find(from, to int) int {
	next, step, i := v.after, 1, from
	if to < from {
		next, step = v.before, -1
	}
	for n := 0; n < maxLinkSearch && (to-i)*step >= 0; i, n = next(i), n+1 {
		if v.linked(i) {
			return i
		}
	}
	return -1
}
