package aids

import (
	"bytes"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/nav"
)

// minArticleWidth is the smallest width of a table in an article, in cells.
const minArticleWidth = 30

// ToggleArticle shows the article of a web page over the page, without navigation, banners and footers, or goes back to the
// page. The place in the text is kept.
func (a *Aids) ToggleArticle() tea.Cmd {
	v := a.program.Tab()
	p := v.Session.Page()
	switch {
	case p != nil && p == v.Article:
		moveToSameText(p, v.ArticleOf)
		return a.Back()
	case p == nil || !document.IsHTML(p.Media):
		return a.program.Notify("only web pages have an article view")
	case p.IsLoading():
		return a.program.Notify("the page is still loading: wait, or " + a.program.KeyOf("stop") + " stops it")
	case len(p.Source) == 0:
		return a.program.Notify("the octets of this page are not kept: " + a.program.KeyOf("reload") + " loads it again")
	}
	head, source, width := p.Head, p.Source, max(v.Pager.Width-2, minArticleWidth)
	return a.program.HoldKeysBriefly(a.program.RunInBackground(func() func() tea.Cmd {
		lines, err := document.ArticleLines(head, bytes.NewReader(source), width)
		return func() tea.Cmd {
			switch {
			case v.Session.Page() != p:
				return nil // the user has gone on
			case err != nil:
				return a.program.Notify(clean.Short(err.Error()))
			}
			article := &nav.Page{Head: head, Err: io.EOF, Started: p.Started, Progress: p.Progress, Transcript: p.Transcript, Asked: p.Asked, Typed: p.Typed}
			article.Lines.Append(lines...)
			moveToSameText(p, article)
			v.Article, v.ArticleOf = article, p
			a.pushOverlay(v, article)
			return a.program.Notify("article view: " + a.program.KeyOf("article view") + " shows the whole page")
		}
	}))
}

// minSameText is the length of a text that is found again, in octets. Shorter texts may be in a page more than once.
const minSameText = 20

// moveToSameText moves to the first text on the screen of page from that is also in page to. If there is none, it moves
// nowhere.
func moveToSameText(from, to *nav.Page) {
	if from.Top == 0 {
		return
	}
	lines := make(map[string]int)
	for i := range to.Lines.Len() {
		text := strings.TrimSpace(to.Lines.WithoutLink(i).Text)
		if _, seen := lines[text]; !seen && len(text) >= minSameText {
			lines[text] = i
		}
	}
	for i := from.Top; i < from.Lines.Len(); i++ {
		if at, ok := lines[strings.TrimSpace(from.Lines.WithoutLink(i).Text)]; ok {
			to.Top, to.TopRow, to.Cursor, to.Link = at, 0, at, 0
			return
		}
	}
}
