package dump

import (
	"bufio"
	"fmt"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/urlcore"
)

// textPrinter writes a page for people: documents as they are; the items of
// lists each behind its kind and what else is known of it, in columns.
type textPrinter struct {
	w      *bufio.Writer
	layout protocols.Layout
	read   *clean.Reading
	breaks bool // between words, at the width of a printed page
	whole  bool // with all of the header of an article
}

func (p *textPrinter) head(h protocols.Head) error {
	p.breaks = document.IsHypertext(h.Media)
	return nil
}

func (p *textPrinter) end() error { return nil }

func (p *textPrinter) line(l *protocols.Line, _ []urlcore.URL) error {
	if l.Note == protocols.OtherField && !p.whole {
		return nil
	}
	if _, err := p.w.WriteString(p.text(l)); err != nil {
		return err
	}
	return p.w.WriteByte('\n')
}

func (p *textPrinter) text(l *protocols.Line) string {
	text := p.read.Line(l.Text)
	switch {
	case !p.layout.Document():
		return strings.TrimRight(p.marker(l)+p.columns(l, text), " ")
	case p.breaks:
		return strings.Join(document.PrintedRows(l, text), "\n")
	}
	return text
}

// kindWidth is the width of the column with the names of kinds.
const kindWidth = 11

// marker is the column with the kind, empty for text of the page itself.
func (p *textPrinter) marker(l *protocols.Line) string {
	switch {
	case p.layout == protocols.LayoutPage:
		return ""
	case l.Kind == protocols.Info, l.Kind == protocols.Heading:
		return strings.Repeat(" ", kindWidth)
	}
	return fmt.Sprintf("%-*s", kindWidth, l.Kind)
}

// columns is the text, which is clean, with what is known of the item.
func (p *textPrinter) columns(l *protocols.Line, text string) string {
	note := l.Note
	if note == nil && p.layout == protocols.LayoutDirectory && l.Link != nil {
		note = &protocols.FileNote{Size: -1}
	}
	if note == nil {
		return text
	}
	var b strings.Builder
	for _, c := range note.Columns() {
		if c.Print > 0 {
			b.WriteString(p.printed(c) + "  ")
		}
	}
	row := note.Row()
	b.WriteString(strings.Repeat("  ", max(0, min(row.Depth, 12))))
	if row.Text != "" {
		text = mimeheader.Text(*p.read, row.Text)
	}
	if row.TextWidth > 0 && l.Kind != protocols.Problem { // what is wrong stands in the text
		text = pad(text, row.TextWidth)
	}
	b.WriteString(text)
	if row.Target != "" {
		b.WriteString(" -> " + p.read.Text(row.Target))
	}
	return b.String() + "  " + p.read.Text(row.Description)
}

// printed is a value in its column, "-" where it is not known.
func (p *textPrinter) printed(c protocols.Column) string {
	switch v := c.Value.(type) {
	case nil:
		return fmt.Sprintf("%*s", c.Print, "-")
	case protocols.Octets:
		if v < 0 {
			return fmt.Sprintf("%*s", c.Print, "-")
		}
	case protocols.Mailbox:
		return pad(mimeheader.MailboxName(mimeheader.Text(*p.read, string(v))), c.Print)
	case protocols.Encoded:
		return pad(mimeheader.Text(*p.read, string(v)), c.Print)
	case string:
		return pad(p.read.Text(v), c.Print)
	case time.Time:
		return fmt.Sprintf("%-*s", c.Print, printedDate(v, c.Print))
	case protocols.LocalTime:
		return fmt.Sprintf("%-*s", c.Print, printedDate(v.Time, c.Print))
	case protocols.Day:
		return fmt.Sprintf("%-*s", c.Print, printedDate(v.Time, 0))
	}
	return fmt.Sprintf("%*v", c.Print, c.Value)
}

// printedDate is t with the time of day where there is room for it.
func printedDate(t time.Time, width int) string {
	const minutes = "2006-01-02 15:04"
	switch {
	case t.IsZero():
		return "-"
	case width < len(minutes):
		return t.UTC().Format(time.DateOnly)
	}
	return t.UTC().Format(minutes)
}

// pad brings s to a width by cutting it off or adding blanks.
func pad(s string, width int) string {
	n := displaywidth.String(s)
	if n <= width {
		return s + strings.Repeat(" ", width-n)
	}
	var b strings.Builder
	n = 0
	for _, r := range s {
		w := displaywidth.Rune(r)
		if n+w > width-1 {
			break
		}
		b.WriteRune(r)
		n += w
	}
	return b.String() + "…" + strings.Repeat(" ", width-1-n)
}
