// Package term is the terminal of the program: what is written to it, when, who borrows
// it, and how it is left.
package term

import (
	"bytes"
	"context"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"gofer/internal/job"
	"gofer/protocols"
)

// Terminal is the terminal of the program: where it reads keys and draws the screen.
// It is lent to sessions and other programs; Bubble Tea has let go of it before, and
// takes it back afterwards (see [tea.Exec]).
type Terminal struct {
	Profile colorprofile.Profile // NoTTY: it has no cursor, no colours, and answers nothing

	in     io.Reader // a *keyboard, where there is a terminal
	out    *output
	size   func() tea.WindowSizeMsg
	lend   func() (end func()) // leaves the signals of the keyboard to a borrower; may be nil
	panics *Panics

	resized  <-chan os.Signal
	stop     func()
	watching sync.WaitGroup
}

// New returns the terminal that in reads and w writes to. With remote it is
// always waited for. gone is called when it has been closed.
func New(in io.Reader, w io.Writer, size func() tea.WindowSizeMsg, remote bool, lend func() (end func()), panics *Panics, gone func()) *Terminal {
	// Without a profile Bubble Tea would run tmux to ask it for one.
	t := &Terminal{Profile: colorprofile.Env(os.Environ()), size: size, lend: lend, panics: panics}
	t.out = &output{w: w, gone: gone, pace: pace{asks: t.Profile != colorprofile.NoTTY, remote: remote}}
	t.in = in
	if f, ok := in.(*os.File); ok {
		t.in = &keyboard{f, t.out.hangUp}
	}
	t.resized, t.stop = notifySize()
	return t
}

// NewProgram returns the program of a model on the terminal, whose panics are caught.
// Nothing is drawn while awaiting returns true. The program quits when ctx ends.
func (t *Terminal) NewProgram(ctx context.Context, model tea.Model, awaiting func() bool, opts ...tea.ProgramOption) *tea.Program {
	first, frames := t.size(), &frames{out: t.out, awaiting: awaiting}
	opts = append([]tea.ProgramOption{
		tea.WithoutSignalHandler(), tea.WithFilter(frames.filter), tea.WithFPS(120),
		tea.WithInput(t.in), tea.WithOutput(t.out), tea.WithWindowSize(first.Width, first.Height),
		tea.WithColorProfile(t.Profile),
	}, opts...)
	p := tea.NewProgram(guarded{model, t.panics}, opts...)
	t.panics.quit = p.Quit
	frames.drive(p)
	t.watching.Go(func() { watchSize(ctx, t.resized, t.size, p.Send) })
	context.AfterFunc(ctx, p.Quit) // WithContext would close the input while it is read
	return p
}

// WriteLast writes s after the last frame.
func (t *Terminal) WriteLast(s string) { _, _ = io.WriteString(t.out, s) }

// Replace has instead written wherever the screen has the mark. There is one.
func (t *Terminal) Replace(mark, instead string) { t.out.replace(mark, instead) }

// Reset resets the terminal. Nothing is written after it.
func (t *Terminal) Reset() { t.out.reset() }

// Flush waits until everything is written, or the terminal takes nothing any more.
func (t *Terminal) Flush() { t.out.wait(closeTime) }

// Close ends what the terminal began, after the context of its program has ended.
func (t *Terminal) Close() {
	t.watching.Wait()
	t.stop()
}

// Suspend returns the command that suspends the program.
func (t *Terminal) Suspend(ctx context.Context) tea.Cmd {
	return tea.Exec(suspension{ctx: ctx, tty: t.tty()}, nil)
}

// LendTo returns the command that runs use with the terminal, in cooked mode, and
// sends the message that done makes of its error.
func (t *Terminal) LendTo(ctx context.Context, use func(*Loan) error, done func(error) tea.Msg) tea.Cmd {
	return tea.Exec(&Loan{Terminal: t, ctx: ctx, use: use}, done)
}

// tty is the terminal's line, nil where there is no terminal.
func (t *Terminal) tty() *os.File {
	if k, ok := t.in.(*keyboard); ok {
		return k.File
	}
	return nil
}

// Loan is one use of the terminal by somebody else: a [tea.ExecCommand].
type Loan struct {
	*Terminal
	ownTerminal
	ctx context.Context
	use func(*Loan) error
}

// ownTerminal is a part of a [tea.ExecCommand] that knows the terminal itself.
type ownTerminal struct{}

// SetStdin does nothing, as do the next two.
func (ownTerminal) SetStdin(io.Reader) {}

// SetStdout does nothing.
func (ownTerminal) SetStdout(io.Writer) {}

// SetStderr does nothing.
func (ownTerminal) SetStderr(io.Writer) {}

// Run implements [tea.ExecCommand]. The terminal's modes are afterwards as they
// were, whatever the borrower did.
func (l *Loan) Run() error {
	l.out.wait(closeTime)
	defer job.KeepModes(l.tty())()
	l.write(saveTitle)
	var err error
	l.panics.Do(func() { err = l.use(l) })
	l.write(resetTerminal + restoreTitle)
	return err
}

// write writes text of our own, waiting no longer than is good for the end of
// the program.
func (l *Loan) write(text string) {
	ctx, cancel := context.WithTimeout(l.ctx, closeTime)
	defer cancel()
	_, _ = l.out.through(ctx, []byte(text))
}

// Write writes to the terminal what the borrower wants there.
func (l *Loan) Write(p []byte) (int, error) { return l.out.through(l.ctx, p) }

// lendSignals leaves the signals of the keyboard to the borrower until end is
// called.
func (l *Loan) lendSignals() (end func()) {
	if l.lend == nil {
		return func() {}
	}
	return l.lend()
}

// raw sets the terminal to raw mode and returns what is typed, until end is
// called.
func (l *Loan) raw() (typed <-chan []byte, end func()) {
	restore := job.KeepModes(l.tty())
	if tty := l.tty(); tty != nil {
		_, _ = term.MakeRaw(tty.Fd())
	}
	ch := make(chan []byte)
	r, err := cancelreader.NewReader(l.in)
	if err != nil {
		close(ch)
		return ch, restore
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		defer close(ch)
		buf := make([]byte, 4<<10)
		for {
			n, err := r.Read(buf)
			if n > 0 {
				select {
				case ch <- append([]byte(nil), buf[:n]...):
				case <-stop:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return ch, func() {
		close(stop)
		if r.Cancel() {
			<-done
		}
		_ = r.Close()
		restore()
	}
}

// pause says text in a row of its own and waits for Enter, or Ctrl-C.
func (l *Loan) pause(typed <-chan []byte, text string) {
	l.write("\x1b[1m[" + text + ". Press Enter.]\x1b[m")
	for {
		select {
		case <-l.ctx.Done():
			return
		case p, ok := <-typed:
			if !ok {
				return
			}
			if bytes.ContainsAny(p, "\r\n\x03") {
				l.write("\r\n")
				return
			}
		}
	}
}

// Session runs s. When it has not been the user who ended it, the last screen
// stays, below the reason for its end, until Enter is pressed.
func (l *Loan) Session(s protocols.InteractiveSession, reason func(error) string) error {
	typed, end := l.raw()
	defer end()
	resized, stop := notifySize()
	defer stop()
	err := s.Run(l.ctx, protocols.Terminal{
		Input: typed, Output: l, Resized: resized, Type: os.Getenv("TERM"),
		Size: func() (columns, rows int) {
			size := l.size()
			return size.Width, size.Height
		},
	})
	if err != nil && l.ctx.Err() == nil {
		l.write(resetTerminal)
		l.pause(typed, reason(err))
	}
	l.discard(typed)
	return err
}

const (
	// replyTime is how long a terminal may take to answer at the end of a
	// session, and quietTime how long nothing comes when it has.
	replyTime = 300 * time.Millisecond
	quietTime = 50 * time.Millisecond
	// discardTime is how long what comes without end is read at most.
	discardTime = 2 * time.Second
)

// deviceAttributes is the answer to a device attributes request.
var deviceAttributes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[\?[0-9;]*c`) })

// discard reads what the terminal still answers to requests of the server: a part
// of an answer would be taken for keys, which the server could choose.
func (l *Loan) discard(typed <-chan []byte) {
	if !l.out.asks || l.ctx.Err() != nil {
		return
	}
	l.write(strings.TrimSuffix(resetTerminal, "\r\n") + ansi.RequestPrimaryDeviceAttributes)
	end, quiet := time.After(discardTime), time.NewTimer(replyTime)
	defer quiet.Stop()
	var read []byte
	for answered := false; ; {
		select {
		case <-l.ctx.Done():
			return
		case <-end:
			return
		case <-quiet.C:
			return
		case p, ok := <-typed:
			if !ok {
				return
			}
			read = append(read[max(0, len(read)-64):], p...)
			if answered = answered || deviceAttributes().Match(read); answered {
				quiet.Reset(quietTime)
			}
		}
	}
}
