// Package page lays the lines of a page out in rows, draws them, and moves through them. It
// knows the cursor, columns, folds, quotes, links in texts, and matches.
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

// maxCached and maxCachedOctets bound the number and the total length of cached layouts. They are
// larger than any screen needs.
const (
	maxCached       = 512
	maxCachedOctets = 64 << 20
)

// MaxLinkSearch is the largest number of lines that one key press searches for a link.
const MaxLinkSearch = 1 << 18

// lineLayout is the layout of a line.
type lineLayout struct {
	text   string          // clean text
	rows   []int           // offset in text of each row; nil if the line is not wrapped
	hang   int             // indent of the rows after the first
	places []cell.Place    // places in text found while panning
	links  []nav.TextLink  // links in text
	panned bool            // the line is not wrapped, and is shown from the column Page.Left on
	spans  []clean.SGRSpan // attributes, if the colors of texts are shown
	mark   string          // quote mark before each row
}

// Pager shows a part of a page. The time to show and scroll it depends on the size of the screen, not
// on the length of the page.
type Pager struct {
	Settings
	Width, Height int
	KeyOf         func(action string) string // returns the key of an action, or ""
	Server        string                     // server of the page

	Page    *nav.Page
	Reading clean.Reading // reading of the page

	showFolds bool // lines of folded threads and quotes count as shown

	tail         []string // gofer's lines below the page
	quotes       longQuotes
	cache        map[int]lineLayout // cached layouts by line
	cachedOctets int                // octets of the texts in cache

	fit columnFit

	unindented struct { // the text that is shown without a margin
		page  *nav.Page
		width int
	}
}

// Settings are the settings for showing pages. A new tab copies them.
type Settings struct {
	Cells     cell.Cells
	WrapText  Wrap            // for documents
	WrapLists Wrap            // for menus and listings
	PanMenus  bool            // do not wrap menus even on a narrow screen
	WrapHost  map[string]Wrap // overrides WrapText and WrapLists, by server
	Colors    bool            // show the colors of texts
	Headers   bool            // show all headers of articles

	FoldQuotes bool // fold each long quote to one line
}

// Show makes p the page, or shows no page if p is nil.
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
	if p.Filter != nil && p.Filter.Searched > p.Lines.Len() { // the page was reloaded
		p.Filter = p.Filter.Restart()
	}
	v.tail = v.tailLines(p)
}

// ReadingOf returns the reading of the texts of an item with this note.
func (v *Pager) ReadingOf(note protocols.Note) clean.Reading {
	if v.Reading.Items == nil || v.Page == nil {
		return v.Reading
	}
	return v.Page.ReadingOf(note)
}

// Invalidate drops the cached layouts. It must be called after a change of the width or the page.
func (v *Pager) Invalidate() { v.cache, v.cachedOctets = make(map[int]lineLayout), 0 }

// SetTail replaces gofer's lines below the page with one line of text.
func (v *Pager) SetTail(text string) { v.tail = []string{text} }

// tailLines returns gofer's lines at the end of a page.
func (v *Pager) tailLines(p *nav.Page) []string {
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
		text := "no line matches"
		if key := v.KeyOf("stop"); key != "" {
			text += ": " + key + " shows all lines"
		}
		tail = append(tail, "("+text+")")
	}
	if p.Hidden > 0 {
		text := fmt.Sprintf("killed by score rules: %d", p.Hidden)
		if p.Layout == protocols.LayoutDirectory {
			entries, _ := p.HiddenItems()
			text = fmt.Sprintf("%s: %d hidden", entries, p.Hidden)
		}
		if key := v.KeyOf("hidden"); key != "" {
			text += " (" + key + " shows them)"
		}
		tail = append(tail, "Note: "+text)
	}
	if p.FreeSpace != "" {
		tail = append(tail, "Free space: "+clean.Short(p.FreeSpace))
	}
	for _, n := range p.Notes {
		if !isShownAbove(p, n) {
			tail = append(tail, "Note: "+clean.Short(n))
		}
	}
	return tail
}

// isShownAbove reports whether a note only says that p is a copy or from a bundle, as the badge and the status line do.
func isShownAbove(p *nav.Page, note string) bool {
	if p.Origin != nil {
		return !p.Origin.Damaged && note == p.Notes[0]
	}
	return !p.CopiedAt.IsZero() && strings.HasPrefix(note, "copy of ")
}

// IsDocument reports whether the page is a document, such as a text or a picture.
func (v *Pager) IsDocument() bool { return v.layout().IsDocument() }

// IsProse reports whether the page is running text, neither a menu nor a listing.
func (v *Pager) IsProse() bool {
	return v.layout().IsDocument() || v.layout() == protocols.LayoutPage
}

func (v *Pager) layout() protocols.Layout {
	if v.Page == nil {
		return protocols.LayoutText
	}
	return v.Page.Layout
}

// gutter returns the width of the column for signs at the left.
func (v *Pager) gutter() int {
	switch {
	case v.layout().IsDocument() && v.unindented.page == v.Page && v.unindented.width == v.Width, v.Width < 12:
		return 0
	case v.layout().IsDocument():
		return cell.Margin(v.Width)
	}
	return cell.GutterWidth
}

// fillScreen removes the margin of a text if a visible line fits the screen only without the margin.
// Most art for terminals has such lines.
func (v *Pager) fillScreen() {
	if !v.layout().IsDocument() || !v.WrapsLines() || v.gutter() == 0 {
		return
	}
	first, last := v.VisibleLines()
	for i := first; i <= last; i = v.LineBelow(i) {
		if v.Cells.Fills(v.line(i).text, v.Width) {
			v.unindented.page, v.unindented.width = v.Page, v.Width
			v.Invalidate()
			return
		}
	}
}

// maxProse is the largest width of paragraphs.
const maxProse = 80

// wrapWidth returns the width for the rows of a text. Tables and drawings get the whole screen.
func (v *Pager) wrapWidth(text string) int {
	room := v.textWidth()
	if room > maxProse && v.IsProse() && !isArranged(text) {
		return maxProse
	}
	return room
}

// isArranged reports whether text is laid out with runs of blanks, or with runs of a character that is
// neither a letter nor a digit.
func isArranged(text string) bool {
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

func (v *Pager) textWidth() int { return v.Width - v.gutter() }

// Total returns the number of lines, including gofer's lines at the end and the lines that a filter
// hides. It returns 0 if nothing is shown.
func (v *Pager) Total() int {
	if v.Page == nil || v.Page.Filter != nil && len(v.Page.Filter.Lines)+len(v.tail) == 0 {
		return 0
	}
	return v.Page.Lines.Len() + len(v.tail)
}

// line returns the layout of line i.
func (v *Pager) line(i int) lineLayout {
	if l, ok := v.cache[i]; ok {
		return l
	}
	if n := v.Page.Lines.Len(); i >= n {
		return lineLayout{text: v.tail[i-n]}
	}
	if b, ok := v.foldedQuote(i); ok {
		return lineLayout{text: b.text(), panned: !v.WrapsLines()}
	}
	line := v.Page.Lines.WithoutLink(i)
	l := lineLayout{text: v.LineText(&line), spans: v.sgrSpans(i, line.Text)}
	if l.panned = !v.wrapsLine(i, &line, l.text); !l.panned {
		room := v.wrapWidth(l.text) - v.indent(&line)
		if cols, taken := v.Columns(line.Note); len(cols) > 0 {
			room = v.RightEdge() - v.gutter() - taken
		}
		if line.Note != nil {
			l.hang = max(0, min(line.Note.Row().Hang, room/3))
		}
		if mark := v.quoteMark(&line, l.text); mark != "" && len(mark) <= room/2 {
			l.mark, l.hang = mark, len(mark)
		}
		l.rows = v.Cells.Wrap(l.text, room, l.hang)
		if line.Note != nil && len(l.rows) > 1 {
			l.breakApart(v.Cells, line.Note.Row().Apart, room)
		}
	}
	var open bool
	if l.links, open = v.textLinks(i, l.text); open || line.Note != nil && line.Note.Row().Live {
		return l
	}
	if len(v.cache) >= maxCached || v.cachedOctets+len(l.text) > maxCachedOctets {
		v.Invalidate()
	}
	v.cachedOctets += len(l.text)
	v.cache[i] = l
	return l
}

// breakApart lays the text out so that its last n octets begin a new row.
func (l *lineLayout) breakApart(c cell.Cells, n, room int) {
	at := len(l.text) - n
	if n == 0 || at <= 0 {
		return
	}
	l.rows = c.Wrap(strings.TrimRight(l.text[:at], " "), room, l.hang)
	for _, row := range c.Wrap(l.text[at:], room-l.hang, 0) {
		l.rows = append(l.rows, at+row)
	}
}

// visibleText returns the text of line i that begins at the left edge of the screen. If the edge cuts
// the first character, the result hidden is the number of its columns that are not visible.
func (v *Pager) visibleText(i int) (text string, hidden int) {
	l := v.line(i)
	if v.Page.Left == 0 || !l.panned {
		return l.text, 0
	}
	at, places := v.Cells.Seek(l.text, l.places, v.Page.Left)
	if _, kept := v.cache[i]; kept && len(places) > len(l.places) {
		l.places = places
		v.cache[i] = l
	}
	return l.text[at.Octet:], v.Page.Left - at.Column
}

// rowCount returns the number of rows of line i.
func (v *Pager) rowCount(i int) int {
	if !v.WrapsLines() {
		return 1
	}
	return max(1, len(v.line(i).rows))
}

// IsLink reports whether line i is shown and is a link as a whole. Links in its text do not count.
func (v *Pager) IsLink(i int) bool {
	return v.Page != nil && !v.HasLinksInText() && i >= 0 && i < v.Page.Lines.Len() && v.Page.Lines.HasLink(i) && v.IsShown(i)
}

// Current returns the line under the cursor if it is a link on the screen.
func (v *Pager) Current() (protocols.Line, bool) {
	if v.HasLinksInText() {
		return v.CurrentTextLink()
	}
	if v.Page == nil || !v.IsLink(v.Page.Cursor) || !v.Page.CursorIsKnown() {
		return protocols.Line{}, false
	}
	first, last := v.VisibleLines()
	if v.Page.Cursor < first || v.Page.Cursor > last {
		return protocols.Line{}, false
	}
	return v.Page.Lines.At(v.Page.Cursor), true
}

// FindLink returns the first line that is a link, or -1. The parameters start and end are the lines
// where the search begins and ends, after MaxLinkSearch lines at the latest. It goes up if end is less
// than start.
func (v *Pager) FindLink(start, end int) int {
	next, step, i := v.LineBelow, 1, start
	if end < start {
		next, step = v.LineAbove, -1
	}
	for n := 0; n < MaxLinkSearch && (end-i)*step >= 0; i, n = next(i), n+1 {
		if v.IsLink(i) {
			return i
		}
	}
	return -1
}

// ServerOf returns the address of the server of a page, under which its charset is remembered. For the
// user's own news server it returns the scheme. It returns "" for a page without a server or with
// LayoutPage.
func ServerOf(p *nav.Page) string {
	addr, ok := urlcore.Addr(p.URL)
	if !ok || p.Layout == protocols.LayoutPage {
		return ""
	}
	return cmp.Or(addr, p.URL.Scheme())
}
