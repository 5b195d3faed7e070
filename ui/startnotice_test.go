package ui

import (
	"context"
	"errors"
	"testing"

	"gofer/internal/pages/about"
	"gofer/internal/userfile/sessions"
	"gofer/urlcore"
)

// TestStartNoticesLeaveHint checks that notices of the start leave room for the key of the help on
// screens of all widths.
func TestStartNoticesLeaveHint(t *testing.T) {
	for _, width := range []int{40, 59, 60, 80, 132} {
		dir := t.TempDir()
		loseSession(t, dir)
		store := sessions.Open(dir)
		d := drive(t, addHomePage(demoMenu()), Options{Sessions: store, Start: "gopher://gopher.example.org/1/", Home: about.Page("home")}, width, 12)
		want := "Alt-U opens 3 tabs of the last session"
		if width < 60 {
			want = "Alt-U opens 3 lost tabs"
		}
		d.run(d.findLostTabs).wantShown(want, "? help")
		_ = store.End(d.makeRecord())

		d = drive(t, library(), Options{Start: "gopher://gopher.example.org/1/", Home: about.Page("home"), Notice: "errors in the settings: run gofer config"}, width, 12)
		d.wantShown("errors in", "? help")

		d = drive(t, library(), Options{Visit: func(context.Context, urlcore.URL, string) error {
			return errors.New("cannot record the visit: /home/user/.local/state/gofer/history.db: no such file or directory")
		}}, width, 12)
		d.wantShown("cannot record", "? help")
	}
}
