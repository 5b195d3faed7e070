package sftp

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
)

// session is a connection with a login, which all fetches of this login share.
type session struct {
	*channel
	client   *Client
	key      wire.Key
	security protocols.Security
	posix    bool // the server has posix-rename
	statVFS  bool
	lsetstat bool          // the server can change a link itself, and follows none
	personal bool          // a login was necessary
	notes    []string      // for the user
	quick    time.Duration // the limit for the first answer after the connection was idle
	maxRead  atomic.Int64  // octets of a read
	maxWrite atomic.Int64  // octets of a write

	users int         // guarded by Client.mu
	timer *time.Timer // ends the idle session; guarded by Client.mu
}

// newSession begins the protocol over a connection (section 4).
func newSession(ctx context.Context, addr string, d wire.Dialer, r io.Reader, w io.Writer, end func()) (*session, error) {
	const op = "begin the file transfer protocol"
	s := new(session)
	s.maxRead.Store(plainLength)
	s.maxWrite.Store(plainLength)
	version := appendValues([]byte{0, 0, 0, 5, fxpInit}, uint32(3))
	_, _ = w.Write(version) // what the server has said before it closed the connection is more telling than an error
	kind, body, err := readPacket(r)
	switch {
	case isCut(err):
		return nil, protocols.NewError(protocols.Broken, op, "the server closed the connection")
	case err != nil || kind != fxpVersion:
		return nil, protocols.NewError(protocols.Malformed, op, "the server may have no SFTP, or a start-up file of the shell there prints text")
	}
	d2 := decoder{b: body}
	if v := d2.uint32(); v != 3 { // another version has other packets
		return nil, protocols.NewError(protocols.NotSupported, op, fmt.Sprintf("the server has version %d of the protocol, and gofer has version 3", v))
	}
	limits := false
	for len(d2.b) > 0 && !d2.bad {
		switch name, _ := d2.string(), d2.octets(); name {
		case extPosixRename:
			s.posix = true
		case extStatVFS:
			s.statVFS = true
		case extLsetstat:
			s.lsetstat = true
		case extLimits:
			limits = true
		}
	}
	firstByte, idle := d.Silence()
	s.channel = newChannel(addr, firstByte, idle, r, w, end)
	record(ctx, addr, false, fmt.Sprintf("VERSION %d", 3))
	if limits {
		go s.learnLimits() // until its answer arrives, the lengths that every server accepts are used
	}
	return s, nil
}

// learnLimits asks for the lengths of reads and writes (limits@openssh.com).
func (s *session) learnLimits() {
	a, err := s.do(context.Background(), "ask for the limits of the server", fxpExtended, extLimits)
	d, err := expect("", a, err, fxpExtendedReply)
	if err != nil {
		return
	}
	d.uint64() // the length of a packet
	read, write := d.uint64(), d.uint64()
	if !d.bad {
		s.maxRead.Store(int64(min(max(read, plainLength), maxPacket-1024)))
		s.maxWrite.Store(int64(min(max(write, plainLength), maxPacket-1024)))
	}
}

// record adds a line to the transcript of a fetch.
func record(ctx context.Context, addr string, sent bool, text string) {
	if t := protocols.TranscriptFrom(ctx); t != nil {
		t.Add(protocols.TranscriptLine{At: time.Now(), Peer: addr, Sent: sent, Text: text[:min(len(text), protocols.MaxTranscriptLine)]})
	}
}

// ask sends a request about a path for the operation op, and records it.
func (s *session) ask(ctx context.Context, op, verb string, kind byte, path string, values ...any) (*call, error) {
	record(ctx, s.key.Addr, true, verb+" "+path)
	if kind == fxpExtended {
		return s.send(ctx, op, kind, 0, append([]any{strings.ToLower(verb) + "@openssh.com", path}, values...)...)
	}
	return s.send(ctx, op, kind, 0, append([]any{path}, values...)...)
}

// wait waits for the answer of a request. A message of the server has no passwords.
func (s *session) wait(ctx context.Context, w *call) (answer, error) {
	a, err := s.channel.wait(ctx, w)
	if err != nil || a.kind != fxpStatus {
		return a, err
	}
	d := decoder{b: a.body}
	code := d.uint32()
	if text := d.string(); !d.bad && code > statusEOF {
		a.body = appendValues(nil, code, s.client.rememberedLogins().Mask(s.key.Addr, text))
	}
	return a, nil
}

// reply waits for the answer of a request and checks its type.
func (s *session) reply(ctx context.Context, w *call, op string, kind byte) (*decoder, error) {
	a, err := s.wait(ctx, w)
	d, err := expect(cmp.Or(op, w.op), a, err, kind)
	if e := statusOf(err); e != 0 {
		record(ctx, s.key.Addr, false, err.Error())
	}
	return d, err
}

// done waits for the answer of a request that has no result.
func (s *session) done(ctx context.Context, w *call, op string) error {
	a, err := s.wait(ctx, w)
	if err == nil {
		if err = statusError(cmp.Or(op, w.op), a); err != nil {
			record(ctx, s.key.Addr, false, err.Error())
		}
	}
	return err
}

// change sends a request that has no result, and waits until the server has done it.
func (s *session) change(ctx context.Context, op, verb string, kind byte, path string, values ...any) error {
	w, err := s.ask(ctx, op, verb, kind, path, values...)
	if err != nil {
		return err
	}
	return s.done(ctx, w, op)
}

// stat returns the attributes of an item. The parameter kind is fxpStat, or fxpLstat for a link itself.
func (s *session) stat(ctx context.Context, op string, kind byte, path string) (attrs, error) {
	w, err := s.ask(ctx, op, verbOfStat(kind), kind, path)
	if err != nil {
		return attrs{}, err
	}
	return s.attrsOf(ctx, w, op)
}

func verbOfStat(kind byte) string {
	if kind == fxpLstat {
		return "LSTAT"
	}
	return "STAT"
}

// attrsOf returns the attributes in the answer of a request.
func (s *session) attrsOf(ctx context.Context, w *call, op string) (attrs, error) {
	d, err := s.reply(ctx, w, op, fxpAttrs)
	if err != nil {
		return attrs{}, err
	}
	a := d.attrs()
	if !d.end() {
		return attrs{}, &protocols.Error{Reason: protocols.Malformed, Op: op, Err: errMalformed}
	}
	return a, nil
}

// handleOf returns the handle in the answer of a request to open an item.
func (s *session) handleOf(ctx context.Context, w *call, op string) (string, error) {
	d, err := s.reply(ctx, w, op, fxpHandle)
	if err != nil {
		if ctx.Err() != nil {
			go s.closeLate(w)
		}
		return "", err
	}
	h := d.string()
	if !d.end() || len(h) > 256 {
		return "", &protocols.Error{Reason: protocols.Malformed, Op: op, Err: errMalformed}
	}
	return h, nil
}

// nameOf returns the single name in the answer of a request, such as the target of a link.
func (s *session) nameOf(ctx context.Context, w *call, op string) (string, error) {
	d, err := s.reply(ctx, w, op, fxpName)
	if err != nil {
		return "", err
	}
	n, name := d.uint32(), d.string()
	d.octets()
	d.attrs()
	if !d.end() || n != 1 || len(name) > protocols.MaxFileName {
		return "", &protocols.Error{Reason: protocols.Malformed, Op: op, Err: errMalformed}
	}
	return name, nil
}

// closeLate closes the item that the server opens after its fetch was canceled.
func (s *session) closeLate(w *call) {
	if h, err := s.handleOf(context.Background(), w, ""); err == nil {
		s.closeHandle(h)
	}
}

// closeHandle closes an open file or directory without waiting for the answer.
func (s *session) closeHandle(handle string) {
	go func() { // ends with the connection, or when the server takes the request
		_, _ = s.send(context.Background(), "close", fxpClose, 0, handle)
	}()
}

// probe sends a request that any server answers at once, and gives up the connection if no answer comes soon: an idle connection
// may be lost without notice, while the machine sleeps or in a router.
func (s *session) probe() {
	ctx, cancel := context.WithTimeout(context.Background(), s.quick)
	defer cancel()
	w, err := s.send(ctx, "", fxpRealpath, 0, ".")
	if err == nil {
		_, err = s.wait(ctx, w)
	}
	if err != nil && ctx.Err() != nil && time.Since(time.Unix(0, s.received.Load())) > s.quick {
		s.fail(protocols.NewError(protocols.Broken, "", "the idle connection is dead"))
	}
}

// freeSpace returns the octets that the user may still store, and the size of the file system (statvfs@openssh.com).
func freeSpace(d *decoder) (free, size uint64, ok bool) {
	d.uint64()
	unit, blocks := d.uint64(), d.uint64()
	d.uint64()
	available := d.uint64()
	if d.bad || unit == 0 || blocks > 1<<63/unit || available > blocks {
		return 0, 0, false
	}
	return available * unit, blocks * unit, true
}
