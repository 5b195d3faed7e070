package term

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"gofer/internal/program"
	"gofer/internal/program/job"
	"gofer/internal/text/clean"
	"gofer/protocols"
)

// Lease is one use of the terminal by a session or another program.
type Lease struct {
	terminal *Terminal
	ctx      context.Context
}

// execFunc is a [tea.ExecCommand] that ignores the input and the output that Bubble Tea sets.
type execFunc func() error

// Run calls f.
func (f execFunc) Run() error { return f() }

// SetStdin does nothing, like SetStdout and SetStderr.
func (execFunc) SetStdin(io.Reader) {}

func (execFunc) SetStdout(io.Writer) {}

func (execFunc) SetStderr(io.Writer) {}

// lend calls fn and then restores the modes of the terminal.
func (l *Lease) lend(fn func(*Lease) error) (err error) {
	l.terminal.out.wait(closeTime)
	defer job.SaveModes(l.terminal.tty())()
	l.write(pushBothTitles)
	l.terminal.panics.Run(func() { err = fn(l) })
	l.write(resetTerminal + popBothTitles)
	return err
}

// write writes text. It gives up after closeTime.
func (l *Lease) write(text string) {
	ctx, cancel := context.WithTimeout(l.ctx, closeTime)
	defer cancel()
	_, _ = l.terminal.out.writeThrough(ctx, []byte(text))
}

// leaseWriter writes the output of a session to the terminal.
type leaseWriter struct{ *Lease }

func (b leaseWriter) Write(p []byte) (int, error) { return b.terminal.out.writeThrough(b.ctx, p) }

// enterRawMode sets the terminal to raw mode. It returns the typed keys, and the function that ends raw
// mode.
func (l *Lease) enterRawMode() (typed <-chan []byte, end func()) {
	restore := job.SaveModes(l.terminal.tty())
	if tty := l.terminal.tty(); tty != nil {
		_, _ = term.MakeRaw(tty.Fd())
	}
	ch := make(chan []byte)
	r, err := cancelreader.NewReader(l.terminal.in)
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

// waitForEnter writes text and a request to press Enter. It waits for Enter or Ctrl-C.
func (l *Lease) waitForEnter(typed <-chan []byte, text string) {
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

// Session runs s. If s ends with an error, the last screen and the reason below it stay until
// Enter is pressed.
func (l *Lease) Session(s protocols.InteractiveSession, reason func(error) string) error {
	typed, end := l.enterRawMode()
	defer end()
	resized, stop := notifySize()
	defer stop()
	err := s.Run(l.ctx, protocols.Terminal{
		Input: typed, Output: leaseWriter{l}, Resized: resized, Type: uv.Environ(l.terminal.env).Getenv("TERM"),
		Size: func() (columns, rows int) {
			size := l.terminal.size()
			return size.Width, size.Height
		},
	})
	if err != nil && l.ctx.Err() == nil {
		l.write(resetTerminal)
		l.waitForEnter(typed, reason(err))
	}
	l.discard(typed)
	return err
}

// Program runs a program in the terminal and waits for it. After an error, or if p.Pause is true, the
// result is shown until Enter is pressed. Ctrl-C and Ctrl-Z go to the program, as in a shell.
func (l *Lease) Program(p program.Program) error {
	if p.OnEnd != nil {
		defer p.OnEnd()
	}
	end := l.terminal.lend()
	err := p.Run(l.ctx, l.terminal.tty(), l.terminal.out.w)
	end()
	if (p.Pause || err != nil) && l.ctx.Err() == nil {
		typed, end := l.enterRawMode()
		defer end()
		l.write(resetTerminal)
		l.waitForEnter(typed, clean.Short(program.EndText(p.Name, err)))
	}
	return err
}

const (
	// replyTime is the time limit for the terminal's answer at the end of a session, if the terminal may have no
	// answer. After the answer, discard waits for quietTime without input.
	replyTime = 300 * time.Millisecond
	quietTime = 50 * time.Millisecond
	// discardTime is the time limit of discard if the input does not pause.
	discardTime = 2 * time.Second
)

// deviceAttributes matches the answer to a device attributes request.
var deviceAttributes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[\?[0-9;]*c`) })

// discard reads the terminal's late answers to requests of the server. Otherwise they would be read as
// typed keys, and the server could choose these keys.
func (l *Lease) discard(typed <-chan []byte) {
	if !l.terminal.out.canAsk || l.ctx.Err() != nil {
		return
	}
	l.write(strings.TrimSuffix(resetTerminal, "\r\n") + ansi.RequestPrimaryDeviceAttributes)
	end, quiet := time.After(discardTime), time.NewTimer(l.terminal.out.replyLimit())
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
