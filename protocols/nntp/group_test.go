package nntp

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestListGroups(t *testing.T) {
	active := "215 list\n" +
		"a.b 0000000012 0000000003 y\n" +
		"c++.x 0 1 m\n" +
		"lab.кофе 5 1 y\n" +
		"zero 7 0 n\n" +
		"alias 0 1 =a.b\n" +
		"nonsense\n" +
		"bad.numbers x y z\n" +
		"..dots 1 1 y\n" +
		"a,b 1 1 y\n" +
		"* 1 1 y\n" +
		"."
	f := startFake(t, map[string]string{
		"LIST NEWSGROUPS": "215 texts\na.b\tFirst group\nc++.x  With a blank\nlab.кофе\tCoffee\n.",
		"LIST ACTIVE":     active,
	})
	h, lines, err := fetchLines(t, f.client(), urlcore.News{Group: "*"})
	fetchtest.NoError(t, err)
	if h.Layout != protocols.LayoutGroups || h.URL != (urlcore.News{Group: "*"}) {
		t.Errorf("Head = %+v; want LayoutGroups and the URL of all groups", h)
	}
	want := []protocols.Line{
		{
			Kind: protocols.Group, Text: "a.b", Link: urlcore.News{Group: "a.b"},
			Note: &protocols.GroupNote{Low: 3, High: 12, Count: 10, Status: 'y', Description: "First group"},
		},
		{
			Kind: protocols.Group, Text: "c++.x", Link: urlcore.News{Group: "c++.x"},
			Note: &protocols.GroupNote{Low: 1, Status: 'm', Description: "With a blank"},
		},
		{
			Kind: protocols.Group, Text: "lab.кофе", Link: urlcore.News{Group: "lab.кофе"},
			Note: &protocols.GroupNote{Low: 1, High: 5, Count: 5, Status: 'y', Description: "Coffee"},
		},
		{Kind: protocols.Group, Text: "zero", Link: urlcore.News{Group: "zero"}, Note: &protocols.GroupNote{High: 7, Count: 7, Status: 'n'}},
		{Kind: protocols.Group, Text: "alias", Link: urlcore.News{Group: "alias"}, Note: &protocols.GroupNote{Low: 1, Status: '=', Moved: "a.b"}},
		{Kind: protocols.Problem, Text: "nonsense"},
		{Kind: protocols.Problem, Text: "bad.numbers x y z"},
		{
			Kind: protocols.Problem, Text: ".dots  (no URL: RFC 1738 requires a letter first)",
			Note: &protocols.GroupNote{Low: 1, High: 1, Count: 1, Status: 'y'},
		},
		{
			Kind: protocols.Problem, Text: "a,b  (no URL: RFC 1738 allows only letters, digits, - . + _)",
			Note: &protocols.GroupNote{Low: 1, High: 1, Count: 1, Status: 'y'},
		},
		{
			Kind: protocols.Problem, Text: "*  (no URL: news:* means all groups)",
			Note: &protocols.GroupNote{Low: 1, High: 1, Count: 1, Status: 'y'},
		},
	}
	for i := range max(len(want), len(lines)) {
		if i >= len(want) || i >= len(lines) || !reflect.DeepEqual(lines[i], want[i]) {
			t.Errorf("line %d: got %+v, want %+v", i, noteAt(lines, i), noteAt(want, i))
		}
	}
}

func noteAt(l []protocols.Line, i int) any {
	if i >= len(l) {
		return "nothing"
	}
	return fmt.Sprintf("%+v %+v", l[i], l[i].Note)
}

func TestListGroupsWithoutDescriptions(t *testing.T) {
	tests := []struct {
		name      string
		answers   map[string]string
		described bool
		conns     int
		note      bool
	}{
		{"refused", map[string]string{"LIST NEWSGROUPS": "503 no"}, false, 1, false},
		{"unknown", map[string]string{"LIST NEWSGROUPS": "500 no"}, false, 1, false},
		{"stalls before", map[string]string{"LIST NEWSGROUPS": "stall"}, false, 2, true},
		{"stalls within", map[string]string{"LIST NEWSGROUPS": "215 go\na.b\tFirst\nstall"}, true, 2, true},
		{"connection lost", map[string]string{"LIST NEWSGROUPS": "215 go\na.b\tFirst\nclose"}, true, 2, true},
		{
			"only LIST is known",
			map[string]string{"LIST ACTIVE": "501 no", "LIST NEWSGROUPS": "501 no", "LIST": "215 go\na.b 2 1 y\n."},
			false, 1, false,
		},
	}
	for _, tt := range tests {
		test := func(t *testing.T) {
			if tt.answers["LIST ACTIVE"] == "" {
				tt.answers["LIST ACTIVE"] = "215 go\na.b 2 1 y\n."
			}
			f, c := pipedFake(t, tt.answers)
			h, lines, err := fetchLines(t, c, urlcore.News{Group: "*"})
			if err != nil || len(lines) != 1 || lines[0].Text != "a.b" {
				t.Fatalf("lines %v, error %v; want only the group a.b", lines, err)
			}
			fetchtest.Equal(t, lines[0].Note.(*protocols.GroupNote).Description != "", tt.described, "whether the group has a description")
			fetchtest.Equal(t, len(h.Notes) > 0, tt.note, "whether there are notes: %q", h.Notes)
			f.mu.Lock()
			defer f.mu.Unlock()
			fetchtest.Equal(t, len(f.conns), tt.conns, "connections")
		}
		t.Run(tt.name, func(t *testing.T) { synctest.Test(t, test) })
	}
}

func TestEmptyGroup(t *testing.T) {
	for _, answers := range []map[string]string{
		{"GROUP": "211 0 0 0 a.b"},
		{"GROUP": "211 0 1 0 a.b"},
		{"GROUP": "211 0 10 9"},
		{"GROUP": "211 0 4000 4321 a.b"},
		{"GROUP": "211 1 1 1 a.b", "OVER": "420 none"},
		{"GROUP": "211 1 1 1 a.b", "OVER": "423 none"},
		{"GROUP": "211 1 1 1 a.b", "OVER": "224 none\n."},
		{"GROUP": "211 1 1 1 a.b", "XOVER": "224 none\n."},
		{"GROUP": "211 1 1 1 a.b", "XHDR": "221 none\n."},
		{"GROUP": "211 1 1 1 a.b", "HEAD": "423 none"},
	} {
		f := startFake(t, answers)
		h, lines, err := fetchLines(t, f.client(), urlcore.News{Group: "a.b"})
		if err != nil || len(lines) != 1 || lines[0].Kind != protocols.Info || lines[0].Link != nil {
			t.Errorf("%v: lines %v, error %v; want one line that says that the group is empty", answers, lines, err)
		}
		if h.Layout != protocols.LayoutArticles || h.Title != "a.b" {
			t.Errorf("%v: Head = %+v; want LayoutArticles and the title a.b", answers, h)
		}
	}
}

func TestOverviewOfOddServers(t *testing.T) {
	const over = "\n3\tSubject\tMe <a@b>\tFri, 03 Jan 2025 06:49:46 -0000\t<c@d>\t<a@a> <b@b>\t12\t3\tXref: x\n."
	full := protocols.ArticleNote{
		Number: 3, Subject: "Subject", From: "Me <a@b>", Date: time.Date(2025, 1, 3, 6, 49, 46, 0, time.UTC),
		MessageID: "c@d", References: []string{"a@a", "b@b"}, Bytes: 12, Lines: 3,
	}
	bare := full
	full.Xref = "x"
	bare.Bytes, bare.Lines = -1, -1
	withLines := bare
	withLines.Lines = 3
	tests := []struct {
		name    string
		answers map[string]string
		want    protocols.ArticleNote
	}{
		{"OVER", map[string]string{"OVER 3-3": "224 go" + over}, full},
		{"GROUP answers no name", map[string]string{"GROUP": "211 1 3 3", "OVER 3-3": "224 go" + over}, full},
		{"low mark 0", map[string]string{"GROUP": "211 3 0 3 a.b", "OVER 1-3": "224 go" + over}, full},
		{"XOVER only", map[string]string{"XOVER 3-3": "224 go" + over}, full},
		{"OVER is 503", map[string]string{"OVER": "503 no overview", "XOVER 3-3": "224 go" + over}, full},
		{"XHDR only", map[string]string{
			"XHDR Subject 3-3": "221 go\n3 Subject\n.", "XHDR From 3-3": "221 go\n3 Me <a@b>\n.",
			"XHDR Date 3-3":       "225 go\n3 Fri, 03 Jan 2025 06:49:46 -0000\n.",
			"XHDR Message-ID 3-3": "221 go\n3 <c@d>\n.", "XHDR References 3-3": "221 go\n3 <a@a> <b@b>\n.",
		}, bare},
		{"HEAD only", map[string]string{
			"HEAD 3": "221 3 <c@d>\nsubject: Subject\nFrom: Me\n <a@b>\nDate: Fri, 03 Jan 2025 06:49:46 -0000\n" +
				"Message-ID: <c@d>\nReferences: <a@a>\n\t<b@b>\nLines: 3\nX: y\n.",
		}, withLines},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.answers["GROUP"] == "" {
				tt.answers["GROUP"] = "211 1 3 3 a.b"
			}
			f := startFake(t, tt.answers)
			_, lines, err := fetchLines(t, f.client(), f.groupURL("a.b"))
			if err != nil || len(lines) != 1 {
				t.Fatalf("lines %v, error %v; want one article", lines, err)
			}
			note := *lines[0].Note.(*protocols.ArticleNote)
			note.Date = note.Date.UTC()
			fetchtest.DeepEqual(t, note, tt.want)
			if want := f.articleURL("a.b", 3); lines[0].Link != want || lines[0].Text != "Subject" || lines[0].Kind != protocols.Article {
				t.Errorf("the line is %+v, want an article with a link to %v", lines[0], want)
			}
		})
	}
}

func TestMissingNote(t *testing.T) {
	over := func(from, to int) string {
		s := "224 go\n"
		for n := from; n <= to; n++ {
			s += fmt.Sprintf("%d\ts\n", n)
		}
		return s + "."
	}
	const setting = " (the setting newest_articles)."
	tests := []struct {
		name    string
		answers map[string]string
		newest  int
		want    string
	}{
		{"all", map[string]string{"GROUP": "211 3 1 3 a.b", "OVER 1-3": over(1, 3)}, 3, ""},
		{"more", map[string]string{"GROUP": "211 4 1 4 a.b", "OVER 2-4": over(2, 4)}, 3, "The newest 3 of about 4 articles" + setting},
		{
			"more by XHDR",
			map[string]string{"GROUP": "211 4 1 4 a.b", "XHDR": "221 go\n3 s\n4 s\n."},
			2,
			"The newest 2 of about 4 articles" + setting,
		},
		{"estimate too high", map[string]string{"GROUP": "211 9 1 9 a.b", "OVER 5-9": over(8, 9), "OVER 1-4": over(1, 1)}, 5, ""},
		{"none left", map[string]string{"GROUP": "211 9 1 9 a.b", "OVER": "423 none"}, 5, ""},
		{
			"by HEAD, fewer than wanted",
			map[string]string{"GROUP": "211 200 1 200 a.b", "HEAD": "221 go\nSubject: s\n."},
			500,
			"The newest 100 of about 200 articles: the server has no overview.",
		},
		{
			"by HEAD, as many as wanted",
			map[string]string{"GROUP": "211 9 1 9 a.b", "HEAD": "221 go\nSubject: s\n."},
			5, "The newest 5 of about 9 articles" + setting,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, tt.answers)
			c := f.client()
			c.NewestArticles = tt.newest
			_, lines, err := fetchLines(t, c, f.groupURL("a.b"))
			if err != nil || len(lines) == 0 {
				t.Fatalf("lines %v, error %v; want articles", lines, err)
			}
			for i, l := range lines {
				if found := strings.HasPrefix(l.Text, "The newest "); found != (i == 0 && tt.want != "") ||
					found && (l.Text != tt.want || l.Kind != protocols.Info) {
					t.Errorf("line %d is %v %q; want the note %q only in line 0", i, l.Kind, l.Text, tt.want)
				}
			}
		})
	}
}

func TestOverviewTooBig(t *testing.T) {
	f := startFake(t, map[string]string{
		"GROUP": "211 1 1 1 a.b",
		"OVER":  "224 go\n" + strings.Repeat("1\tagain and again\n", 5000) + ".",
	})
	_, _, err := fetchLines(t, f.client(), urlcore.News{Group: "a.b"})
	fetchtest.Reason(t, err, protocols.TooBig)
}

func TestOverviewInterrupted(t *testing.T) {
	f := startFake(t, map[string]string{"GROUP": "211 2 1 2 a.b", "OVER": "224 go\n1\tfirst\nclose"})
	_, lines, err := fetchLines(t, f.client(), urlcore.News{Group: "a.b"})
	if protocols.ReasonOf(err) != protocols.Broken || len(lines) != 1 {
		t.Errorf("got %v, %v; want the first article and reason Broken", lines, err)
	}
}

func TestReplies(t *testing.T) {
	same := func(_, text string) string { return text }
	for in, want := range map[string]int{
		"200 x": 200, "200": 200, "200\tx": 200, "100 x": 100, "999 x": 999, "20": 0, "": 0, "2000 x": 0, "200-x": 0,
		"099 x": 0, "+20 x": 0, "abc x": 0,
	} {
		r, err := parseReply(in, "h:119", same)
		if r.code != want || (err == nil) != (want > 0) || want > 0 && r.text != strings.TrimSpace(in[3:]) {
			t.Errorf("parseReply(%q) = %+v, %v; want the code %d", in, r, err, want)
		}
	}
	for reason, codes := range map[protocols.Reason][]int{
		protocols.NotFound: {411, 412, 420, 421, 422, 423, 430}, protocols.Denied: {480, 481, 482, 483, 502},
		protocols.ServerFailed: {400, 403, 437, 440, 500},
	} {
		for _, code := range codes {
			fetchtest.Equal(t, (reply{code: code}).reason(), reason, "reason of the reply %d", code)
		}
	}
	long := strings.Repeat("x", 300)
	if _, err := parseReply(long, "h:119", same); protocols.ReasonOf(err) != protocols.Malformed || strings.Contains(err.Error(), long[:201]) {
		t.Errorf("parseReply of a long line = %v; want Malformed and at most 200 octets of the line", err)
	}
}

func TestGroupsStreamed(t *testing.T) {
	f := startFake(t, map[string]string{"LIST ACTIVE": "215 go\na.b 2 1 y\nstall"})
	c := f.client()
	r := fetchtest.CloseAtEnd(c.Fetch(t.Context(), protocols.Request{URL: urlcore.News{Group: "*"}}))(t)
	for l, err := range r.Lines {
		if err != nil || l.Text != "a.b" {
			t.Errorf("got %q, %v; want the first group before the list has ended", l.Text, err)
		}
		break
	}
	_ = r.Close()
	f.waitClosed()
}

func BenchmarkActive100k(b *testing.B) {
	texts := map[string]string{"alt.test.group": "Tests"}
	b.ReportAllocs()
	for b.Loop() {
		for range 100_000 {
			if l := (target{}).groupLine("alt.test.group 0000012345 0000000001 y", texts); l.Kind != protocols.Group {
				b.Fatal(l)
			}
		}
	}
}

// TestEndBeforeCancel checks that an answer that is complete before the context ends gives no error.
func TestEndBeforeCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := sessionOn(strings.NewReader("a.b 2 1 y\r\n.\r\n"))
	s.ctx = ctx
	for l, err := range s.groupLines(new(wire.Lease), nil) {
		if err != nil {
			t.Errorf("groupLines yields %v after the last group, want the end", err)
		}
		if l.Text == "a.b" {
			cancel(errStop)
		}
	}
	o := overviewOn(strings.NewReader("1\ts\r\n.\r\n"))
	o.ses.ctx, cancel = context.WithCancelCause(context.Background())
	fetchtest.NoError(t, o.readText(func(string) { cancel(errStop) }))
	fetchtest.ErrorIs(t, o.readText(func(string) {}), errStop)
}

// TestOtherGroup opens a group on a server that opens another one. Its articles must not be taken for those of the group.
func TestOtherGroup(t *testing.T) {
	const hint = "opened another group"
	f := startFake(t, map[string]string{"GROUP": "211 1 3 3 x.y", "GROUP a.b": "211 1 3 3 A.B", "OVER": "224 go\n.", "ARTICLE": "220 go\nbody\n."})
	c := f.client()
	for _, u := range []urlcore.URL{f.groupURL("c.d"), f.articleURL("c.d", 3)} {
		err := fetchtest.Drain(t.Context(), c, protocols.Request{URL: u})
		fetchtest.Reason(t, err, protocols.Malformed)
		fetchtest.Contains(t, fmt.Sprint(err), hint, "error")
	}
	fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: f.groupURL("a.b")}), "a name in upper case")
	var kinds []protocols.Kind
	for line, err := range fetchtest.Must(c.Counts(t.Context(), f.groupURL("*"), []string{"c.d", "a.b"}))(t) {
		fetchtest.NoError(t, err)
		kinds = append(kinds, line.Kind)
	}
	fetchtest.DeepEqual(t, kinds, []protocols.Kind{protocols.Failure, protocols.Group})
}
