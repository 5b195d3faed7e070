package ui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
)

// wire is one direction of a connection. Write never blocks. Written octets leave at once if the field rate
// is 0; otherwise rate octets leave in each second. An octet arrives after the time in the field delay.
type wire struct {
	rate     int
	delay    time.Duration
	queue    chan []byte
	arrived  atomic.Int64
	requests atomic.Int64 // number of written requests for device attributes
}

func newWire(rate int, delay time.Duration, deliver func([]byte)) *wire {
	l := &wire{rate: rate, delay: delay, queue: make(chan []byte, 1<<16)}
	type part struct {
		p  []byte
		at time.Time
	}
	onTheWay := make(chan part, 1<<16)
	go func() {
		for p := range l.queue {
			for len(p) > 0 {
				n := len(p)
				if rate > 0 {
					n = min(n, max(1, rate/60))
					time.Sleep(time.Duration(n) * time.Second / time.Duration(rate))
				}
				onTheWay <- part{p[:n], time.Now().Add(delay)}
				p = p[n:]
			}
		}
		close(onTheWay)
	}()
	go func() {
		for p := range onTheWay {
			time.Sleep(time.Until(p.at))
			l.arrived.Add(int64(len(p.p)))
			deliver(p.p)
		}
	}()
	return l
}

func (l *wire) Write(p []byte) (int, error) {
	l.requests.Add(int64(bytes.Count(p, []byte(ansi.RequestPrimaryDeviceAttributes))))
	l.queue <- bytes.Clone(p)
	return len(p), nil
}

// distantProgram is a program on a terminal at the other end of a connection, in a bubble of [synctest].
type distantProgram struct {
	*terminal
	down, up *wire
	answers  atomic.Int64 // number of answers to down.requests that the program has read
}

func startDistantProgram(t *testing.T, w web, o Options, rate int, delay time.Duration, mute bool) *distantProgram {
	t.Helper()
	o.Open = func(ctx context.Context, req protocols.Request, show nav.Show) *nav.Load {
		return nav.Open(context.WithValue(ctx, widthKey{}, show.Width), w, req, nav.Shown(show))
	}
	o.Zone, o.Home = time.UTC, item('1', "/")
	ctx, cancel := context.WithCancel(t.Context())
	input, in := io.Pipe()
	d := &distantProgram{terminal: &terminal{t: t, emu: vt.NewEmulator(80, 24), in: in, quit: cancel, done: make(chan error, 1)}}
	d.up = newWire(0, delay, func(p []byte) {
		_, _ = in.Write(p)
		if bytes.HasPrefix(p, []byte("\x1b[?")) && p[len(p)-1] == 'c' {
			d.answers.Add(1)
		}
	})
	d.down = newWire(rate, delay, func(p []byte) { _, _ = d.terminal.Write(p) })
	answers := make(chan struct{})
	go func() {
		defer close(answers)
		for {
			buf := make([]byte, 256)
			n, err := d.emu.Read(buf)
			if err != nil {
				return
			}
			if !mute {
				_, _ = d.up.Write(buf[:n])
			}
		}
	}()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.done <- New(o).run(ctx, input, d.down, func() tea.WindowSizeMsg { return tea.WindowSizeMsg{Width: 80, Height: 24} }, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		_ = input.Close()
		_ = d.emu.InputPipe().(io.Closer).Close()
		<-answers
		close(d.down.queue)
		close(d.up.queue)
		time.Sleep(time.Minute) // lets octets on the way arrive
	})
	return d
}

// longMenu returns a menu of more items than the screen has rows.
func longMenu() web {
	w := web{}
	lines := []protocols.Line{info("A menu"), info("")}
	for i := range 200 {
		lines = append(lines, link(protocols.Text, fmt.Sprintf("Item %d of a menu that is long", i+1), item('0', fmt.Sprint("/", i))))
	}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "Menu", lines...)
	return w
}

// runInBubble runs test in a bubble of [synctest].
func runInBubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt) // package signal starts a goroutine here, outside the bubble
	signal.Stop(signals)
	synctest.Test(t, test)
}

// holdKeys types keys one after the other within two seconds.
func (d *distantProgram) holdKeys(keys string) {
	for _, k := range keys {
		_, _ = io.WriteString(d.up, string(k))
		time.Sleep(2 * time.Second / time.Duration(len(keys)))
	}
}

// TestBadLine holds a key down for two seconds, with a terminal at the end of a slow connection, a
// long one, or both. It checks that the screen is complete two seconds after the last key, and that
// frames are skipped.
func TestBadLine(t *testing.T) {
	down, typed := strings.Repeat("j", 60), "gopher://gopher.example.org/1/to-be-typed-in-full"
	for _, tt := range []struct {
		name       string
		rate       int
		delay      time.Duration
		local      bool
		mute       bool
		keys, last string
		frames     int64 // maximum; 0 for any number
	}{
		{name: "9600 baud", rate: 960, keys: down, last: " 63/202", frames: 16},
		{name: "9600 baud, not by SSH", local: true, rate: 960, keys: down, last: " 63/202", frames: 16},
		{name: "9600 baud, pages", rate: 960, keys: strings.Repeat(" ", 8), last: "/202", frames: 12},
		{name: "9600 baud, typed", rate: 960, keys: "g" + typed, last: typed},
		{name: "far", delay: 150 * time.Millisecond, keys: down, last: " 63/202", frames: 20},
		{name: "farther", delay: 300 * time.Millisecond, keys: down, last: " 63/202", frames: 16},
		{name: "far, typed", delay: 300 * time.Millisecond, keys: "g" + typed, last: typed},
		{name: "9600 baud and far", rate: 960, delay: 150 * time.Millisecond, keys: down, last: " 63/202", frames: 12},
		{name: "no answers", mute: true, delay: 100 * time.Millisecond, keys: down, last: " 63/202"},
		{name: "fast, not by SSH", local: true, keys: down, last: " 63/202"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			runInBubble(t, func(t *testing.T) {
				d := startDistantProgram(t, longMenu(), Options{Remote: !tt.local}, tt.rate, tt.delay, tt.mute)
				time.Sleep(10 * time.Second)
				frames, octets := d.down.requests.Load(), d.down.arrived.Load()
				d.holdKeys(tt.keys)
				var soon string
				right := time.Duration(0)
				for at := time.Duration(0); at <= 2*time.Second; at += 10 * time.Millisecond {
					synctest.Wait()
					if got := d.screen(); got != soon {
						soon, right = got, at
					}
					time.Sleep(10 * time.Millisecond)
				}
				time.Sleep(time.Minute)
				t.Logf("right %v after the last key, %d requests, %d octets", right, d.down.requests.Load()-frames, d.down.arrived.Load()-octets)
				if got := d.screen(); got != soon {
					t.Errorf("two seconds after the last key:\n%s\nlater:\n%s", soon, got)
				}
				if !strings.Contains(soon, tt.last) {
					t.Errorf("the screen has no %q two seconds after the last key:\n%s", tt.last, soon)
				}
				if n := d.down.requests.Load() - frames; tt.frames > 0 && (n > tt.frames || n < 3) {
					t.Errorf("%d frames were drawn, want 3 to %d", n, tt.frames)
				}
				if tt.frames == 0 && (tt.local || tt.mute) && d.down.requests.Load() > 3 {
					t.Errorf("%d requests were sent to the terminal, want at most 3", d.down.requests.Load())
				}
			})
		})
	}
}

// TestAnswersAreNotLeftToTheShell checks that the program reads the answers of the terminal before it
// ends. It must not wait for a terminal that sends no answers.
func TestAnswersAreNotLeftToTheShell(t *testing.T) {
	for _, tt := range []struct {
		name, keys string
		rest       time.Duration // time before the keys
		rate       int
		delay      time.Duration
		mute       bool
		limit      time.Duration // time that the end may take
	}{
		{name: "slow", keys: "jjjjj\x1b[6~q", rest: 10 * time.Second, rate: 960, limit: 3 * time.Second},
		{name: "far", keys: "jjjjjq", rest: 10 * time.Second, delay: 300 * time.Millisecond, limit: 3 * time.Second},
		{name: "at once", keys: "q", rest: time.Millisecond, delay: 100 * time.Millisecond, limit: time.Second},
		{name: "mute", keys: "jjjjjq", rest: 10 * time.Second, mute: true, limit: 100 * time.Millisecond},
		{name: "mute at once", keys: "q", rest: time.Millisecond, mute: true, limit: 1200 * time.Millisecond},
		{name: "mute, soon", keys: "q", rest: 400 * time.Millisecond, mute: true, limit: 1200 * time.Millisecond},
		{name: "answered", keys: "q", rest: 400 * time.Millisecond, delay: time.Millisecond, limit: 20 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			runInBubble(t, func(t *testing.T) {
				d := startDistantProgram(t, longMenu(), Options{Remote: true}, tt.rate, tt.delay, tt.mute)
				time.Sleep(tt.rest)
				_, _ = io.WriteString(d.up, tt.keys)
				from := time.Now()
				if err := <-d.done; err != nil {
					t.Error(err)
				}
				took := time.Since(from)
				synctest.Wait() // for the count of an answer that the program has just read
				left := d.down.requests.Load() - d.answers.Load()
				time.Sleep(time.Minute)
				if left > 0 && !tt.mute {
					t.Errorf("%d of %d answers of the terminal arrived after the end of the program", left, d.down.requests.Load())
				}
				if took > tt.limit {
					t.Errorf("the program took %v to end, want at most %v", took, tt.limit)
				}
			})
		})
	}
}

// TestLateAnswers quits at several times after the start. No answer of a terminal that answers late may arrive after the
// end of the program, which may not take longer than such an answer.
func TestLateAnswers(t *testing.T) {
	for _, remote := range []bool{false, true} {
		for _, delayMS := range []int{50, 100, 200, 300, 400, 700, 1000} { // there and back
			for _, restMS := range []int{0, 10, 50, 150, 300, 400} {
				runInBubble(t, func(t *testing.T) {
					delay, rest := time.Duration(delayMS)*time.Millisecond, time.Duration(restMS)*time.Millisecond
					d := startDistantProgram(t, longMenu(), Options{Remote: remote}, 0, delay/2, false)
					time.Sleep(rest)
					_, _ = io.WriteString(d.up, "q")
					from := time.Now()
					fetchtest.NoError(t, <-d.done)
					took := time.Since(from)
					synctest.Wait()
					arrived := d.up.arrived.Load()
					time.Sleep(time.Minute)
					if late := d.up.arrived.Load() - arrived; late > 0 {
						t.Errorf("remote %v, answers after %v, q after %v: %d octets arrived after the end", remote, delay, rest, late)
					}
					if limit := delay + delay/2 + 100*time.Millisecond; took > limit {
						t.Errorf("remote %v, answers after %v, q after %v: the end took %v, want at most %v", remote, delay, rest, took, limit)
					}
				})
			}
		}
	}
}

// TestFirstScreenOverALine checks that the first screen is complete soon, and that it is sent only once. The
// program must not wait long if the terminal does not report its background.
func TestFirstScreenOverALine(t *testing.T) {
	w := web{}
	lines := []protocols.Line{info("A menu"), info("")}
	for i := range 40 {
		lines = append(lines, link(protocols.Text, fmt.Sprintf("Item %d of a menu that is long", i+1), item('0', fmt.Sprint("/", i))))
	}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "Menu", lines...)
	for _, tt := range []struct {
		name  string
		rate  int
		delay time.Duration
		mute  bool
		shown time.Duration
	}{
		{"9600 baud", 960, 0, false, 2500 * time.Millisecond},
		{"near", 0, 20 * time.Millisecond, false, 100 * time.Millisecond},
		{"mute", 0, 20 * time.Millisecond, true, 300 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			runInBubble(t, func(t *testing.T) {
				d := startDistantProgram(t, w, Options{Remote: true}, tt.rate, tt.delay, tt.mute)
				time.Sleep(tt.shown)
				synctest.Wait()
				if got := d.screen(); !strings.Contains(got, " 3/42") {
					t.Errorf("the first screen is not complete after %v:\n%s", tt.shown, got)
				}
				time.Sleep(10 * time.Second)
				if n := d.down.arrived.Load(); n > 2000 {
					t.Errorf("the first screen took %d octets, want at most 2000", n)
				}
			})
		})
	}
}

// TestQuestionOverALine checks that no key answers a question that was not yet on the screen of a distant terminal when the
// key was pressed. A terminal that never answers does not lock the user out.
func TestQuestionOverALine(t *testing.T) {
	for _, tt := range []struct {
		delay, typed time.Duration // of the line, one way; of the key after the key that leads to the question
		mute         bool
		want         bool
	}{
		{600 * time.Millisecond, 1100 * time.Millisecond, false, false},
		{600 * time.Millisecond, 1900 * time.Millisecond, false, true},
		{1500 * time.Millisecond, 2900 * time.Millisecond, false, false},
		{1500 * time.Millisecond, 3700 * time.Millisecond, false, true},
		{0, 100 * time.Millisecond, false, false},
		{0, 500 * time.Millisecond, false, true},
		{0, time.Second, true, false},
		{0, 3 * time.Second, true, true},
	} {
		for _, remote := range []bool{false, true} {
			t.Run(fmt.Sprint(tt, " ", remote), func(t *testing.T) {
				runInBubble(t, func(t *testing.T) {
					var agreed atomic.Bool
					w, at := web{}, item('1', "/confirm")
					w.addPage(item('1', "/"), protocols.LayoutMenu, "Menu", link(protocols.Menu, "Item", at))
					w.addFailure(at, &protocols.Confirm{Question: "Trust it", GiveConsent: func() { agreed.Store(true) }})
					d := startDistantProgram(t, w, Options{Remote: remote}, 0, tt.delay, tt.mute)
					time.Sleep(20 * time.Second)
					_, _ = io.WriteString(d.up, "\r")
					time.Sleep(tt.typed)
					_, _ = io.WriteString(d.up, "y")
					time.Sleep(10 * time.Second)
					fetchtest.Equal(t, agreed.Load(), tt.want, "the key has answered")
				})
			})
		}
	}
}
