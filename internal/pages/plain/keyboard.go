package plain

import (
	"context"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
	"github.com/clipperhouse/displaywidth"
)

// key is an octet that was typed.
type key struct {
	octet byte
	err   error
}

// keyboard reads one octet at a time on demand, so that other programs can read in between.
type keyboard struct {
	in    io.Reader
	typed chan key
	asked bool
}

// request returns a channel that receives the next octet.
func (k *keyboard) request() <-chan key {
	if !k.asked {
		k.asked = true
		go func() {
			var p [1]byte
			_, err := io.ReadFull(k.in, p[:])
			k.typed <- key{p[0], err}
		}()
	}
	return k.typed
}

// makeRaw puts the terminal into raw mode until restore is called. ok is false if there is no
// terminal.
func (k *keyboard) makeRaw() (restore func(), ok bool) {
	f, ok := k.in.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return func() {}, false
	}
	before, err := term.MakeRaw(f.Fd())
	if err != nil {
		return func() {}, false
	}
	return func() { _ = term.Restore(f.Fd(), before) }, true
}

// The control characters that a terminal in raw mode passes on.
const ctrlC, ctrlD, backspace, enter, ctrlU, ctrlW, ctrlZ, escape, erase = 3, 4, 8, '\r', 21, 23, 26, 27, 127

// readCommand reads a line at the prompt while pages load.
func (b *browser) readCommand() (string, error) {
	prompt := "gofer> "
	if b.hasMore() {
		prompt = "-- more -- "
	}
	restore, raw := b.keyboard.makeRaw()
	defer func() { restore() }()
	_, _ = io.WriteString(b.Out, prompt)
	var line editor
	for {
		select {
		case x := <-b.batches:
			b.session.Append(x.load, x.lines, x.err)
		case <-b.interrupted:
			if err := b.interrupt(prompt); err != nil {
				return "", err
			}
		case <-b.ctx.Done():
			return "", context.Cause(b.ctx)
		case k := <-b.keyboard.request():
			b.keyboard.asked = false
			switch {
			case k.err != nil, raw && k.octet == ctrlD && len(line.text) == 0:
				restore()
				b.say("")
				return "", io.EOF
			case raw && k.octet == ctrlC:
				line = editor{}
				if err := b.interrupt(prompt); err != nil {
					return "", err
				}
			case raw && k.octet == ctrlZ:
				if b.Suspend != nil {
					restore()
					b.say("")
					b.Suspend()
					restore, raw = b.keyboard.makeRaw()
					_, _ = io.WriteString(b.Out, prompt+string(line.text))
				}
			case raw && k.octet == enter, k.octet == '\n', raw && k.octet == ' ' && len(line.text) == 0:
				restore()
				if raw {
					b.say("")
				}
				return strings.TrimSpace(string(line.text)), nil
			default:
				if echo := line.processKey(k.octet); raw {
					_, _ = io.WriteString(b.Out, echo)
				}
			}
		}
	}
}

// interrupt stops the loading of the page, or quits if nothing is loading.
func (b *browser) interrupt(prompt string) error {
	if b.session.Loading() == nil {
		_, _ = io.WriteString(b.Out, "\r\n")
		return errQuit
	}
	b.session.Stop()
	_, _ = io.WriteString(b.Out, "\r\nStopped.\r\n"+prompt)
	return nil
}

// maxLine is the largest length of a command, in octets.
const maxLine = 64 << 10

// editor is the command line that the user is typing.
type editor struct {
	text   []byte
	shown  int // octets of text that have been echoed
	escape bool
}

// processKey processes an octet and returns the echo that shows its effect.
func (e *editor) processKey(c byte) (echo string) {
	switch {
	case e.escape: // the sequence of a special key ends in a letter
		e.escape = c == '[' || c == 'O' || c < '@'
	case c == escape:
		e.escape = true
	case c == backspace, c == erase:
		_, n := utf8.DecodeLastRune(e.text)
		return e.truncate(len(e.text) - n)
	case c == ctrlU:
		return e.truncate(0)
	case c == ctrlW:
		return e.truncate(strings.LastIndexByte(strings.TrimRight(string(e.text), " "), ' ') + 1)
	case c >= ' ' && len(e.text) < maxLine:
		e.text = append(e.text, c)
		if rest := e.text[e.shown:]; utf8.FullRune(rest) {
			e.shown = len(e.text)
			return string(rest)
		}
	}
	return ""
}

// truncate shortens the line to n octets.
func (e *editor) truncate(n int) (echo string) {
	width := displaywidth.String(string(e.text[n:]))
	e.text = e.text[:n]
	e.shown = n
	return strings.Repeat("\b \b", width)
}
