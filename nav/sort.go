package nav

import (
	"cmp"
	"slices"
	"strings"

	"gofer/protocols"
)

// How many entries of how many octets are put in order at most: what is longer
// stays as the server sent it.
const (
	maxSorted      = 50_000
	maxSortedBytes = 32 << 20
)

// sortEntries puts the entries of a list that has come whole in order,
// directories first, then by name. What stands above the entries stays there,
// and a cursor that the reader has moved stays on its entry.
func (p *Page) sortEntries() {
	n := p.Lines.Len()
	if !p.Layout.Sorted() || n > maxSorted || p.Lines.Bytes() > maxSortedBytes {
		return
	}
	type row struct {
		from, rank int
		name       string
	}
	rows := make([]row, n)
	first := n
	for i := range rows {
		l := p.Lines.WithoutLink(i)
		if first == n && l.Note != nil {
			first = i
		}
		rows[i] = row{i, rank(&l), strings.ToLower(l.Text)}
	}
	slices.SortStableFunc(rows[first:], func(a, b row) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.name, b.name))
	})
	cursor, above := p.Cursor, p.Cursor-p.Top
	if p.kept || p.Cursor <= first && p.Top == 0 { // not of the reader's choice among these
		cursor, above = -1, 0
	}
	var sorted Lines
	for i, r := range rows {
		sorted.appendLine(&p.Lines, r.from)
		if r.from == cursor {
			p.Cursor, p.Top, p.TopRow = i, max(i-above, 0), 0
		}
	}
	p.Lines = sorted
	if p.Filter != nil {
		p.Filter = p.Filter.moved(n, func(i int) int { return rows[i].from })
	}
}

// replace puts lines in the place of those that were their preview. A cursor
// that the reader has moved stays on its entry.
func (p *Page) replace(lines Lines) {
	preview, above := p.Lines, p.Cursor-p.Top
	p.Lines = lines
	p.Lines.replace = false
	if p.kept || p.Cursor == 0 && p.Top == 0 || p.Cursor >= preview.Len() || !preview.Linked(p.Cursor) {
		return
	}
	if i := p.Lines.IndexLink(preview.At(p.Cursor).Link, 0); i >= 0 {
		p.Cursor, p.Top, p.TopRow = i, max(i-above, 0), 0
	}
}

// rank puts directories first and what is no entry last.
func rank(l *protocols.Line) int {
	switch {
	case l.Note == nil:
		return 2
	case l.Kind == protocols.Directory:
		return 0
	}
	return 1
}
