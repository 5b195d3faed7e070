package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/inbox"
	"gofer/ui/room"
	"gofer/urlcore"
)

// memoryInbox has followed pages in memory.
type memoryInbox struct {
	mu      sync.Mutex
	sources []about.Source
	entries []about.Entry
	read    map[string]bool // IDs of entries that are read
	due     []string        // what Refresh was called for
	fresh   []about.Entry   // what the next call of Refresh finds
	pause   time.Duration   // of each change
}

func (b *memoryInbox) indexOf(u urlcore.URL) int {
	return slices.IndexFunc(b.sources, func(s about.Source) bool { return s.URL == u })
}

func (b *memoryInbox) store() *inbox.Store {
	locked := func() func() {
		time.Sleep(b.pause)
		b.mu.Lock()
		return b.mu.Unlock
	}
	return &inbox.Store{
		Follows: func(_ context.Context, u urlcore.URL) (bool, error) {
			defer locked()()
			return b.indexOf(u) >= 0, nil
		},
		Follow: func(_ context.Context, u urlcore.URL, title string) (bool, error) {
			defer locked()()
			if b.indexOf(u) >= 0 {
				return false, nil
			}
			b.sources = append(b.sources, about.Source{URL: u, Title: title})
			return true, nil
		},
		Unfollow: func(_ context.Context, u urlcore.URL) (func(context.Context) error, error) {
			defer locked()()
			i := b.indexOf(u)
			if i < 0 {
				return nil, nil
			}
			old := b.sources[i]
			b.sources = slices.Delete(b.sources, i, i+1)
			return func(context.Context) error { b.sources = append(b.sources, old); return nil }, nil
		},
		MarkRead: func(_ context.Context, source urlcore.URL, ids []string, read bool) (changed []string, err error) {
			defer locked()()
			for _, e := range b.entries {
				if (source == nil || e.Source == source) && b.read[e.ID] != read && (ids == nil || slices.Contains(ids, e.ID)) {
					b.read[e.ID] = read
					changed = append(changed, e.ID)
				}
			}
			return changed, nil
		},
		Refresh: func(_ context.Context, asked bool, only []urlcore.URL, report func(inbox.Result)) error {
			defer locked()()
			text := fmt.Sprint(asked)
			for _, u := range only {
				text += " " + u.String()
			}
			b.due = append(b.due, text)
			b.entries = append(b.fresh, b.entries...)
			report(inbox.Result{Fresh: len(b.fresh)})
			b.fresh = nil
			return nil
		},
	}
}

// visit marks the entries with one of the URLs as read, as the history does: but not entries that share theirs.
func (b *memoryInbox) visit(_ context.Context, asked, u urlcore.URL, _ string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.entries {
		isShared := slices.ContainsFunc(b.entries, func(o about.Entry) bool { return o.URL == e.URL && o.ID != e.ID })
		if (e.URL == u || e.URL == asked) && !isShared {
			b.read[e.ID] = true
		}
	}
	return nil
}

func (b *memoryInbox) unread() (list []about.Entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.entries {
		if !b.read[e.ID] {
			list = append(list, e)
		}
	}
	return list
}

// unreadIDs returns the IDs of the unread entries.
func (b *memoryInbox) unreadIDs() (ids string) {
	for _, e := range b.unread() {
		ids += " " + e.ID
	}
	return strings.TrimSpace(ids)
}

// addTo adds the pages of the new entries to w, and returns options with the store.
func (b *memoryInbox) addTo(w web, o Options) Options {
	client := &about.Client{
		Followed: func(context.Context) ([]about.Source, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			return slices.Clone(b.sources), nil
		},
		Unread: func(_ context.Context, limit int) ([]about.Entry, error) {
			all := b.unread()
			return all[:min(limit, len(all))], nil
		},
		Now: func() time.Time { return day },
	}
	for _, name := range []string{"new", "new?by=source", "new?sources"} {
		w[about.Page(name)] = func(ctx context.Context, _ protocols.Request) (*protocols.Resource, error) {
			return client.Fetch(ctx, protocols.Request{URL: about.Page(name)})
		}
	}
	o.Inbox, o.Visit = b.store(), b.visit
	if o.Home == nil {
		o.Home = about.Page("new")
	}
	return o
}

// newInbox returns five unread entries of two pages, and the newsgroup g.one with three unread articles, as the middle source.
func newInbox() (w web, b *memoryInbox) {
	w, _ = burstWeb()
	phlog, feed := item('1', "/phlog"), item('0', "/feed")
	b = &memoryInbox{read: make(map[string]bool)}
	b.sources = []about.Source{
		{URL: phlog, Title: "A phlog", Checked: day},
		{URL: feed, Title: "A feed", Checked: day},
		{URL: urlcore.News{Group: "g.one"}, Checked: day, Group: &protocols.GroupNote{Low: 1, High: 3, Count: 3, Subscribed: true, Unread: 3}},
		{URL: item('1', "/down"), Title: "A server that is down", Failure: "Could not connect: connection refused", Reason: "connection refused", Checked: day},
	}
	for i, source := range []urlcore.URL{phlog, feed, phlog, feed, phlog} {
		id := fmt.Sprint("e", i)
		u := item('0', "/"+id)
		b.entries = append(b.entries, about.Entry{Source: source, ID: id, URL: u, Title: "Entry " + id, Date: day.Add(time.Duration(-i) * time.Hour)})
		w.addText(u, "Title of "+id, strings.Repeat("A line.\n", 5))
	}
	return w, b
}

// TestFollow follows a page, stops, and undoes both.
func TestFollow(t *testing.T) {
	b := &memoryInbox{read: make(map[string]bool)}
	w := library()
	d := drive(t, w, b.addTo(w, Options{Home: item('1', "/")}), 100, 24)
	followed := func(want string) {
		t.Helper()
		got := ""
		for _, s := range b.sources {
			got += s.URL.String() + " " + s.Title + ";"
		}
		fetchtest.Equal(t, got, want, "followed pages")
	}
	const hole = "gopher://gopher.example.org/1/ A hole in the ground;"
	d.press("F").wantShown("following A hole in the ground: _ lists what is new (z to undo)")
	followed(hole)
	fetchtest.EqualSlices(t, b.due, []string{"true " + item('1', "/").String()}, "the followed page is read")
	d.press("F").wantShown("Stop following A hole in the ground?").press("n")
	followed(hole)
	d.press("F", "y").wantShown("no longer following A hole in the ground (z to undo)")
	followed("")
	d.press("z").wantShown("undone: no longer following A hole in the ground")
	followed(hole)
	d.press("z").wantShown("undone: following A hole in the ground")
	followed("")
}

// TestFollowBookmarks follows a bookmark and tagged bookmarks from the list, and one from its form.
func TestFollowBookmarks(t *testing.T) {
	marks := newBookmarks(t, "gopher://a.example/1/ A\ngopher://b.example/1/ B\n")
	w, b := libraryWithBookmarks(marks), &memoryInbox{read: make(map[string]bool)}
	d := drive(t, w, b.addTo(w, Options{Home: about.Page("bookmarks"), Bookmarks: marks}), 100, 24)
	d.press("F")
	fetchtest.Equal(t, b.sources[0].URL.String(), "gopher://a.example/1/")
	d.press("alt+a", "F").wantShown("following 2 pages, 1 of them followed before")
	fetchtest.Equal(t, len(b.sources), 2, "followed pages")
	d.press("alt+n", "A").wantShown("[x] Follow").press("tab", "tab", "tab", "tab", "space", "ctrl+s")
	fetchtest.Equal(t, len(b.sources), 1, "followed pages")
	d.press("z")
	fetchtest.Equal(t, len(b.sources), 2, "followed pages after undo")
}

// TestFollowGroup checks that a newsgroup is followed by subscribing to it.
func TestFollowGroup(t *testing.T) {
	w, groups := burstWeb()
	b, news := &memoryInbox{read: make(map[string]bool)}, newMemoryNews(t, "g.two:\n")
	d := drive(t, w, b.addTo(w, Options{Home: groups, News: news}), 100, 24)
	d.press("home", "tab", "enter").wantShown("g.one")
	file := func() string { f, _ := news.File(nil); return string(f.Bytes()) }
	d.press("F").wantShown("subscribed to g.one")
	fetchtest.Equal(t, b.sources[0].URL, urlcore.URL(urlcore.News{Group: "g.one"}))
	fetchtest.Contains(t, file(), "g.one:", "newsrc")
	d.press("F").wantShown("unsubscribed from g.one")
	fetchtest.Equal(t, len(b.sources), 0, "followed pages")
	fetchtest.Contains(t, file(), "g.one!", "newsrc")
	d.press("z")
	fetchtest.Equal(t, len(b.sources), 1, "followed pages")
	fetchtest.Contains(t, file(), "g.one:", "newsrc")
}

// TestFollowIsRefused checks where nothing can be followed.
func TestFollowIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Options)
		want   string
	}{
		{"private", func(o *Options) { o.Private = true }, "private mode: nothing is followed"},
		{"restricted", func(o *Options) { o.Inbox = nil; o.Config.Restrict.Enabled = true }, room.NotAllowed},
		{"own page", func(o *Options) { o.Home = about.Page("new?sources") }, "no page to follow"},
	} {
		b, w := &memoryInbox{read: make(map[string]bool)}, library()
		o := b.addTo(w, Options{Home: item('1', "/")})
		tt.change(&o)
		drive(t, w, o, 80, 24).press("F").wantShown(tt.want)
		fetchtest.Equal(t, len(b.sources), 0, tt.name)
	}
}

// TestReadOnThroughEntries reads all unread entries with one key, the articles of a group among them, and goes back to a list
// that shows them as read.
func TestReadOnThroughEntries(t *testing.T) {
	w, b := newInbox()
	d := drive(t, w, b.addTo(w, Options{News: newMemoryNews(t, "g.one: 1\n")}), 100, 30)
	d.wantShown("A server that is down, never succeeded: connection refused", "g.one", "Entry e0")
	d.wantState(nav.Unread, "g.one, Entry e0, Entry e1, Entry e2, Entry e3, Entry e4")
	d.press("home")
	for _, want := range []string{"news:g.one", "news:2@example.org", "news:3@example.org", "/0/e0", "/0/e1"} {
		if d.press("."); !strings.HasSuffix(d.url(), want) {
			t.Fatalf("got %s, want %s", d.url(), want)
		}
	}
	fetchtest.Equal(t, b.unreadIDs(), "e2 e3 e4", "unread entries")
	d.press("left", "left", "left", "left", "left").wantURL(about.Page("new"))
	d.wantState(nav.Unread, "Entry e2, Entry e3, Entry e4").wantState(nav.Visited, "Entry e0, Entry e1")
	d.press("end", "k", "k", "enter", ".").wantURL(item('0', "/e4"))
	d.press(".").wantURL(item('0', "/e2")).press(".").wantShown("no more unread entries")
}

// TestReadOnThroughSharedURL opens entries without a URL of their own, each of which is read when it was opened.
func TestReadOnThroughSharedURL(t *testing.T) {
	w, b := newInbox()
	for i := range b.entries {
		b.entries[i].URL = b.entries[0].URL
	}
	d := drive(t, w, b.addTo(w, Options{News: newMemoryNews(t, "g.one: 1-3\n")}), 100, 30)
	d.press("home")
	for _, want := range []string{"e1 e2 e3 e4", "e2 e3 e4", "e3 e4"} {
		d.press(".")
		fetchtest.Equal(t, b.unreadIDs(), want, "unread entries")
	}
}

// TestEntryRows checks that unread entries have a mark, and that an entry has one row: the status line has a title that is cut.
// A notice cuts the title of a source.
func TestEntryRows(t *testing.T) {
	w, b := newInbox()
	const title = "Notes on the long winter at the lake and in the hills"
	b.entries[1].Title, b.sources[1].Title = title, "A feed of a rather long-winded place"
	d := drive(t, w, b.addTo(w, Options{News: newMemoryNews(t, "g.one: 1-3\n")}), 80, 30)
	d.wantShown("N• Entry e0", "N• Notes on the long").wantNotShown(title)
	d.press("home", ".", "left", "j").wantShown(title, " • Entry e0").wantNotShown("N• Entry e0")
	d.press("c").wantShown("marked as read: A feed of a rather long-winded..., 2 entries (z to undo)")
}

// TestMarkSource marks a source as read and goes to the next, marks an entry, and undoes both.
func TestMarkSource(t *testing.T) {
	w, b := newInbox()
	d := drive(t, w, b.addTo(w, Options{News: newMemoryNews(t, "g.one: 1-3\n")}), 100, 30)
	d.press("home", ".", "left", "m") // on e0, which is read
	fetchtest.Equal(t, b.unreadIDs(), "e0 e1 e2 e3 e4", "unread entries after m on a read one")
	d.wantCurrent("Entry e1").press("c").wantShown("marked as read: A feed, 2 entries (z to undo)").wantCurrent("Entry e2")
	fetchtest.Equal(t, b.unreadIDs(), "e0 e2 e4", "unread entries after c")
	d.wantState(nav.Unread, "Entry e0, Entry e2, Entry e4")
	d.press("z").wantState(nav.Unread, "Entry e0, Entry e1, Entry e2, Entry e3, Entry e4")
	fetchtest.Equal(t, b.unreadIDs(), "e0 e1 e2 e3 e4", "unread entries after undo")
	d.press("s").wantURL(about.Page("new?by=source")).wantShown("A phlog").press("s").wantURL(about.Page("new"))
}

// TestTaggedEntries marks the tagged entries of several sources, and stops following these sources.
func TestTaggedEntries(t *testing.T) {
	w, b := newInbox()
	d := drive(t, w, b.addTo(w, Options{News: newMemoryNews(t, "g.one: 1-3\n")}), 100, 30)
	d.press("home", ".", "left", "#", "#", "#", "m").wantShown("marked as read: 3 entries (z to undo)")
	fetchtest.Equal(t, b.unreadIDs(), "e3 e4", "unread entries after m")
	d.wantState(nav.Unread, "Entry e3, Entry e4")
	d.press("z").wantState(nav.Unread, "Entry e1, Entry e2, Entry e3, Entry e4")
	d.press("home", ".", "left", "#", "#", "#", "F").wantShown("Stop following 2 pages?").press("y").wantShown("no longer following 2 pages (z to undo)")
	fetchtest.Equal(t, len(b.sources), 2, "followed pages")
	d.press("z")
	fetchtest.Equal(t, len(b.sources), 4, "followed pages after undo")
}

// TestRefresh checks that the key for a reload looks for new entries and shows them, and that a page can be followed meanwhile.
func TestRefresh(t *testing.T) {
	w, b := newInbox()
	d := drive(t, w, b.addTo(w, Options{}), 100, 30)
	b.fresh = []about.Entry{{Source: b.sources[0].URL, ID: "n", URL: item('0', "/n"), Title: "Entry n", Date: day}}
	d.press("ctrl+r").wantShown("1 new entry", "Entry n")
	d.press("ctrl+r").wantShown("nothing new")
	fetchtest.EqualSlices(t, b.due, []string{"true", "true"}, "calls")
}

// TestIdleRefresh checks that nothing wakes an idle program but the refresh of the settings.
func TestIdleRefresh(t *testing.T) {
	for _, tt := range []struct {
		every time.Duration
		calls int
	}{{0, 0}, {30 * time.Minute, 2}} {
		synctest.Test(t, func(t *testing.T) {
			w, b := newInbox()
			o := b.addTo(w, Options{Home: item('1', "/")})
			o.Config.Refresh = config.Duration{Duration: tt.every}
			k := newTypist(t, w, o, pace{})
			k.start(k.inbox.Schedule())
			k.pass(time.Minute)
			b.due = nil
			wakeups, last, end := 0, time.Time{}, time.After(time.Hour)
			for ended := false; !ended; {
				select {
				case msg := <-k.msgs:
					if now := time.Now(); now.Sub(last) > time.Minute { // a notice ends some seconds later
						wakeups, last = wakeups+1, now
					}
					k.update(msg)
				case <-end:
					ended = true
				}
			}
			fetchtest.EqualSlices(t, b.due, slices.Repeat([]string{"false"}, tt.calls), "calls in an hour, every %v", tt.every)
			fetchtest.Equal(t, wakeups, tt.calls, "wake-ups in an idle hour")
		})
	}
}
