package app

import (
	"context"
	"errors"
	"iter"

	"gofer/internal/usenet/newsrc"
	"gofer/protocols"
	"gofer/urlcore"
)

// unreadFetcher is a Fetcher that leaves out read articles, groups without unread articles, and groups that
// are not subscribed.
type unreadFetcher struct {
	Fetcher
	news *newsFiles
}

func (st *State) unreadLink(wanted bool) func(Fetcher) Fetcher {
	if !wanted {
		return nil
	}
	return func(next Fetcher) Fetcher { return unreadFetcher{next, st.news} }
}

func (f unreadFetcher) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	req.FirstArticle = f.news.firstArticleFunc(req.URL, 0)
	r, err := f.Fetcher.Fetch(ctx, req)
	if err != nil {
		return nil, err
	}
	if r.Layout != protocols.LayoutArticles && r.Layout != protocols.LayoutGroups {
		_ = r.Close()
		return nil, errors.Join(ErrUsage, errors.New("--unread works only for newsgroups, news:* and about:news"))
	}
	r.Lines, r.Preview = f.unreadLines(r.URL, r.Lines), nil
	return r, nil
}

// unreadLines returns the lines of the page that are shown (see isShown). On one of gofer's own pages, the link
// of each line names the server.
func (f unreadFetcher) unreadLines(page urlcore.URL, lines iter.Seq2[protocols.Line, error]) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		read := &newsrcReader{news: f.news, files: make(map[string]*newsrc.File)}
		for line, err := range lines {
			server := page
			if page.Scheme() == "about" && line.Link != nil {
				server = line.Link
			}
			shown := true
			if err == nil {
				shown, err = read.isShown(server, &line)
			}
			if (shown || err != nil) && !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// newsrcReader reads each newsrc file once for a page, because files and pages may be large.
type newsrcReader struct {
	news     *newsFiles
	files    map[string]*newsrc.File // by name of the server
	groupURL urlcore.URL
	group    newsrc.Group // the group of groupURL
}

func (r *newsrcReader) readFile(target urlcore.URL) (f *newsrc.File, err error) {
	server := r.news.serverOf(target)
	if f = r.files[server]; f == nil {
		f, err = r.news.File(target)
		r.files[server] = f
	}
	return f, err
}

// UnreadFilter returns a function that reports whether a line of group is an unread article.
func (st *State) UnreadFilter(group urlcore.URL) func(*protocols.Line) bool {
	return st.news.unreadArticleFilter(group)
}

// unreadArticleFilter returns a function that reports whether a line of group is an unread article.
func (f *newsFiles) unreadArticleFilter(group urlcore.URL) func(*protocols.Line) bool {
	read := &newsrcReader{news: f, files: make(map[string]*newsrc.File)}
	return func(line *protocols.Line) bool {
		shown, err := read.isShown(group, line)
		return line.Kind == protocols.Article && shown && err == nil
	}
}

// isShown reports whether a line is shown. It is shown if it is an unread article, a subscribed group with
// unread articles, or a line that has no link and is not of the kind Info.
func (r *newsrcReader) isShown(server urlcore.URL, line *protocols.Line) (bool, error) {
	switch note := line.Note.(type) {
	case *protocols.ArticleNote:
		if r.groupURL != server {
			file, err := r.readFile(server)
			if err != nil {
				return false, err
			}
			r.groupURL = server
			r.group, _ = file.Group(urlcore.NewsGroup(server).Group)
		}
		return !r.group.Read.Has(note.Number), nil
	case *protocols.EntryNote:
		return true, nil
	case *protocols.GroupNote:
		file, err := r.readFile(server)
		if err != nil {
			return false, err
		}
		g, _ := file.Group(line.Text)
		return g.Subscribed && g.Unread(note.Low, note.High, note.Count) > 0, nil
	}
	return line.Link == nil && line.Kind != protocols.Info, nil
}
