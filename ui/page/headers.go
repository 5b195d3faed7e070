package page

import "gofer/protocols"

// folded reports whether line i is a detail that is not shown: a header of an
// article that only who wants all of them sees, or a line of a long quote.
func (v *Pager) folded(i int) bool {
	if b, ok := v.FoldedQuote(i); ok {
		return i > b.From
	}
	if v.Headers || v.Page.Media != protocols.MediaArticle || i < 0 || i >= v.Page.Lines.Len() {
		return false
	}
	_, ok := v.Page.Lines.WithoutLink(i).Note.(protocols.Detail)
	return ok
}

// unfolded is the line below line i, or with dir -1 above it, that may be shown:
// the next one but for quotes that are folded.
func (v *Pager) unfolded(i, dir int) int {
	b, ok := v.FoldedQuote(i)
	switch {
	case ok && dir > 0:
		return b.to
	case ok && i > b.From:
		return b.From
	}
	return i + dir
}
