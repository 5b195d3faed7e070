package ui

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/fetchtest"
	"gofer/protocols"
)

func TestFramesDriveTheRenderer(t *testing.T) {
	if f := new(frames); !f.drive(tea.NewProgram(guarded{})) {
		t.Error("tea.Program has no field \"ticker *time.Ticker\" any more: if its renderer rests by itself now, delete frames.go, else find what drives it")
	}
}

// loop is Bubble Tea's event loop as far as frames go: all messages pass the
// filter, one after the other. It notes when a frame is drawn.
func loop(f *frames, from time.Time, drawn *[]time.Duration) (msgs chan tea.Msg) {
	msgs = make(chan tea.Msg)
	f.tick, f.send = make(chan time.Time, 1), func(msg tea.Msg) { msgs <- msg }
	go func() {
		for msg := range msgs {
			f.filter(nil, msg)
			select {
			case <-f.tick:
				*drawn = append(*drawn, time.Since(from))
			default:
			}
		}
	}()
	return msgs
}

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

// TestNoFrameWhileAwaiting: nothing is drawn before the first page.
func TestNoFrameWhileAwaiting(t *testing.T) {
	awaiting := true
	f := &frames{tick: make(chan time.Time, 1), awaiting: func() bool { return awaiting }}
	f.filter(nil, frameMsg{})
	fetchtest.Equal(t, len(f.tick), 0, "frames while the page is awaited")
	awaiting = false
	f.filter(nil, frameMsg{})
	fetchtest.Equal(t, len(f.tick), 1, "frames afterwards")
}

// A change is drawn at once, a flood of them at a bounded rate to the last, and
// nothing when nothing has changed.
func TestFramesFollowMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []time.Duration
		f := &frames{out: &output{w: io.Discard}}
		msgs := loop(f, time.Now(), &got)
		for range frameBurst + 3 {
			msgs <- tea.KeyPressMsg{}
			msgs <- tea.KeyPressMsg{} // is drawn with the one before
			synctest.Wait()
		}
		time.Sleep(time.Hour)
		msgs <- tea.KeyPressMsg{}
		time.Sleep(time.Hour)
		synctest.Wait()
		want := append(make([]time.Duration, frameBurst), frameTime, time.Hour)
		fetchtest.EqualSlices(t, got, want, "frames were drawn at")
		close(msgs)
	})
}

// No frame is drawn while the terminal has not read the one before.
func TestFramesWaitForTheTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		var got []time.Duration
		f := &frames{out: &output{w: w}}
		msgs := loop(f, time.Now(), &got)
		_, _ = io.WriteString(f.out, "frame")
		msgs <- tea.KeyPressMsg{}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(got) > 0 {
			t.Errorf("a frame was drawn at %v", got)
		}
		_, _ = r.Read(make([]byte, 100))
		synctest.Wait()
		if len(got) != 1 {
			t.Errorf("%d frames were drawn when the terminal read again, want 1", len(got))
		}
		close(msgs)
	})
}
