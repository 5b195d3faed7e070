package nav

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestLines(t *testing.T) {
	note := &protocols.FileNote{Size: 7, Target: "x"}
	host := urlcore.HostPort{Host: "h"}
	want := []protocols.Line{
		{},
		{Kind: protocols.Heading, Text: "no link"},
		{Kind: protocols.Text, Text: "one", Link: urlcore.Gopher{HostPort: host, Type: '0', Selector: "/a"}},
		{Kind: protocols.Text, Text: "", Link: urlcore.Gopher{HostPort: host, Type: '0', Selector: "/a"}},
		{Kind: protocols.Binary, Text: "shorter than the first", Link: urlcore.Gopher{HostPort: host, Type: '9'}},
		{Kind: protocols.Directory, Text: "d", Link: urlcore.FTP{Server: urlcore.Server{HostPort: host}, Path: "a%2Fb", Type: 'd'}, Note: note},
		{Kind: protocols.Other, Text: "of no scheme that is known", Link: testURL("made:up")},
		{Kind: protocols.Menu, Text: "not canonical", Link: urlcore.Gopher{HostPort: urlcore.HostPort{Host: "H.Example a"}, Type: '1'}},
		{Kind: protocols.Text, Text: "after it", Link: urlcore.Gopher{HostPort: host, Type: '0', Selector: strings.Repeat("/long", 20_000)}},
		{
			Kind: protocols.Text, Text: "and again",
			Link: urlcore.Gopher{HostPort: host, Type: '0', Selector: strings.Repeat("/long", 20_000) + "!"},
		},
		{Kind: protocols.Problem, Text: strings.Repeat("\x00\xff", 1000)},
		{Kind: protocols.Info, Note: note},
	}
	for range 9 { // fills several chunks
		want = append(want, want...)
		if len(want) > 3*chunkLines {
			break
		}
	}
	var one, batches, joined Lines
	for i := 0; i < len(want); {
		n := min(1+i%700, len(want)-i)
		one.Append(want[i : i+n]...)
		var batch Lines
		batch.Append(want[i : i+n]...)
		batches.AppendLines(&batch)
		i += n
	}
	joined.AppendLines(&one)
	for name, l := range map[string]*Lines{"appended": &one, "in batches": &batches, "as a whole": &joined} {
		if l.Len() != len(want) {
			t.Fatalf("%s: Len() = %d, want %d", name, l.Len(), len(want))
		}
		if l.Bytes() != one.Bytes() && name == "as a whole" {
			t.Errorf("%s: Bytes() = %d, want %d", name, l.Bytes(), one.Bytes())
		}
		for i, got := range l.All(0) {
			if got != want[i] {
				t.Fatalf("%s: line %d is %.200v, want %.200v", name, i, got, want[i])
			}
			if unlinked := l.WithoutLink(i); unlinked.Text != got.Text || unlinked.Link != nil || l.HasLink(i) != (got.Link != nil) {
				t.Fatalf("%s: line %d without its link is %.200v", name, i, unlinked)
			}
		}
		fetchtest.Equal(t, l.IndexLink(testURL("made:up"), 7), 18, "%s: IndexLink()", name)
		fetchtest.Equal(t, l.IndexLink(testURL("made:down"), 0), -1, "%s: IndexLink() of a link that is not there", name)
	}
	n := 0
	for range one.All(len(want) - 3) {
		n++
	}
	fetchtest.Equal(t, n, 3, "lines of All(Len-3)")
}

// TestLinesFrom checks the methods that yield the lines from a given line on, and the search for a link.
func TestLinesFrom(t *testing.T) {
	var l Lines
	for i := range 2*chunkLines + 3 {
		line := protocols.Line{Kind: protocols.Text, Text: "text"}
		if i%chunkLines == 1 {
			line = protocols.Line{Kind: protocols.Menu, Text: "menu", Link: testURL("test:" + strings.Repeat("a", 1+i/chunkLines))}
		}
		l.Append(line)
	}
	for _, tt := range []struct{ from, n, menu int }{
		{0, 2*chunkLines + 3, 1},
		{1, 2*chunkLines + 2, 1},
		{2, 2*chunkLines + 1, chunkLines + 1},
		{2 * chunkLines, 3, 2*chunkLines + 1},
		{2*chunkLines + 2, 1, -1},
		{2*chunkLines + 3, 0, -1},
	} {
		n, menu, last := 0, -1, tt.from-1
		for i, kind := range l.Kinds(tt.from) {
			if i != last+1 {
				t.Fatalf("from line %d: line %d comes after %d", tt.from, i, last)
			}
			if last, n = i, n+1; kind == protocols.Menu && menu < 0 {
				menu = i
			}
		}
		if n != tt.n || menu != tt.menu {
			t.Errorf("from line %d: %d lines, the first menu on %d, want %d, %d", tt.from, n, menu, tt.n, tt.menu)
		}
	}
	for range l.Kinds(0) {
		break
	}
	l.SetState(1, Unread)
	l.SetState(2*chunkLines+1, Unread)
	for range 2 {
		fetchtest.Equal(t, l.Unread(0, l.Len()), 2, "unread lines")
		for i := range l.n { // in reverse order
			l.order = append(l.order, uint32(l.n-1-i))
		}
	}
	l.order = nil
	for _, tt := range []struct {
		link       string
		from, want int
	}{
		{"test:a", -1, 1},
		{"test:a", 1, 1},
		{"test:a", 2, -1},
		{"test:aa", 0, chunkLines + 1},
		{"test:aaa", 0, 2*chunkLines + 1},
		{"test:", 0, -1},
		{"", 0, -1},
	} {
		fetchtest.Equal(t, l.IndexLink(testURL(tt.link), tt.from), tt.want, "%s from line %d", tt.link, tt.from)
	}
	n := 0
	for range l.All(-1) {
		if n++; n == 2 {
			break
		}
	}
	for _, i := range []int{-1, l.Len()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("At(%d) did not panic, although there is no such line", i)
				}
			}()
			l.At(i)
		}()
	}
}

// TestScores checks that scores stay with their lines when lines are added.
func TestScores(t *testing.T) {
	note := &protocols.ArticleNote{}
	var l Lines
	l.Append(protocols.Line{Note: note}, protocols.Line{}, protocols.Line{Note: note})
	n := 0
	scores := l.Scores(func(protocols.Note) int { n++; return []int{1 << 40, -1 << 40}[n-1] })
	l.Append(protocols.Line{Note: note})
	l.SetScores(scores)
	l.Append(protocols.Line{Note: note})
	var all Lines
	all.Append(protocols.Line{Text: "first"})
	all.AppendLines(&l)
	for i, want := range []int{0, 1<<31 - 1, 0, -1 << 31, 0, 0} {
		fetchtest.Equal(t, all.Score(i), want, "line %d", i)
	}
	if l.SetScores(l.Scores(func(protocols.Note) int { return 0 })); l.scored || l.Score(0) != 0 {
		t.Error("after SetScores with zeros, the lines have scores")
	}
}

func FuzzLines(f *testing.F) {
	f.Add("text", "/selector", "\tsearch", byte('0'))
	f.Add("\xff", "", "", byte('1'))
	f.Fuzz(func(t *testing.T, text, selector, other string, typ byte) {
		var want []protocols.Line
		for i := range 4 {
			line := protocols.Line{Text: text, Kind: protocols.GopherKind(typ)}
			if u, err := urlcore.NewGopherItem(typ, selector, "host", uint16(70+i/2)); err == nil && i != 1 {
				line.Link = u
			}
			want = append(want, line)
			selector += other
		}
		var l Lines
		l.Append(want...)
		for i, got := range l.All(0) {
			fetchtest.Equal(t, got, want[i], "line %d", i)
		}
	})
}

func BenchmarkLines(b *testing.B) {
	lines := make([]protocols.Line, 100_000)
	for i := range lines {
		lines[i] = protocols.Line{Kind: protocols.Text, Text: fmt.Sprintf("Line %d of a large menu", i), Link: urlcore.Gopher{
			HostPort: urlcore.HostPort{Host: "gopher.example.org"}, Type: '0', Selector: fmt.Sprintf("/large/line/%d", i),
		}}
	}
	var l Lines
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l = Lines{}
			l.Append(lines...)
		}
		b.ReportMetric(float64(l.Bytes())/float64(len(lines)), "octets/line")
	})
	b.Run("at", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			_ = l.At(i % len(lines))
		}
	})
	b.Run("unlinked", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			_ = l.WithoutLink(i % len(lines))
		}
	})
}

// TestMemoryOfNotes checks that the memory of a page includes the memory of its notes.
func TestMemoryOfNotes(t *testing.T) {
	var with, without Lines
	note := &fetchtest.Note{Place: "a place"}
	with.Append(protocols.Line{Text: "a", Note: note})
	without.Append(protocols.Line{Text: "a"})
	fetchtest.Equal(t, with.Bytes()-without.Bytes(), int64(note.Memory()), "octets of a note")
}

// TestLinkThatIsNotCanonical checks that a link that is not canonical is returned among many
// canonical ones.
func TestLinkThatIsNotCanonical(t *testing.T) {
	var l Lines
	for range maxChecks + 1 {
		l.Append(protocols.Line{Link: urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h"}, Type: '1'}})
	}
	l.Append(protocols.Line{Link: urlcore.Gopher{HostPort: urlcore.HostPort{Host: "a b"}, Type: '1'}})
	if i := l.Len() - 1; !l.HasLink(i) || l.At(i).Link == nil {
		t.Errorf("line %d is %v, HasLink returns %v; want a link", i, l.At(i), l.HasLink(i))
	}
}

func TestCommonPrefix(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"a", "", 0},
		{"a", "b", 0},
		{"a", "a", 1},
		{"ab", "ac", 1},
		{"abc", "abcd", 3},
		{"abcd", "abc", 3},
		{"abcde", "abxde", 2},
		{strings.Repeat("x", 1<<17), strings.Repeat("x", 1<<17), 1<<16 - 1},
	} {
		fetchtest.Equal(t, commonPrefix(tt.a, tt.b), tt.want, "commonPrefix(%.9q, %.9q)", tt.a, tt.b)
	}
}
