package dump

import (
	"testing"
	"time"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestNumbered checks that an item begins with its name and has no columns, for speech output.
func TestNumbered(t *testing.T) {
	link := urlcore.Generic{Name: "memo", Rest: "//h/"}
	day := time.Date(2025, 3, 14, 15, 9, 0, 0, time.UTC)
	for _, tt := range []struct {
		layout protocols.Layout
		line   protocols.Line
		want   string
	}{
		{protocols.LayoutMenu, protocols.Line{Text: "  /\\_/\\  a cat "}, "  /\\_/\\  a cat"},
		{protocols.LayoutMenu, protocols.Line{Kind: protocols.Menu, Text: " Phlogs ", Link: link}, "[7] Phlogs, menu"},
		{
			protocols.LayoutDirectory,
			protocols.Line{
				Kind: protocols.Text, Text: "README", Link: link,
				Note: &protocols.FileNote{Size: 1234, Modified: day, Mode: "rw-r--r--", Owner: "ftp"},
			},
			"[7] README, text, 1234 octets, 2025-03-14 15:09",
		},
		{
			protocols.LayoutDirectory,
			protocols.Line{Kind: protocols.Binary, Text: "latest", Link: link, Note: &protocols.FileNote{Size: -1, Target: "a\x1bb"}},
			"[7] latest -> a␛b, binary",
		},
		{protocols.LayoutDirectory, protocols.Line{Kind: protocols.Problem, Text: "total 12"}, "problem    total 12"},
		{
			protocols.LayoutGroups,
			protocols.Line{
				Kind: protocols.Group, Text: "comp.misc", Link: link,
				Note: &protocols.GroupNote{Count: 12, Status: 'y', Description: "All"},
			},
			"[7] comp.misc, group, articles 12, All",
		},
		{
			protocols.LayoutArticles,
			protocols.Line{Kind: protocols.Article, Text: "x", Link: link, Note: &protocols.ArticleNote{
				Depth: 1, Subject: "=?UTF-8?Q?Sch=C3=B6n?=", From: "Ann <a@b>", Date: day, Lines: 4, Bytes: -1,
			}},
			"[7]   Schön, article, 2025-03-14, Ann",
		},
		{protocols.LayoutPage, protocols.Line{Text: "A page", Link: link}, "[7] A page"},
	} {
		line := func(int) (protocols.Line, bool) { return tt.line, true }
		if got, _ := FormatNumbered(&protocols.Head{Layout: tt.layout}, 0, 7, line, clean.Reading{}); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
