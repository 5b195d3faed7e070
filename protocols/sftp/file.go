package sftp

import (
	"context"
	"io"
	"slices"
	"strings"

	"gofer/internal/remotefile"
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
	body := s.newReader(ctx, "read "+clean.Name(r.path), handle, l.done)
	if err := s.begin(ctx, body, handle, r.offset, &head); err != nil {
		return nil, err
	}
	return &protocols.Resource{Head: head, Body: body, Closer: l}, nil
}

// begin requests the first pieces, and the attributes of the open file. The size and the date in head are those that the path had
// before, and may be of another file. They become those of the open file, and the size that of the octets to be read.
func (s *session) begin(ctx context.Context, body *remotefile.Reader, handle string, offset int64, head *protocols.Head) error {
	asked, err := s.send(ctx, body.Op, fxpFstat, 0, handle)
	if err != nil {
		return err
	}
	old := readableSize(head.Size)
	if err := body.Start(ctx, offset, old); err != nil {
		return err
	}
	a, err := s.attrsOf(ctx, asked, body.Op)
	if err != nil && !isRefusal(err) {
		return err
	}
	if err != nil { // only the end of the file tells its size
		a = attrs{}
	}
	head.Size, head.Modified = a.knownSize(), a.date()
	head.Version = protocols.FileVersion(head.Size, head.Modified)
	size := readableSize(head.Size)
	if size != old { // the requested parts may be others
		if err := body.Start(ctx, offset, size); err != nil {
			return err
		}
	}
	if head.Size = size; size >= 0 {
		head.Size = max(0, size-offset)
	}
	return nil
}

// readableSize returns the size of a file of which the server says the size. It is unknown if this is 0, because files in /proc have
// this size.
func readableSize(size int64) int64 {
	if size == 0 {
		return -1
	}
	return size
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

// newReader returns a reader of an open file. It calls done at the end of the file.
func (s *session) newReader(ctx context.Context, op, handle string, done func()) *remotefile.Reader {
	return &remotefile.Reader{
		Op: op, Longest: s.maxRead.Load, Ahead: maxAhead, Done: done,
		Ask: func(offset int64, length int) (remotefile.Answer, error) {
			w, err := s.send(ctx, op, fxpRead, length, handle, uint64(offset), uint32(length))
			return func() ([]byte, error) { return s.receivePart(ctx, op, w) }, err
		},
	}
}

// receivePart returns the octets of a file in the answer of a request.
func (s *session) receivePart(ctx context.Context, op string, w *call) ([]byte, error) {
	a, err := s.wait(ctx, w)
	answer, err := expect(op, a, err, fxpData)
	if statusOf(err) == statusEOF {
		return nil, io.EOF
	}
	if err != nil {
		return nil, err
	}
	data := answer.octets()
	if !answer.end() || len(data) == 0 {
		return nil, &protocols.Error{Reason: protocols.Malformed, Op: op, Err: errMalformed}
	}
	s.progress(ctx, len(data))
	protocols.TranscriptFrom(ctx).Receive(data)
	return data, nil
}
