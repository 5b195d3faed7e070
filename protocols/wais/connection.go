package wais

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"gofer/internal/wire"
	"gofer/protocols"
)

// The limits of a connection.
const (
	maxMessage    = 1 << 20 // octets of an answer
	readAhead     = 64 << 10
	maxChunk      = 90_000 // octets of the largest part of a document in an answer
	minChunk      = 10_000 // octets of a part that every server supports
	chunkOverhead = 10_000 // octets of an answer in addition to the part of the document
)

// session is a connection to a server after the InitRequest.
type session struct {
	client            *Client
	addr              string
	conn              *wire.Conn
	in                *bufio.Reader
	chunk             int  // octets of a document that fit in one answer
	continuesDocument bool // the next answer continues a document
	failed            bool // the last request failed
	buf               []byte
}

// Bind makes ctx the context of the session. It returns false if the connection is unusable or the
// server has sent octets after the last answer.
func (s *session) Bind(ctx context.Context) bool {
	s.continuesDocument = false
	s.conn.RequireQuickReply()
	return s.in.Buffered() == 0 && s.conn.Rebind(ctx)
}

// Quit closes the session without a command, because WAIS has no command for this.
func (s *session) Quit() { _ = s.conn.Close() }

func (s *session) Drop() { _ = s.conn.Close() }

// keep returns the connection to the pool. After a failed request it closes the connection.
func (s *session) keep() {
	if s.failed {
		s.Drop()
		return
	}
	s.client.idle.Put(s.key(), s, 0)
}

// lease returns a lease of s for one Resource.
func (s *session) lease() *wire.Lease { return &wire.Lease{Keep: s.keep, Drop: s.Drop} }

func (s *session) key() wire.Key { return wire.Key{Scheme: "wais", Addr: s.addr} }

// start sends the request that the function request returns, and returns the answer. It uses the
// idle connection if there is one that works, and otherwise opens a new connection.
func (c *Client) start(ctx context.Context, addr string, request func(*session) string) (s *session, reply []byte, err error) {
	key := wire.Key{Scheme: "wais", Addr: addr}
	open := func() (*session, error) { return c.connect(ctx, addr) }
	err = c.idle.Do(ctx, key, open, func(ses *session) (err error) {
		s = ses
		if reply, err = s.ask(request(s)); err != nil {
			s.Drop()
		}
		return err
	}, nil)
	return s, reply, err
}

// connect opens a connection and asks the server how large answers may be.
func (c *Client) connect(ctx context.Context, addr string) (*session, error) {
	conn, err := c.Dialer.Dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	s := &session{client: c, addr: addr, conn: conn, in: bufio.NewReaderSize(conn, readAhead)}
	if err := s.greet(); err != nil {
		s.Drop()
		return nil, err
	}
	return s, nil
}

func (s *session) greet() error {
	reply, err := s.ask(initRequest())
	if err != nil {
		return err
	}
	accepted, size, err := readInit(reply)
	switch {
	case err != nil:
		return err
	case !accepted:
		return &protocols.Error{Reason: protocols.Denied, Op: "open a session with " + s.addr, Err: errors.New("the server does not accept this client")}
	}
	s.chunk = chunkFor(size)
	return nil
}

// chunkFor returns how many octets of a document to request at once. The parameter size is the
// largest answer of the server in octets, or 0 if unknown.
func chunkFor(size int64) int {
	switch {
	case size <= 0:
		return minChunk
	case size < 2*chunkOverhead:
		return max(int(size)/2, 1)
	}
	return int(min(size-chunkOverhead, maxChunk))
}

// ask sends a request and returns the APDU of the answer. The APDU is valid until the next call.
func (s *session) ask(request string) (reply []byte, err error) {
	defer func() { s.failed = err != nil }()
	if ctx := s.conn.Context(); ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if _, err := io.WriteString(s.conn, request); err != nil {
		return nil, err
	}
	if s.continuesDocument { // the phase of the progress stays Receiving between two chunks
		firstByte, _ := s.client.Dialer.Silence()
		protocols.ProgressFrom(s.conn.Context()).AddReceived(0, firstByte)
	}
	reply, err = readMessage(s.in, s.buf)
	s.buf = reply
	return reply, err
}

// The errors for messages that are not WAIS.
var (
	errZ3950  = errors.New("this is a Z39.50 server of version 2 or 3 (ISO 23950), not a WAIS server: a z39.50s: URL opens it")
	errHeader = errors.New("it has no WAIS header")
	errCoded  = errors.New("it is compressed or encoded, which was not requested")
	errNAK    = errors.New("the server refused the request (NAK)")
)

// readMessage reads a WAIS header and returns the APDU after it. It uses buf for the APDU if buf is
// large enough.
func readMessage(r *bufio.Reader, buf []byte) ([]byte, error) {
	h, err := r.Peek(1)
	switch {
	case err != nil:
		return nil, wire.Ended(err, false, "a Z39.50 server without WAIS, which a z39.50s: URL opens")
	case h[0] >= 0xa0 && h[0] < 0xc0: // a constructed context tag of BER
		return nil, malformedError(errZ3950)
	case h[0] < '0' || h[0] > '9':
		return nil, malformedError(errHeader)
	}
	var header [headerSize]byte
	if err := readFull(r, header[:]); err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(string(header[:10]), 10, 64)
	switch {
	case err != nil || header[11] != '2':
		return nil, malformedError(errHeader)
	case header[10] == 'n' || header[10] == 'N':
		return nil, malformedError(errNAK)
	case header[10] != 'z' && header[10] != 'Z':
		return nil, malformedError(errHeader)
	case header[22] != ' ' || header[23] != ' ':
		return nil, malformedError(errCoded)
	case n > maxMessage:
		return nil, &protocols.Error{Reason: protocols.TooBig, Op: "read the answer", Err: fmt.Errorf("it has %d octets, more than the limit of %d", n, maxMessage)}
	}
	b := slices.Grow(buf[:0], int(n))[:n]
	return b, readFull(r, b)
}

func readFull(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	return wire.Ended(err, true, "")
}
