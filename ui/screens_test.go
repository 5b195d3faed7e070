package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/urlcore"
)

func info(s string) protocols.Line { return protocols.Line{Text: s} }

func link(k protocols.Kind, s string, u urlcore.URL) protocols.Line {
	return protocols.Line{Kind: k, Text: s, Link: u}
}

var day = time.Date(2025, 3, 14, 15, 9, 26, 0, time.UTC)

func file(path string) urlcore.FTP {
	f := urlcore.FTP{Path: path}
	f.Host = "ftp.example.org"
	return f
}

// library returns a Fetcher with a page of each kind.
func library() web {
	w := web{}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "A hole in the ground",
		info("    Welcome to the hole. It has been here since 1993."),
		info(""),
		link(protocols.Menu, "Phlogs", item('1', "/phlogs")),
		link(protocols.Text, "About this hole", item('0', "/about.txt")),
		link(protocols.Image, "Sunset, June", item('I', "/sunset.jpg")),
		link(protocols.Search, "Search the archive", item('7', "/find")),
		link(protocols.Session, "The old MUD", urlcore.Generic{Name: "telnet", Rest: "//mud.example.org:4000/"}),
		info("  +--------------------------------------------------------------------------------------+"),
		info("  | art that is wider than eighty columns must not be harmed, only panned                 |"),
		protocols.Line{Kind: protocols.Failure, Text: "a part of this menu is missing"},
		link(protocols.Other, "Ein schöner Ort, 世界", item('1', "/welt")),
	)
	w.addText(
		item('0', "/about.txt"), "About this hole",
		"About\n\nThis text has a line that is a good deal longer than the eighty columns of a common screen, so it wraps.\n\tA tab.\n\nEnd.\n",
	)
	w.addPage(file("pub"), protocols.LayoutDirectory, "pub",
		protocols.Line{Kind: protocols.Directory, Text: "old stuff", Link: file("pub/old%20stuff"), Note: &protocols.FileNote{
			Size: 4096, Modified: day, DateOnly: true,
		}},
		protocols.Line{Kind: protocols.Text, Text: "README", Link: file("pub/README"), Note: &protocols.FileNote{Size: 104, Modified: day}},
		protocols.Line{
			Kind: protocols.Archive,
			Text: "a-very-long-name-of-a-file-that-does-not-fit-into-its-column-on-a-small-screen.tar.gz",
			Link: file("pub/long"), Note: &protocols.FileNote{
				Size: 1234567890, Modified: day,
			},
		},
		protocols.Line{Kind: protocols.Binary, Text: "latest", Link: file("pub/latest"), Note: &protocols.FileNote{
			Size: -1, Target: "old stuff/2025.bin",
		}},
		protocols.Line{Kind: protocols.Problem, Text: "total what 12 ???"},
	)
	w.addPage(urlcore.News{Group: "*"}, protocols.LayoutGroups, "Newsgroups",
		protocols.Line{Kind: protocols.Group, Text: "lab.announce", Link: urlcore.News{Group: "lab.announce"}, Note: &protocols.GroupNote{
			Count: 12, Status: 'm', Description: "News of the laboratory",
		}},
		protocols.Line{Kind: protocols.Group, Text: "lab.big", Link: urlcore.News{Group: "lab.big"}, Note: &protocols.GroupNote{
			Count: 2000, Status: 'y',
			Description: "A group with a description that is rather long, for it wants to say all",
		}},
		protocols.Line{
			Kind: protocols.Group, Text: "lab.a-group-with-quite-a-long-name.and.more.of.it",
			Link: urlcore.News{Group: "lab.long"}, Note: &protocols.GroupNote{Count: 0, Status: 'n'},
		},
	)
	w.addPage(urlcore.News{Group: "lab.threads"}, protocols.LayoutArticles, "lab.threads", threadLines()...)
	w.addBody(urlcore.News{MessageID: "1@x"}, protocols.MediaArticle, articleText)
	w[item('7', "/find")] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		return nil, &protocols.Ask{
			URL: item('7', "/find"), Title: "Search the archive",
			Fields: []protocols.Field{{Label: "Words"}},
			With: func(a []string) (urlcore.URL, error) {
				return urlcore.Gopher{
					HostPort: urlcore.HostPort{Host: "gopher.example.org"}, Type: '7', Selector: "/find", Search: a[0],
					HasSearch: true,
				}, nil
			},
		}
	}
	return w
}

func threadLines() []protocols.Line {
	type post struct {
		depth         int
		subject, from string
	}
	var lines []protocols.Line
	for i, p := range []post{
		{0, "A question about gophers", "Ann Author <ann@example.org>"},
		{1, "Re: A question about gophers", "bob@example.org (Bob)"},
		{2, "Re: A question about gophers", `"Carol \"C\" Smith" <carol@example.org>`},
		{2, "Re: A question about gophers", "dave@example.org"},
		{1, "=?UTF-8?Q?Sch=C3=B6ne_Gr=C3=BC=C3=9Fe?=", "=?ISO-8859-1?Q?J=FCrgen?= <j@example.org>"},
		{0, "Another subject", "Eve <eve@example.org>"},
	} {
		lines = append(lines, protocols.Line{
			Kind: protocols.Article, Text: p.subject, Link: urlcore.News{MessageID: fmt.Sprintf("%d@x", i)},
			Note: &protocols.ArticleNote{Depth: p.depth, Subject: p.subject, From: p.from, Date: day, Lines: int64(i * 10), Bytes: -1},
		})
	}
	return lines
}

const articleText = `From: Ann Author <ann@example.org>
Subject: Hello, world
Newsgroups: lab.threads

> What was said before
What is said now, see
gopher://gopher.example.org/1/
-- 
Ann
`

var sizes = []struct{ width, height int }{{80, 24}, {132, 43}, {40, 12}}

// TestASCIIOnlyScreen checks that the screen contains only ASCII in a locale without UTF-8. All widths
// must be the same as with UTF-8.
func TestASCIIOnlyScreen(t *testing.T) {
	w := library()
	addHostilePage(w, item('1', "/hostile"), protocols.LayoutMenu, hostileTexts())
	for _, home := range []urlcore.URL{item('1', "/"), urlcore.News{Group: "lab.threads"}, item('1', "/hostile"), item('0', "/missing")} {
		ours := drive(t, w, Options{Home: home, Config: config.Config{ASCII: true}}, 80, 24)
		theirs := drive(t, w, Options{Home: home}, 80, 24)
		theirs.glyphs = cell.NewGlyphs(true, false)
		ours.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
		for width := 20; width <= 220; width += 25 {
			ours.send(tea.WindowSizeMsg{Width: width, Height: 24})
			theirs.send(tea.WindowSizeMsg{Width: width, Height: 24})
			for _, key := range []string{"down", "g", "esc", "y", "w", ">", "/", "ü", "esc"} {
				ours.press(key)
				theirs.press(key)
				got, want := ours.View(), theirs.View()
				if !isASCII(got.Content) || !isASCII(got.WindowTitle) {
					t.Fatalf("%d cells, after %s: got the screen %q with the title %q, want ASCII only", width, key, got.Content, got.WindowTitle)
				}
				rows := strings.Split(ansi.Strip(want.Content), "\n")
				for y, row := range strings.Split(ansi.Strip(got.Content), "\n") {
					if len(row) != theirs.Model.tab.Pager.Cells.Width(rows[y]) {
						t.Fatalf("%d cells, after %s: the row\n%q is not as wide as\n%q", width, key, row, rows[y])
					}
				}
			}
		}
	}
}
