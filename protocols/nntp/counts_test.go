package nntp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestCounts requests the counts of many groups over one connection. Counts must also yield a line
// for a missing group.
func TestCounts(t *testing.T) {
	w := fetchtest.CloseAtEnd(demo.StartWorld())(t)
	c := &Client{Server: w.NNTP.Addr()}
	defer c.Close()
	names := []string{"no.such.group", "gofer.announce"}
	want := "no.such.group: not found|gofer.announce 4 news:gofer.announce"
	for range 120 {
		names = append(names, "local.tales")
		want += "|local.tales 7 news:local.tales"
	}
	var got []string
	counts := fetchtest.Must(c.Counts(t.Context(), urlcore.News{Group: "*"}, names))(t)
	for line, err := range counts {
		fetchtest.NoError(t, err)
		text := line.Text
		if note, ok := line.Note.(*protocols.GroupNote); ok {
			text += fmt.Sprintf(" %d %s", note.High, line.Link)
		}
		got = append(got, text)
	}
	if got := strings.Join(got, "|"); !strings.EqualFold(got, want) {
		t.Errorf("Counts()\nyields %s\nwant   %s", got, want)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stopped"))
	if _, err := c.Counts(ctx, urlcore.News{Group: "*"}, names); err == nil || err.Error() != "stopped" {
		t.Errorf("Counts() after the cancellation = %v; want the cause", err)
	}
}

// TestCountsDescribe checks that the status and description of groups are requested once. After a list has
// stalled, no other list must be requested.
func TestCountsDescribe(t *testing.T) {
	const answer = "211 3 1 3"
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf("long.name.of.a.group.%d", i)
	}
	for _, tt := range []struct {
		name    string
		names   []string
		answers map[string]string
		want    string // status and description of the first group
		lists   int    // number of LIST commands sent
	}{
		{
			"all",
			[]string{"a.b", "c.d", "a.b", "e*"},
			map[string]string{"LIST ACTIVE a.b,c.d": "215 go\na.b 3 1 m\nx.y 1 1 n\n.", "LIST NEWSGROUPS a.b,c.d": "215 go\na.b\tFirst\n."},
			"m First", 2,
		},
		{"renamed", []string{"a.b"}, map[string]string{"LIST ACTIVE a.b": "215 go\na.b 3 1 =c.d\nodd\n.", "LIST": "503 none"}, "=c.d ", 2},
		{"no lists", []string{"a.b"}, map[string]string{"LIST": "503 none"}, "\x00 ", 2},
		{"many", many, map[string]string{"LIST": "215 go\n" + many[0] + " Text\n."}, "\x00 Text", 10},
		{"slow", []string{"a.b"}, map[string]string{"LIST ACTIVE a.b": "215 go\na.b 3 1 m\nstall"}, "\x00 ", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.answers["GROUP"] = answer
				f, c := pipedFake(t, tt.answers)
				for range 2 {
					counts := fetchtest.Must(c.Counts(t.Context(), urlcore.News{Group: "*"}, tt.names))(t)
					var lines []protocols.Line
					for line, err := range counts {
						fetchtest.NoError(t, err)
						lines = append(lines, line)
					}
					note, ok := lines[0].Note.(*protocols.GroupNote)
					if !ok || len(lines) != len(tt.names) || note.High != 3 {
						t.Fatalf(
							"Counts() yields %d lines, the first %+v with the note %+v; want %d lines and the high mark 3",
							len(lines), lines[0], note, len(tt.names),
						)
					}
					fetchtest.Equal(t, string(rune(note.Status))+note.Moved+" "+note.Description, tt.want, "status and description of the first group")
				}
				_ = c.Close()
				lists := 0
				for _, command := range f.sentCommands() {
					if len(command) > 510 {
						t.Errorf("a command has %d octets, want at most 510: %s", len(command), command)
					}
					if strings.HasPrefix(command, "LIST") {
						lists++
					}
				}
				fetchtest.Equal(t, lists, tt.lists, "number of LIST commands")
			})
		})
	}
}

// countArticles fetches a group and counts the articles. The result more reports whether the page has a
// line for older articles.
func countArticles(t *testing.T, c *Client, req protocols.Request) (n int, more bool) {
	t.Helper()
	_, lines, err := fetchtest.CollectLines(t.Context(), t, c, req)
	fetchtest.NoError(t, err)
	for _, line := range lines {
		if line.Kind == protocols.Article {
			n++
		}
		more = more || line.Note == protocols.ActionOlder && n == 0
	}
	return n, more
}

// TestOlderArticles checks that older articles are fetched on request. The page must have a line for
// older articles until all articles are shown.
func TestOlderArticles(t *testing.T) {
	f := startFake(t, map[string]string{
		"GROUP": "211 6 1 6 a.b", "OVER 5-6": "224 go\n5\ts\n6\ts\n.", "OVER 3-6": "224 go\n3\ts\n4\ts\n5\ts\n6\ts\n.",
		"OVER 1-6": "224 go\n1\ts\n2\ts\n3\ts\n4\ts\n5\ts\n6\ts\n.",
	})
	c := f.client()
	c.NewestArticles = 2
	for _, tt := range []struct {
		older, articles int
		more            bool
	}{{0, 2, true}, {2, 4, true}, {4, 6, false}, {1 << 40, 6, false}} {
		articles, more := countArticles(t, c, protocols.Request{URL: f.groupURL("a.b"), Paged: true, Older: tt.older})
		if articles != tt.articles || more != tt.more {
			t.Errorf(
				"with %d older articles: got %d articles, a line for older ones: %v; want %d, %v", tt.older, articles,
				more, tt.articles, tt.more,
			)
		}
	}
}

// TestFirstArticleOfEmptyGroup checks that the function FirstArticle is called for groups with articles only,
// and that its note becomes a note of the page. The marks of an empty group say nothing about the numbers to come.
func TestFirstArticleOfEmptyGroup(t *testing.T) {
	for reply, want := range map[string]string{
		"2 1 6 a.b": "1-6", "1 0 6 a.b": "1-6",
		"0 0 0 a.b": "", "0 7 6 a.b": "", "0 1 6 a.b": "", "5 7 3 a.b": "", "3 0 0 a.b": "", "3 1 0 a.b": "",
	} {
		f := startFake(t, map[string]string{"GROUP": "211 " + reply, "OVER 1-6": "224 go\n6\ts\n."})
		req := protocols.Request{
			URL:          f.groupURL("a.b"),
			FirstArticle: func(_ string, low, high uint64) (uint64, string) { return 0, fmt.Sprintf("%d-%d", low, high) },
		}
		h, _, err := fetchtest.CollectLines(t.Context(), t, f.client(), req)
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, strings.Join(h.Notes, " "), want, "notes after %q", reply)
	}
}

// TestFirstArticle checks that the list of a group begins with a given article, or with an older one if
// NewestArticles requires it.
func TestFirstArticle(t *testing.T) {
	f := startFake(t, map[string]string{
		"GROUP": "211 6 1 6 a.b", "OVER 5-6": "224 go\n5\ts\n6\ts\n.", "OVER 3-6": "224 go\n3\ts\n4\ts\n5\ts\n6\ts\n.",
		"OVER 2-6": "224 go\n2\ts\n3\ts\n4\ts\n5\ts\n6\ts\n.",
	})
	c := f.client()
	c.NewestArticles = 2
	for from, want := range map[uint64]int{0: 2, 3: 4, 6: 2, 7: 2} {
		req := protocols.Request{URL: f.groupURL("a.b"), FirstArticle: func(group string, low, high uint64) (uint64, string) {
			if group != "a.b" || low != 1 || high != 6 {
				t.Errorf("FirstArticle was called with %s, %d, %d; want a.b, 1, 6", group, low, high)
			}
			return from, ""
		}}
		articles, _ := countArticles(t, c, req)
		fetchtest.Equal(t, articles, want, "from %d: articles", from)
	}
}
