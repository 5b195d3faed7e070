package telnet

import (
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxQueue is the maximum number of octets that wait for a server that does not read.
const maxQueue = 1 << 20

var (
	errFlood      = protocols.NewError(protocols.Malformed, "answer the server's options", "it sends requests endlessly and reads no answers")
	errNoTerminal = protocols.NewError(protocols.LocalFailure, "read the keyboard", "the terminal was closed")
)

// session is a [protocols.InteractiveSession]. It has three goroutines. The first reads from the server
// and writes to the screen. The second writes to the server. The third, which calls Run, reads the
// keyboard.
type session struct {
	conn     *wire.Conn
	url      urlcore.Telnet
	begun    time.Time
	terminal protocols.Terminal
	line     line // used only by Run

	screenMu  sync.Mutex // protects the output to the terminal
	alternate altScreen

	mu        sync.Mutex // protects options, typesSent and queueFull
	options   *options
	typesSent int  // the number of terminal types sent since the start of the list
	queueFull bool // an answer did not fit into the queue

	queue    chan []byte // at most one slice with the octets to send
	received atomic.Int64
	sent     atomic.Int64
}

func (s *session) Run(ctx context.Context, t protocols.Terminal) error {
	s.terminal, s.queue = t, make(chan []byte, 1)
	if portOf(s.url) == telnetPort {
		s.mu.Lock()
		s.enqueue(s.options.initialRequests())
		s.mu.Unlock()
	}
	ended, stop := make(chan error, 2), make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { ended <- s.receive() })
	running.Go(func() {
		if err := s.transmit(stop); err != nil {
			ended <- err
		}
	})
	err := s.interact(ctx, ended)
	_ = s.conn.Close()
	close(stop)
	running.Wait()
	return err
}

// interact reads the keyboard until the session ends.
func (s *session) interact(ctx context.Context, ended <-chan error) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-ended:
			return err
		case <-s.terminal.Resized:
			s.mu.Lock()
			if s.options.client.state[optSize] == on {
				s.sendSize()
			}
			s.mu.Unlock()
		case p, ok := <-s.terminal.Input:
			if !ok {
				return errNoTerminal
			}
			for len(p) > 0 {
				typed, rest, menu := cutEscape(p)
				s.handleInput(typed)
				if !menu {
					break
				}
				var closed bool
				var err error
				if p, closed, err = s.runMenu(ctx, rest); closed || err != nil {
					return err
				}
			}
		}
	}
}

// receive shows the data from the server and answers the server's option requests.
func (s *session) receive() error {
	p := parser{negotiate: s.negotiate, sub: s.answerType, binary: func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.options.server.state[optBinary] == on
	}}
	buf, out := make([]byte, 16<<10), make([]byte, 0, 16<<10)
	for {
		n, err := s.conn.Read(buf)
		s.received.Add(int64(n))
		data, malformed := p.feed(out[:0], buf[:n])
		if len(data) > 0 {
			s.show(data)
		}
		s.mu.Lock()
		flooded := s.queueFull
		s.mu.Unlock()
		switch {
		case malformed != nil:
			return malformed
		case flooded:
			return errFlood
		case err != nil:
			return err
		}
	}
}

// show writes data from the server to the terminal.
func (s *session) show(data []byte) {
	s.screenMu.Lock()
	defer s.screenMu.Unlock()
	s.alternate.update(data)
	_, _ = s.terminal.Output.Write(data)
}

func (s *session) negotiate(verb, opt byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reply, enabled := s.options.negotiate(verb, opt)
	if reply != nil {
		s.sendAnswer(reply)
	}
	if enabled && opt == optSize {
		s.sendSize()
	}
}

// sendAnswer sends an answer about an option. If the queue is too full, it sets s.queueFull. The caller
// must hold s.mu.
func (s *session) sendAnswer(p []byte) {
	if !s.enqueue(p) {
		s.queueFull = true
	}
}

// answerType answers the request for the type of the terminal (RFC 1091). The answer to each request is
// the next name of the list. The last name is sent twice, to mark the end of the list.
func (s *session) answerType(opt byte, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if opt != optType || len(data) == 0 || data[0] != typeSend || s.options.client.state[optType] != on {
		return
	}
	names := typeNames(s.terminal.Type)
	i := min(s.typesSent, len(names)-1)
	if s.typesSent++; s.typesSent > len(names) {
		s.typesSent = 0
	}
	s.sendAnswer(subnegotiation(optType, append([]byte{typeIs}, names[i]...)...))
}

// maxType is the maximum length of the name of a terminal (RFC 1091, section 2).
const maxType = 40

// typeNames returns the names of a terminal of the type term, the best one first.
func typeNames(term string) []string {
	odd := func(c rune) bool { return c <= ' ' || c > '~' }
	if term == "" || len(term) > maxType || strings.ContainsFunc(term, odd) {
		return []string{"UNKNOWN"}
	}
	if stem, _, ok := strings.Cut(term, "-"); ok && stem != "" {
		return []string{term, stem}
	}
	return []string{term}
}

// sendSize sends the size of the terminal (RFC 1073). The caller must hold s.mu.
func (s *session) sendSize() {
	columns, rows := s.terminal.Size()
	s.sendWindowSize(columns, rows)
}

func (s *session) sendWindowSize(columns, rows int) {
	w, h := uint16(min(columns, 0xffff)), uint16(min(rows, 0xffff))
	s.sendAnswer(subnegotiation(optSize, byte(w>>8), byte(w), byte(h>>8), byte(h)))
}

// enqueue adds p to the queue, or returns false if the queue is too full. The caller must hold
// s.mu.
func (s *session) enqueue(p []byte) bool {
	var waiting []byte
	select {
	case waiting = <-s.queue:
	default:
	}
	ok := len(waiting)+len(p) <= maxQueue
	if ok {
		waiting = append(waiting, p...)
	}
	if len(waiting) > 0 {
		s.queue <- waiting
	}
	return ok
}

func (s *session) transmit(stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		case p := <-s.queue:
			n, err := s.conn.Write(p)
			s.sent.Add(int64(n))
			if err != nil {
				return err
			}
		}
	}
}

// send sends p unchanged. If the queue is too full, it rings the terminal's bell.
func (s *session) send(p []byte) {
	s.mu.Lock()
	ok := len(p) == 0 || s.enqueue(p)
	s.mu.Unlock()
	if !ok {
		s.print("\a")
	}
}

// print writes gofer's own text to the terminal.
func (s *session) print(text string) {
	if text == "" {
		return
	}
	s.screenMu.Lock()
	defer s.screenMu.Unlock()
	_, _ = io.WriteString(s.terminal.Output, text)
}
