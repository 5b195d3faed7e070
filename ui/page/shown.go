package page

import (
	"gofer/nav"
	"gofer/protocols"
)

// IsShown reports whether line i is shown. gofer's lines below the page are always shown.
func (v *Pager) IsShown(i int) bool {
	lines := v.shownLines()
	if lines == nil || i >= v.Page.Lines.Len() {
		return !v.isFolded(i)
	}
	_, ok := lines.Rank(i)
	return ok
}

// LineBelow returns the line shown below line i.
func (v *Pager) LineBelow(i int) int {
	n, lines := v.Page.Lines.Len(), v.shownLines()
	if lines == nil || i >= n {
		for i = v.nextUnfolded(i, 1); v.isFolded(i); i = v.nextUnfolded(i, 1) {
		}
		return i
	}
	if j := lines.After(i); j >= 0 {
		return j
	}
	return n
}

// LineAbove returns the line shown above line i, or -1.
func (v *Pager) LineAbove(i int) int {
	lines := v.shownLines()
	if lines == nil || i > v.Page.Lines.Len() {
		for i--; v.isFolded(i); i = v.nextUnfolded(i, -1) {
		}
		return i
	}
	return lines.Before(i)
}

// NextLine returns the line shown below line i, or above it if dir is negative.
func (v *Pager) NextLine(i, dir int) int {
	if dir < 0 {
		return v.LineAbove(i)
	}
	return v.LineBelow(i)
}

// isFolded reports whether line i is hidden as a detail: a minor header of an article, or a line of
// a folded quote after its first.
func (v *Pager) isFolded(i int) bool {
	if b, ok := v.foldedQuote(i); ok {
		return i > b.from
	}
	if v.Headers || v.Page.Media != protocols.MediaArticle || i < 0 || i >= v.Page.Lines.Len() {
		return false
	}
	_, ok := v.Page.Lines.WithoutLink(i).Note.(protocols.Detail)
	return ok
}

// nextUnfolded returns the line after line i, or the line before it if dir is -1. It skips the
// lines of folded quotes, except their first lines.
func (v *Pager) nextUnfolded(i, dir int) int {
	b, ok := v.foldedQuote(i)
	switch {
	case ok && dir > 0:
		return b.to
	case ok && i > b.from:
		return b.from
	}
	return i + dir
}

// WithFolds returns a pager of the same page that also shows the lines of folded threads and quotes. It is
// for searches in these lines.
func (v *Pager) WithFolds() *Pager {
	all := *v
	all.showFolds = true
	return &all
}

// shownLines returns the lines that are shown, or nil for all lines.
func (v *Pager) shownLines() *nav.Matches {
	if v.showFolds {
		return v.Page.Filter
	}
	return v.Page.Shown()
}

// OpenFold unfolds the threads and the quote that hide line i.
func (v *Pager) OpenFold(i int) {
	if b, ok := v.foldedQuote(i); ok {
		v.quotes.unfolded = append(v.quotes.unfolded, b.from)
		v.Invalidate()
	}
	for at := i; v.Page.Folds != nil && v.Page.Filter == nil && !v.IsShown(i) && at >= 0; at-- {
		if first, end := v.Page.Thread(at); first <= i && i < end {
			v.Page.Fold(first, false)
			at = first
		}
	}
}

// MoveOutOfFolds moves the cursor to the first line of its thread if the thread is folded. It does the
// same with the top of the screen, and scrolls to the cursor.
func (v *Pager) MoveOutOfFolds() {
	if v.Page == nil || v.Page.Folds == nil || v.Page.Filter != nil {
		return
	}
	for _, at := range []*int{&v.Page.Cursor, &v.Page.Top} {
		if !v.IsShown(*at) {
			*at = max(v.LineAbove(*at), 0)
		}
	}
	v.Reveal(v.Page.Cursor)
}
