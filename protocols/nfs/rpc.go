package nfs

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"gofer/internal/wire"
	"gofer/protocols"
)

// Bounds of a reply.
const (
	maxRead      = 128 << 10       // octets of a file that are requested at once
	maxRecord    = maxRead + 1<<10 // octets of a reply
	maxFragments = 64              // of the record that a reply is
	maxVerifier  = 400             // octets (RFC 5531, section 8.2)
)

// readBuffer is the size of the buffer of a connection, in octets.
const readBuffer = 16 << 10

// program is a program of a server with its version.
type program struct {
	number, version uint32
	name            string
}

var (
	programPortmap = program{100000, 2, "the portmapper"}
	programNFS     = program{100003, 3, "NFS version 3"}
	programMount   = program{100005, 3, "MOUNT version 3"}
)

// session is a connection to a server, with what is known of its exports. Requests are sent without waiting for earlier replies,
// which may come in any order.
type session struct {
	conn        *wire.Conn
	in          *bufio.Reader
	keep        func(*session) // gives the session back after the last reply
	addr        string
	credentials string // AUTH_SYS parameters
	xid         uint32
	waiting     map[uint32]*call
	failed      error   // why no more replies can be read
	rounds      *rounds // while functions ask together

	tree     tree
	readSize uint32 // octets that the server sends at once; 0 if unknown
}

// call is a request and its reply.
type call struct {
	op      string // for errors
	program program
	reply   []byte // nil until it has arrived
}

func newSession(conn *wire.Conn, addr, credentials string) *session {
	conn.RecordOctets()
	return &session{
		conn: conn, in: bufio.NewReaderSize(conn, readBuffer), addr: addr, credentials: credentials, xid: rand.Uint32(), waiting: map[uint32]*call{},
	}
}

// Bind makes ctx the context of the session. It returns false if the session is unusable, as after octets that were not asked for.
func (s *session) Bind(ctx context.Context) bool {
	s.conn.RequireQuickReply()
	return s.failed == nil && len(s.waiting) == 0 && s.in.Buffered() == 0 && s.conn.Rebind(ctx)
}

func (s *session) Quit() { _ = s.conn.Close() }

func (s *session) Drop() { _ = s.conn.Close() }

// release gives the session back, or closes it if replies are missing.
func (s *session) release() {
	if s.failed != nil || len(s.waiting) > 0 || s.keep == nil {
		s.Drop()
		return
	}
	s.keep(s)
}

// send sends a request (RFC 5531, section 9) as a record of one fragment (section 11).
func (s *session) send(op string, p program, procedure uint32, args ...any) (*call, error) {
	if ctx := s.conn.Context(); ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.xid++
	flavor, credentials := uint32(authSys), s.credentials
	if p == programPortmap {
		flavor, credentials = authNone, ""
	}
	const isCall, rpcVersion = uint32(0), uint32(2)
	b := appendXDR(make([]byte, 4, 256), s.xid, isCall, rpcVersion, p.number, p.version, procedure, flavor, credentials, uint32(authNone), "")
	b = appendXDR(b, args...)
	binary.BigEndian.PutUint32(b, 1<<31|uint32(len(b)-4))
	if _, err := s.conn.Write(b); err != nil {
		s.failed = err
		return nil, err
	}
	c := &call{op: op, program: p}
	s.waiting[s.xid] = c
	return c, nil
}

// The flavors of credentials (RFC 5531, section 8.2).
const (
	authNone = 0
	authSys  = 1
)

// wait returns the results in the reply to c.
func (s *session) wait(c *call) (*decoder, error) {
	for c.reply == nil {
		if s.failed == nil {
			s.failed = s.receive()
		}
		if s.failed != nil {
			return nil, s.failed
		}
	}
	d := &decoder{b: c.reply}
	err := readReply(d, c)
	return d, err
}

// ask sends a request and returns the results in its reply.
func (s *session) ask(op string, p program, procedure uint32, args ...any) (*decoder, error) {
	c, err := s.send(op, p, procedure, args...)
	if err != nil {
		return nil, err
	}
	return s.wait(c)
}

// receive receives the next reply.
func (s *session) receive() error {
	record, err := s.readRecord()
	if err != nil {
		return err
	}
	d := &decoder{b: record}
	xid, isReply := d.uint32(), d.uint32() == 1
	c := s.waiting[xid]
	if d.bad || !isReply || c == nil {
		return protocols.NewError(protocols.Malformed, "read from "+s.addr, "the server sent a reply that was not asked for")
	}
	delete(s.waiting, xid)
	c.reply = d.b
	return nil
}

// readRecord reads the fragments of a record (RFC 5531, section 11).
func (s *session) readRecord() (record []byte, err error) {
	for range maxFragments {
		var header [4]byte
		if _, err := io.ReadFull(s.in, header[:]); err != nil {
			return nil, wire.Ended(err, len(record) > 0, "no NFS server")
		}
		mark := binary.BigEndian.Uint32(header[:])
		n := int(mark &^ (1 << 31))
		if n > maxRecord-len(record) {
			return nil, protocols.NewError(protocols.Malformed, "read from "+s.addr, fmt.Sprintf("a reply has more than %d octets: this may be no NFS server", maxRecord))
		}
		begin := len(record)
		record = slices.Grow(record, n)[:begin+n]
		if _, err := io.ReadFull(s.in, record[begin:]); err != nil {
			return nil, wire.Ended(err, true, "")
		}
		if mark>>31 == 1 {
			return record, nil
		}
	}
	return nil, protocols.NewError(protocols.Malformed, "read from "+s.addr, fmt.Sprintf("a reply has more than %d fragments", maxFragments))
}

// readReply reads the part of a reply before the results (RFC 5531, section 9).
func readReply(d *decoder, c *call) error {
	denied := d.uint32()
	f := failure{layer: layerAccept, program: c.program.name}
	switch denied {
	case 0:
		d.uint32()
		d.octets(maxVerifier)
		f.code = d.uint32()
	case 1:
		f.layer, f.code = layerVersion, d.uint32()
		if f.code == 1 {
			f.layer, f.code = layerAuth, d.uint32()
		}
	}
	switch {
	case d.bad || denied > 1:
		return malformed(c.op)
	case f.layer != layerAccept || f.code != 0:
		return f.toError(c.op)
	}
	return nil
}

func malformed(op string) error {
	return protocols.NewError(protocols.Malformed, op, "a reply of the server is malformed")
}
