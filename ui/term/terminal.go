// Package term controls the program's terminal: its output, the timing of frames, its use by other
// programs, and its state at exit.
package term

import (
	"context"
	"io"
	"os"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"gofer/internal/program/job"
)

// Terminal is the terminal of the program: where it reads keys and draws the screen.
// Sessions and other programs may use it while Bubble Tea has released it
// (see [tea.Exec]).
type Terminal struct {
	Profile colorprofile.Profile // NoTTY if the terminal has no cursor and no colors and does not answer

	env    []string
	in     io.Reader // a *keyboard if there is a terminal
	out    *output
	size   func() tea.WindowSizeMsg
	lend   func() (end func()) // leaves the signals of the keyboard to another program
	panics *Panics

	resized  <-chan os.Signal
	stop     func()
	watching sync.WaitGroup
}

// Options configures a terminal.
type Options struct {
	Input  io.Reader                // source of keys
	Output io.Writer                // the screen
	Size   func() tea.WindowSizeMsg // returns the size of the screen
	Env    []string                 // environment of the terminal: TERM=xterm, ...
	Remote bool                     // always wait for the terminal, because it may be slow
	Lend   func() (end func())      // leaves the signals of the keyboard to another program; may be nil
	Panics *Panics                  // records the panics of the program
	Cancel context.CancelCauseFunc  // ends the program when the terminal was closed
}

// New returns a terminal with the options o.
func New(o Options) *Terminal {
	// Without a profile, Bubble Tea would run tmux to get one.
	t := &Terminal{Profile: colorprofile.Env(o.Env), env: o.Env, in: o.Input, size: o.Size, lend: o.Lend, panics: o.Panics}
	t.out = &output{w: o.Output, onFailure: func() { o.Cancel(errNoTerminal) }, pace: pace{canAsk: t.Profile != colorprofile.NoTTY, remote: o.Remote}}
	if t.lend == nil {
		t.lend = func() func() { return func() {} }
	}
	if f, ok := o.Input.(*os.File); ok {
		t.in = &keyboard{f, t.out.stopAsking}
	}
	t.resized, t.stop = notifySize()
	return t
}

// NewProgram returns a program that shows model on the terminal. The panics of the model are caught.
// Nothing is drawn while awaiting returns true. The program quits when ctx ends.
func (t *Terminal) NewProgram(ctx context.Context, model tea.Model, awaiting func() bool) *tea.Program {
	first, frames := t.size(), &frames{out: t.out, awaiting: awaiting}
	p := tea.NewProgram(panicGuard{model, t.panics},
		tea.WithoutSignalHandler(), tea.WithFilter(frames.filter), tea.WithFPS(120),
		tea.WithInput(t.in), tea.WithOutput(t.out), tea.WithWindowSize(first.Width, first.Height),
		tea.WithColorProfile(t.Profile), tea.WithEnvironment(t.env))
	t.panics.quit = p.Quit
	frames.attach(p)
	t.watching.Go(func() { watchSize(ctx, t.resized, t.size, p.Send) })
	context.AfterFunc(ctx, p.Quit) // WithContext would close the input while it is read
	return p
}

// WriteLast writes s after the last frame.
func (t *Terminal) WriteLast(s string) { _, _ = io.WriteString(t.out, s) }

// Request sends a request to the terminal at once, before the first frame. The program gets the answer.
func (t *Terminal) Request(ctx context.Context, request string) {
	t.out.ask(ctx, request)
}

// Replace makes the terminal show the text replacement wherever the screen has the text mark. Only the
// texts of the last call are used.
func (t *Terminal) Replace(mark, replacement string) { t.out.replace(mark, replacement) }

// Reset resets the terminal. Nothing is written after it.
func (t *Terminal) Reset() { t.out.reset() }

// Flush waits until everything is written, or until the terminal takes no more octets.
func (t *Terminal) Flush() { t.out.wait(closeTime) }

// Close releases the resources of the terminal. The context of its program must have ended.
func (t *Terminal) Close() {
	t.watching.Wait()
	t.stop()
}

// Suspend returns the command that suspends the program. [tea.Suspend] is not used: without a shell
// that can continue the program, it would wait forever, and no signal could end the program.
func (t *Terminal) Suspend(ctx context.Context) tea.Cmd {
	tty := t.tty()
	return tea.Exec(execFunc(func() error { return job.Suspend(ctx, tty) }), nil)
}

// LendTo returns the command that runs fn with the terminal in cooked mode. It passes the error of fn
// to done, and sends the message that done returns. Ctrl-C goes to fn, and the modes of the terminal
// are restored afterwards. Editors, pagers, sessions and all other programs get the terminal in this way.
func (t *Terminal) LendTo(ctx context.Context, fn func(*Lease) error, done func(error) tea.Msg) tea.Cmd {
	l := &Lease{t, ctx}
	return tea.Exec(execFunc(func() error { return l.lend(fn) }), done)
}

// tty returns the file from which keys are read, or nil if there is no terminal.
func (t *Terminal) tty() *os.File {
	if k, ok := t.in.(*keyboard); ok {
		return k.File
	}
	return nil
}
