package nav

import (
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestTitleOfAMenu checks that the first words of a menu without a title become its title, without
// the drawing around them. An existing title stays.
func TestTitleOfAMenu(t *testing.T) {
	for _, tt := range []struct {
		head  string
		lines []string
		want  string
	}{
		{"", []string{"", "", "  *** Welcome to the   hole ***", "More."}, "Welcome to the hole"},
		{
			"",
			[]string{"   _____", " ,--~~  ~~--,", "(  o    o  )      g o f e r", `/|      |\  the demonstration world`, "--- Welcome, this is it"},
			"Welcome, this is it",
		},
		{"", []string{"-----xxxx-----", "aaa bbb", "oo ooo", "Ein schöner Ort (alt)"}, "Ein schöner Ort (alt)"},
		{"", []string{"|  Left        and right of a table", "A name"}, "A name"},
		{"", []string{"世界您好"}, "世界您好"},
		{"", []string{"\x1b[1;32m  *** Welcome\x1b[0m to all ***"}, "Welcome to all"},
		{"", []string{"Welcome. This is a Gopher hole that runs on"}, "Welcome"},
		{"", []string{"A hole at gopher.example.org, about gophers, and of more that digs"}, "A hole at gopher.example.org, about"},
		{"", []string{strings.Repeat("a", shortTitle-2) + "bc: that is"}, strings.Repeat("a", shortTitle-2) + "bc"},
		{"", []string{strings.Repeat("a", shortTitle-3) + "bcde: that is"}, strings.Repeat("a", shortTitle-3) + "bcde:"},
		{"", []string{strings.Repeat("a", shortTitle-6) + "bcd " + "ef gh"}, strings.Repeat("a", shortTitle-6) + "bcd ef"},
		{"", []string{"gopher.example.org and others"}, "gopher.example.org and others"},
		{"", []string{"a (b) [c] {d} (e) name"}, ""},
		{"", []string{"abc +(d)"}, ""},
		{"", []string{"abc (def)"}, "abc (def)"},
		{"", []string{strings.Repeat("abc ", maxTitle/4) + "d", strings.Repeat("bcd ", maxTitle/4)}, "bcd bcd bcd bcd bcd bcd bcd bcd bcd bcd"},
		{"", append(make([]string, titleLines-1), "The last of them"), "The last of them"},
		{"", append(make([]string, titleLines), "One too many"), ""},
		{"", []string{"...", "12:30", "+---+"}, ""},
		{"phlogs", []string{"Welcome to the hole"}, "phlogs"},
	} {
		var s Session
		l := &Load{URL: mustParse(t, "gopher://h/1"), done: make(chan struct{}), cancel: func(error) {}}
		s.Begin(l)
		p := s.Answer(l, protocols.Head{Title: tt.head, Layout: protocols.LayoutMenu})
		fetchtest.Equal(t, p.IsUntitled(), tt.head == "", "%q: before its lines come it is untitled", tt.lines)
		for i, text := range tt.lines {
			var lines Lines
			lines.Append(protocols.Line{Text: text})
			err := error(nil)
			if i == len(tt.lines)-1 {
				err = io.EOF
			}
			if !s.Append(l, lines, err) {
				t.Fatal("Append did not accept the lines")
			}
		}
		if p.Title != tt.want || p.IsUntitled() {
			t.Errorf("%q: title %q, want %q", tt.lines, p.Title, tt.want)
		}
	}
	var link Page
	link.Layout = protocols.LayoutMenu
	link.Lines.Append(protocols.Line{Kind: protocols.Menu, Text: "An item", Link: mustParse(t, "gopher://h/1/a")})
	if link.learnTitle(0); link.Title != "" {
		t.Errorf("learnTitle made the item %q the title, want no title", link.Title)
	}
}

// TestBarTitle checks that a title that repeats the end of the URL is not shown after it.
func TestBarTitle(t *testing.T) {
	for _, tt := range []struct{ url, link, own, want string }{
		{"gopher://h/1/phlogs", "", "phlogs", ""},
		{"gopher://h/1/phlogs", "Phlogs of our members", "phlogs", "Phlogs of our members"},
		{"gopher://h/1/phlogs", "Phlogs", "All phlogs", "All phlogs"},
		{"gopher://h/0/about.txt", "ABOUT", "", ""},
		{"gopher://h/0/2026-02-14.txt", "2026-02-14.txt  (h)", "", ""},
		{"gopher://h/0/2026-02-14.txt", "A walk  (h)", "", "A walk"},
		{"gopher://h/0/about-this_hole.txt", "", "About this hole", ""},
		{"gopher://h/7/find%09tiny%20cat", "", "tiny cat", ""},
		{"gopher://h/7/find%09tiny%20cat", "", "Search", "Search"},
		{"gopher://h/1/caf%C3%A9/", "", "Café", ""},
		{"gopher://h/0/phlog", "", "log", "log"},
		{"ftp://h/pub/", "", "pub", ""},
		{"ftp://h.example/pub/a.tar.gz;type=i", "a.tar.gz", "", ""},
		{"ftp://h.example/", "", "h.example", ""},
		{"ftp://h.example:2121/;type=d", "", "h.example", ""},
		{"news:a.b", "", "a.b", ""},
		{"news:a.b", "The newsgroup a.b", "a.b", ""},
		{"nntp://h/a.b", "a.b: about letters", "a.b", ""},
		{"nntp://h/a.b", "About letters", "a.b", "About letters"},
		{"about:settings", "change what you see", "Settings of gofer", "Settings of gofer"},
		{"news:1@x", "", "<1@x>", ""},
		{"gopher://h/1/", "---", "...", ""},
		{"gopher://h/1/", "", "", ""},
	} {
		p := Page{LinkTitle: tt.link}
		p.URL, p.Title = mustParse(t, tt.url), tt.own
		fetchtest.Equal(t, p.BarTitle(), tt.want, "%s, link %q, own title %q", tt.url, tt.link, tt.own)
		p.FirstWords = true
		if got := p.BarTitle(); got != "" && (got != tt.want || got == tt.own) {
			t.Errorf("%s, FirstWords set: BarTitle = %q, want %q, but not the own title", tt.url, got, tt.want)
		}
	}
}

// TestBlanksInTitles checks that titles have one blank between words in the bar and in the row of tabs.
func TestBlanksInTitles(t *testing.T) {
	u := fetchtest.Parse(t, "gopher://h.example/1/x")
	p := &Page{Head: protocols.Head{URL: u, Title: " The  \t page"}, LinkTitle: "Phlog    of   ann"}
	fetchtest.Equal(t, p.BarTitle(), "Phlog of ann", "the title in the bar")
	fetchtest.Equal(t, p.ListTitle(), "The page", "the title of the tab")
}
