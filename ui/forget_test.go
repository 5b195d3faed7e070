package ui

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// addHistory adds a history page to w. The parameter all has the URLs of the listed visits. The Forget of
// the returned Options removes visits from this page.
func addHistory(w web, all []urlcore.URL) Options {
	update := func() {
		lines := []protocols.Line{{Kind: protocols.Search, Text: "Search the history", Link: about.Page("history?")}}
		for _, u := range all {
			lines = append(lines, protocols.Line{Kind: protocols.KindOf(u), Text: "visit to " + u.String(), Link: u})
		}
		w.addPage(about.Page("history"), protocols.LayoutPage, "History", lines...)
	}
	update()
	return Options{Forget: func(sel Selection) (string, error) {
		if sel.Host == "locked.example" {
			return "", errors.New("another program is using it")
		}
		n := len(all)
		all = slices.DeleteFunc(all, func(u urlcore.URL) bool {
			return u == sel.URL || sel.Host != "" && urlcore.Host(u) == sel.Host || sel.All || !sel.Day.IsZero()
		})
		update()
		return fmt.Sprintf("forgot %d of %s", n-len(all), sel.Day.Format(time.RFC3339)), nil
	}}
}

func TestForget(t *testing.T) {
	w := library()
	o := addHistory(w, []urlcore.URL{item('1', "/a"), item('1', "/b"), item('1', "/c"), urlcore.News{Group: "a.b"}})
	d := drive(t, w, o, 80, 24)
	d.press("x").wantShown("no visit under the cursor")
	d.press("H", "x").wantShown("no visit under the cursor")
	d.press("down", "down", "x").wantShown("forgot 1 of").wantNotShown("visit to gopher://gopher.example.org/1/b")
	if line, _ := d.Model.tab.Pager.Current(); line.Link != item('1', "/c") {
		t.Errorf("the cursor is on %v, want the next visit", line.Link)
	}
	d.press("X").wantShown("gopher.example.org")
	d.press("esc").wantShown("visit to gopher://gopher.example.org/1/c")
	d.press("X", "enter").wantShown("forgot 2 of").wantNotShown("visit to gopher").wantShown("visit to news:a.b")
	d.submit("X", "locked.example").wantShown("another program is using it")
	d.submit("X", "2026-13-01").wantShown("2026-13-01 is not a day")
	d.submit("X", "all").press("enter").wantShown("visit to news:a.b")
	d.submit("X", "2026-11-21").wantShown("forgot 1 of 2026-11-21T00:00:00Z").wantNotShown("visit to")
	d.press("H").submit("X", "all").press("y").wantShown("forgot 0 of")
}

// TestForgetEndsBeforeTheProgram checks that the program does not end before the visits are
// forgotten.
func TestForgetEndsBeforeTheProgram(t *testing.T) {
	w := library()
	o := addHistory(w, []urlcore.URL{item('1', "/a")})
	begun, forget, done := make(chan struct{}), o.Forget, make(chan struct{})
	o.Forget = func(sel Selection) (string, error) {
		close(begun)
		<-done
		return forget(sel)
	}
	d := drive(t, w, o, 80, 24)
	d.press("H").submit("X", "all")
	d.sendWithoutRun(keyPress("y"))
	<-begun
	ended := make(chan struct{})
	go func() {
		d.writes.Wait() // as shutDown does at the end of the program
		close(ended)
	}()
	select {
	case <-ended:
		t.Error("the program ended before the visits were forgotten")
	default:
	}
	close(done)
	<-ended
}

// TestForgetLogins forgets the logins with a key, and checks that the Model uses the returned Options.
func TestForgetLogins(t *testing.T) {
	d := drive(t, library(), Options{}, 80, 24)
	d.press("alt+x").wantShown("no logins are kept")
	n := 0
	d = drive(t, library(), Options{ForgetLogins: func() Options { n++; return Options{Config: config.Config{Theme: "light"}} }}, 80, 24)
	d.lastAnswers[item('7', "/find")] = []ask.Field{{Label: "Name"}}
	d.press("alt+x").wantShown("forgot the typed logins, cookies and consents")
	fetchtest.Equal(t, len(d.lastAnswers), 0, "answers to propose again")
	fetchtest.Equal(t, n, 1, "calls")
	fetchtest.Equal(t, d.opts.Config.Theme, "light", "theme of the new options")
}

// TestForgetFails checks that the notice contains both the number of forgotten visits and the error.
func TestForgetFails(t *testing.T) {
	for _, tt := range []struct {
		text string
		err  error
		want string
	}{
		{"forgot 1", errors.New("not overwritten"), " forgot 1; not overwritten\n"},
		{"", errors.New("another program is using it"), " another program is using it\n"},
	} {
		o := Options{Forget: func(Selection) (string, error) { return tt.text, tt.err }}
		d := drive(t, library(), o, 80, 24)
		d.run(d.forget(Selection{All: true})).wantShown(tt.want)
	}
}
