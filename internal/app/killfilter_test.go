package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// threadFetcher is a Fetcher of a group with these subjects. The number of dots before a subject is
// its depth in the thread.
type threadFetcher []string

func (f threadFetcher) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	var lines []protocols.Line
	for i, s := range f {
		subject := strings.TrimLeft(s, ".")
		note := &protocols.ArticleNote{Number: uint64(i + 1), Subject: subject, Depth: len(s) - len(subject)}
		lines = append(lines, protocols.Line{Kind: protocols.Article, Text: subject, Note: note})
	}
	return protocols.NewPage(
		protocols.Head{URL: req.URL, Layout: protocols.LayoutArticles}, append(lines, protocols.Line{Text: "end"})...,
	), nil
}

// TestKillFilter checks that killed articles are left out and that their follow-ups move up in the thread.
func TestKillFilter(t *testing.T) {
	group := urlcore.News{Group: "a.b"}
	articles := threadFetcher{"a", ".spam", "..b", "spam", ".c", ".d", "..e"}
	for _, tt := range []struct {
		rules  string
		hidden bool
		want   string
	}{
		{"[*]\n Score: =-9999\n Subject: spam\n", false, "a .b c .d ..e end "},
		{"[*]\n Score: -9998\n Subject: spam\n", false, "a .spam ..b spam .c .d ..e end "},
		{"[*]\n Score: =-9999\n Subject: spam\n", true, "a .spam ..b spam .c .d ..e end "},
		{"[x.*]\n Score: =-9999\n Subject: spam\n", false, "a .spam ..b spam .c .d ..e end "},
		{"[*]\n Score: =-9999\n Subject: [\n", false, "warned a .spam ..b spam .c .d ..e end "},
		{"", false, "a .spam ..b spam .c .d ..e end "},
	} {
		path := filepath.Join(t.TempDir(), "score")
		if tt.rules != "" {
			fetchtest.NoError(t, os.WriteFile(path, []byte(tt.rules), 0o600))
		}
		got := ""
		scores := &scoreFile{path: path, isDemo: func(urlcore.URL) bool { return false }}
		r := fetchtest.Must(killFilter{serving(articles), scores, func(error) { got = "warned " }}.Fetch(t.Context(), protocols.Request{
			URL: group, Hidden: tt.hidden,
		}))(t)
		for line, err := range r.Lines {
			fetchtest.NoError(t, err)
			if note, ok := line.Note.(*protocols.ArticleNote); ok {
				got += strings.Repeat(".", note.Depth)
			}
			got += fmt.Sprint(line.Text, " ")
		}
		fetchtest.Equal(t, got, tt.want, "%q", tt.rules)
	}
}
