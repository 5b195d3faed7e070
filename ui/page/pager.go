// Package page lays the lines of a page out in rows, and moves through them: the cursor,
// columns, folds, quotes, links in texts, and what is marked.
package page

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// maxLaid and maxLaidOctets bound how many lines, and of what length together,
// are kept laid out: more than a screen holds.
const (
	maxLaid       = 512
	maxLaidOctets = 64 << 20
)

// MaxLinkSearch bounds how many lines one key press looks through for a link.
const MaxLinkSearch = 1 << 18

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

// Pager shows a part of a page. Its work depends on the size of the screen,
// never on the length of the page.
type Pager struct {
	Settings
	Width, Height int
	KeyOf         func(action string) string // the key of an action, "" if none is bound
	Server        string                     // of the page

	Page    *nav.Page
	Reading clean.Reading // of the page

	intoFolds bool // folded threads are gone through as well

	tail   []string   // lines of our own below the page
	quotes longQuotes // of the page
	laid   map[int]laid
	held   int // octets of the texts of laid

	fit columnFit

	full struct { // has no margin
		page  *nav.Page
		width int
	}
}

// Settings are how pages are shown, in a new tab as in the one before.
type Settings struct {
	Cells     cell.Cells
	WrapText  bool            // wrap documents
	WrapLists bool            // wrap menus and listings
	PanMenus  bool            // do not wrap menus on a narrow screen either
	WrapHost  map[string]bool // by server, in place of both
	Colors    bool            // show the colours of texts
	Headers   bool            // show all headers of articles

	FoldQuotes bool // show one line of long quotes
}

// Show makes p the page; nil is no page.
func (v *Pager) Show(p *nav.Page) {
	if p != v.Page {
		v.Page, v.Server = p, ""
		v.Invalidate()
	}
	if p == nil {
		return
	}
	v.Server = ServerOf(p)
	if r := p.Reading(); r != v.Reading {
		v.Reading, v.fit = r, columnFit{}
		v.Invalidate()
	}
	if p.Filter != nil && p.Filter.Searched > p.Lines.Len() { // the lines are others
		p.Filter = &nav.Matches{Pattern: p.Filter.Pattern}
	}
	v.tail = v.tailOf(p)
}

// ReadingOf returns how the texts of an item of the page with this note are read.
func (v *Pager) ReadingOf(note protocols.Note) clean.Reading {
	if v.Reading.Items == nil || v.Page == nil {
		return v.Reading
	}
	return v.Page.ReadingOf(note)
}

// Invalidate drops what was laid out, when the width or the page is another.
func (v *Pager) Invalidate() { v.laid, v.held = make(map[int]laid), 0 }

// EndWith puts text below the page, in place of what gofer itself had to say there.
func (v *Pager) EndWith(text string) { v.tail = []string{text} }

// tailOf is what gofer itself has to say at the end of a page.
func (v *Pager) tailOf(p *nav.Page) []string {
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
	if p.Hidden > 0 {
		what := fmt.Sprintf("killed by score rules: %d", p.Hidden)
		if p.Layout == protocols.LayoutDirectory {
			entries, _ := p.HiddenEntries()
			what = fmt.Sprintf("%s: %d hidden", entries, p.Hidden)
		}
		tail = append(tail, "Note: "+what+" ("+v.KeyOf("hidden")+" shows them)")
	}
	for _, n := range p.Notes {
		tail = append(tail, "Note: "+clean.Short(n))
	}
	return tail
}

// Wrap reports whether long lines of the page are wrapped.
func (v *Pager) Wrap() bool {
	if wrap, ok := v.WrapHost[v.Server]; ok {
		return wrap
	}
	switch {
	case v.Prose():
		return v.WrapText
	case v.layout() == protocols.LayoutMenu && v.Width < dateScreen:
		return !v.PanMenus
	}
	return v.WrapLists
}

// wraps reports whether line i of the page, which has this text, is wrapped. A drawing in a menu
// is not, unless the user wraps all lines.
func (v *Pager) wraps(i int, text string) bool {
	_, chosen := v.WrapHost[v.Server]
	return v.Wrap() && (chosen || v.WrapLists || v.layout() != protocols.LayoutMenu || v.Page.Lines.Linked(i) || !drawn(text))
}

// Prose reports whether the page is made to be read, not a menu or a listing.
func (v *Pager) Prose() bool {
	return v.layout().Document() || v.layout() == protocols.LayoutPage
}

func (v *Pager) layout() protocols.Layout {
	if v.Page == nil {
		return protocols.LayoutText
	}
	return v.Page.Layout
}

// gutter is the room for the sign at the left.
func (v *Pager) gutter() int {
	switch {
	case v.layout().Document() && v.full.page == v.Page && v.full.width == v.Width, v.Width < 12:
		return 0
	case v.layout().Document():
		return cell.Margin(v.Width)
	}
	return cell.GutterWidth
}

// fillScreen gives up the margin of a text that has a line, as most art for
// terminals has, which fits into the screen only without.
func (v *Pager) fillScreen() {
	if !v.layout().Document() || !v.Wrap() || v.gutter() == 0 {
		return
	}
	first, last := v.Visible()
	for i := first; i <= last; i = v.After(i) {
		if v.Cells.Fills(v.line(i).text, v.Width) {
			v.full.page, v.full.width = v.Page, v.Width
			v.Invalidate()
			return
		}
	}
}

// maxProse is how wide paragraphs are.
const maxProse = 80

// room is how wide rows of a text are; it stays as wide as the screen allows
// where it is a table or a drawing.
func (v *Pager) room(text string) int {
	room := v.textWidth()
	if room > maxProse && v.Prose() && !arranged(text) {
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

// drawn reports whether text, which has few letters or is arranged, is a row of a drawing or a table.
func drawn(text string) bool {
	letters, signs := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			letters++
		case r != ' ':
			signs++
		}
	}
	return letters <= signs || arranged(text)
}

func (v *Pager) textWidth() int { return v.Width - v.gutter() }

// Total is the number of lines, ours at the end and those that are filtered out
// included; 0 when nothing is shown.
func (v *Pager) Total() int {
	if v.Page == nil || v.Page.Filter != nil && len(v.Page.Filter.Lines)+len(v.tail) == 0 {
		return 0
	}
	return v.Page.Lines.Len() + len(v.tail)
}

// line returns line i ready for the screen.
func (v *Pager) line(i int) laid {
	if l, ok := v.laid[i]; ok {
		return l
	}
	if n := v.Page.Lines.Len(); i >= n {
		return laid{text: v.tail[i-n]}
	}
	if b, ok := v.foldedQuote(i); ok {
		return laid{text: b.text()}
	}
	line := v.Page.Lines.WithoutLink(i)
	l := laid{text: v.LineText(&line), looks: v.looks(i, line.Text)}
	if v.wraps(i, l.text) {
		room := v.room(l.text) - v.indent(&line)
		if cols, taken := v.Columns(line.Note); len(cols) > 0 {
			room = v.Right() - v.gutter() - taken
		}
		if line.Note != nil {
			l.hang = max(0, min(line.Note.Row().Hang, room/2))
		}
		if mark := v.quoteMark(&line, l.text); mark != "" && len(mark) <= room/2 {
			l.mark, l.hang = mark, len(mark)
		}
		l.rows = v.Cells.Wrap(l.text, room, l.hang)
	}
	var open bool
	if l.links, open = v.textLinks(i, l.text); open || line.Note != nil && line.Note.Row().Live {
		return l
	}
	if len(v.laid) >= maxLaid || v.held+len(l.text) > maxLaidOctets {
		v.Invalidate()
	}
	v.held += len(l.text)
	v.laid[i] = l
	return l
}

// panned returns the text of line i from a character on that begins left of
// the screen or at its edge, and how many columns of it are out of sight.
func (v *Pager) panned(i int) (text string, left int) {
	l := v.line(i)
	if v.Page.Left == 0 || v.Wrap() {
		return l.text, 0
	}
	at, places := v.Cells.Seek(l.text, l.places, v.Page.Left)
	if _, kept := v.laid[i]; kept && len(places) > len(l.places) {
		l.places = places
		v.laid[i] = l
	}
	return l.text[at.Octet:], v.Page.Left - at.Column
}

// rows is how many rows of the screen line i takes.
func (v *Pager) rows(i int) int {
	if !v.Wrap() {
		return 1
	}
	return max(1, len(v.line(i).rows))
}

// Linked reports whether line i, not its text, leads somewhere and is shown.
func (v *Pager) Linked(i int) bool {
	return v.Page != nil && !v.InText() && i >= 0 && i < v.Page.Lines.Len() && v.Page.Lines.Linked(i) && v.Shown(i)
}

// Current returns the line that is under the cursor and leads somewhere, if it
// is on the screen.
func (v *Pager) Current() (protocols.Line, bool) {
	if v.InText() {
		return v.CurrentInText()
	}
	if v.Page == nil || !v.Linked(v.Page.Cursor) {
		return protocols.Line{}, false
	}
	first, last := v.Visible()
	if v.Page.Cursor < first || v.Page.Cursor > last {
		return protocols.Line{}, false
	}
	return v.Page.Lines.At(v.Page.Cursor), true
}

// Find returns the first line from..to, in this direction, that leads
// somewhere, or -1.
func (v *Pager) Find(from, to int) int {
	next, step, i := v.After, 1, from
	if to < from {
		next, step = v.Before, -1
	}
	for n := 0; n < MaxLinkSearch && (to-i)*step >= 0; i, n = next(i), n+1 {
		if v.Linked(i) {
			return i
		}
	}
	return -1
}

// ServerOf is the server of a page, under which its charset is remembered; ""
// if it has none.
func ServerOf(p *nav.Page) string {
	addr, ok := urlcore.Addr(p.URL)
	if !ok || p.Layout == protocols.LayoutPage {
		return ""
	}
	return cmp.Or(addr, p.URL.Scheme())
}
