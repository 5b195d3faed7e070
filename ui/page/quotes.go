package page

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"gofer/internal/text/document"
	"gofer/nav"
	"gofer/protocols"
)

// MinFoldedQuotes is the least number of consecutive quoted lines that are folded.
const MinFoldedQuotes = 4

// quoteBlock is a block of quoted lines of a page: the lines from..to-1.
type quoteBlock struct{ from, to int }

// text returns the line shown for a folded block.
func (b quoteBlock) text() string { return "[" + strconv.Itoa(b.to-b.from) + " quoted lines]" }

// longQuotes holds the long blocks of quoted lines of a page, and the last block, which may be
// short.
type longQuotes struct {
	page     *nav.Page
	next     int // first line that has not been examined yet
	blocks   []quoteBlock
	unfolded []int // first lines of unfolded blocks
}

func (q *longQuotes) scan(p *nav.Page) {
	n := p.Lines.Len()
	if q.page != p || q.next > n {
		*q = longQuotes{page: p}
	}
	if q.next == n {
		return
	}
	for i, kind := range p.Lines.Kinds(q.next) {
		if kind != protocols.Quote {
			continue
		}
		last := len(q.blocks) - 1
		switch {
		case last >= 0 && q.blocks[last].to == i:
			q.blocks[last].to++
		case last >= 0 && q.blocks[last].to-q.blocks[last].from < MinFoldedQuotes:
			q.blocks[last] = quoteBlock{i, i + 1}
		default:
			q.blocks = append(q.blocks, quoteBlock{i, i + 1})
		}
	}
	q.next = n
}

// foldedQuote returns the folded block of quoted lines that contains line i. A folded block is shown
// as one row.
func (v *Pager) foldedQuote(i int) (b quoteBlock, ok bool) {
	if !v.FoldQuotes || v.showFolds || v.Page.Filter != nil || v.Page.Media != protocols.MediaArticle || i < 0 || i >= v.Page.Lines.Len() {
		return b, false
	}
	q := &v.quotes
	q.scan(v.Page)
	k := sort.Search(len(q.blocks), func(k int) bool { return q.blocks[k].to > i })
	if k == len(q.blocks) {
		return b, false
	}
	b = q.blocks[k]
	return b, b.from <= i && b.to-b.from >= MinFoldedQuotes && !slices.Contains(q.unfolded, b.from)
}

// FoldLongQuotes folds or unfolds all long quotes.
func (v *Pager) FoldLongQuotes(fold bool) {
	v.FoldQuotes, v.quotes.unfolded = fold, nil
	v.Invalidate()
	p := v.Page
	if p == nil {
		return
	}
	if b, folded := v.foldedQuote(p.Top); folded {
		p.Top, p.TopRow = b.from, 0
	}
	if _, folded := v.foldedQuote(p.Cursor); folded {
		p.Link = 0
	}
	v.Fill()
}

// HasOwnText reports whether line i is shown, and not replaced by the line of a folded quote.
func (v *Pager) HasOwnText(i int) bool {
	_, folded := v.foldedQuote(i)
	return !folded && v.IsShown(i)
}

// isSubject reports whether a line is the subject of an article.
func (v *Pager) isSubject(line *protocols.Line) bool {
	return line.Kind == protocols.Header && strings.HasPrefix(line.Text, "Subject:")
}

// endsHeader reports whether line i is the empty line between the header of an article and its text.
func (v *Pager) endsHeader(i int) bool {
	lines := &v.Page.Lines
	return v.Page.Media == protocols.MediaArticle && i > 0 && lines.WithoutLink(i).Text == "" && lines.WithoutLink(i-1).Kind == protocols.Header
}

// quoteMark returns the quote mark of a line, or "".
func (v *Pager) quoteMark(line *protocols.Line, text string) string {
	plain := line.Kind == protocols.Info && v.Page.Layout == protocols.LayoutText && v.Page.Media != protocols.MediaArticle && !document.IsHypertext(v.Page.Media)
	if line.Kind != protocols.Quote && !plain {
		return ""
	}
	return document.QuoteMark(text)
}
