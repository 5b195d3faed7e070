package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
)

// Nothing is drawn until the first page comes, or has not for a moment.
func TestFirstFrameAwaitsThePage(t *testing.T) {
	w := web{}
	w.page(item('1', "/"), protocols.LayoutMenu, "A hole", info("Welcome"))
	for _, comes := range []bool{true, false} {
		d := drive(t, w, Options{}, 80, 24)
		m := New(d.opts)
		d = &driver{Model: m, t: t}
		t.Cleanup(d.closeSessions)
		m.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
		m.awaiting = true
		load := m.first()
		drawn := func(msg tea.Msg) bool {
			d.send(msg)
			return !m.awaiting
		}
		if drawn(tea.WindowSizeMsg{Width: 80, Height: 24}) || m.View().Content != "" {
			t.Errorf("before the page: a frame was drawn\n%s", m.View().Content)
		}
		want := "opening"
		if comes {
			want = "Welcome"
			d.run(load)
		} else {
			d.send(firstFrameMsg{})
		}
		if !drawn(nil) || !strings.Contains(m.View().Content, want) {
			t.Errorf("page has come: %v; no frame was drawn, or one without %q:\n%s", comes, want, m.View().Content)
		}
	}
}
