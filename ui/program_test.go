package ui

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/pictureview"
)

// terminal is an emulated terminal in which the whole program runs.
type terminal struct {
	t    *testing.T
	mu   sync.Mutex
	emu  *vt.Emulator
	in   *io.PipeWriter
	quit context.CancelFunc
	done chan error

	octets int // number of octets written
	wrote  []byte
}

// Write draws output of the program. Like the terminals that the program expects, it begins a new line
// at each line feed.
func (tm *terminal) Write(p []byte) (int, error) {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	tm.octets += len(p)
	tm.wrote = append(tm.wrote, p...)
	_, err := tm.emu.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")))
	return len(p), err
}

func (tm *terminal) screen() string {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	return tm.emu.String()
}

func startProgram(t *testing.T, w web, o Options, width, height int) *terminal {
	t.Helper()
	o.Open = func(ctx context.Context, req protocols.Request, show nav.Show) *nav.Load {
		return nav.Open(context.WithValue(ctx, widthKey{}, show.Width), w, req, nav.Shown(show), nav.Decode(pictureview.Decode))
	}
	o.Zone = time.UTC
	if o.Home == nil {
		o.Home = item('1', "/")
	}
	ctx, cancel := context.WithCancel(t.Context())
	input, in := io.Pipe()
	tm := &terminal{t: t, emu: vt.NewEmulator(width, height), in: in, quit: cancel, done: make(chan error, 1)}
	replies := make(chan []byte, 1000)
	go func() {
		defer close(replies)
		for {
			buf := make([]byte, 256)
			n, err := tm.emu.Read(buf)
			if err != nil {
				return
			}
			replies <- buf[:n]
		}
	}()
	go func() {
		for r := range replies {
			if _, err := in.Write(r); err != nil {
				return
			}
		}
	}()
	go func() {
		tm.done <- New(o).run(ctx, input, tm, func() tea.WindowSizeMsg { return tea.WindowSizeMsg{Width: width, Height: height} }, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	}()
	t.Cleanup(func() {
		cancel()
		_ = input.Close()
		_ = tm.emu.InputPipe().(io.Closer).Close() // because emu.Close would race with emu.Read
	})
	return tm
}

func (tm *terminal) typeKeys(s string) {
	tm.t.Helper()
	if _, err := tm.in.Write([]byte(s)); err != nil {
		tm.t.Fatal(err)
	}
}

func (tm *terminal) waitFor(want string) {
	tm.t.Helper()
	if !waitUntil(func() bool { return strings.Contains(tm.screen(), want) }) {
		tm.t.Fatalf("the screen never had %q:\n%s", want, tm.screen())
	}
}

// waitForEnd waits for the end of the program and checks that no load is left running.
func (tm *terminal) waitForEnd() {
	tm.t.Helper()
	select {
	case err := <-tm.done:
		if err != nil {
			tm.t.Errorf("the program ended with %v", err)
		}
	case <-time.After(maxWait):
		tm.t.Fatal("the program does not end")
	}
	var stacks string
	if !waitUntil(func() bool {
		buf := make([]byte, 1<<20)
		stacks = string(buf[:runtime.Stack(buf, true)])
		return !strings.Contains(stacks, "gofer/nav.")
	}) {
		tm.t.Errorf("a load is still running after the end of the program:\n%s", stacks)
	}
}

func TestProgram(t *testing.T) {
	w := library()
	w.addStall(item('1', "/phlogs"))
	tm := startProgram(t, w, Options{}, 80, 24)
	tm.waitFor("Welcome to the hole")
	tm.waitFor("gopher://gopher.example.org/1/phlogs")
	tm.typeKeys("j\r")
	tm.waitFor("This text has a line")
	tm.typeKeys("\x7f")
	tm.waitFor("Welcome to the hole")
	tm.typeKeys("\x1b[A\r")
	tm.waitFor("Esc stops")
	tm.typeKeys("\x1b")
	tm.waitFor("stopped")
	tm.typeKeys("\x0c\x15\x1b[200~gopher://gopher.example.org/0/about.txt\x1b[201~\r")
	tm.waitFor("About this hole")
	tm.waitFor("This text has a line")
	tm.typeKeys("q")
	tm.waitForEnd()
}

func TestProgramEndsWithItsContext(t *testing.T) {
	w := library()
	w.addStall(item('1', "/"))
	tm := startProgram(t, w, Options{}, 80, 24)
	tm.waitFor("Esc stops")
	tm.quit()
	select {
	case <-tm.done:
	case <-time.After(maxWait):
		t.Fatal("the program does not end")
	}
}
