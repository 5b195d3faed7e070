package app

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// newsPageFetcher is a Fetcher of a list of groups, and of groups with the articles 1 to 5.
type newsPageFetcher struct{}

func (newsPageFetcher) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	var lines []protocols.Line
	h := protocols.Head{URL: req.URL}
	switch urlcore.NewsGroup(req.URL).Group {
	case "*":
		h.Layout = protocols.LayoutGroups
		for _, name := range []string{"a.b", "c.d", "e.f"} {
			lines = append(lines, protocols.Line{
				Kind: protocols.Group, Text: name, Link: urlcore.News{Group: name}, Note: &protocols.GroupNote{Low: 1, High: 5, Count: 5},
			})
		}
	case "":
		return protocols.NewPage(h, lines...), nil
	default:
		h.Layout = protocols.LayoutArticles
		first, _ := req.FirstArticle(urlcore.NewsGroup(req.URL).Group, 1, 5)
		for n := max(first, 1); n <= 5; n++ {
			lines = append(lines, protocols.Line{
				Kind: protocols.Article, Text: strconv.FormatUint(n, 10), Link: urlcore.News{MessageID: "x@y"}, Note: &protocols.ArticleNote{Number: n},
			})
		}
	}
	return protocols.NewPage(h, lines...), nil
}

// TestUnreadOnly checks that articles marked as read, groups without unread articles, and unsubscribed
// groups are left out. The newsrc files are read-only.
func TestUnreadOnly(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{".newsrc": "a.b: 1-2,4\nc.d: 1-5\ne.f! 1\n", ".newsrc-b.example": "a.b: 1-4\n"} {
		fetchtest.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o400))
	}
	f := unreadFetcher{serving(newsPageFetcher{}), newNewsFiles(home, t.TempDir(), t.TempDir(), "", func(urlcore.URL) bool { return false })}
	for page, want := range map[string]string{
		"news:a.b": "3 5", "news:c.d": "", "news:new.group": "1 2 3 4 5", "nntp://b.example/a.b": "5", "news:*": "a.b",
	} {
		u := fetchtest.Must(urlcore.Parse(page))(t)
		r := fetchtest.Must(f.Fetch(t.Context(), protocols.Request{URL: u}))(t)
		var got []string
		for line, err := range r.Lines {
			fetchtest.NoError(t, err)
			got = append(got, line.Text)
		}
		fetchtest.Equal(t, strings.Join(got, " "), want, "%s", page)
	}
	fetchtest.FailsWith(t, ErrUsage, "an article")(f.Fetch(t.Context(), protocols.Request{URL: urlcore.News{MessageID: "x@y"}}))
}
