package term

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"gofer/internal/testbed/fetchtest"
)

func TestFramesAttach(t *testing.T) {
	if f := new(frames); !f.attach(tea.NewProgram(panicGuard{})) {
		t.Error("tea.Program has no field \"ticker *time.Ticker\" any more: if its renderer no longer " +
			"draws without a change, delete frames.go; otherwise find the new ticker")
	}
}

// startLoop starts a substitute for Bubble Tea's event loop. It passes the messages to the filter, one
// after the other, and records when a frame is drawn.
func startLoop(f *frames, from time.Time, drawn *[]time.Duration) (msgs chan tea.Msg) {
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

// TestNoFrameWhileAwaiting checks that nothing is drawn before the first page.
func TestNoFrameWhileAwaiting(t *testing.T) {
	awaiting := true
	f := &frames{tick: make(chan time.Time, 1), awaiting: func() bool { return awaiting }}
	f.filter(nil, frameMsg{})
	fetchtest.Equal(t, len(f.tick), 0, "frames while the page is awaited")
	awaiting = false
	f.filter(nil, frameMsg{})
	fetchtest.Equal(t, len(f.tick), 1, "frames afterwards")
}

// TestFramesWaitForTheTerminal checks that no frame is drawn until the terminal has read the previous
// frame.
func TestFramesWaitForTheTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		var got []time.Duration
		f := &frames{out: &output{w: w}}
		msgs := startLoop(f, time.Now(), &got)
		_, _ = io.WriteString(f.out, "frame")
		msgs <- tea.KeyPressMsg{}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(got) > 0 {
			t.Errorf("got a frame at %v, want none", got)
		}
		_, _ = r.Read(make([]byte, 100))
		synctest.Wait()
		if len(got) != 1 {
			t.Errorf("%d frames were drawn when the terminal read again, want 1", len(got))
		}
		close(msgs)
	})
}

// TestFramesBeforeAnotherProgram checks that another program gets the terminal only after the
// terminal has answered all requests of gofer, and that frames are paced again afterwards.
func TestFramesBeforeAnotherProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := make(chan tea.Msg, 10)
		f := &frames{
			out: &output{w: io.Discard, pace: pace{canAsk: true, remote: true}}, tick: make(chan time.Time, 1),
			send: func(msg tea.Msg) { sent <- msg },
		}
		answer := uv.PrimaryDeviceAttributesEvent{62, 22}
		_, _ = io.WriteString(f.out, "frame")
		if f.filter(nil, answer) != nil {
			t.Error("filter passed an expected answer to the program")
		}
		if f.filter(nil, answer) == nil {
			t.Error("filter dropped an answer to a request of the program")
		}
		time.Sleep(time.Minute)
		_, _ = io.WriteString(f.out, "frame")
		other := tea.Exec(execFunc(nil), nil)()
		if f.filter(nil, other) != nil {
			t.Fatal("another program got the terminal before the answer arrived")
		}
		if _, _ = io.WriteString(f.out, "frame"); len(f.out.pending) != 1 {
			t.Errorf("%d answers are pending, want 1", len(f.out.pending))
		}
		f.filter(nil, answer)
		for msg := range sent {
			if leavesTerminal(msg) {
				break
			}
		}
		if f.filter(nil, other) == nil {
			t.Error("another program never got the terminal")
		}
		f.filter(nil, tea.KeyPressMsg{})
		if _, _ = io.WriteString(f.out, "frame"); len(f.out.pending) != 1 {
			t.Errorf("%d answers are pending afterwards, want 1", len(f.out.pending))
		}
		f.filter(nil, answer)
		synctest.Wait()
		time.Sleep(time.Minute)
	})
}
