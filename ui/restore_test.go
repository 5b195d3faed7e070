package ui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/sessions"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/urlcore"
)

// copyWithCounter returns a copy of w that counts the fetches of each URL in n.
func copyWithCounter(w web, n map[urlcore.URL]int) web {
	counted := web{}
	for u, f := range w {
		counted[u] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			n[u]++
			return f(ctx, req)
		}
	}
	return counted
}

func addHomePage(w web) web {
	w.addPage(about.Page("home"), protocols.LayoutPage, "gofer",
		protocols.Line{Text: "Restore 3 tabs of the last session", Link: about.Page("home"), Note: protocols.ActionRestore},
		link(protocols.Menu, "A hole", item('1', "/")))
	return w
}

// loseSession runs a session that saves its tabs in dir and is not ended by the user. It returns the
// text of the last screen.
func loseSession(t *testing.T, dir string) (screen string) {
	t.Helper()
	d := drive(t, addHomePage(demoMenu()), Options{Sessions: sessions.Open(dir)}, 80, 24)
	d.press("t", "end", "up", "up", "t", "g", "ctrl+u").typeText("gopher://gopher.example.org/0/text").press("enter", "pgdown")
	d.submit("/", "text")
	fetchtest.NoError(t, d.endSession(false))
	return d.page()
}

func TestRestoreTabs(t *testing.T) {
	dir := t.TempDir()
	before := loseSession(t, dir)
	fetched := map[urlcore.URL]int{}
	store := sessions.Open(dir)
	d := drive(t, copyWithCounter(addHomePage(demoMenu()), fetched), Options{Sessions: store, Home: about.Page("home")}, 80, 24)
	d.wantShown("Restore 3 tabs of the last session (press Alt-u)")
	d.press("enter")
	if got, want := d.tabTexts(), "[1 A text] 2 …gopher.example.org/1/links/40 3 Not found"; !strings.HasPrefix(got, "[1 A text] 2 gopher") &&
		!strings.HasPrefix(got, "[1 A text] 2 …") {
		t.Errorf("got the tabs %s\nwant %s", got, want)
	}
	if got := d.page(); got != before {
		t.Errorf("restored:\n%s\nit was\n%s", got, before)
	}
	if n := len(fetched); n != 2 || fetched[item('0', "/text")] != 1 {
		t.Errorf("fetched %v, want the home page and the page that is shown", fetched)
	}
	d.press("backspace").wantShown("A hole in the ground", " 40/42 ")
	d.press("alt+u").wantShown("no tabs of the last session")
	d.press("U").wantShown("no tabs of the last session")
	if err := d.endSession(false); err != nil {
		t.Error(err)
	}
	if n, lost := sessions.Open(dir).Last(); n != 3 || !lost {
		t.Errorf("after another loss: %d tabs are saved, lost: %v, want 3 lost tabs", n, lost)
	}
}

// TestRestoreAtTheStart checks that restored tabs replace the home page, but not a page given on
// the command line.
func TestRestoreAtTheStart(t *testing.T) {
	for _, tt := range []struct{ start, want string }{
		{"", "[1 A text]"},
		{"gopher://gopher.example.org/1/", "[1 A hole in the ground] 2 A text 3"},
	} {
		dir := t.TempDir()
		loseSession(t, dir)
		d := drive(
			t, addHomePage(demoMenu()),
			Options{Sessions: sessions.Open(dir), Restore: true, Start: tt.start, Home: about.Page("home")}, 80, 24,
		)
		if got := d.tabTexts(); !strings.Contains(got, tt.want) {
			t.Errorf("start %q: the tabs are %s, want %s", tt.start, got, tt.want)
		}
		_ = d.endSession(true)
	}
	d := drive(t, addHomePage(demoMenu()), Options{Sessions: sessions.Open(t.TempDir()), Restore: true, Home: about.Page("home")}, 80, 24)
	d.wantURL(about.Page("home")).wantShown("no tabs of the last session")
}

// TestRestoreIntoOpenSession checks that tabs restored by a key are added to the open ones.
func TestRestoreIntoOpenSession(t *testing.T) {
	dir := t.TempDir()
	loseSession(t, dir)
	store := sessions.Open(dir)
	d := drive(t, addHomePage(demoMenu()), Options{Sessions: store, Start: "gopher://gopher.example.org/1/", Home: about.Page("home")}, 80, 24)
	d.run(d.findLostTabs).wantShown("Alt-u opens 3 tabs of the last session", "Enter open  ? help")
	d.press("U")
	if got := d.tabTexts(); !strings.HasPrefix(got, "1 A hole in the ground [2 A text] 3") {
		t.Errorf("the tabs are %s, want the restored tabs after the open one", got)
	}
	_ = store.End(d.makeRecord())
}

// TestOffersTogether checks that the offer to restore tabs and the words about downloads are one notice if they fit.
func TestOffersTogether(t *testing.T) {
	for width, want := range map[int]string{
		80: "Alt-u opens 3 tabs of the last session; 1 download goes on: J lists it",
		70: "Alt-u opens 3 tabs of the last session",
	} {
		dir := t.TempDir()
		loseSession(t, dir)
		d := drive(t, addHomePage(demoMenu()), Options{Sessions: sessions.Open(dir), Start: "gopher://gopher.example.org/1/", Home: about.Page("home")}, width, 24)
		d.run(d.findLostTabs)
		d.send(resultFunc(func() tea.Cmd { return d.offerLater("1 download goes on: J lists it") }))
		fetchtest.Equal(t, d.notice, want, "at %d columns", width)
		d.wantShown(want)
	}
}

// TestRestoreAfterANotice checks that the offer to restore the tabs of the last session follows a notice
// about the settings.
func TestRestoreAfterANotice(t *testing.T) {
	dir := t.TempDir()
	loseSession(t, dir)
	d := drive(t, addHomePage(demoMenu()), Options{
		Sessions: sessions.Open(dir), Start: "gopher://gopher.example.org/1/", Home: about.Page("home"), Notice: "config.toml:2: no",
	}, 80, 24)
	var delayed tea.Msg
	d.after = func(_ time.Duration, msg tea.Msg) tea.Cmd { delayed = msg; return nil }
	d.run(d.openFirst(room.How{}))
	d.run(d.findLostTabs).wantShown("config.toml:2: no")
	d.send(endNoticeMsg{d.noticeID})
	d.send(delayed).wantShown("Alt-u opens 3 tabs of the last session")
}

// TestTabsAreSaved checks that tabs are saved some time after a change, and that an error is reported
// only once.
func TestTabsAreSaved(t *testing.T) {
	dir := t.TempDir()
	d := drive(t, addHomePage(demoMenu()), Options{Sessions: sessions.Open(dir), Home: about.Page("home")}, 80, 24)
	d.press("down", "up", "?", "?")
	if d.saver.pending {
		t.Error("pages of gofer's own are saved")
	}
	d.press("down")
	d.run(d.visit(item('1', "/")))
	if !d.saver.pending || d.saveLater() != nil {
		t.Error("a save of the tabs is not pending, or another save was begun")
	}
	d.run(d.saveTabs())
	if d.press("down"); !d.saver.pending {
		t.Error("a move of the cursor is not saved")
	}
	if err := d.endSession(true); err != nil {
		t.Error(err)
	}
	if n, lost := sessions.Open(dir).Last(); n != 1 || lost {
		t.Errorf("after the end: %d tabs are saved, lost: %v, want 1, not lost", n, lost)
	}

	file := filepath.Join(dir, "file")
	fetchtest.NoError(t, os.WriteFile(file, nil, 0o600))
	d.opts.Sessions = sessions.Open(filepath.Join(file, "sessions"))
	d.run(d.saveTabs()).wantShown("tabs not saved: ", "not a directory")
	d.press("down")
	d.run(d.saveTabs()).wantNotShown("tabs not saved")
}
