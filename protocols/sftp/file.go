package sftp

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"gofer/internal/text/clean"
	"gofer/protocols"
)

// maxAhead bounds the octets of a file that are requested and not yet read.
const maxAhead = 4 << 20

// fetchItem begins to fetch a file, or to list a directory if the URL leads to one.
func (s *session) fetchItem(ctx context.Context, r *request, l *lease) (*protocols.Resource, error) {
	op := "open " + clean.Name(r.path)
	asked, err := s.ask(ctx, op, "STAT", fxpStat, r.path)
	if err != nil {
		return nil, err
	}
	var opened *call // a file that the caller knows is opened at once; another item may be a pipe, which blocks the server
	if k := r.want.Known; k != nil && k.Size >= 0 && !r.want.Facts && r.want.Version == "" {
		if opened, err = s.askOpen(ctx, op, r.path); err != nil {
			return nil, err
		}
	}
	a, err := s.attrsOf(ctx, asked, op)
	if err == nil && a.isDir() && r.offset == 0 && r.url.Type == 0 {
		s.closeUnused(ctx, opened)
		return s.listDirectory(ctx, r, l)
	}
	head := protocols.Head{URL: r.url, Title: r.url.FileName(), Size: -1, Security: s.security, Personal: s.personal, Notes: slices.Clone(s.notes)}
	head.Media, _ = protocols.BySuffix(head.Title)
	switch kind := a.kind(); {
	case err != nil:
	case kind != typeRegular && kind != 0:
		err = protocols.NewError(protocols.Unsupported, op, "it is neither a file nor a directory")
		if a.isDir() {
			err = protocols.NewError(protocols.NotFound, op, "it is a directory")
		}
	default:
		head.Size, head.Modified = a.knownSize(), a.date()
		head.Version = protocols.FileVersion(head.Size, head.Modified)
	}
	if err != nil {
		s.closeUnused(ctx, opened)
		return nil, err
	}
	if head.Unchanged = head.Version != "" && head.Version == r.want.Version; head.Unchanged || r.want.Facts {
		l.done()
		return &protocols.Resource{Head: head, Body: strings.NewReader(""), Closer: l}, nil
	}
	if opened == nil {
		if opened, err = s.askOpen(ctx, op, r.path); err != nil {
			return nil, err
		}
	}
	handle, err := s.handleOf(ctx, opened, op)
	if err != nil {
		return nil, err
	}
	l.onEnd(func() { s.closeHandle(handle) })
	body := &fileReader{s: s, ctx: ctx, op: "read " + clean.Name(r.path), handle: handle, next: r.offset, lease: l}
	if err := body.begin(&head); err != nil {
		return nil, err
	}
	return &protocols.Resource{Head: head, Body: body, Closer: l}, nil
}

// begin requests the first pieces, and the attributes of the open file. The size and the date in head are those that the path had
// before, and may be of another file. They become those of the open file, and the size that of the octets to be read.
func (f *fileReader) begin(head *protocols.Head) error {
	asked, err := f.s.send(f.ctx, f.op, fxpFstat, 0, f.handle)
	if err != nil {
		return err
	}
	begin := f.next
	f.setSize(head.Size)
	if err := f.request(); err != nil {
		return err
	}
	a, err := f.s.attrsOf(f.ctx, asked, f.op)
	if err != nil && !isRefusal(err) {
		return err
	}
	if err != nil { // only the end of the file tells its size
		a = attrs{}
	}
	head.Size, head.Modified = a.knownSize(), a.date()
	head.Version = protocols.FileVersion(head.Size, head.Modified)
	if old := f.size; f.setSize(head.Size) != old { // the requested pieces may be others
		f.pieces, f.next = nil, begin
		if err := f.request(); err != nil {
			return err
		}
	}
	if head.Size = f.size; f.size >= 0 {
		head.Size = max(0, f.size-begin)
	}
	return nil
}

// setSize sets and returns the size of the file, which is unknown if the parameter is 0, because files in /proc have this size.
func (f *fileReader) setSize(size int64) int64 {
	if f.size = size; size == 0 {
		f.size = -1
	}
	return f.size
}

func (s *session) askOpen(ctx context.Context, op, path string) (*call, error) {
	return s.ask(ctx, op, "OPEN", fxpOpen, path, uint32(openRead), attrs{})
}

// closeUnused closes a file that was opened before it was known that it is not read. The parameter opened may be nil.
func (s *session) closeUnused(ctx context.Context, opened *call) {
	if opened == nil {
		return
	}
	if handle, err := s.handleOf(ctx, opened, ""); err == nil {
		s.closeHandle(handle)
	}
}

// fileReader reads an open file. It requests pieces ahead, and more at once as long as they are read.
type fileReader struct {
	s      *session
	ctx    context.Context
	op     string
	handle string
	lease  *lease
	next   int64   // the offset of the next request
	size   int64   // the size of the file, or -1 to read to its end
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
		f.err = f.receive()
	}
	if len(f.data) == 0 {
		return 0, f.err
	}
	n := copy(p, f.data)
	f.data = f.data[n:]
	return n, nil
}

// WriteTo implements [io.WriterTo], so that a copy needs no buffer of its own.
func (f *fileReader) WriteTo(w io.Writer) (written int64, err error) {
	for {
		for len(f.data) == 0 && f.err == nil {
			f.err = f.receive()
		}
		if len(f.data) == 0 {
			if errors.Is(f.err, io.EOF) {
				return written, nil
			}
			return written, f.err
		}
		n, err := w.Write(f.data)
		written += int64(n)
		if f.data = f.data[n:]; err != nil {
			return written, err
		}
	}
}

// request sends requests for the next pieces.
func (f *fileReader) request() error {
	longest := f.s.maxRead.Load()
	most := max(2, int(maxAhead/longest))
	if f.ahead = min(f.ahead+2, most); f.size < 0 {
		f.ahead = min(f.ahead, 4)
	}
	for len(f.pieces) < f.ahead && (f.size < 0 || f.next < f.size) {
		length := longest
		if f.size >= 0 {
			length = min(length, f.size-f.next)
		}
		p, err := f.ask(f.next, int(length))
		if err != nil {
			return err
		}
		f.pieces = append(f.pieces, p)
		f.next += length
	}
	return nil
}

func (f *fileReader) ask(offset int64, length int) (piece, error) {
	w, err := f.s.send(f.ctx, f.op, fxpRead, length, f.handle, uint64(offset), uint32(length))
	return piece{w, offset, length}, err
}

// receive receives the next piece. At the end of the file the error is io.EOF.
func (f *fileReader) receive() error {
	if f.ctx.Err() != nil {
		return context.Cause(f.ctx)
	}
	if err := f.request(); err != nil {
		return err
	}
	if len(f.pieces) == 0 {
		f.lease.done()
		return io.EOF
	}
	first := f.pieces[0]
	a, err := f.s.wait(f.ctx, first.call)
	answer, err := expect(f.op, a, err, fxpData)
	switch {
	case statusOf(err) == statusEOF && f.size >= 0:
		return protocols.NewError(protocols.Broken, f.op, "the file has become shorter while it was read")
	case statusOf(err) == statusEOF:
		f.lease.done()
		return io.EOF
	case err != nil:
		return err
	}
	data := answer.octets()
	if !answer.end() || len(data) == 0 {
		return &protocols.Error{Reason: protocols.Malformed, Op: f.op, Err: errMalformed}
	}
	f.pieces = f.pieces[1:]
	if rest := first.length - len(data); rest > 0 { // a server may send less than requested
		p, err := f.ask(first.offset+int64(len(data)), rest)
		if err != nil {
			return err
		}
		f.pieces = append([]piece{p}, f.pieces...)
	}
	f.s.progress(f.ctx, len(data))
	protocols.TranscriptFrom(f.ctx).Receive(data)
	f.data = data
	return nil
}
