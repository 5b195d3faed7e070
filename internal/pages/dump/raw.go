package dump

import (
	"context"
	"errors"
	"io"
	"sync"

	"gofer/nav"
	"gofer/protocols"
)

// ErrNoAnswer is returned by [Write] for the format Raw and a list that no server has sent.
var ErrNoAnswer = errors.New("no server has sent this list: it has no octets")

// maxHeld is the maximal number of octets that an answer holds.
const maxHeld = 64 << 20

// answer is what a fetch receives. It holds the octets until it is known whether they are a list.
type answer struct {
	cancel context.CancelCauseFunc // ends the fetch after an error

	mu      sync.Mutex
	held    []byte
	known   bool
	to      io.Writer // gets all later octets; nil if the page is not a list
	written bool      // octets were written
	err     error     // the first error of to
}

// Write implements [io.Writer].
func (a *answer) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.known:
		a.write(p)
	case len(a.held)+len(p) > maxHeld:
		a.cancel(&protocols.Error{Reason: protocols.TooBig, Op: "read the answer"})
	default:
		a.held = append(a.held, p...)
	}
	return len(p), nil
}

// sendTo writes the octets, and all later octets, to w. A nil w discards them.
func (a *answer) sendTo(w io.Writer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known, a.to = true, w
	a.write(a.held)
	a.held = nil
}

func (a *answer) write(p []byte) {
	if a.to == nil || len(p) == 0 {
		return
	}
	a.written = true
	if _, a.err = a.to.Write(p); a.err != nil {
		a.to = nil
		a.cancel(a.err)
	}
}

// rawPrinter prints no lines: the octets of the list have been written as they arrived.
type rawPrinter struct {
	load   *nav.Load
	answer *answer
}

func (p rawPrinter) head(protocols.Head) error { return nil }

func (p rawPrinter) line(*protocols.Line, []string) error { return nil }

// end returns the error of the octets, or ErrNoAnswer if no server was asked for the page. An empty list may have no octets.
func (p rawPrinter) end() error {
	p.answer.mu.Lock()
	defer p.answer.mu.Unlock()
	if dialogue, _, _ := p.load.Transcript.Lines(); !p.answer.written && len(dialogue) == 0 {
		return ErrNoAnswer
	}
	return p.answer.err
}
