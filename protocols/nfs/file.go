package nfs

import (
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	"gofer/internal/text/clean"
	"gofer/internal/wire"
	"gofer/protocols"
)

// maxAhead is the number of octets of a file that are requested before the first of them have arrived.
const maxAhead = 1 << 20

// defaultRead is the number of octets that a server surely sends at once.
const defaultRead = 8 << 10

// readFile returns the octets of a file from the Offset of the request on.
func (s *session) readFile(t *target, n node) (*protocols.Resource, error) {
	size := n.attrs.length()
	if size < 0 {
		return nil, protocols.NewError(protocols.Malformed, t.op, "the server tells no possible size of the file")
	}
	head := protocols.Head{URL: t.url, Title: t.url.FileName(), Size: max(0, size-t.want.Offset), Modified: n.attrs.date()}
	head.Media, _ = protocols.BySuffix(head.Title)
	head.Version = protocols.FileVersion(size, head.Modified.Add(time.Duration(n.attrs.nanoseconds)))
	lease := &wire.Lease{Keep: s.release, Drop: s.Drop}
	if head.Unchanged = head.Version != "" && head.Version == t.want.Version; head.Unchanged || t.want.Facts || head.Size == 0 {
		lease.Done()
		return &protocols.Resource{Head: head, Body: strings.NewReader(""), Closer: lease}, nil
	}
	f := &fileReader{s: s, ctx: s.conn.Context(), op: "read " + clean.Name(head.Title), handle: n.handle, next: t.want.Offset, size: size, lease: lease}
	if s.readSize == 0 {
		if err := f.askReadSize(); err != nil {
			return nil, err
		}
	}
	if err := f.request(); err != nil {
		return nil, err
	}
	first, err := f.receive() // it tells whether the file may be read
	if err != nil {
		return nil, err
	}
	f.data = first
	return &protocols.Resource{Head: head, Body: f, Closer: lease}, nil
}

// askReadSize asks how many octets the server sends at once (RFC 1813, section 3.3.19).
func (f *fileReader) askReadSize() error {
	c, err := f.s.sendNFS(f.op, procFsinfo, f.handle)
	if err != nil {
		return err
	}
	d, err := f.s.results(c)
	if isRefusal(err) {
		f.s.readSize = defaultRead
		return nil
	}
	if err != nil {
		return err
	}
	d.optionalAttrs()
	most, preferred := d.uint32(), d.uint32()
	if d.bad {
		return malformed(f.op)
	}
	f.s.readSize = max(512, min(cmp.Or(max(most, preferred), defaultRead), maxRead))
	return nil
}

// fileReader reads a file. It requests pieces ahead, and more at once as long as they are read.
type fileReader struct {
	s      *session
	ctx    context.Context
	op     string
	handle string
	lease  *wire.Lease
	next   int64 // the offset of the next request
	size   int64
	pieces []piece // in flight, in the order of the file
	ahead  int     // the pieces to have in flight
	data   []byte  // received and not yet read
	err    error
}

// piece is a requested part of a file.
type piece struct {
	call   *call
	offset int64
	length int
}

func (f *fileReader) Read(p []byte) (int, error) {
	for len(f.data) == 0 && f.err == nil {
		f.data, f.err = f.receive()
	}
	if len(f.data) == 0 {
		return 0, f.err
	}
	n := copy(p, f.data)
	f.data = f.data[n:]
	return n, nil
}

// request sends requests for the next pieces.
func (f *fileReader) request() error {
	longest := int64(f.s.readSize)
	f.ahead = min(f.ahead+2, max(2, int(maxAhead/longest)))
	for len(f.pieces) < f.ahead && f.next < f.size {
		p, err := f.ask(f.next, int(min(longest, f.size-f.next)))
		if err != nil {
			return err
		}
		f.pieces = append(f.pieces, p)
		f.next += int64(p.length)
	}
	return nil
}

func (f *fileReader) ask(offset int64, length int) (piece, error) {
	c, err := f.s.sendNFS(f.op, procRead, f.handle, uint64(offset), uint32(length))
	return piece{c, offset, length}, err
}

// receive returns the octets of the next piece. At the end of the file the error is io.EOF.
func (f *fileReader) receive() ([]byte, error) {
	if f.ctx.Err() != nil {
		return nil, context.Cause(f.ctx)
	}
	if err := f.request(); err != nil {
		return nil, err
	}
	if len(f.pieces) == 0 {
		f.lease.Done()
		return nil, io.EOF
	}
	first := f.pieces[0]
	d, err := f.s.results(first.call)
	if err != nil {
		return nil, err
	}
	d.optionalAttrs()
	count, ended := d.uint32(), d.bool()
	data := d.octets(first.length)
	switch {
	case !d.end() || int(count) != len(data) || len(data) == 0 && !ended:
		f.s.failed = true
		return nil, malformed(f.op)
	case ended && first.offset+int64(len(data)) < f.size:
		return nil, protocols.NewError(protocols.Broken, f.op, "the file has become shorter while it was read")
	}
	f.pieces = f.pieces[1:]
	if rest := first.length - len(data); rest > 0 { // a server may send less than requested
		p, err := f.ask(first.offset+int64(len(data)), rest)
		if err != nil {
			return nil, err
		}
		f.pieces = append([]piece{p}, f.pieces...)
	}
	return data, nil
}
