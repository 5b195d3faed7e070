package sftp

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"gofer/protocols"
)

// channel sends requests over one connection and hands the answers to those who wait for them. Any number of requests may be
// in flight. It is safe for concurrent use.
type channel struct {
	addr      string        // for errors
	firstByte time.Duration // the limit of silence before an answer begins
	idle      time.Duration // the limit of silence after that

	out      chan []byte // packets to be written
	end      func()      // closes the connection
	dead     chan struct{}
	received atomic.Int64 // the time of the last octets, in nanoseconds since 1970

	mu     sync.Mutex
	nextID uint32
	calls  map[uint32]*call
	err    error // the reason why dead is closed
}

// call is a request in flight.
type call struct {
	op     string // for errors: "open /pub/a"
	kind   byte
	sent   time.Time
	most   int // the most octets of data that the answer may have
	answer chan answer
}

type answer struct {
	kind byte
	body []byte // after the number of the request
}

// newChannel begins to read answers from r and to write requests to w. The function end closes the connection, so that reads of r
// and writes to w return. It is called once, when the connection cannot be used any more.
func newChannel(addr string, firstByte, idle time.Duration, r io.Reader, w io.Writer, end func()) *channel {
	c := &channel{
		addr: addr, firstByte: firstByte, idle: idle, end: end,
		out: make(chan []byte), dead: make(chan struct{}), calls: make(map[uint32]*call),
	}
	go func() { c.fail(c.read(bufio.NewReaderSize(r, 64<<10))) }()
	go func() {
		for {
			select {
			case <-c.dead:
				return
			case p := <-c.out:
				if _, err := w.Write(p); err != nil {
					c.fail(err)
				}
			}
		}
	}()
	return c
}

// fail records the reason why the connection cannot be used any more, and closes it: a server that reads nothing holds up the
// goroutine that writes. Only the first reason counts.
func (c *channel) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
		close(c.dead)
		go c.end()
	}
}

// failure returns the reason why the connection cannot be used any more, as the error of an operation.
func (c *channel) failure(op string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var e *protocols.Error
	switch {
	case errors.As(c.err, &e):
		return &protocols.Error{Reason: e.Reason, Op: op, Text: e.Text, Err: e.Err}
	case errors.Is(c.err, errMalformed):
		return &protocols.Error{Reason: protocols.Malformed, Op: op, Err: c.err}
	}
	return protocols.NewError(protocols.Broken, op, "the server closed the connection")
}

// isDead reports whether the connection cannot be used any more.
func (c *channel) isDead() bool {
	select {
	case <-c.dead:
		return true
	default:
		return false
	}
}

// read reads packets until one is malformed or the connection ends.
func (c *channel) read(r *bufio.Reader) error {
	for {
		kind, body, err := readPacket(r)
		if err != nil {
			return err
		}
		c.received.Store(time.Now().UnixNano())
		if len(body) < 4 {
			return errMalformed
		}
		id := binary.BigEndian.Uint32(body)
		c.mu.Lock()
		waiting := c.calls[id]
		delete(c.calls, id)
		c.mu.Unlock()
		if waiting == nil {
			return fmt.Errorf("%w: it answers a request that was not sent", errMalformed)
		}
		if len(body) > waiting.longest(kind) {
			return fmt.Errorf("%w: it has more octets than requested", errMalformed)
		}
		waiting.answer <- answer{kind, body[4:]}
	}
}

// longest returns the most octets that an answer of the given type may have.
func (w *call) longest(kind byte) int {
	switch {
	case kind == fxpData:
		return 8 + w.most
	case kind == fxpName && w.kind == fxpReaddir:
		return maxPacket
	}
	return maxAnswer
}

// readPacket reads a packet (section 3).
func readPacket(r io.Reader) (kind byte, body []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n < 1 || n > maxPacket {
		return 0, nil, fmt.Errorf("%w: its length is %d octets", errMalformed, n)
	}
	body = make([]byte, n-1)
	if _, err := io.ReadFull(r, body); err != nil {
		return 0, nil, err
	}
	return head[4], body, nil
}

// send sends a request. The parameter op describes it for errors, and the answer has at most most octets of data.
func (c *channel) send(ctx context.Context, op string, kind byte, most int, values ...any) (*call, error) {
	waiting := &call{op: op, kind: kind, most: most, answer: make(chan answer, 1)}
	c.mu.Lock()
	c.nextID++
	id := c.nextID
	c.calls[id] = waiting
	c.mu.Unlock()
	size := 9
	for _, v := range values {
		if data, ok := v.([]byte); ok {
			size += len(data) + 4
		} else {
			size += 64
		}
	}
	p := appendValues(append(make([]byte, 4, size), kind), append([]any{id}, values...)...)
	binary.BigEndian.PutUint32(p, uint32(len(p)-4))
	timer := time.NewTimer(c.idle)
	defer timer.Stop()
	waiting.sent = time.Now()
	for {
		select {
		case c.out <- p:
			return waiting, nil
		case <-c.dead:
			return nil, c.failure(op)
		case <-ctx.Done():
			c.mu.Lock()
			delete(c.calls, id)
			c.mu.Unlock()
			return nil, context.Cause(ctx)
		case <-timer.C: // the server takes no more requests
			if rest := c.patience(waiting); rest > 0 {
				timer.Reset(rest)
				continue
			}
			c.fail(protocols.TimeoutError("write to "+c.addr, true))
		}
	}
}

// patience returns the time for which the server may still be silent.
func (c *channel) patience(w *call) time.Duration {
	limit, since := c.firstByte, w.sent
	if last := time.Unix(0, c.received.Load()); last.After(since) {
		limit, since = c.idle, last
	}
	return limit - time.Since(since)
}

// wait waits for the answer of a request.
func (c *channel) wait(ctx context.Context, w *call) (answer, error) {
	select {
	case a := <-w.answer:
		return a, nil
	default:
	}
	timer := time.NewTimer(c.patience(w))
	defer timer.Stop()
	for {
		select {
		case a := <-w.answer:
			return a, nil
		case <-ctx.Done():
			return answer{}, context.Cause(ctx)
		case <-c.dead:
			select { // the answer may have come before the end
			case a := <-w.answer:
				return a, nil
			default:
				return answer{}, c.failure(w.op)
			}
		case <-timer.C:
			rest := c.patience(w)
			if rest <= 0 || time.Since(w.sent) > patientIdles*c.idle {
				c.fail(protocols.TimeoutError("read from "+c.addr, c.received.Load() > w.sent.UnixNano()))
				continue
			}
			timer.Reset(rest)
		}
	}
}

// patientIdles is the number of times the limit of silence that a single answer may take while others arrive.
const patientIdles = 5

// do sends a request and waits for its answer.
func (c *channel) do(ctx context.Context, op string, kind byte, values ...any) (answer, error) {
	w, err := c.send(ctx, op, kind, 0, values...)
	if err != nil {
		return answer{}, err
	}
	return c.wait(ctx, w)
}
