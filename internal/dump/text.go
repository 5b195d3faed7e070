package dump

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"gofer/internal/clean"
	"gofer/internal/document"
	"gofer/protocols"
)

// textPrinter writes a page for people: documents as they are; the items of
// lists each behind its kind and what else is known of it, in columns.
type textPrinter struct {
	w      *bufio.Writer
	layout protocols.Layout
}

func (p *textPrinter) head(protocols.Head) error { return nil }

func (p *textPrinter) line(l *protocols.Line) error {
	text := clean.Line(l.Text)
	if !p.layout.Document() {
		text = strings.TrimRight(p.marker(l)+p.columns(l, text), " ")
	}
	if _, err := p.w.WriteString(text); err != nil {
		return err
	}
	return p.w.WriteByte('\n')
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
	switch n := l.Note.(type) {
	case *protocols.FileNote:
		return fileColumns(n, text)
	case *protocols.GroupNote:
		if l.Kind == protocols.Problem { // what is wrong stands in the text
			return fmt.Sprintf("%9d  %s  %s", n.Count, text, clean.Text(n.Description))
		}
		return fmt.Sprintf("%9d  %s  %s", n.Count, pad(text, 36), clean.Text(n.Description))
	case *protocols.ArticleNote:
		return articleColumns(n, text)
	}
	if p.layout == protocols.LayoutDirectory && l.Link != nil {
		return fileColumns(&protocols.FileNote{Size: -1}, text)
	}
	return text
}

func fileColumns(n *protocols.FileNote, name string) string {
	size, date := "-", "-"
	if n.Size >= 0 {
		size = strconv.FormatInt(n.Size, 10)
	}
	if !n.Modified.IsZero() {
		date = n.Modified.UTC().Format("2006-01-02 15:04")
		if n.DateOnly {
			date = date[:len("2006-01-02")]
		}
	}
	if n.Target != "" {
		name += " -> " + clean.Text(n.Target)
	}
	return fmt.Sprintf("%13s  %-16s  %s", size, date, name)
}

func articleColumns(n *protocols.ArticleNote, subject string) string {
	number, date := "-", "-"
	if n.Number != 0 {
		number = strconv.FormatUint(n.Number, 10)
	}
	if !n.Date.IsZero() {
		date = n.Date.UTC().Format("2006-01-02")
	}
	if n.Subject != "" {
		subject = clean.Text(document.DecodeHeader(n.Subject))
	}
	indent := strings.Repeat("  ", max(0, min(n.Depth, 12)))
	return fmt.Sprintf("%9s  %-10s  %s  %s", number, date, pad(author(n.From), 24), indent+subject)
}

// author is the name in a From field, or the address where there is none (RFC
// 5322, section 3.4).
func author(from string) string {
	s := clean.Text(document.DecodeHeader(from))
	if name, _, ok := strings.Cut(s, " <"); ok {
		if name = strings.Trim(name, ` "`); name != "" {
			return name
		}
	}
	return strings.Trim(s, "<>")
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
