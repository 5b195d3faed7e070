package ui

import (
	"context"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/sessions"
)

// TestRequestedTabWhileTyping checks that a tab that another program opens does not take the keys from an open prompt.
func TestRequestedTabWhileTyping(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	listening := make(chan struct{})
	d := drive(t, library(), Options{ListenForTabs: func(ctx context.Context) (*sessions.TabListener, error) {
		defer close(listening)
		return sessions.Open(dir).Listen(ctx)
	}}, 80, 24)
	ctx, cancel := context.WithCancel(t.Context())
	d.ctx = ctx
	wait := d.listenForTabs()
	go func() {
		defer cancel() // ends the command that waits for another request
		<-listening
		fetchtest.Equal(t, sessions.OpenTab(ctx, dir, item('0', "/about.txt"), ""), true, "opened")
	}()
	d.press("g").typeText("x").send(wait()).typeText("y").wantShown("xy")
	fetchtest.Equal(t, len(d.tabs), 2, "number of tabs")
	fetchtest.Equal(t, d.tab, d.tabs[0], "the tab on the screen")
	d.writes.Wait()
}
