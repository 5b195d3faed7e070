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
	"gofer/urlcore"
)

// numbered is a group of a fake: its articles by number.
type numbered struct {
	low, high uint64
	subjects  map[uint64]string
	sent      int // lines of overviews
	cancelled int // articles that are still counted, as INN does
}

func (g *numbered) serve(t *testing.T, answers map[string]string) *fake {
	f := startFake(t, answers)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script = g.answer
	return f
}

func (g *numbered) add(first, last uint64) {
	for n := first; n <= last; n++ {
		g.subjects[n] = fmt.Sprintf("subject %d", n)
	}
	g.high = last
}

func (g *numbered) line(n uint64) string {
	return fmt.Sprintf("%d\t%s\tJoe <joe@example.org>\tSat, 21 Nov 2026 10:00:00 +0100\t<%s@x>\t<r@x> <%d@x>\t1000\t20", n, g.subjects[n], strings.ReplaceAll(g.subjects[n], " ", "."), n)
}

func (g *numbered) answer(command string) (string, bool) {
	var first, last uint64
	switch {
	case strings.HasPrefix(command, "GROUP"):
		return fmt.Sprintf("211 %d %d %d g", len(g.subjects)+g.cancelled, g.low, g.high), true
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

// subjectsOf are those of the rows of a page, sorted.
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
		change func(g *numbered)
		sent   int // lines of overviews when the group is opened again
	}{
		{"as before", func(*numbered) {}, 20},
		{"new articles", func(g *numbered) { g.add(5001, 5030) }, 50},
		{"many new articles", func(g *numbered) { g.add(5001, 8000) }, 3020},
		{"more new articles than are shown", func(g *numbered) { g.add(5001, 20_000) }, 4000},
		{"low mark has risen", func(g *numbered) {
			g.low = 2500
			maps.DeleteFunc(g.subjects, func(n uint64, _ string) bool { return n < 2500 })
		}, 20},
		{"one was cancelled recently", func(g *numbered) { delete(g.subjects, 4995) }, 20 - 1 + 3981},
		{"one was cancelled long ago", func(g *numbered) { delete(g.subjects, 2000) }, 20 + 3980},
		{"numbered anew", func(g *numbered) {
			for n := range g.subjects {
				g.subjects[n] = fmt.Sprintf("another %d", n)
			}
		}, 4000},
		{"begun anew", func(g *numbered) {
			clear(g.subjects)
			g.low = 1
			g.add(1, 10)
		}, 10},
		{"low mark has fallen", func(g *numbered) { g.low, g.subjects[1] = 1, "subject 1" }, 4000},
		{"nothing is left", func(g *numbered) { clear(g.subjects); g.low, g.high = 5001, 5000 }, 0},
	} {
		g := &numbered{low: 10, subjects: make(map[uint64]string)}
		g.add(10, 5000)
		f := g.serve(t, nil)
		dir := t.TempDir()
		open := func(c *Client) ([]protocols.Line, int) {
			c.Newest = 4000
			f.mu.Lock()
			g.sent = 0
			f.mu.Unlock()
			_, lines, err := fetchLines(t, c, f.nntp("g"))
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			return lines, g.sent
		}
		if first, n := open(f.keptClient(dir, 0)); len(subjectsOf(first)) != 4000 || n != 4000 {
			t.Errorf("%s: first %d rows of %d lines", tt.name, len(first), n)
		}
		f.mu.Lock()
		tt.change(g)
		f.mu.Unlock()
		for i := range 2 { // the second time by what was added to the copy
			want, _ := open(f.client())
			got, n := open(f.keptClient(dir, time.Minute))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %d rows are not the %d that the server has", tt.name, len(got), len(want))
			}
			if most := map[int]int{0: tt.sent, 1: min(tt.sent, 20)}[i]; n > most {
				t.Errorf("%s: opening %d: the server sent %d lines, want %d", tt.name, i+2, n, most)
			}
		}
	}
}

// TestOverviewCopyCancelled: an article that was cancelled while it was among those
// that are asked for again does not come back when others are newer, also where the
// server does not count it out.
func TestOverviewCopyCancelled(t *testing.T) {
	for _, last := range []uint64{500, 1500} {
		g := &numbered{low: 1, subjects: make(map[uint64]string)}
		g.add(1, last)
		f := g.serve(t, nil)
		dir := t.TempDir()
		check := func(change func()) {
			t.Helper()
			f.mu.Lock()
			change()
			f.mu.Unlock()
			c := f.keptClient(dir, 0)
			c.Newest = 4000
			_, got, err := fetchLines(t, c, f.nntp("g"))
			c = f.client()
			c.Newest = 4000
			_, want, wantErr := fetchLines(t, c, f.nntp("g"))
			if err != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%d rows are not the %d that the server has: %v, %v", len(got), len(want), err, wantErr)
			}
		}
		check(func() {})
		check(func() { delete(g.subjects, last-5); g.cancelled++ })
		check(func() { g.add(last+1, last+30) })
		check(func() { delete(g.subjects, last+20); g.cancelled++; g.add(last+31, last+33) })
		check(func() { g.add(last+34, last+90) })
	}
}

// A group is shown as it was when its server cannot be reached, and an article's
// number leads to its copy.
func TestOverviewCopyWithoutLine(t *testing.T) {
	g := &numbered{low: 1, subjects: make(map[uint64]string)}
	g.add(1, 2500)
	f := g.serve(t, map[string]string{"ARTICLE <subject.2000@x>": "220 0 <subject.2000@x>\nSubject: subject 2000\n\nx\n."})
	c, later := f.keptClient(t.TempDir(), 0), (*Client)(nil)
	c.Newest = 3000
	fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, f.nntp("g")))
	if k := c.overviewCopy(target{group: "g", addr: f.addr()}); k == nil || len(k.Lasts) != 3 {
		t.Fatalf("the copy is %+v", k)
	}
	later = f.keptClient(t.TempDir(), time.Minute)
	later.Copies, later.Newest = c.Copies, 1200
	target := fetchtest.Must(c.target(f.number("g", 2000)))(t)
	c.Copies.Put(c.copyKey(target, "<subject.2000@x>"), []byte("Subject: x\r\n\r\nx\r\n"))
	f.forget()
	if _, text, err := copyOf(context.Background(), t, c, f.number("g", 2000)); err != nil || text != "Subject: x\r\n\r\nx\r\n" || len(f.said()) > 0 {
		t.Errorf("by number: %q, %v, sent %q", text, err, f.said())
	}
	f.close()
	head, lines, err := fetchLines(t, later, f.nntp("g"))
	if err != nil || len(lines) != 1200 || head.Kept.IsZero() || !strings.Contains(strings.Join(head.Notes, ","), "connection refused") {
		t.Errorf("without a line: %d rows, %v, %q", len(lines), err, head.Notes)
	}
	want := "g 1-2500 of 2500|not.kept unknown|" + protocols.Refused.String()
	if got := countsOf(t, later, f.nntp("*"), "g", "not.kept"); got != want {
		t.Errorf("the numbers without a line: got %s, want %s", got, want)
	}
	later.Copies = nil
	if _, err := later.Counts(t.Context(), f.nntp("*"), []string{"g"}); protocols.ReasonOf(err) != protocols.Refused {
		t.Errorf("the numbers without copies: got %v", err)
	}
}

// countsOf returns the numbers of groups, and the reason of the failure after them.
func countsOf(t *testing.T, c *Client, server urlcore.URL, names ...string) string {
	t.Helper()
	var got []string
	for line, err := range fetchtest.Must(c.Counts(t.Context(), server, names))(t) {
		note, ok := line.Note.(*protocols.GroupNote)
		switch {
		case err != nil:
			got = append(got, protocols.ReasonOf(err).String())
		case ok && note.Unknown:
			got = append(got, line.Text+" unknown")
		case ok:
			got = append(got, fmt.Sprintf("%s %d-%d of %d", line.Text, note.Low, note.High, note.Count))
		}
	}
	return strings.Join(got, "|")
}

// A segment that had to go, or was not written whole, is fetched again, and so are
// articles beyond those of the copy.
func TestOverviewCopySegments(t *testing.T) {
	g := &numbered{low: 1, subjects: make(map[uint64]string)}
	g.add(1, 3500)
	f := g.serve(t, map[string]string{"ARTICLE": "423 no such article"})
	c := f.keptClient(t.TempDir(), 0)
	open := func(newest int, want int) {
		t.Helper()
		c.Newest = newest
		f.mu.Lock()
		g.sent = 0
		f.mu.Unlock()
		_, lines, err := fetchLines(t, c, f.nntp("g"))
		f.mu.Lock()
		defer f.mu.Unlock()
		if n := len(subjectsOf(lines)); n != newest || err != nil || g.sent != want {
			t.Errorf("newest %d: %d rows, %v; the server sent %d, want %d", newest, n, err, g.sent, want)
		}
	}
	tg := target{group: "g", addr: f.addr()}
	open(1500, 1500)
	open(3000, 20+1500)
	open(3000, 20)
	k := c.overviewCopy(tg)
	c.Copies.Drop(k.segmentKey(k.start(1)))
	open(3000, 20+int(k.start(2))-501)
	open(3000, 20)
	if _, err := c.Fetch(context.Background(), f.number("g", 3333)); err == nil { // it was cancelled
		t.Error("there is an article 3333")
	}
	open(3000, 3000)
	k = c.overviewCopy(tg)
	last := len(k.Lasts) - 1
	kept, _ := c.Copies.Get(k.segmentKey(k.start(last)))
	c.Copies.Put(k.segmentKey(k.start(last)), []byte(strings.Replace(string(kept.Data), "3500\n", "3400\n", 1)))
	open(3000, 3000)
	for _, record := range []string{"", "{}", `{"Numbering":"x","Low":1,"First":1,"Lasts":[5,5]}`, `{"Numbering":"x","Low":1,"First":9,"Lasts":[5]}`, `{"Numbering":"x","Low":1,"First":1,"Lasts":[18446744073709551615]}`} {
		c.Copies.Put(c.copyKey(tg, "group g"), []byte(record))
		open(3000, 3000)
	}
}

// TestAppendOverview: nothing that is known of an article is lost in a copy.
func TestAppendOverview(t *testing.T) {
	all, _ := parseOverview("7\tx\tx\tSat, 21 Nov 2026 10:00:00 +0100\t<1@x>\t<2@x>\t1000\t20\tXref: x g:7")
	for f, v := range reflect.ValueOf(*all).Fields() {
		if v.IsZero() && f.Name != "Depth" {
			t.Errorf("appendOverview does not know %s", f.Name)
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
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// TestOverviewCopyIsMadeLast: the copy is made when the last line has been taken,
// which may be shown before, and none of a page that has not come whole.
func TestOverviewCopyIsMadeLast(t *testing.T) {
	for _, want := range []bool{true, false} {
		g := &numbered{low: 1, subjects: make(map[uint64]string)}
		g.add(1, 50)
		f := g.serve(t, nil)
		c := f.keptClient(t.TempDir(), 0)
		r := fetchtest.Must(c.Fetch(t.Context(), f.nntp("g")))(t)
		for range r.Lines {
			if !want {
				break
			}
		}
		key := cache.Key{Scheme: "nntp", Addr: f.addr(), Name: "group g"}
		if _, ok := c.Copies.Get(key); ok {
			t.Error("there is a copy before the page is closed")
		}
		_ = r.Close()
		if _, ok := c.Copies.Get(key); ok != want {
			t.Errorf("there is a copy: %v, want %v", ok, want)
		}
	}
}
