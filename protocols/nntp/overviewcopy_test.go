package nntp

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/cache"
	"gofer/protocols"
)

// numberedGroup is a group of a fake, with articles by number.
type numberedGroup struct {
	low, high uint64
	subjects  map[uint64]string
	sent      int // lines of overviews sent
	canceled  int // canceled articles that the server still counts, as INN does
}

func (g *numberedGroup) serve(t *testing.T, answers map[string]string) *fake {
	f := startFake(t, answers)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script = g.answer
	return f
}

func (g *numberedGroup) add(first, last uint64) {
	for n := first; n <= last; n++ {
		g.subjects[n] = fmt.Sprintf("subject %d", n)
	}
	g.high = last
}

func (g *numberedGroup) line(n uint64) string {
	return fmt.Sprintf(
		"%d\t%s\tJoe <joe@example.org>\tSat, 21 Nov 2026 10:00:00 +0100\t<%s@x>\t<r@x> <%d@x>\t1000\t20", n,
		g.subjects[n], strings.ReplaceAll(g.subjects[n], " ", "."), n,
	)
}

func (g *numberedGroup) answer(command string) (string, bool) {
	var first, last uint64
	switch {
	case strings.HasPrefix(command, "GROUP"):
		return fmt.Sprintf("211 %d %d %d g", len(g.subjects)+g.canceled, g.low, g.high), true
	case strings.HasPrefix(command, "OVER"):
		if _, err := fmt.Sscanf(command, "OVER %d-%d", &first, &last); err != nil {
			return "501 " + err.Error(), true
		}
		var b strings.Builder
		b.WriteString("224 follows\n")
		for _, n := range slices.Sorted(maps.Keys(g.subjects)) {
			if n >= max(first, g.low) && n <= last {
				b.WriteString(g.line(n) + "\n")
				g.sent++
			}
		}
		return b.String() + ".", true
	}
	return "", false
}

// subjectsOf returns the sorted subjects of the articles in lines.
func subjectsOf(lines []protocols.Line) (subjects []string) {
	for _, l := range lines {
		if l.Kind == protocols.Article {
			subjects = append(subjects, l.Text)
		}
	}
	slices.Sort(subjects)
	return subjects
}

func TestOverviewCopy(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(g *numberedGroup)
		sent   int // lines of overviews sent when the group is opened again
	}{
		{"unchanged", func(*numberedGroup) {}, 20},
		{"new articles", func(g *numberedGroup) { g.add(5001, 5030) }, 50},
		{"many new articles", func(g *numberedGroup) { g.add(5001, 8000) }, aheadSize + 3020},
		{"more new articles than shown", func(g *numberedGroup) { g.add(5001, 20_000) }, aheadSize + 4000},
		{"low mark has risen", func(g *numberedGroup) {
			g.low = 2500
			maps.DeleteFunc(g.subjects, func(n uint64, _ string) bool { return n < 2500 })
		}, 20},
		{"new article canceled", func(g *numberedGroup) { delete(g.subjects, 4995) }, 20 - 1 + 3981},
		{"old article canceled", func(g *numberedGroup) { delete(g.subjects, 2000) }, 20 + 3980},
		{"numbers reused", func(g *numberedGroup) {
			for n := range g.subjects {
				g.subjects[n] = fmt.Sprintf("another %d", n)
			}
		}, 4000},
		{"numbers from 1 again", func(g *numberedGroup) {
			clear(g.subjects)
			g.low = 1
			g.add(1, 10)
		}, 10},
		{"low mark has fallen", func(g *numberedGroup) { g.low, g.subjects[1] = 1, "subject 1" }, overlap + 4000},
		{"no articles left", func(g *numberedGroup) { clear(g.subjects); g.low, g.high = 5001, 5000 }, 0},
	} {
		g := &numberedGroup{low: 10, subjects: make(map[uint64]string)}
		g.add(10, 5000)
		f := g.serve(t, nil)
		dir := t.TempDir()
		open := func(c *Client) ([]protocols.Line, int) {
			c.NewestArticles = 4000
			f.mu.Lock()
			g.sent = 0
			f.mu.Unlock()
			_, lines, err := fetchLines(t, c, f.groupURL("g"))
			if err != nil {
				t.Errorf("%s: listing the group: %v", tt.name, err)
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			return lines, g.sent
		}
		if first, n := open(f.keptClient(dir, 0)); len(subjectsOf(first)) != 4000 || n != 4000 {
			t.Errorf("%s: the first visit shows %d lines, the server sent %d; want 4000", tt.name, len(first), n)
		}
		f.mu.Lock()
		tt.change(g)
		f.mu.Unlock()
		for i := range 2 { // the first pass extends the copy for the second pass
			want, _ := open(f.client())
			got, n := open(f.keptClient(dir, time.Minute))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: the %d lines with the copy differ from the %d lines without a copy", tt.name, len(got), len(want))
			}
			if limit := map[int]int{0: tt.sent, 1: min(tt.sent, 20)}[i]; n > limit {
				t.Errorf("%s: visit %d: the server sent %d lines, want at most %d", tt.name, i+2, n, limit)
			}
		}
	}
}

// TestOverviewCopyCanceled checks that a canceled article among those that are requested again is
// removed from the copy, even if the server does not lower its count.
func TestOverviewCopyCanceled(t *testing.T) {
	for _, last := range []uint64{500, 1500} {
		g := &numberedGroup{low: 1, subjects: make(map[uint64]string)}
		g.add(1, last)
		f := g.serve(t, nil)
		dir := t.TempDir()
		check := func(change func()) {
			t.Helper()
			f.mu.Lock()
			change()
			f.mu.Unlock()
			c := f.keptClient(dir, 0)
			c.NewestArticles = 4000
			_, got, err := fetchLines(t, c, f.groupURL("g"))
			c = f.client()
			c.NewestArticles = 4000
			_, want, wantErr := fetchLines(t, c, f.groupURL("g"))
			if err != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("the %d lines with the copy differ from the %d lines without a copy; errors %v, %v", len(got), len(want), err, wantErr)
			}
		}
		check(func() {})
		check(func() { delete(g.subjects, last-5); g.canceled++ })
		check(func() { g.add(last+1, last+30) })
		check(func() { delete(g.subjects, last+20); g.canceled++; g.add(last+31, last+33) })
		check(func() { g.add(last+34, last+90) })
	}
}

// TestOverviewCopyOffline lists a group from its copy when the server cannot be reached, and opens the
// copy of an article by its number.
func TestOverviewCopyOffline(t *testing.T) {
	g := &numberedGroup{low: 1, subjects: make(map[uint64]string)}
	g.add(1, 2500)
	f := g.serve(t, map[string]string{"ARTICLE <subject.2000@x>": "220 0 <subject.2000@x>\nSubject: subject 2000\n\nx\n."})
	c, later := f.keptClient(t.TempDir(), 0), (*Client)(nil)
	c.NewestArticles = 3000
	fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: f.groupURL("g")}))
	if k := c.overviewCopy(target{group: "g", addr: f.addr()}); k == nil || len(k.Lasts) != 3 {
		t.Fatalf("overviewCopy() = %+v; want 3 segments", k)
	}
	later = f.keptClient(t.TempDir(), time.Minute)
	later.Copies, later.NewestArticles = c.Copies, 1200
	target := fetchtest.Must(c.parseTarget(f.articleURL("g", 2000)))(t)
	c.Copies.Put(c.copyKey(target, "<subject.2000@x>"), []byte("Subject: x\r\n\r\nx\r\n"))
	f.clearCommands()
	if _, text, err := fetchCopy(context.Background(), t, c, protocols.Request{URL: f.articleURL("g", 2000)}); err != nil ||
		text != "Subject: x\r\n\r\nx\r\n" || len(f.sentCommands()) > 0 {
		t.Errorf("fetching the copy by number: got %q, error %v, sent %q; want the copy and no command", text, err, f.sentCommands())
	}
	f.stop()
	head, lines, err := fetchLines(t, later, f.groupURL("g"))
	if err != nil || len(lines) != 1200 || head.CopiedAt.IsZero() || !strings.Contains(strings.Join(head.Notes, ","), "connection refused") {
		t.Errorf(
			"listing offline: %d lines, error %v, CopiedAt %v, Notes %q; want 1200 lines of the copy and a note about the refused connection",
			len(lines), err, head.CopiedAt, head.Notes,
		)
	}
	if note := later.StoredCounts(f.groupURL("*"), "g"); note == nil || note.Low != 1 || note.High != 2500 || note.Count != 2500 {
		t.Errorf("StoredCounts(g) = %+v; want 1-2500 of 2500", note)
	}
	if note := later.StoredCounts(f.groupURL("*"), "not.kept"); note != nil {
		t.Errorf("StoredCounts(not.kept) = %+v; want nil", note)
	}
	if _, err := later.Counts(t.Context(), f.groupURL("*"), []string{"g"}); protocols.ReasonOf(err) != protocols.Refused {
		t.Errorf("Counts() offline = %v; want reason Refused", err)
	}
}

// TestOverviewCopySegments checks that a removed or incomplete segment is fetched again, and that
// articles before the copy are fetched.
func TestOverviewCopySegments(t *testing.T) {
	g := &numberedGroup{low: 1, subjects: make(map[uint64]string)}
	g.add(1, 3500)
	f := g.serve(t, map[string]string{"ARTICLE": "423 no such article"})
	c := f.keptClient(t.TempDir(), 0)
	open := func(newest int, want int) {
		t.Helper()
		c.NewestArticles = newest
		f.mu.Lock()
		g.sent = 0
		f.mu.Unlock()
		_, lines, err := fetchLines(t, c, f.groupURL("g"))
		f.mu.Lock()
		defer f.mu.Unlock()
		if n := len(subjectsOf(lines)); n != newest || err != nil || g.sent != want {
			t.Errorf("listing the newest %d articles: %d lines, error %v; the server sent %d, want %d", newest, n, err, g.sent, want)
		}
	}
	tg := target{group: "g", addr: f.addr()}
	open(1500, 1500)
	open(3000, 20+1500)
	open(3000, 20)
	k := c.overviewCopy(tg)
	c.Copies.Drop(k.segmentKey(k.segmentStart(1)))
	open(3000, 20+int(k.segmentStart(2))-501)
	open(3000, 20)
	if _, err := c.Fetch(
		context.Background(), protocols.Request{URL: f.articleURL("g", 3333)},
	); err == nil { // drops the copy, because the server does not have the article
		t.Error("fetching the missing article 3333: got no error")
	}
	open(3000, 3000)
	k = c.overviewCopy(tg)
	last := len(k.Lasts) - 1
	stored, _ := c.Copies.Get(k.segmentKey(k.segmentStart(last)))
	c.Copies.Put(k.segmentKey(k.segmentStart(last)), []byte(strings.Replace(string(stored.Data), "3500\n", "3400\n", 1)))
	open(3000, 3000)
	for _, record := range []string{
		"", "{}", `{"Numbering":"x","Low":1,"First":1,"Lasts":[5,5]}`,
		`{"Numbering":"x","Low":1,"First":9,"Lasts":[5]}`,
		`{"Numbering":"x","Low":1,"First":1,"Lasts":[18446744073709551615]}`,
	} {
		c.Copies.Put(c.copyKey(tg, "group g"), []byte(record))
		open(3000, 3000)
	}
}

// TestAppendOverview checks that a copy has all fields of an article.
func TestAppendOverview(t *testing.T) {
	all, _ := parseOverview("7\tx\tx\tSat, 21 Nov 2026 10:00:00 +0100\t<1@x>\t<2@x>\t1000\t20\tXref: x g:7")
	for f, v := range reflect.ValueOf(*all).Fields() {
		if v.IsZero() && f.Name != "Depth" && f.Name != "DateText" {
			t.Errorf("the test line does not set the field %s", f.Name)
		}
	}
	for _, line := range []string{
		"7\tRe: \xffx\t\"Joe\" <joe@example.org>\tSat, 21 Nov 2026 10:00:00 +0100\t<1@x>\t<2@x> <3@x>\t1000\t20\tXref: x g:7 h:8",
		"9\tRe: x\t\t\t\t\t\t\tIn-Reply-To: <1@x>",
		"8\t\t\tnever\tno id\t\t\t",
		"18446744073709551615\tx",
	} {
		want, _ := parseOverview(line)
		text := string(appendOverview(nil, want))
		got, ok := parseOverview(text)
		if ok && !want.Date.IsZero() && got.Date.Equal(want.Date) {
			got.Date = want.Date
		}
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("parseOverview(%q), a line of appendOverview, = %+v; want %+v", text, got, want)
		}
	}
}

// TestOverviewCopyStoredLast checks that the copy is stored when the page is closed, and only if all
// lines were read.
func TestOverviewCopyStoredLast(t *testing.T) {
	for _, want := range []bool{true, false} {
		g := &numberedGroup{low: 1, subjects: make(map[uint64]string)}
		g.add(1, 50)
		f := g.serve(t, nil)
		c := f.keptClient(t.TempDir(), 0)
		r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: f.groupURL("g")}))(t)
		for range r.Lines {
			if !want {
				break
			}
		}
		key := cache.Key{Scheme: "nntp", Addr: f.addr(), Name: "group g"}
		if _, ok := c.Copies.Get(key); ok {
			t.Error("the copy is stored before the page is closed")
		}
		_ = r.Close()
		if _, ok := c.Copies.Get(key); ok != want {
			t.Errorf("after Close, the copy is stored: %v, want %v", ok, want)
		}
	}
}
