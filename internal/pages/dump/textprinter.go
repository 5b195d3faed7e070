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
)

// textPrinter writes a page for people. It breaks the long lines of hypertext, and keeps the lines of
// other documents. Before the text of an item in a list it writes columns with the kind and the known
// values of the item.
type textPrinter struct {
	w           *bufio.Writer
	layout      protocols.Layout
	reading     *clean.Reading
	breakLines  bool // breaks lines between words, at the width of a printed page
	cutsColumns bool // cuts values that are wider than their columns
	wholeHeader bool // prints the whole header of an article
}

func (p *textPrinter) head(h protocols.Head) error {
	p.breakLines = document.IsHypertext(h.Media)
	return nil
}

func (p *textPrinter) end() error { return nil }

func (p *textPrinter) line(l *protocols.Line, _ []string) error {
	if l.Note == protocols.OtherField && !p.wholeHeader {
		return nil
	}
	if _, err := p.w.WriteString(p.formatText(l)); err != nil {
		return err
	}
	return p.w.WriteByte('\n')
}

func (p *textPrinter) formatText(l *protocols.Line) string {
	text := p.reading.Line(l.Text)
	_, paragraph := l.Note.(*protocols.Hypertext)
	switch {
	case !p.layout.IsDocument():
		return strings.TrimRight(p.kindColumn(l)+p.formatColumns(l, text), " ")
	case p.breakLines || paragraph:
		return strings.Join(document.PrintedRows(l, text), "\n")
	}
	return text
}

// kindWidth is the width of the column with the names of kinds.
const kindWidth = 11

// kindColumn returns the column with the kind. It is blank for texts and headings, and "" on gofer's
// own pages.
func (p *textPrinter) kindColumn(l *protocols.Line) string {
	switch {
	case p.layout == protocols.LayoutPage:
		return ""
	case l.Kind == protocols.Info, l.Kind == protocols.Heading:
		return strings.Repeat(" ", kindWidth)
	}
	return fmt.Sprintf("%-*s", kindWidth, l.Kind)
}

// formatColumns returns the columns of an item followed by text, which must be clean.
func (p *textPrinter) formatColumns(l *protocols.Line, text string) string {
	note := l.Note
	if note == nil && p.layout == protocols.LayoutDirectory && l.Link != nil {
		note = &protocols.FileNote{Size: -1}
	}
	if note == nil {
		return text
	}
	var b strings.Builder
	for _, c := range note.Columns() {
		if width := printedWidth(&c); width > 0 {
			b.WriteString(p.formatValue(&c, width) + "  ")
		}
	}
	row := note.Row()
	b.WriteString(strings.Repeat("  ", max(0, min(row.Depth, 12))))
	if row.Text != "" {
		text = mimeheader.Text(*p.reading, row.Text)
	}
	if row.TextWidth > 0 && l.Kind != protocols.Problem { // the text of a problem is printed whole
		text = p.pad(text, row.TextWidth)
	}
	b.WriteString(text)
	if row.Target != "" {
		b.WriteString(" -> " + p.reading.Text(row.Target))
	}
	return b.String() + "  " + p.reading.Text(row.Description)
}

// printedWidth returns the width of a column, which is its own or follows from the type of its value.
// It returns 0 if the column is not printed.
func printedWidth(c *protocols.Column) int {
	if c.Printed != 0 {
		return max(c.Printed, 0) // 0 for Hidden
	}
	switch c.Value.(type) {
	case time.Time, protocols.LocalTime, protocols.Day, protocols.UnreadDate:
		return len(time.DateOnly)
	case protocols.Mailbox, protocols.Encoded:
		return 24
	case protocols.Octets:
		return 13
	case string:
		return 16
	}
	return 5
}

// formatValue returns the value of a column, padded to width, or "-" if it is unknown.
func (p *textPrinter) formatValue(c *protocols.Column, width int) string {
	switch v := c.Value.(type) {
	case nil:
		return fmt.Sprintf("%*s", width, "-")
	case protocols.Octets:
		if v < 0 {
			return fmt.Sprintf("%*s", width, "-")
		}
	case protocols.Mailbox:
		return p.pad(mimeheader.MailboxName(mimeheader.Text(*p.reading, string(v))), width)
	case protocols.Encoded:
		return p.pad(mimeheader.Text(*p.reading, string(v)), width)
	case string:
		return p.pad(p.reading.Text(v), width)
	case protocols.UnreadDate:
		text := p.reading.Text(string(v))
		return p.pad(text, max(width, min(displaywidth.String(text), maxUnreadDate)))
	case time.Time:
		return fmt.Sprintf("%-*s", width, printedDate(v, width))
	case protocols.LocalTime:
		return fmt.Sprintf("%-*s", width, printedDate(v.Time, width))
	case protocols.Day:
		return fmt.Sprintf("%-*s", width, printedDate(v.Time, 0))
	}
	return fmt.Sprintf("%*v", width, c.Value)
}

// maxUnreadDate is the largest width of the text of a date that cannot be read: the length of a date in RFC 5322.
const maxUnreadDate = len("Fri, 03 Jan 2025 06:49:46 +0000")

// printedDate returns t with the time of day if width has room for it.
func printedDate(t time.Time, width int) string {
	switch {
	case t.IsZero():
		return "-"
	case width < len(protocols.MinuteLayout):
		return t.UTC().Format(time.DateOnly)
	}
	return t.UTC().Format(protocols.MinuteLayout)
}

// pad returns s filled with blanks to width columns, and cut if p cuts columns.
func (p *textPrinter) pad(s string, width int) string {
	n := displaywidth.String(s)
	if n <= width || !p.cutsColumns {
		return s + strings.Repeat(" ", max(width-n, 0))
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
