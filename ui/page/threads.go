package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gofer/internal/text/mimeheader"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
)

// folderSize returns the number of bookmarks in the folded folder that begins at line i, or "".
func (v *Pager) folderSize(i int) (size string) {
	n := 0
	_, end := v.Page.Thread(i)
	for k := i + 1; k < end && v.Page.IsFolder(i) && v.Page.IsFolded(i); k++ {
		if v.Page.Lines.HasLink(k) && !v.Page.IsFolder(k) {
			n++
			size = strconv.Itoa(n)
		}
	}
	return size
}

// foldedText returns a text such as " (12, 3 unread)" with the number of articles in the folded thread
// that begins at line i. It returns "" if no folded thread begins there.
func (v *Pager) foldedText(i int) string {
	if !v.Page.IsFolded(i) || v.layout() == protocols.LayoutPage {
		return ""
	}
	end := v.Page.Folds.After(i)
	if end < 0 {
		end = v.Page.Lines.Len()
	}
	text := fmt.Sprintf(" (%d", end-i)
	if unread := v.Page.Lines.Unread(i, end); unread > 0 {
		text += fmt.Sprintf(", %d unread", unread)
	}
	return text + ")"
}

// indent returns the indent in cells of the sign and the text of an item in a folder.
func (v *Pager) indent(line *protocols.Line) int {
	n, _ := line.Note.(protocols.Nested)
	return min(2*int(n), v.Width/4)
}

// replyText returns the text shown in place of the subject of line i if the subject repeats that of the line above, as in
// most replies. It is a reply mark or, if cols has no column of authors, the author. replyText returns "" for other
// lines, if the subject has a match, and on a page that is filtered, panned or wrapped.
func (p *Painter) replyText(i int, cols []protocols.Column) string {
	if p.Page.Filter != nil || p.Page.Left > 0 || p.WrapsLines() || p.Page.Depth(i) == 0 {
		return ""
	}
	above := p.LineAbove(i)
	note, ok := p.Page.Lines.WithoutLink(i).Note.(*protocols.ArticleNote)
	if !ok || above < 0 {
		return ""
	}
	text := p.line(i).text
	subject, isReply := protocols.BaseSubject(text)
	parent, _ := protocols.BaseSubject(p.line(above).text)
	if !strings.EqualFold(subject, parent) || len(p.Found.Marks(text)) > 0 {
		return ""
	}
	if slices.ContainsFunc(cols, isAuthor) {
		if isReply {
			return "Re:"
		}
		return ""
	}
	return mimeheader.Author(p.ReadingOf(note), note.From)
}

// isAuthor reports whether c is a column of authors.
func isAuthor(c protocols.Column) bool {
	_, ok := c.Value.(protocols.Mailbox)
	return ok
}

// scoreMark returns the sign for the score of an article.
func scoreMark(g *cell.Glyphs, score int) string {
	switch {
	case score <= nav.KillScore:
		return g.Failed
	case score < 0:
		return "-"
	case score > 0:
		return "*"
	}
	return ""
}

// maxTreeAhead is the number of lines below the screen that are examined to find the ends of the
// branches of a thread.
const maxTreeAhead = 256

// treePrefixes returns the branches drawn before the lines first..last.
func (p *Painter) treePrefixes(first, last int) map[int]string {
	if last < first || p.Page.Filter != nil || !p.Page.IsThreaded() { // incomplete branches would mislead
		return nil
	}
	deepest := max(1, p.textWidth()/6)
	prefixes := make(map[int]string, last-first+1)
	var open []bool // open[d]: a line of depth d follows before a shallower one
	ahead, _ := p.Move(Position{Line: last}, maxTreeAhead)
	for i := min(ahead.Line, p.Page.Lines.Len()-1); i >= first; i = p.LineAbove(i) {
		depth := min(p.Page.Depth(i), 1000)
		for len(open) <= depth {
			open = append(open, false)
		}
		if i <= last && depth > 0 {
			prefixes[i] = p.treePrefix(open[1:depth+1], deepest)
		}
		open[depth] = true
		open = open[:depth+1]
	}
	return prefixes
}

func (p *Painter) treePrefix(open []bool, deepest int) string {
	var b strings.Builder
	if cut := len(open) - deepest; cut > 0 {
		b.WriteString(p.glyphs.Left + " ")
		open = open[cut:]
	}
	for i, follows := range open {
		switch {
		case i < len(open)-1 && follows:
			b.WriteString(p.glyphs.Vertical)
		case i < len(open)-1:
			b.WriteString("  ")
		case follows:
			b.WriteString(p.glyphs.Branch)
		default:
			b.WriteString(p.glyphs.Corner)
		}
	}
	return b.String()
}
