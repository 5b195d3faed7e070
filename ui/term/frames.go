package term

import (
	"reflect"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

const (
	// frameTime is the least average time between two frames.
	frameTime = time.Second / 120
	// frameBurst is the number of frames that may be drawn at once after a pause. It is large enough
	// for all frames from the start of the program to its first page.
	frameBurst = 10
)

// SixelAttribute is the device attribute of terminals that draw sixel pictures.
const SixelAttribute = 4

// frames makes Bubble Tea's renderer draw as soon as something may have changed, and only then. By
// itself the renderer looks for changes 120 times a second. An idle program then wakes 460 times a
// second, and the result of a key appears only after the next look. Delete this file when the renderer
// no longer looks for changes (https://github.com/charmbracelet/bubbletea/pull/1776 and /1796).
//
// The methods are called only by the program's event loop.
type frames struct {
	out  *output
	send func(tea.Msg)
	tick chan time.Time // replaces the renderer's ticker; nil if the renderer uses its own
	due  bool           // a frameMsg is under way
	next time.Time      // time of the last planned frame, which is in the past during a burst
	lent bool           // another program has the terminal
	seen bool           // the program has received device attributes with SixelAttribute

	awaiting func() bool // reports whether drawing must wait; nil if drawing never waits
}

// frameMsg asks for the next frame.
type frameMsg struct{}

// attach makes f decide when the renderer of p draws. It must be called before p runs. It changes an
// unexported field of p, and returns false if Bubble Tea no longer has this field.
func (f *frames) attach(p *tea.Program) bool {
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() {
		return false
	}
	f.send, f.tick = p.Send, make(chan time.Time, 1)
	ticker := time.NewTicker(frameTime) // the renderer receives from f.tick instead
	ticker.C = f.tick
	reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().Set(reflect.ValueOf(ticker))
	return true
}

// leavesTerminal reports whether msg gives the terminal to the shell or to another program.
func leavesTerminal(msg tea.Msg) bool {
	if _, quit := msg.(tea.QuitMsg); quit {
		return true
	}
	return reflect.TypeOf(msg) == reflect.TypeOf(tea.Exec(nil, nil)())
}

// filter is the argument of [tea.WithFilter]. It plans a frame after each message, unless a frame is
// already planned or the message only starts commands. It draws the frame when it receives the frameMsg.
// The renderer then already has the views of all earlier messages.
func (f *frames) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	if f.tick == nil {
		return msg
	}
	if attributes, ok := msg.(uv.PrimaryDeviceAttributesEvent); ok && f.out.acknowledge() {
		if f.seen || !slices.Contains(attributes, SixelAttribute) {
			return nil
		}
		f.seen = true
	}
	if f.lent {
		f.lent = false
		f.out.resume()
	}
	if leavesTerminal(msg) {
		if f.out.callWhenAnswered(func() { f.send(msg) }) {
			return nil
		}
		f.lent = true
	}
	if _, ok := msg.(frameMsg); ok {
		f.due = false
		if f.awaiting != nil && f.awaiting() {
			return nil
		}
		select {
		case f.tick <- time.Time{}:
		default: // the renderer has not begun the previous frame
		}
		f.out.requestSight()
		return nil
	}
	if _, only := msg.(tea.BatchMsg); !f.due && !only {
		f.due = true
		now := time.Now()
		if early := now.Add(-frameBurst * frameTime); f.next.Before(early) {
			f.next = early
		}
		f.next = f.next.Add(frameTime)
		time.AfterFunc(f.next.Sub(now), func() { f.out.callWhenReady(func() { f.send(frameMsg{}) }) })
	}
	return msg
}
