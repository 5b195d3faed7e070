package plain

import (
	"cmp"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"

	"gofer/internal/pages/dump"
	"gofer/nav"
	"gofer/protocols"
)

// place records how far a page has been printed.
type place struct {
	next  int                      // index of the line to print next
	rows  []string                 // unprinted rows of the line before next
	top   int                      // index of the first line of the part that was printed last
	notes int                      // number of printed notes of the page
	links []protocols.Hyperlink    // links of the lines up to next
	acts  map[int]protocols.Action // what links do, by number, besides opening their URL
	more  struct{ link, line int } // the number of the link that asks for more items, or 0, and the line of that link
}

// showPage prints the title and the URL of the page, and the part that was printed last. If none was, it
// prints the first part, or in a group the part with the first unread article.
func (b *browser) showPage() error {
	p := b.session.Page()
	if p.Dropped || p.Cut {
		return b.visit(p.URL, true)
	}
	head := []string{b.title(p), formatURL(p.URL)}
	if head[0] == "" || p.Failed != nil { // the first line of an error page is its title
		head = head[1:]
	}
	for _, note := range p.Notes {
		head = append(head, p.Reading().Text(note))
	}
	width, _ := b.Size()
	rows := wrapText(strings.Join(append(head, ""), "\n"), width)
	b.say("%s", strings.Join(rows, "\n"))
	from := b.firstNew
	before := b.places[p]
	if before == nil {
		p.Fragment = cmp.Or(p.Fragment, b.fragment)
	}
	if before != nil {
		from = before.top
	} else if p.Fragment != "" && p.Failed == nil {
		from = b.findFragment(p, p.Fragment)
	} else if from == 0 && p.Layout == protocols.LayoutArticles && b.Unread != nil {
		from = b.findFirstUnread(p)
	}
	b.places[p] = &place{notes: len(p.Notes)}
	if p.Failed == nil {
		b.skipTo(p, from)
	}
	b.printPart(len(rows))
	return nil
}

// findFragment returns the index of the line that a fragment leads to, or 0.
func (b *browser) findFragment(p *nav.Page, fragment string) int {
	for i := 0; ; i++ {
		if at := p.IndexID(fragment, i); at >= 0 {
			return at
		}
		i = max(i, p.Lines.Len()-1)
		if _, ok := b.waitLine(p, i+1); !ok {
			return max(0, p.IndexID(fragment, p.Lines.Len()))
		}
	}
}

// findFirstUnread returns the index of the line of a group to print first: a few lines before its first
// unread article, or near its end if all articles are read.
func (b *browser) findFirstUnread(p *nav.Page) int {
	_, height := b.Size()
	if height == 0 {
		return 0
	}
	unread := b.Unread(p.URL)
	for i := 0; ; i++ {
		switch l, ok := b.waitLine(p, i); {
		case !ok:
			return max(0, i-height/2)
		case unread(&l):
			return max(0, i-3)
		}
	}
}

// waitLine returns line i of a page. If the page is loading, waitLine waits for the line, or for the end of
// the page if its lines will be sorted.
func (b *browser) waitLine(p *nav.Page, i int) (protocols.Line, bool) {
	for (i >= p.Lines.Len() || p.Layout.IsSorted()) && p == b.session.Page() && b.session.Loading() != nil {
		select {
		case x := <-b.batches:
			b.append(x)
		case <-b.interrupted:
			b.session.Stop()
			b.say("Stopped.")
		case <-b.ctx.Done():
			return protocols.Line{}, false
		}
	}
	if i < 0 || i >= p.Lines.Len() {
		return protocols.Line{}, false
	}
	return p.Lines.At(i), true
}

// nextText returns the text of the next line, with numbers before its links. It returns false after the
// last line.
func (b *browser) nextText(p *nav.Page) (string, bool) {
	at := b.places[p]
	l, ok := b.waitLine(p, at.next)
	if !ok {
		return "", false
	}
	line := func(i int) (protocols.Line, bool) { return b.waitLine(p, i) }
	text, links := dump.FormatNumbered(&p.Head, at.next, len(at.links)+1, line, p.Reading())
	if at.links = append(at.links, links...); l.Note == protocols.ActionMore || l.Note == protocols.ActionOlder {
		at.more.link, at.more.line = len(at.links), at.next
	}
	if action, ok := l.Note.(protocols.Action); ok && len(links) > 0 {
		if at.acts == nil {
			at.acts = make(map[int]protocols.Action)
		}
		at.acts[len(at.links)] = action
	}
	at.next++
	return text, true
}

// skipTo moves to a line without printing.
func (b *browser) skipTo(p *nav.Page, line int) {
	at := b.places[p]
	for at.next < line {
		if _, ok := b.nextText(p); !ok {
			return
		}
	}
	at.rows = nil
}

// printPart prints the next part of the page, as much as fits on the terminal. rows is the number
// of rows of the terminal that are already in use.
func (b *browser) printPart(rows int) {
	p := b.session.Page()
	at := b.places[p]
	width, height := b.Size()
	at.top = at.next
	for height == 0 || rows < height-1 {
		if len(at.rows) == 0 {
			text, ok := b.nextText(p)
			if !ok {
				b.printEnd(p)
				return
			}
			at.rows = wrapText(text, width)
		}
		b.say("%s", at.rows[0])
		at.rows = at.rows[1:]
		rows++
	}
}

// printEnd prints the notes that arrived while the page loaded, and says if the page has no lines.
func (b *browser) printEnd(p *nav.Page) {
	switch {
	case p.Content != nil:
		b.say("This is a picture. d saves it as a file.")
	case p.Lines.Len() == 0 && p.Err != nil:
		b.say("This page is empty.")
	}
	at := b.places[p]
	for _, note := range p.Notes[at.notes:] {
		b.say("%s", p.Reading().Text(note))
	}
	at.notes = len(p.Notes)
}

// hasMore reports whether a part of the page has not been printed.
func (b *browser) hasMore() bool {
	p := b.session.Page()
	at := b.places[p]
	return at != nil && (len(at.rows) > 0 || at.next < p.Lines.Len() || b.session.Loading() != nil)
}

// wrapText returns the rows of a text on a terminal.
func wrapText(text string, width int) []string {
	var rows []string
	for row := range strings.SplitSeq(text, "\n") {
		if width > 0 && displaywidth.String(row) > width {
			row = ansi.Wrap(row, width, "")
		}
		rows = append(rows, strings.Split(row, "\n")...)
	}
	return rows
}
