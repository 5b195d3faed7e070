package nav

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// articlesOf returns a list of articles, each given as "depth name author day lines score".
func articlesOf(specs ...string) *Page {
	p := &Page{Head: protocols.Head{Layout: protocols.LayoutArticles}, Err: io.EOF}
	scores := make(map[protocols.Note]int)
	for i, spec := range specs {
		var depth, day, lines, score int
		var name, author string
		if _, err := fmt.Sscan(spec, &depth, &name, &author, &day, &lines, &score); err != nil {
			panic(spec)
		}
		a := &protocols.ArticleNote{
			Number: uint64(len(specs) - i), Depth: depth, Subject: strings.ReplaceAll(name, "_", " "), From: author,
			Lines: int64(lines),
		}
		if day > 0 {
			a.Date = time.Date(2025, 1, day, 0, 0, 0, 0, time.UTC)
		}
		scores[a] = score
		p.Lines.Append(protocols.Line{Kind: protocols.Article, Text: a.Subject, Link: testURL("test:" + name), Note: a})
	}
	p.Lines.SetScores(p.Lines.Scores(func(n protocols.Note) int { return scores[n] }))
	p.arrangeArticles(false)
	return p
}

// tree returns the shown articles, each as its depth and name, such as "0b". A folded thread begins with "+".
func tree(p *Page) string {
	var all []string
	for i := range p.Lines.Len() {
		mark := ""
		if p.Shown() != nil {
			if _, ok := p.Shown().Rank(i); !ok {
				continue
			}
		}
		if p.IsFolded(i) {
			mark = "+"
		}
		all = append(all, mark+strconv.Itoa(p.Depth(i))+p.Lines.WithoutLink(i).Text)
	}
	return strings.Join(all, " ")
}

// threeThreads returns a list of threads with three, one and two articles.
func threeThreads() *Page {
	return articlesOf("0 b Zoe 3 10 0", "1 Re:_b Ann 4 2 7", "2 b2 Bob 5 1 0", "0 c Ann 9 30 0", "0 a Mia 0 -1 0", "1 a1 Zoe 2 5 -3")
}

func TestSortThreads(t *testing.T) {
	for _, tt := range []struct {
		by   Order
		want string
	}{
		{Order{By: ArrivalOrder}, "0b 1Re: b 2b2 0c 0a 1a1"},
		{Order{By: ArrivalOrder, Reversed: true}, "0a 1a1 0c 0b 1Re: b 2b2"},
		{Order{By: ByName}, "0a 1a1 0b 1Re: b 2b2 0c"},
		{Order{By: ByAuthor}, "0c 0a 1a1 0b 1Re: b 2b2"},
		{Order{By: ByDate}, "0c 0b 1Re: b 2b2 0a 1a1"},
		{Order{By: ByDate, Reversed: true}, "0b 1Re: b 2b2 0c 0a 1a1"},
		{Order{By: ByName, Reversed: true}, "0c 0b 1Re: b 2b2 0a 1a1"},
		{Order{By: byLines, Reversed: true}, "0b 1Re: b 2b2 0c 0a 1a1"},
		{Order{By: byScore, Reversed: true}, "0c 0a 1a1 0b 1Re: b 2b2"},
		{Order{Flat: true}, "0a1 0a 0c 0b2 0Re: b 0b"},
		{Order{By: ByNumber, Reversed: true}, "0a 1a1 0c 0b 1Re: b 2b2"},
		{Order{By: ByNumber}, "0b 1Re: b 2b2 0c 0a 1a1"},
		{Order{By: byLines}, "0c 0b 1Re: b 2b2 0a 1a1"},
		{Order{By: byScore}, "0b 1Re: b 2b2 0c 0a 1a1"},
		{Order{By: ArrivalOrder, Flat: true}, "0a1 0a 0c 0b2 0Re: b 0b"},
		{Order{By: ArrivalOrder, Flat: true, Reversed: true}, "0b 0Re: b 0b2 0c 0a 0a1"},
		{Order{By: ByActivity}, "0b 1Re: b 2b2 0c 0a 1a1"},
		{Order{By: ByActivity, Reversed: true}, "0a 1a1 0c 0b 1Re: b 2b2"},
		{Order{By: ByDate, Flat: true}, "0c 0b2 0Re: b 0b 0a1 0a"},
		{Order{By: ByName, Flat: true}, "0a 0a1 0b 0Re: b 0b2 0c"},
		{Order{By: byScore, Flat: true}, "0Re: b 0b 0b2 0c 0a 0a1"},
	} {
		p, s := threeThreads(), new(Session)
		s.Sort(p, tt.by)
		fetchtest.Equal(t, tree(p), tt.want, "%+v", tt.by)
	}
}

// TestFoldAll checks that the cursor and the top of the screen move to shown lines.
func TestFoldAll(t *testing.T) {
	p, s := threeThreads(), new(Session)
	p.Cursor, p.Top = 5, 2
	if s.FoldThreads(p, true); p.Cursor != 4 || p.Top != 0 || !s.Folded {
		t.Errorf("FoldThreads: the cursor is on %d, %d at the top; want 4 and 0, and s.Folded", p.Cursor, p.Top)
	}
	p.Cursor, p.Top = 3, 3
	if s.FoldThreads(p, true); p.Cursor != 3 || p.Top != 3 {
		t.Errorf("FoldThreads with the cursor on a shown line: the cursor is on %d, %d at the top; want 3 and 3", p.Cursor, p.Top)
	}
	if first, end := p.Thread(6); first != 6 || end != 6 {
		t.Errorf("Thread(6) = %d, %d; want 6, 6, because there is no line 6", first, end)
	}
	if p.Filter = new(Matches); p.IsFolded(0) || p.Shown() != p.Filter {
		t.Error("a filtered page has folded threads")
	}
	if p.Depth(1) != 1 || p.Depth(6) != 0 {
		t.Errorf("Depth(1) = %d, Depth(6) = %d; want 1 and 0", p.Depth(1), p.Depth(6))
	}
}

// TestFoldWhileLoading checks that arriving articles are folded only if the user folds threads.
func TestFoldWhileLoading(t *testing.T) {
	for _, folded := range []bool{false, true} {
		var s Session
		s.Folded = folded
		s.load = &Load{URL: somewhere, done: make(chan struct{}), cancel: func(error) {}}
		p := s.Answer(s.load, protocols.Head{Layout: protocols.LayoutArticles})
		for i, lines := range []Lines{
			articlesOf("0 a A 1 1 0", "1 b B 1 1 0").Lines,
			articlesOf("1 c C 1 1 0", "0 d D 1 1 0", "1 e E 1 1 -9999", "1 f F 1 1 0").Lines,
		} {
			s.Append(s.load, lines.InArrivalOrder(), nil)
			want := []string{"0a 1b", "0a 1b 1c 0d 1f"}[i]
			if folded {
				want = []string{"+0a", "+0a +0d"}[i]
			}
			fetchtest.Equal(t, tree(p), want, "folded %v, part %d", folded, i)
		}
	}
}

func TestNextThread(t *testing.T) {
	p := threeThreads()
	for _, tt := range []struct{ from, dir, want int }{
		{0, 1, 3}, {2, 1, 3}, {3, 1, 4}, {4, 1, -1}, {5, -1, 3}, {4, -1, 3}, {3, -1, 0}, {2, -1, -1},
	} {
		fetchtest.Equal(t, p.NextThread(tt.from, tt.dir), tt.want, "from %d in direction %d", tt.from, tt.dir)
	}
}

// TestKilled checks that killed articles are hidden and that their answers stay together.
func TestKilled(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []string
		want string
	}{
		{"one of many", []string{"0 a A 1 1 0", "0 b B 1 1 -9999", "0 c C 1 1 -9998"}, "0a 0c"},
		{"a beginning", []string{"0 x X 1 1 0", "0 a A 1 1 -9999", "1 b B 1 1 0", "2 c C 1 1 0", "1 d D 1 1 0"}, "0x 0b 1c 1d"},
		{"one in the middle", []string{"0 a A 1 1 0", "1 b B 1 1 -10000", "2 c C 1 1 0", "2 d D 1 1 0"}, "0a 1c 1d"},
		{
			"what answers nothing that is shown",
			[]string{"0 a A 1 1 -9999", "2 b B 1 1 0", "1 c C 1 1 0", "0 d D 1 1 -9999", "1 e E 1 1 0"},
			"0b 1c 0e",
		},
		{"a whole thread", []string{"0 a A 1 1 -9999", "1 b B 1 1 -9999", "0 c C 1 1 0"}, "0c"},
		{"all", []string{"0 a A 1 1 -9999"}, ""},
	} {
		p, s := articlesOf(tt.in...), new(Session)
		fetchtest.Equal(t, tree(p), tt.want, "%s", tt.name)
		hidden, cursor := p.Hidden, ""
		if p.Lines.Len() > 0 {
			cursor = p.Lines.At(0).Text
		}
		s.ShowKilled(p, true)
		if got := p.Lines.At(p.Cursor).Text; cursor != "" && got != cursor {
			t.Errorf("%s: the cursor went from %q to %q", tt.name, cursor, got)
		}
		if p.Lines.Len() != len(tt.in) || p.Hidden != 0 || hidden == 0 {
			t.Errorf(
				"%s: ShowKilled shows %d of %d lines, %d hidden before, %d now; want all shown, some hidden before, none now",
				tt.name, p.Lines.Len(), len(tt.in), hidden, p.Hidden,
			)
		}
	}
}

// TestSetScoresKeepsCursor checks that the cursor stays on its article, or moves to the next one if
// the article is killed.
func TestSetScoresKeepsCursor(t *testing.T) {
	p := threeThreads()
	p.Cursor = 1
	kill := func(names ...string) {
		p.SetScores(p.Lines.InArrivalOrder().Scores(func(n protocols.Note) int {
			for _, name := range names {
				if n.(*protocols.ArticleNote).Subject == name {
					return KillScore
				}
			}
			return 0
		}))
	}
	for _, tt := range []struct{ kill, want string }{{"b", "Re: b"}, {"Re: b", "b2"}, {"a1", "b2"}} {
		kill(tt.kill)
		fetchtest.Equal(t, p.Lines.WithoutLink(p.Cursor).Text, tt.want, "without %q the cursor is on", tt.kill)
	}
}

// TestReloadKeepsArticle checks that the cursor stays on its article, and that folded threads stay folded,
// after a reload with new articles.
func TestReloadKeepsArticle(t *testing.T) {
	old := threeThreads()
	old.Fold(0, true)
	old.Cursor, old.Top = 4, 3
	p := articlesOf("0 new New 9 1 0")
	p.keepPlace(old)
	lines := threeThreads().Lines
	p.Lines.AppendLines(&lines)
	p.updateArticles(0)
	p.findAnchor(0)
	if got, want := tree(p), "0new +0b 0c 0a 1a1"; got != want || p.Cursor != 5 || p.Top != 4 {
		t.Errorf("got %q with the cursor on %d and %d at the top, want %q, 5 and 4", got, p.Cursor, p.Top, want)
	}
}

func TestUnreadOfThread(t *testing.T) {
	p := threeThreads()
	for _, i := range []int{0, 2, 5} {
		p.Lines.SetState(i, Unread)
	}
	new(Session).Sort(p, Order{By: ByName})
	for _, tt := range []struct{ from, to, want int }{{0, 2, 1}, {2, 5, 2}, {5, 6, 0}, {0, 6, 3}} {
		fetchtest.Equal(t, p.Lines.Unread(tt.from, tt.to), tt.want, "unread in lines %d to %d", tt.from, tt.to)
	}
}

// BenchmarkThreads folds and sorts a group of 100,000 articles in threads of ten.
func BenchmarkThreads(b *testing.B) {
	p := &Page{Head: protocols.Head{Layout: protocols.LayoutArticles}, Err: io.EOF}
	for i := range 100_000 {
		p.Lines.Append(protocols.Line{
			Kind: protocols.Article, Link: testURL("test:" + strconv.Itoa(i)),
			Text: "[PATCH] A longer subject " + strconv.Itoa(i*7919%100_000), Note: &protocols.ArticleNote{
				Number: uint64(i), Depth: min(i%10, 3), Subject: "Re: Subject " + strconv.Itoa(i*7919%100_000), Lines: int64(i),
				From: "Author " + strconv.Itoa(i*104729%99_991) + " <a@example.org>", Date: time.Unix(int64(i)*15485863%1_700_000_000, 0),
			},
		})
	}
	s := new(Session)
	b.Run("fold", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			s.FoldThreads(p, i%2 == 0)
		}
	})
	for _, by := range []string{ArrivalOrder, ByDate, ByName, ByAuthor, byScore} {
		for _, flat := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/flat=%v", by, flat), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					s.Sort(p, Order{By: by, Flat: flat, Reversed: i%2 == 0})
				}
			})
		}
	}
}
