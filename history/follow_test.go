package history

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

// noon is the time of the first check in these tests.
var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// follower checks a followed page in a new history.
type follower struct {
	*Store
	t   *testing.T
	url urlcore.URL
	now time.Time

	movedTo func(urlcore.URL) urlcore.URL // see Store.KeepCheck
}

func follow(t *testing.T, page string) *follower {
	t.Helper()
	f := &follower{open(t, filepath.Join(t.TempDir(), "h.sqlite")), t, mustParse(t, page), noon, nil}
	fetchtest.Returns(t, true, "Follow(%s)", page)(f.Follow(t.Context(), f.url, "", noon))
	return f
}

// check records a successful check an hour after the last one.
func (f *follower) check(bounds entryBounds, entries ...Entry) (fresh int) {
	f.t.Helper()
	f.now = f.now.Add(time.Hour)
	if entries == nil {
		entries = []Entry{}
	}
	return fetchtest.Must(f.keepCheck(f.t.Context(), Source{URL: f.url, Checked: f.now, Succeeded: f.now}, entries, f.movedTo, bounds))(f.t)
}

// unread returns the titles of the unread entries.
func (f *follower) unread() string {
	f.t.Helper()
	var titles []string
	for _, e := range fetchtest.Must(f.UnreadEntries(f.t.Context(), 1000))(f.t) {
		titles = append(titles, e.Title)
	}
	return strings.Join(titles, ", ")
}

// item returns an entry of gopher://a.example/ with the title and ID s.
func item(t *testing.T, s string, date time.Time) Entry {
	return Entry{ID: s, URL: mustParse(t, "gopher://a.example/0/"+s), Title: s, Date: date}
}

var large = entryBounds{entries: 1 << 30, octets: 1 << 30}

func TestFollow(t *testing.T) {
	f := follow(t, "ftp://joe:secret@a.example/pub/")
	fetchtest.Returns(t, false, "Follow again")(f.Follow(t.Context(), f.url, "Other", noon))
	if _, err := f.Follow(t.Context(), mustParse(t, "about:home"), "", noon); err == nil {
		t.Error("Follow(about:home) succeeded")
	}
	f.check(large, item(t, "x", noon))
	list := fetchtest.Must(f.Sources(t.Context()))(t)
	if len(list) != 1 || list[0].URL.String() != "ftp://joe@a.example/pub/" || !list[0].Followed.Equal(noon) || !list[0].Succeeded.Equal(f.now) || list[0].Unread != 1 {
		t.Errorf("Sources = %+v; want the page, without a password, and one unread entry", list)
	}
	failed := list[0]
	failed.Checked, failed.Failure, failed.Failures, failed.State = f.now.Add(time.Hour), "no\n\x1b[1mroute", 3, "s"
	fetchtest.Returns(t, 0, "KeepCheck after a failure")(f.KeepCheck(t.Context(), failed, nil, nil))
	got := fetchtest.Must(f.Sources(t.Context()))(t)[0]
	if got.Failure != "no [1mroute" || got.Failures != 3 || got.State != "s" || !got.Succeeded.Equal(f.now) || got.Unread != 1 {
		t.Errorf("Sources after a failure = %+v", got)
	}
}

// TestUnfollow checks that the undo of Unfollow restores the entries and their marks, in their order.
func TestUnfollow(t *testing.T) {
	f := follow(t, "gopher://a.example/1")
	f.check(large)
	f.check(large, item(t, "b", time.Time{}), item(t, "a", time.Time{}), item(t, "read", time.Time{}))
	fetchtest.Must(f.MarkRead(t.Context(), f.url, []string{"read"}, true))(t)
	undo := fetchtest.Must(f.Unfollow(t.Context(), f.url))(t)
	fetchtest.Equal(t, f.unread(), "", "unread after Unfollow")
	fetchtest.Equal(t, f.check(large, item(t, "c", time.Time{})), 0, "new entries of a page that is not followed")
	fetchtest.NoError(t, undo(t.Context()))
	fetchtest.NoError(t, undo(t.Context())) // followed already
	fetchtest.Equal(t, f.unread(), "b, a", "unread after the undo")
	fetchtest.Equal(t, f.check(large, item(t, "read", time.Time{}), item(t, "a", time.Time{})), 0, "new entries after the undo")
}

// TestFirstCheck checks which entries of a page are unread when it is new.
func TestFirstCheck(t *testing.T) {
	f := follow(t, "gopher://a.example/1")
	list := []Entry{item(t, "undated", time.Time{}), item(t, "old", noon.AddDate(0, 0, -31)), item(t, "far", noon.AddDate(7973, 0, 0))}
	for i := range 30 {
		list = append(list, item(t, fmt.Sprint("d", i), noon.AddDate(0, 0, -i/2)))
	}
	fetchtest.Equal(t, f.check(large, list...), maxFirst, "unread entries of the first check")
	if got := f.unread(); !strings.HasPrefix(got, "d0, d1, ") || !strings.HasSuffix(got, ", d19") {
		t.Errorf("unread: %s; want the entries with the latest dates", got)
	}
}

// TestFutureDate checks that a date that cannot be true doesn't keep an entry in front.
func TestFutureDate(t *testing.T) {
	f := follow(t, "gopher://a.example/1")
	f.check(large)
	f.check(large, item(t, "far", time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), item(t, "farther", time.Date(292277026596, 1, 1, 0, 0, 0, 0, time.UTC)))
	f.check(large, item(t, "next", f.now.Add(time.Hour)))
	fetchtest.Equal(t, f.unread(), "next, far, farther", "unread")
}

// TestSameEntry checks what counts as the same entry at the next check.
func TestSameEntry(t *testing.T) {
	changed := item(t, "2", time.Time{})
	changed.URL, changed.Title, changed.Changes = mustParse(t, "gopher://a.example/0/1"), "1", true
	renamed := item(t, "1", time.Time{})
	renamed.Title = "one"
	otherID := item(t, "1", time.Time{})
	otherID.ID = "8f3a"
	for _, tt := range []struct {
		name  string
		entry Entry
		fresh int
		title string // of the entry when all are unread
	}{
		{"the same", item(t, "1", time.Time{}), 0, "1"},
		{"another title", renamed, 0, "one"},
		{"another ID", otherID, 0, "1"},
		{"a changed file", changed, 1, "1"},
		{"another entry", item(t, "2", time.Time{}), 1, "2, 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := follow(t, "gopher://a.example/1")
			f.check(large, item(t, "1", time.Time{}))
			fetchtest.Equal(t, f.check(large, tt.entry), tt.fresh, "new entries")
			fetchtest.Must(f.MarkRead(t.Context(), nil, nil, false))(t)
			fetchtest.Equal(t, f.unread(), tt.title, "all entries")
		})
	}
}

// TestVisitMarksRead checks that entries are read when their page is visited: also before they are found, and by a redirect.
func TestVisitMarksRead(t *testing.T) {
	f := follow(t, "gopher://a.example/1")
	f.check(large)
	f.check(large, item(t, "b", time.Time{}), item(t, "a", time.Time{}))
	visit(t, f.Store, "gopher://a.example/0/a", "", f.now.Unix())
	fetchtest.Equal(t, f.unread(), "b", "unread after a visit")
	visit(t, f.Store, "gopher://a.example/0/c", "", f.now.Unix()+1)
	visit(t, f.Store, "gopher://a.example/0/d", "", f.now.Unix()-5000)
	fetchtest.Equal(t, f.check(large, item(t, "c", time.Time{}), item(t, "d", time.Time{})), 1, "new entries, one visited before")
	fetchtest.Equal(t, f.unread(), "d, b", "unread")
	fetchtest.NoError(t, f.Visit(t.Context(), mustParse(t, "gopher://a.example/0/target"), "", f.now, mustParse(t, "gopher://a.example/0/b")))
	fetchtest.Equal(t, f.unread(), "d", "unread after a visit that was redirected")
	f.movedTo = func(u urlcore.URL) urlcore.URL {
		if u == mustParse(t, "gopher://a.example/0/moved") {
			return mustParse(t, "gopher://a.example/0/target")
		}
		return nil
	}
	fetchtest.Equal(t, f.check(large, item(t, "moved", time.Time{}), item(t, "e", time.Time{})), 1, "new entries, one of a page that was visited")
	fetchtest.Equal(t, f.unread(), "e, d", "unread")
}

// TestSamePlace checks that entries of two sources at one place are one entry for the user.
func TestSamePlace(t *testing.T) {
	f := follow(t, "gopher://a.example/1")
	planet := &follower{f.Store, t, mustParse(t, "gopher://b.example/1"), noon, nil}
	fetchtest.Returns(t, true, "Follow")(f.Follow(t.Context(), planet.url, "", noon))
	post := item(t, "post", noon)
	f.check(large, post, item(t, "other", noon.Add(-time.Hour)))
	post.Title, post.ID = "A: post", "2"
	planet.check(large, post)
	for _, source := range []urlcore.URL{f.url, planet.url} {
		fetchtest.Equal(t, f.unread(), "A: post, other", "unread")
		changed := fetchtest.Must(f.MarkRead(t.Context(), source, nil, true))(t)
		fetchtest.Equal(t, f.unread(), map[bool]string{true: "", false: "other"}[source == f.url], "unread after marking %s", source)
		fetchtest.Must(f.MarkRead(t.Context(), source, changed, false))(t)
	}
	visit(t, f.Store, "gopher://a.example/0/post", "", f.now.Unix())
	fetchtest.Equal(t, f.unread(), "other", "unread after a visit")
}

// TestSharedPlace checks that a visit does not mark entries without a place of their own.
func TestSharedPlace(t *testing.T) {
	f := follow(t, "http://a.example/feed")
	entry := func(id string) Entry { return Entry{ID: id, Title: id, URL: f.url, Date: noon} }
	f.check(large, entry("a"), entry("b"))
	visit(t, f.Store, "http://a.example/feed", "", f.now.Unix())
	fetchtest.Equal(t, f.unread(), "a, b", "unread after a visit of the feed")
	fetchtest.Must(f.MarkRead(t.Context(), f.url, []string{"a"}, true))(t)
	fetchtest.Equal(t, f.unread(), "b", "unread after a mark")
}

func TestMarkRead(t *testing.T) {
	f := follow(t, "gopher://a.example/1")
	f.check(large)
	f.check(large, item(t, "b", time.Time{}), item(t, "a", time.Time{}))
	other := mustParse(t, "gopher://b.example/1")
	fetchtest.Returns(t, true, "Follow")(f.Follow(t.Context(), other, "", noon))
	mark := func(want string, source urlcore.URL, ids []string, read bool) []string {
		t.Helper()
		changed := fetchtest.Must(f.MarkRead(t.Context(), source, ids, read))(t)
		fetchtest.Equal(t, f.unread(), want, "unread after MarkRead(%v, %v, %v)", source, ids, read)
		return changed
	}
	mark("b, a", other, nil, true)
	mark("b", f.url, []string{"a", "none"}, true)
	changed := mark("", nil, nil, true)
	fetchtest.Equal(t, strings.Join(changed, ","), "b", "changed")
	mark("b", f.url, changed, false)
	mark("b", f.url, []string{}, true)
	fetchtest.Equal(t, fetchtest.Must(f.Sources(t.Context()))(t)[0].Unread, 1, "unread of the source")
}

// TestUnstableIDs checks that a page whose entries are all new at each check cannot flood the list.
func TestUnstableIDs(t *testing.T) {
	f := follow(t, "gopher://a.example/1")
	f.check(large)
	for n := range 3 {
		var list []Entry
		for i := range MaxEntries + 500 {
			list = append(list, item(t, fmt.Sprint(n, "-", i), time.Time{}))
		}
		fetchtest.Equal(t, f.check(large, list...), maxFresh, "new entries")
	}
	fetchtest.Equal(t, strings.Count(f.unread(), "more new entries than are listed here"), 1, "rows about entries left out")
	var stored int
	fetchtest.NoError(t, f.db.QueryRow("SELECT count(*) FROM entries").Scan(&stored))
	if stored > MaxEntries+1 {
		t.Errorf("%d entries are stored; want at most %d", stored, MaxEntries+1)
	}
}

// TestManyEntries checks that only entries that the page doesn't list any more are removed.
func TestManyEntries(t *testing.T) {
	f := follow(t, "gopher://a.example/1")
	f.check(large)
	f.check(large, item(t, "gone", time.Time{}), item(t, "listed", time.Time{}))
	fetchtest.Must(f.MarkRead(t.Context(), f.url, []string{"listed"}, true))(t)
	var list []Entry
	for i := range MaxEntries - 1 {
		list = append(list, item(t, fmt.Sprint(i), time.Time{}))
	}
	f.check(large, append(list, item(t, "listed", time.Time{}))...)
	var listed, gone int
	fetchtest.NoError(t, f.db.QueryRow("SELECT count(*) FILTER (WHERE id = 'listed'), count(*) FILTER (WHERE id = 'gone') FROM entries").Scan(&listed, &gone))
	if listed != 1 || gone != 0 {
		t.Errorf("the page's entry is there %d times, the other %d times; want 1, 0", listed, gone)
	}
	fetchtest.Equal(t, f.check(large, append(list, item(t, "listed", time.Time{}))...), 0, "new entries of the same page")
}

// TestAllEntriesBounded checks the bounds of the entries of all sources.
func TestAllEntriesBounded(t *testing.T) {
	for _, bounds := range []entryBounds{{entries: 4, octets: 1 << 30}, {entries: 1 << 30, octets: 600}} {
		f := follow(t, "gopher://a.example/1")
		f.check(bounds)
		f.check(bounds, item(t, "1", time.Time{}), item(t, "2", time.Time{}), item(t, "3", time.Time{}))
		fetchtest.Equal(t, f.check(bounds, item(t, "4", time.Time{}), item(t, "5", time.Time{}), item(t, "6", time.Time{})), 3, "new entries")
		fetchtest.Equal(t, f.unread(), "4, 5, 6", "unread after the entries that are gone were removed")
		fresh := f.check(bounds, item(t, "4", time.Time{}), item(t, "5", time.Time{}), item(t, "6", time.Time{}), item(t, "7", time.Time{}), item(t, "8", time.Time{}))
		if got := f.unread(); fresh != 1 || got != "more new entries than are listed here, 7, 4, 5, 6" {
			t.Errorf("bounds %+v: %d new entries, unread: %s", bounds, fresh, got)
		}
	}
}

func TestManySources(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	fetchtest.Must(s.Sources(t.Context()))(t)
	run(t, s, fmt.Sprintf(`INSERT INTO sources (url, title, followed, checked, succeeded, failure, failures, state)
		WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i+1 FROM n WHERE i < %d) SELECT 'news:a.b' || i, '', 1, 0, 0, '', 0, '' FROM n`, maxSources-1))
	fetchtest.Returns(t, true, "the last one")(s.Follow(t.Context(), mustParse(t, "news:c.d"), "", noon))
	_, err := s.Follow(t.Context(), mustParse(t, "news:e.f"), "", noon)
	fetchtest.ErrorIs(t, err, ErrManySources)
}

// TestForgetSources checks that followed pages are forgotten with their host, and only then.
func TestForgetSources(t *testing.T) {
	f := follow(t, "gopher://a.example/1")
	f.check(large, item(t, "secret", noon))
	for _, sel := range []Selection{{All: true}, {Host: "b.example"}, {URL: f.url}} {
		fetchtest.Returns(t, Forgotten{}, "Forget(%+v)", sel)(f.Forget(t.Context(), sel))
	}
	fetchtest.Equal(t, f.unread(), "secret", "unread")
	fetchtest.Returns(t, Forgotten{Sources: 1}, "Forget")(f.Forget(t.Context(), Selection{Host: "A.example"}))
	fetchtest.Equal(t, grep(t, filepath.Dir(f.path), "secret"), 0, "copies on disk")
}

// TestHostileEntries checks that invalid entries and damaged rows are left out.
func TestHostileEntries(t *testing.T) {
	f := follow(t, "gopher://a.example/1")
	f.check(large)
	escape := item(t, "t", time.Time{})
	escape.Title = "\x1b]0;t\x07\u202e" + strings.Repeat("é", 400)
	own := Entry{ID: "o", URL: mustParse(t, "about:settings"), Title: "own"}
	f.check(large, Entry{}, own, Entry{ID: strings.Repeat("x", MaxEntryID+1), URL: f.url}, Entry{ID: "n"}, escape)
	fetchtest.Equal(t, f.unread(), "]0;t"+strings.Repeat("é", 254), "unread")
	run(t, f.Store, "UPDATE entries SET url = x'ff', title = 5")
	fetchtest.Equal(t, f.unread(), "", "unread after damage")
}

// BenchmarkFollowed lists what about:new shows of 200 followed pages with 20,000 unread entries, and records a check of one of them.
func BenchmarkFollowed(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "h.sqlite"))
	const sources, entries = 200, 100
	list := func(source int) (list []Entry) {
		for i := range entries {
			title := fmt.Sprintf("Entry %d of the page %d, with a title of about fifty octets", i, source)
			list = append(list, Entry{
				ID: fmt.Sprintf("id of the entry %d.%d", source, i), URL: mustParse(b, fmt.Sprintf("gopher://host%d.example/0/phlog/2026/entry-%d.txt", source, i)),
				Title: title, Date: noon.Add(-time.Duration(i*sources+source) * time.Minute),
			})
		}
		return list
	}
	check := func(source int) {
		u := mustParse(b, fmt.Sprintf("gopher://host%d.example/1/phlog", source))
		fetchtest.Must(s.KeepCheck(b.Context(), Source{URL: u, Checked: noon, Succeeded: noon}, list(source), nil))(b)
	}
	for i := range sources {
		fetchtest.Must(s.Follow(b.Context(), mustParse(b, fmt.Sprintf("gopher://host%d.example/1/phlog", i)), "A title", noon))(b)
		check(i)
	}
	fetchtest.Must(s.MarkRead(b.Context(), nil, nil, false))(b)
	fetchtest.Must(s.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)"))(b)
	fi, err := os.Stat(s.path)
	fetchtest.NoError(b, err)
	b.Run("UnreadEntries", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fetchtest.Equal(b, len(fetchtest.Must(s.UnreadEntries(b.Context(), 500))(b)), 500)
		}
		b.ReportMetric(float64(fi.Size()), "file-octets")
	})
	b.Run("Sources", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fetchtest.Equal(b, len(fetchtest.Must(s.Sources(b.Context()))(b)), sources)
		}
	})
	b.Run("KeepCheck", func(b *testing.B) {
		for b.Loop() {
			check(7)
		}
	})
	b.Run("Visit", func(b *testing.B) {
		u := mustParse(b, "gopher://elsewhere.example/1")
		for b.Loop() {
			fetchtest.NoError(b, s.Visit(b.Context(), u, "", noon))
		}
	})
}

// TestUnfollowedIsOverwritten checks that nothing of an unfollowed page is left on the disk while the history is open.
func TestUnfollowedIsOverwritten(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "h.sqlite"))
	u := fetchtest.Parse(t, "gopher://gone.example/1")
	fetchtest.Must(s.Follow(t.Context(), u, "gone title", noon))(t)
	fetchtest.Must(s.KeepCheck(t.Context(), Source{URL: u, Title: "gone title", Checked: noon}, []Entry{{Source: u, ID: "1", URL: u, Title: "gone entry"}}, nil))(t)
	if grep(t, dir, "gone") == 0 {
		t.Error("the page is not on disk: the test looks in the wrong place")
	}
	fetchtest.Must(s.Unfollow(t.Context(), u))(t)
	fetchtest.NoError(t, s.Overwrite(t.Context()))
	fetchtest.Equal(t, grep(t, dir, "gone"), 0, "copies on disk")
}
