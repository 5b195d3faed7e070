package nav

import (
	"cmp"
	"slices"
	"strings"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/urlcore"
)

// Lists with more lines or octets than these are not sorted. They stay in the order of the server.
const (
	maxSorted      = 250_000
	maxSortedBytes = 128 << 20
)

// Order is the order of the items of a list. The zero value is the default order of its layout.
type Order struct {
	By       string `json:"by"` // ByName or another constant of this package, or the head of a column
	Reversed bool   `json:"reversed,omitempty"`
	Flat     bool   `json:"flat,omitempty"` // articles not in threads
}

// IsOldestFirst reports whether a list of articles in this order, which must be an order by age, begins
// with the oldest article.
func (o Order) IsOldestFirst() bool { return o.Reversed == (o.By != ArrivalOrder) }

// ByName and ArrivalOrder are orders of all lists, byKind of directories, and ByUnread of lists of groups.
const (
	ByName       = "name"
	byKind       = "kind"
	ArrivalOrder = "as sent"

	ByUnread = "unread" // unread articles of groups, see [Page.WithUnread]
)

// Orders returns the possible orders of the page, or nil if it is not a list of items with columns.
// Each order is a column: a head, and an example of a value. The type of the value decides how items
// are compared.
func (p *Page) Orders() []protocols.Column {
	if p.Layout.IsDocument() {
		return nil
	}
	if p.Layout == protocols.LayoutArticles {
		return articleOrders(p.CurrentOrder())
	}
	for i := range min(p.Lines.Len(), 1000) {
		note := p.Lines.WithoutLink(i).Note
		if group, ok := note.(*protocols.GroupNote); ok && p.WithUnread != nil {
			subscribed := *group
			subscribed.Subscribed = true // another group of the list may be subscribed
			note = &subscribed
		}
		if note == nil {
			continue
		}
		orders := []protocols.Column{{Head: ByName, Value: ""}}
		for _, c := range note.Columns() {
			if c.Head != "" {
				orders = append(orders, c)
			}
		}
		if len(orders) == 1 {
			continue
		}
		slices.SortStableFunc(orders[1:], func(a, b protocols.Column) int { return cmp.Compare(a.MinScreen, b.MinScreen) }) // the most important first
		if p.Layout == protocols.LayoutDirectory {
			orders = append(orders, protocols.Column{Head: byKind, Value: ""})
		}
		return append(orders, protocols.Column{Head: ArrivalOrder})
	}
	return nil
}

// CurrentOrder returns the order of the page. If the user has chosen no order, directories and groups are
// sorted by name, subscribed groups by unread articles, and articles without threads by number. Other
// pages are in the order of arrival.
func (p *Page) CurrentOrder() Order {
	switch {
	case p.Order.Flat && (p.Order.By == "" || p.Order.By == ArrivalOrder):
		return Order{By: ByNumber, Flat: true, Reversed: !p.Order.Reversed}
	case p.Order.By != "":
		return p.Order
	case p.Layout == protocols.LayoutGroups && p.isAboutPage():
		return Order{By: ByUnread}
	case p.Layout.IsSorted() && !p.isAboutPage():
		return Order{By: ByName}
	}
	return Order{By: ArrivalOrder}
}

// isAboutPage reports whether the page is one of gofer's own pages.
func (p *Page) isAboutPage() bool { return p.URL != nil && p.URL.Scheme() == "about" }

// IsReordered reports whether the lines are not in the order of arrival.
func (p *Page) IsReordered() bool {
	return p.Lines.order != nil && p.CurrentOrder() != Order{By: ArrivalOrder}
}

// IsArrangedAtEnd reports whether the lines get their order when the page is complete.
func (p *Page) IsArrangedAtEnd() bool {
	return p.Layout == protocols.LayoutArticles || p.CurrentOrder() != Order{By: ArrivalOrder}
}

// Inherit copies from src the settings for folding threads and for hiding items.
// Then s and src share the orders and the record of the folded folders.
func (s *Session) Inherit(src *Session) {
	if src.Orders == nil {
		src.Orders = make(map[string]Order)
	}
	s.Dots, s.Folded, s.Killed, s.Orders = src.Dots, src.Folded, src.Killed, src.Orders
	s.folders = src.folders
}

// String returns the order as text without blanks, such as "-size" for a reversed order or "author,flat".
func (o Order) String() string {
	text := strings.ReplaceAll(o.By, " ", "_")
	if o.Reversed {
		text = "-" + text
	}
	if o.Flat {
		text += flatOrder
	}
	return text
}

// flatOrder ends the text of an order with [Order.Flat].
const flatOrder = ",flat"

// ParseOrder returns the order with this text, see [Order.String]. The column need not exist.
func ParseOrder(text string) (o Order) {
	text, o.Flat = strings.CutSuffix(text, flatOrder)
	text, o.Reversed = strings.CutPrefix(text, "-")
	o.By = strings.ReplaceAll(text, "_", " ")
	return o
}

// Kind returns the kind of the page, for which the user chooses an order: its layout, or the name of one of gofer's own
// pages. It has no blanks.
func (p *Page) Kind() string {
	kind := KindOf(p.Layout)
	if own, ok := p.URL.(urlcore.Generic); ok && own.Name == "about" {
		name, _, _ := strings.Cut(strings.ReplaceAll(own.Rest, "?", "/"), "/")
		kind += ":" + name
	}
	return kind
}

// KindOf returns the kind of the pages with this layout that are not gofer's own.
func KindOf(layout protocols.Layout) string {
	return [...]string{"text", "binary", "menu", "directory", "groups", "articles", "page"}[layout]
}

// SetOrder sets the order for the pages of this kind that are opened from now on, see [Page.Kind].
func (s *Session) SetOrder(kind string, o Order) {
	if s.Orders == nil {
		s.Orders = make(map[string]Order)
	}
	s.Orders[kind] = o
}

// Sort sorts the items of the page, and of all pages of its kind that are opened later, also in other tabs. It returns
// false if the items are too many or too large. A loading page is sorted when it is complete.
func (s *Session) Sort(p *Page, o Order) bool {
	s.SetOrder(p.Kind(), o)
	if p.Order = o; p.IsLoading() {
		return true
	}
	p.placeKept, p.keepsItem = false, true
	return p.sortEntries()
}

// SortAgain sorts the items of a complete page after values by which the page is sorted have changed. The cursor of
// a page that was opened before the values were known stays on the first item.
func (p *Page) SortAgain() bool {
	p.placeKept = false
	return p.sortEntries()
}

// entry is an item to be sorted. Items are compared by rank, then by number or text, then by name.
type entry struct {
	line   uint32 // index of the line in the order of arrival
	rank   int32
	number int64
	text   string
	name   string
}

// sortEntries sorts the items of a complete list, by a column that it has or else in the default order. Directories come
// first, except in the order of arrival.
// Each section of gofer's own pages is sorted separately. Lines above the items stay there. If the user has
// moved the cursor, it stays on its item.
func (p *Page) sortEntries() bool {
	if p.Layout == protocols.LayoutArticles {
		return p.arrangeArticles(false)
	}
	if !slices.ContainsFunc(p.Orders(), func(c protocols.Column) bool { return c.Head == p.Order.By }) {
		p.Order = Order{} // it was chosen on another page, which has the column
	}
	o := p.CurrentOrder()
	if p.Lines.order == nil && !p.hidesDots() && o == (Order{By: ArrivalOrder}) {
		return true
	}
	all := p.Lines.InArrivalOrder()
	n := all.Len()
	if n > maxSorted || all.Bytes() > maxSortedBytes {
		return false
	}
	entries, first := p.sortableEntries(&all, o)
	order := make([]uint32, len(entries))
	for i := range entries[:first] {
		order[i] = entries[i].line
	}
	for i, k := range o.keysOf(entries[first:]) {
		order[first+i] = entries[first+int(k.item)].line
	}
	p.rearrange(order, first)
	return true
}

// sortableEntries returns the lines that are not hidden, in the order of arrival, with their sort keys. The
// result first is the index of the first item.
func (p *Page) sortableEntries(all *Lines, o Order) (entries []entry, first int) {
	entries, first, p.Hidden = make([]entry, 0, all.Len()), all.Len(), 0
	section := int32(0) // rank of the items of a section of gofer's pages; other lines end the section
	for i := range all.Len() {
		l := all.WithoutLink(i)
		if p.isHidden(&l) {
			p.Hidden++
			continue
		}
		e := entry{line: uint32(i), rank: 3}
		if p.WithUnread != nil {
			l.Note = p.WithUnread(l.Note)
		}
		if _, own := l.Note.(protocols.Action); l.Note != nil && !own {
			first = min(first, len(entries))
			e.rank = 1
			if l.Kind == protocols.Directory {
				e.rank = 0
			}
		}
		reading := p.ReadingOf(l.Note)
		e.name = foldedName(reading, &l)
		switch o.By {
		case ArrivalOrder:
			e.rank, e.name, e.number = 0, "", -int64(i)
		case ByName:
			e.text = e.name
		case byKind:
			e.text = l.Kind.String()
		case ByUnread:
			e.name = "" // groups with equal numbers stay in the server's order
			fallthrough
		default:
			e.setColumn(reading, &l, o.By)
		}
		if e.rank += section; p.isAboutPage() && e.rank == section+3 {
			section += 4
		}
		entries = append(entries, e)
	}
	return entries, min(first, len(entries))
}

// foldedName returns the shown name of an item, folded to ignore case.
func foldedName(r clean.Reading, l *protocols.Line) string {
	text := l.Text
	if l.Note != nil {
		if row := l.Note.Row(); row.Text != "" && mimeheader.IsEncoded(row.Text) {
			text = mimeheader.DecodeAs(r, row.Text)
		}
	}
	if !charset.IsPlain(text) {
		text = r.Decode(text)
	}
	text = strings.ToLower(text)
	if l.Kind == protocols.Article {
		text, _ = protocols.BaseSubject(text)
	}
	return text
}

// setColumn sets the sort key from a column. Unknown values come last.
func (e *entry) setColumn(r clean.Reading, l *protocols.Line, column string) {
	if l.Note == nil {
		return
	}
	known := false
	for _, c := range l.Note.Columns() {
		if c.Head != column {
			continue
		}
		switch v := c.Value.(type) {
		case protocols.Octets:
			e.number, known = int64(v), v >= 0 && l.Kind != protocols.Directory
		case uint64:
			e.number, known = int64(min(v, 1<<62)), true
		case int64:
			e.number, known = v, true
		case interface {
			Unix() int64
			IsZero() bool
		}: // a date of any kind
			e.number, known = v.Unix(), !v.IsZero()
		case protocols.Mailbox:
			e.text = strings.ToLower(mimeheader.MailboxName(mimeheader.DecodeAs(r, string(v))))
			known = true
		case protocols.Encoded:
			e.text, known = strings.ToLower(mimeheader.DecodeAs(r, string(v))), true
		case string:
			e.text, known = strings.ToLower(r.Decode(v)), v != ""
		}
	}
	if !known {
		e.number = 0
	}
	if !known && e.rank == 1 {
		e.rank = 2
	}
}

// rearrange shows the lines with the indexes in the parameter order, in this sequence. The parameter
// first is the index of the first item.
func (p *Page) rearrange(order []uint32, first int) {
	previous := make([]uint32, p.Lines.n) // previous index of each line, in the order of arrival
	for i := range p.Lines.Len() {
		previous[p.Lines.arrivalIndex(i)] = uint32(i)
	}
	cursor, above, top := -1, p.Cursor-p.Top, p.Top
	if !p.placeKept && (p.keepsItem || p.Cursor > first || top > 0) && p.isOnLine(&p.Lines) { // the user has moved
		cursor = int(p.Lines.arrivalIndex(p.Cursor))
	}
	p.Lines.order = order
	nearest := -1 // distance from the old line of the cursor to the new one, in the order of arrival; -1 for none
	for i, line := range order {
		switch after := int(line) - cursor; {
		case cursor < 0 || after < 0 || nearest == 0:
		case after == 0 || nearest < 0 || after < nearest:
			nearest = after
			p.moveCursor(i, above, top)
		}
	}
	p.Cursor = min(p.Cursor, max(len(order)-1, 0))
	if p.Filter != nil {
		p.Filter = p.Filter.reorder(len(order), func(i int) int { return int(previous[order[i]]) })
	}
}

// arrivalIndex returns the index of line i in the order of arrival.
func (l *Lines) arrivalIndex(i int) uint32 {
	if l.order != nil {
		return l.order[i]
	}
	return uint32(i)
}

// replacePreview replaces the preview by the lines in the parameter lines. If the user has moved the
// cursor, it stays on its item.
func (p *Page) replacePreview(lines Lines) {
	preview, above := p.Lines, p.Cursor-p.Top
	if p.Layout == protocols.LayoutArticles {
		p.anchor.toggled = p.toggledThreads()
	}
	p.Tags = tagsOf(p)
	p.Lines = lines
	p.Lines.replace = false
	if p.placeKept || !p.keepsItem && p.Cursor == 0 && p.Top == 0 || !p.isOnLine(&preview) || !preview.HasLink(p.Cursor) {
		return
	}
	if i := p.Lines.IndexLink(preview.At(p.Cursor).Link, 0); i >= 0 {
		p.Cursor, p.Top, p.TopRow = i, max(i-above, 0), 0
	}
}
