package aids

import (
	"bytes"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/nav"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// minArticleWidth is the smallest width of a table in an article, in cells.
const minArticleWidth = 30

// ToggleArticle shows the article of a web page over the page, without navigation, banners and footers, or goes back to the
// page. The place in the text is kept. Between the two, [Aids.ShowArticle] shows the articles of other pages of the host.
func (a *Aids) ToggleArticle() tea.Cmd {
	v := a.program.Tab()
	p := v.Session.Page()
	switch {
	case p != nil && p.ArticleOf != nil:
		v.ArticleHost = ""
		moveToSameText(p, p.ArticleOf)
		return a.Back()
	case p == nil || !document.IsHTML(p.Media):
		return a.program.Notify("only web pages have an article view")
	case p.IsLoading():
		return a.program.Notify("the page is still loading: wait, or " + a.program.KeyOf("stop") + " stops it")
	case len(p.Source) == 0:
		return a.program.Notify("the octets of this page are not kept: " + a.program.KeyOf("reload") + " loads it again")
	}
	return a.openArticle(v, p, func(failed error) tea.Cmd {
		if failed != nil {
			return a.program.Notify(clean.Short(failed.Error()))
		}
		v.ArticleHost = urlcore.Host(p.URL)
		return a.program.Notify("article view, also of other pages of " + clean.Short(v.ArticleHost) + ": " + a.program.KeyOf("article view") + " shows whole pages")
	})
}

// ShowArticle shows the article of a web page that v shows now, if the article view is on for its host. A page without an
// article stays as it is.
func (a *Aids) ShowArticle(v *viewer.Viewer) tea.Cmd {
	p := v.Session.Page()
	if v.ArticleHost == "" || p == nil || p.Failed != nil || p.IsLoading() || len(p.Source) == 0 || urlcore.Host(p.URL) != v.ArticleHost {
		return nil
	}
	if p.Article != nil { // its place is that where the user has left it
		a.pushOverlay(v, p.Article)
		return nil
	}
	return a.openArticle(v, p, func(error) tea.Cmd { return nil })
}

// openArticle shows the article of p over p, and then calls ended.
func (a *Aids) openArticle(v *viewer.Viewer, p *nav.Page, ended func(failed error) tea.Cmd) tea.Cmd {
	head, source, width := p.Head, p.Source, max(v.Pager.Width-2, minArticleWidth)
	cmd := a.program.RunInBackground(func() func() tea.Cmd {
		lines, err := document.ArticleLines(head, bytes.NewReader(source), width)
		return func() tea.Cmd {
			switch {
			case v.Session.Page() != p:
				return nil // the user has gone on
			case err != nil:
				return ended(err)
			}
			p.Article = &nav.Page{Head: head, Err: io.EOF, Started: p.Started, Progress: p.Progress, Transcript: p.Transcript, Asked: p.Asked, Typed: p.Typed, ArticleOf: p}
			p.Article.Lines.Append(lines...)
			moveToSameText(p, p.Article)
			a.pushOverlay(v, p.Article)
			return ended(nil)
		}
	})
	if v != a.program.Tab() {
		return cmd
	}
	return a.program.HoldKeysBriefly(cmd)
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
