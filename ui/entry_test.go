package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/offline"
	"gofer/urlcore"
)

// TestMissingEntry checks that an entry whose page is gone shows the error page, is named, and does not come back.
func TestMissingEntry(t *testing.T) {
	w, b := newInbox()
	delete(w, item('0', "/e1"))
	d := drive(t, w, b.addTo(w, Options{News: newMemoryNews(t, "g.one: 1-3\n")}), 100, 30)
	d.press("home", ".", ".").wantURL(item('0', "/e1")).wantShown("not found, marked as read: Entry e1 (z to undo)", "Could not fetch")
	fetchtest.Equal(t, b.unreadIDs(), "e2 e3 e4", "unread entries")
	d.press(".", ".", ".").wantURL(item('0', "/e4")).press(".").wantShown("no more unread entries").wantURL(item('0', "/e4"))
}

// TestRefusedEntry checks that an entry whose server refuses stays unread, and that the last one is not opened again.
func TestRefusedEntry(t *testing.T) {
	w, b := newInbox()
	w.addFailure(item('0', "/e4"), &protocols.Error{Reason: protocols.Refused, Op: "connect"})
	d := drive(t, w, b.addTo(w, Options{News: newMemoryNews(t, "g.one: 1-3\n")}), 100, 30)
	d.press("home", ".", ".", ".", ".", ".").wantURL(item('0', "/e4"))
	d.press(".").wantShown("no more unread entries")
	fetchtest.Equal(t, b.unreadIDs(), "e4", "unread entries")
}

// TestEntryKeys checks the keys on an entry that was opened from the list, and that other pages keep theirs.
func TestEntryKeys(t *testing.T) {
	w, b := newInbox()
	d := drive(t, w, b.addTo(w, Options{News: newMemoryNews(t, "g.one: 1-3\n")}), 100, 30)
	d.press("end", "k").wantShown("s by source", "F unfollow", "c mark source", ". next unread")
	d.press("home", ".").wantURL(item('0', "/e0")).wantShown("c mark source", ". next unread")
	d.press("space").wantURL(item('0', "/e1")) // at the end of e0
	d.press("c").wantShown("marked as read: A feed, 1 entry (z to undo)").wantURL(item('0', "/e2"))
	fetchtest.Equal(t, b.unreadIDs(), "e4", "unread entries")
	d.press("z")
	fetchtest.Equal(t, b.unreadIDs(), "e3 e4", "unread entries after undo")
	d.press("C").wantShown("marked as read: A phlog, 1 entry (z to undo)").wantURL(item('0', "/e2"))
	d = drive(t, w, b.addTo(w, Options{Home: item('0', "/e0")}), 100, 30)
	d.press("c").wantShown("colors").wantNotShown("marked as read", "c mark source")
}

// TestFollowFailedPage checks that a page that could not be opened is followed only after a question.
func TestFollowFailedPage(t *testing.T) {
	w, b := library(), &memoryInbox{read: make(map[string]bool)}
	d := drive(t, w, b.addTo(w, Options{Home: item('1', "/gone")}), 100, 24)
	d.press("F").wantShown("could not be opened. Follow " + item('1', "/gone").String() + " anyway?").press("n")
	fetchtest.Equal(t, len(b.sources), 0, "followed pages after no")
	d.press("F", "y")
	fetchtest.Equal(t, len(b.sources), 1, "followed pages after yes")
	d.press("F").wantShown("Stop following " + item('1', "/gone").String() + "?")
}

// TestHeadsOfParts checks that the heads of the columns are those of the part of the page that has the cursor.
func TestHeadsOfParts(t *testing.T) {
	w, b := newInbox()
	d := drive(t, w, b.addTo(w, Options{News: newMemoryNews(t, "g.one: 1\n")}), 100, 30)
	d.press("home", ".", "left").wantCurrent("g.one").wantShown("─ unread").wantNotShown("─ source ")
	d.press("j").wantCurrent("Entry e0").wantShown("─ source ").wantNotShown("─ unread")
}

// TestKeepEntries checks which entries and groups one key keeps for reading offline, tagged or not, and that it tells of failures.
func TestKeepEntries(t *testing.T) {
	w, b := newInbox()
	var kept []string
	o := b.addTo(w, Options{News: newMemoryNews(t, "g.one: 1\n")})
	o.Offline = new(offline.Stores)
	o.Offline.KeepPages = func(_ context.Context, _ func(string), u urlcore.URL, depth int) (string, error) {
		kept = append(kept, fmt.Sprint(strings.TrimPrefix(u.String(), "gopher://gopher.example.org/0/"), " ", depth))
		if strings.HasSuffix(u.String(), "e3") {
			return "", errors.New("it is gone")
		}
		return "1 page kept", nil
	}
	o.Offline.FetchNews = func(_ context.Context, _ func(string), groups ...urlcore.URL) (string, error) {
		kept = append(kept, fmt.Sprint(groups))
		return "2 articles", nil
	}
	d := drive(t, w, o, 160, 30)
	d.press("home", "j", "j", "j", "j", "#", "#", "alt+z").wantShown("kept: 2 of 2 pages")
	fetchtest.EqualSlices(t, kept, []string{"e0 0", "e1 0"}, "tagged entries")
	kept = nil
	d.press("alt+n", "alt+z").wantShown("not all fetched: 1 of 5 pages not kept: gopher://gopher.example.org/0/e3: it is gone")
	fetchtest.EqualSlices(t, kept, []string{"e0 0", "e1 0", "e2 0", "e3 0", "e4 0", "[news:g.one]"}, "unread entries")
	o.Offline.KeepPages = func(context.Context, func(string), urlcore.URL, int) (string, error) {
		return "", &protocols.Error{Reason: protocols.Unreachable, Op: "connect to gopher.example.org:70"}
	}
	d.press("alt+z").wantShown("5 of 5 pages not kept: no network")
}
