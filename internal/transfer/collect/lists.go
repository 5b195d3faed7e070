package collect

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"gofer/internal/text/mimeheader"
	"gofer/internal/transfer"
	"gofer/internal/transfer/download"
	"gofer/protocols"
	"gofer/urlcore"
)

// isBookmarks reports whether u is the list of all bookmarks or of those in a folder.
func isBookmarks(u urlcore.URL) bool {
	g, ok := u.(urlcore.Generic)
	return ok && g.Name == "about" && (g.Rest == "bookmarks" || strings.HasPrefix(g.Rest, "bookmarks/")) && !strings.Contains(g.Rest, "?")
}

// addLinks adds the pages that one of gofer's own pages links to, such as a folder of bookmarks.
func (c *Collector) addLinks(ctx context.Context, u urlcore.URL) error {
	_, lines, err := transfer.ReadAll(ctx, c.rec.Fetcher, protocols.Request{URL: u})
	if err != nil {
		return err
	}
	lines = slices.DeleteFunc(lines, func(l protocols.Line) bool { return l.Link == nil || l.Link.Scheme() == "about" })
	if len(lines) == 0 {
		return &protocols.Error{Reason: protocols.Unsupported, Op: "save " + u.String(), Err: errNoMarks}
	}
	for _, l := range lines {
		c.begin(l.Link)
		if err := c.addPage(ctx, l.Link, "", c.Titles[l.Link]); err != nil {
			return err
		}
	}
	return nil
}

// addTree adds a menu or directory and what is below it.
func (c *Collector) addTree(ctx context.Context, u urlcore.URL) error {
	item, _ := c.m.Add(download.Request{URL: u, Path: filepath.Join(c.folder, "tree"), Tree: true, NoParent: c.NoParent, CountOnly: true, Private: true})
	s := c.wait(ctx, item)
	if s.State != download.Counted {
		return cmp.Or(s.Err, context.Cause(ctx), download.ErrCanceled)
	}
	listing := item.Listing()
	defer item.Cancel()
	if c.Agree != nil {
		switch agreed, err := c.Agree(&s); {
		case err != nil:
			return unaskedError{err}
		case !agreed:
			return ErrRefused
		}
	}
	root := c.uniqueFolder(c.nameOf(u))
	for _, l := range s.LeftOut {
		c.appendLeftOut(l, l.Path)
	}
	for _, it := range listing {
		name := root + "/" + it.Path
		var err error
		if it.IsList {
			err = c.addList(it.URL, strings.TrimSuffix(name, "/"))
		} else {
			err = c.addItem(ctx, it.URL, name, it.Size)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addGroup adds a group and its articles.
func (c *Collector) addGroup(ctx context.Context, u urlcore.URL) error {
	f := c.Unread
	if c.All || f == nil {
		f = c.rec.Fetcher
	}
	articles, err := c.readGroup(ctx, u, f)
	if err == nil && len(articles) == 0 {
		err = errEmpty
	}
	if err != nil {
		return err
	}
	return c.addArticles(ctx, u, articles)
}

// readGroup reads the list of articles of a group, and records it.
func (c *Collector) readGroup(ctx context.Context, u urlcore.URL, f Fetcher) (articles []protocols.Line, err error) {
	_, lines, err := transfer.ReadAll(ctx, &recorder{f, c.rec.record}, protocols.Request{URL: u})
	for _, l := range lines {
		if _, ok := l.Note.(*protocols.ArticleNote); ok && l.Link != nil {
			articles = append(articles, l)
		}
	}
	return articles, err
}

// addArticles adds a group and the given articles of it.
func (c *Collector) addArticles(ctx context.Context, group urlcore.URL, articles []protocols.Line) error {
	dir := c.uniqueFolder(c.nameOf(group))
	if err := c.addList(group, dir); err != nil {
		return err
	}
	for _, l := range articles {
		before := len(c.Items)
		if err := c.addPage(ctx, l.Link, dir, mimeheader.Decode(l.Text)); err != nil {
			return err
		}
		if len(c.Items) > before {
			c.Items[before].Also = cmp.Or(otherURL(&l), c.Items[before].Also)
		}
	}
	return nil
}

// otherURL returns the URL of an article with its Message-ID, as other articles link to it, or "" if the article has no
// other URL.
func otherURL(l *protocols.Line) string {
	n, isNumber := l.Link.(urlcore.NNTP)
	note, ok := l.Note.(*protocols.ArticleNote)
	if !ok || !isNumber || note.MessageID == "" {
		return ""
	}
	u, err := urlcore.Canon(urlcore.News{HostPort: n.HostPort, MessageID: note.MessageID, Secure: n.Secure})
	if err != nil {
		return ""
	}
	return urlcore.Redact(u).String()
}
