package dump

import (
	"fmt"
	"strings"

	"gofer/internal/clean"
	"gofer/internal/document"
	"gofer/protocols"
	"gofer/urlcore"
)

// numberWidth is the width of the column with the numbers of items.
const numberWidth = 5

// Numbered returns the text of line i of a page as [Write] prints it in Text, in
// which each link has its number in brackets before it, and the URLs of these
// links. The first number is n.
func Numbered(h *protocols.Head, i, n int, line func(i int) (protocols.Line, bool), r clean.Reading) (text string, links []urlcore.URL) {
	l, _ := line(i)
	p := textPrinter{layout: h.Layout, read: &r}
	_ = p.head(*h)
	mark := func(u urlcore.URL) string {
		links = append(links, u)
		return fmt.Sprintf("[%d]", n+len(links)-1)
	}
	if h.Layout.Document() && h.Layout != protocols.LayoutBinary && l.Link == nil {
		found, _ := document.TextLinks(h, &l, func(k int) (string, bool) {
			after, ok := line(i + k)
			return after.Text, ok
		})
		var b strings.Builder
		at := 0
		for _, f := range found {
			b.WriteString(l.Text[at:f.Start] + mark(f.URL))
			at = f.Start
		}
		l.Text = b.String() + l.Text[at:]
		return p.text(&l), links
	}
	if h.Layout == protocols.LayoutMenu && l.Link == nil && l.Note == nil && (l.Kind == protocols.Info || l.Kind == protocols.Heading) {
		return strings.TrimRight(r.Line(l.Text), " "), nil // as wide as its author has made it
	}
	number := ""
	if l.Link != nil {
		number = mark(l.Link) + " "
	}
	if h.Layout != protocols.LayoutPage && !h.Layout.Document() {
		number = fmt.Sprintf("%-*s", numberWidth, number)
	}
	return strings.TrimRight(number+p.text(&l), " "), links
}
