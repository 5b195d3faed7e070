package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/urlcore"
)

// TestFirstFrameAwaitsThePage checks that the first frame waits a short time for the first page.
func TestFirstFrameAwaitsThePage(t *testing.T) {
	w := web{}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "A hole", info("Welcome"))
	for _, loaded := range []bool{true, false} {
		d := drive(t, w, Options{}, 80, 24)
		m := New(d.opts)
		d = &driver{Model: m, t: t}
		t.Cleanup(d.closeSessions)
		m.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
		m.awaitingPage = true
		load := m.openFirst(room.How{})
		drawn := func(msg tea.Msg) bool {
			d.send(msg)
			return !m.awaitingPage
		}
		if drawn(tea.WindowSizeMsg{Width: 80, Height: 24}) || m.View().Content != "" {
			t.Errorf("before the page: a frame was drawn\n%s", m.View().Content)
		}
		want := "opening"
		if loaded {
			want = "Welcome"
			d.run(load)
		} else {
			d.send(firstFrameMsg{})
		}
		if !drawn(nil) || !strings.Contains(m.View().Content, want) {
			t.Errorf("page loaded: %v; no frame was drawn, or one without %q:\n%s", loaded, want, m.View().Content)
		}
	}
}

// TestFirstPageIsLoadedOnce checks that a page of the command line is loaded only once, and that the
// load begins before the call of New, unless tabs are restored.
func TestFirstPageIsLoadedOnce(t *testing.T) {
	start := item('1', "/start")
	for _, c := range []struct {
		name    string
		o       Options
		early   bool
		fetched []urlcore.URL
	}{
		{"a URL", Options{Start: start.String()}, true, []urlcore.URL{start}},
		{"no URL", Options{}, false, []urlcore.URL{item('1', "/")}},
		{"no URL, but words", Options{Start: "gopher://["}, false, nil},
		{"tabs of the last session", Options{Start: start.String(), Restore: true}, false, []urlcore.URL{start}},
	} {
		d := drive(t, web{}, Options{}, 80, 24)
		o, fetched := c.o, []urlcore.URL(nil)
		o.Home, o.Guess = d.opts.Home, urlcore.Guess
		o.Open = func(ctx context.Context, req protocols.Request, show nav.Show) *nav.Load {
			fetched = append(fetched, req.URL)
			fetchtest.Equal(t, req.Typed, false, c.name+": typed")
			fetchtest.Equal(t, show.Width, 130, c.name+": width of the screen without margins")
			return d.opts.Open(ctx, req, show)
		}
		opening := o.openStart(t.Context(), 132)
		fetchtest.Equal(t, opening != nil, c.early, c.name+": begun before the model")
		m := New(o)
		t.Cleanup(m.closeSessions)
		m.firstLoad = opening
		m.resize(132, 43)
		m.openFirst(room.How{})
		fetchtest.Equal(t, fmt.Sprint(fetched), fmt.Sprint(c.fetched), c.name+": fetched")
	}
}

// recordWidths returns the widths of the screen, without margins, for which pages are laid out.
func (w web) recordWidths() map[urlcore.URL]int {
	widths := make(map[urlcore.URL]int)
	for u, f := range w {
		w[u] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			widths[u], _ = ctx.Value(widthKey{}).(int)
			return f(ctx, req)
		}
	}
	return widths
}

// TestWidthOfFirstPage checks that the width of the screen is known when the first page is opened.
func TestWidthOfFirstPage(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		w := longMenu()
		widths := w.recordWidths()
		startDistantProgram(t, w, Options{}, 0, 0, false)
		synctest.Wait()
		fetchtest.Equal(t, widths[item('1', "/")], 78, "width for the first page")
	})
}
