package nav

import (
	"strings"

	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/urlcore"
)

// TextLink is a part of the text of a line that is a link.
type TextLink struct {
	URL      urlcore.URL
	Fragment string // place in the page of the URL, or ""
	From, To int    // offsets of this part in its line, in octets
	// Line is the line where the link begins. N is the number of the link in that line, from 1.
	Line, N int
}

// IsText reports whether the links of the page are in its text. A line may then have several
// links, and the cursor may be on none.
func (p *Page) IsText() bool { return p.Layout == protocols.LayoutText && !p.isMailbox() }

// isMailbox reports whether the page lists the messages of a mailbox file.
func (p *Page) isMailbox() bool { return p.Media == document.MediaMailbox }

// TextLinks finds the links in line i of a text, from left to right. A link broken over lines has a
// part in each line. The links are found again by each call, because storing all links of a text of
// 100 MB would take too much memory. The result open reports whether more lines may add links.
func (p *Page) TextLinks(i int) (links []TextLink, open bool) {
	line := p.Lines.At(i)
	if line.Link != nil {
		from, to := linkText(&line)
		return []TextLink{{URL: line.Link, From: from, To: to, Line: i, N: 1}}, false
	}
	piece, open := p.continuedLink(i, line.Text)
	if piece.URL != nil {
		links = append(links, piece)
	}
	starting, more := p.linksStartingIn(i)
	for k, l := range starting {
		to := l.End
		if l.EndLine > 0 {
			to = len(line.Text)
		}
		links = append(links, TextLink{l.URL, l.Fragment, l.Start, to, i, k + 1})
	}
	return links, open || more
}

// CountLinks counts the links that begin in line i of a text.
func (p *Page) CountLinks(i int) int {
	if p.Lines.HasLink(i) {
		return 1
	}
	starting, _ := p.linksStartingIn(i)
	return len(starting)
}

// OtherURLs returns the other URLs that the n-th link of line i may mean, see [urlcore.Found].
func (p *Page) OtherURLs(i, n int) []urlcore.URL {
	if !p.IsText() || n < 1 || i >= p.Lines.Len() || p.Lines.HasLink(i) {
		return nil
	}
	starting, _ := p.linksStartingIn(i)
	if n > len(starting) {
		return nil
	}
	return starting[n-1].Readings
}

// linksStartingIn finds the links that begin in the text of line i.
func (p *Page) linksStartingIn(i int) (links []document.TextLink, open bool) {
	line := p.Lines.WithoutLink(i)
	links, open = document.TextLinks(&p.Head, &line, func(k int) (string, bool) {
		if i+k < 0 || i+k >= p.Lines.Len() {
			return "", false
		}
		return p.Lines.WithoutLink(i + k).Text, true
	})
	return links, open && p.IsLoading()
}

// continuedLink returns the part in line i of a link that begins in an earlier line. The URL of the
// result is nil if there is no such link.
func (p *Page) continuedLink(i int, text string) (piece TextLink, open bool) {
	for j := i - 1; j >= max(0, i-document.MaxContinuationLines); j-- {
		before := p.Lines.WithoutLink(j).Text
		bracket := document.HasUnclosedBracket(before)
		if !bracket && !document.EndsInURL(before) {
			if document.ContinuesOnNextLine(before) {
				continue
			}
			break
		}
		links, open := p.linksStartingIn(j)
		n := len(links)
		if n == 0 || j+links[n-1].EndLine < i {
			if !bracket && document.ContinuesOnNextLine(before) {
				continue
			}
			return piece, open
		}
		l := links[n-1]
		from := len(document.QuoteMark(text))
		from += len(text[from:]) - len(strings.TrimLeft(text[from:], " \t"))
		piece = TextLink{l.URL, l.Fragment, from, len(text), j, n}
		if j+l.EndLine == i {
			piece.To = l.End
		}
		return piece, open
	}
	return piece, false
}

// linkText returns the part of a line that is marked as its link: the text without the name of a header
// and without blanks at the ends.
func linkText(line *protocols.Line) (start, end int) {
	text := line.Text
	if line.Kind == protocols.Header && !strings.HasPrefix(text, " ") {
		start = strings.IndexByte(text, ':') + 1
	}
	start += len(text[start:]) - len(strings.TrimLeft(text[start:], " \t"))
	return start, max(start, len(strings.TrimRight(text, " \t")))
}

// Up returns the URL one level up. For an article whose URL does not name its group, it returns the
// first group in the header of the article.
func (p *Page) Up() (urlcore.URL, bool) {
	if u, ok := p.URL.(urlcore.News); ok && u.MessageID != "" && p.Media == protocols.MediaArticle {
		for _, line := range p.Lines.All(0) {
			if line.Text == "" {
				break
			}
			if line.Link != nil && protocols.KindOf(line.Link) == protocols.Group {
				return line.Link, true
			}
		}
	}
	return urlcore.Up(p.URL)
}
