package transfer

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/protocols"
)

// TestJoinTagged joins the tagged parts of files after one question.
func TestJoinTagged(t *testing.T) {
	for _, tt := range []struct {
		name     string
		subjects []string // all by the same author, and tagged
		question string
		saved    string // the names of the files after the answer yes
		tagged   string // the articles that stay tagged
	}{
		{"three parts", []string{"x.gif (1/3)", "x.gif (2/3)", "x.gif (3/3)"}, "Join 3 parts?", "x.gif", ""},
		{"in another order, with encoded words", []string{"=?utf-8?Q?x.gif?= (2/2)", "x.gif (1/2)"}, "Join 2 parts?", "x.gif", ""},
		{"two files", []string{"x.gif (1/2)", "y.gif [1/2]", "x.gif (2/2)", "y.gif [2/2]"}, "Join 4 parts of 2 files?", "x.gif y.gif", ""},
		{"not all parts", []string{"x.gif 1 of 3", "x.gif 2 of 3"}, "Join 3 parts?", "x.gif", ""},
		{"another article", []string{"x.gif (1/2)", "words", "x.gif (2/2)", "x.gif (2/2)"}, "Join 2 parts?", "x.gif", "a1 a3"},
		{"no name", []string{"pictures (1/2)", "pictures (2/2)"}, "Join 2 parts?", "joined", ""},
		{"parts of different files", []string{"x.gif (1/2)", "y.gif (2/2)"}, "Save 2 tagged items?", "a0.eml a1.eml", ""},
		{"other numbers of parts", []string{"[1/2] x.gif (/9)", "[/2] x.gif (3/9)", "[2/2] x.gif (/9)"}, "Join 2 parts?", "x.gif", "a1"},
		{"a part twice", []string{"x.gif (1/2)", "x.gif (1/2)"}, "Save 2 tagged items?", "a0.eml a1.eml", ""},
	} {
		g := newTaggedProgram(t)
		g.downloads.Manager = &download.Manager{
			Folder: g.folder,
			Fetcher: fetchtest.FetcherFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
				return &protocols.Resource{Head: protocols.Head{URL: req.URL, Size: 4}, Body: strings.NewReader("text"), Closer: io.NopCloser(nil)}, nil
			}),
		}
		t.Cleanup(g.downloads.Manager.Close)
		p := g.page()
		for i, subject := range tt.subjects {
			id := "a" + string(rune('0'+i))
			p.Lines.Append(protocols.Line{
				Kind: protocols.Article, Text: id, Link: fetchtest.Parse(t, "news:"+id+"@h"),
				Note: &protocols.ArticleNote{Subject: subject, From: "me", Bytes: -1, Lines: -1},
			})
			p.Tag(i, true)
		}
		g.Run(g.downloads.Save())
		fetchtest.Equal(t, g.Question(), tt.question, "%s: question", tt.name)
		g.RunActions("leave")
		entries := fetchtest.Must(os.ReadDir(g.folder))(t)
		var names []string
		for _, e := range entries {
			names = append(names, filepath.Base(e.Name()))
		}
		fetchtest.Equal(t, strings.ReplaceAll(strings.Join(names, " "), "@h", ""), tt.saved, "%s: saved files", tt.name)
		g.checkTagged(t, tt.tagged)
	}
}

// TestJoinTaggedRefused checks that the articles are saved if the user does not want to join them.
func TestJoinTaggedRefused(t *testing.T) {
	g := newTaggedProgram(t)
	p := g.page()
	for i, subject := range []string{"x.gif (1/2)", "x.gif (2/2)"} {
		p.Lines.Append(protocols.Line{
			Kind: protocols.Article, Link: fetchtest.Parse(t, "news:"+string(rune('a'+i))+"@h"),
			Note: &protocols.ArticleNote{Subject: subject, Bytes: -1, Lines: -1},
		})
		p.Tag(i, true)
	}
	g.Run(g.downloads.Save())
	g.RunActions("no")
	fetchtest.Equal(t, g.Question(), "Save 2 tagged items?", "question")
}
