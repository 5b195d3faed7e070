package cli

import (
	"context"
	"errors"
	"iter"

	"gofer/internal/usenet/newsrc"
	"gofer/protocols"
	"gofer/urlcore"
)

// unreadFetcher leaves read articles and groups out of pages. It changes nothing.
type unreadFetcher struct {
	protocols.Fetcher
	news *newsFiles
}

func (f unreadFetcher) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	r, err := f.Fetcher.Fetch(protocols.WithFirstArticle(ctx, f.news.from(u, 0)), u)
	if err != nil {
		return nil, err
	}
	if r.Layout != protocols.LayoutArticles && r.Layout != protocols.LayoutGroups {
		_ = r.Close()
		return nil, errors.Join(errUsage, errors.New("--unread is for a newsgroup, news:* and about:news"))
	}
	r.Lines, r.Preview = f.lines(r.URL, r.Lines), nil
	return r, nil
}

// lines returns the unread lines of page. Lines of an own page name their servers.
func (f unreadFetcher) lines(page urlcore.URL, all iter.Seq2[protocols.Line, error]) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		read := &readOnce{news: f.news, files: make(map[string]*newsrc.File)}
		for line, err := range all {
			of := page
			if page.Scheme() == "about" && line.Link != nil {
				of = line.Link
			}
			isUnread := true
			if err == nil {
				isUnread, err = read.unread(of, &line)
			}
			if (isUnread || err != nil) && !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// readOnce reads each newsrc file once for a page: files and pages may be large.
type readOnce struct {
	news  *newsFiles
	files map[string]*newsrc.File // by server
	of    urlcore.URL
	group newsrc.Group // of of
}

func (r *readOnce) file(of urlcore.URL) (f *newsrc.File, err error) {
	server := r.news.serverOf(of)
	if f = r.files[server]; f == nil {
		f, err = r.news.File(of)
		r.files[server] = f
	}
	return f, err
}

// unreadArticles returns a function that reports whether a line of a group is an unread article.
func (f *newsFiles) unreadArticles(group urlcore.URL) func(*protocols.Line) bool {
	read := &readOnce{news: f, files: make(map[string]*newsrc.File)}
	return func(line *protocols.Line) bool {
		unread, err := read.unread(group, line)
		return line.Kind == protocols.Article && unread && err == nil
	}
}

// unread reports whether a line is shown: an unread article, a subscribed group with
// such articles, and no other item.
func (r *readOnce) unread(of urlcore.URL, line *protocols.Line) (bool, error) {
	switch note := line.Note.(type) {
	case *protocols.ArticleNote:
		if r.of != of {
			file, err := r.file(of)
			if err != nil {
				return false, err
			}
			r.of = of
			r.group, _ = file.Group(urlcore.NewsGroup(of).Group)
		}
		return !r.group.Read.Has(note.Number), nil
	case *protocols.GroupNote:
		file, err := r.file(of)
		if err != nil {
			return false, err
		}
		g, _ := file.Group(line.Text)
		return g.Subscribed && g.Unread(note.Low, note.High) > 0, nil
	}
	return line.Link == nil && line.Kind != protocols.Info, nil
}
