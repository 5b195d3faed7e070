package across

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"gofer/internal/transfer"
	"gofer/protocols"
)

// source is the document of an entry. It is fetched while a Putter reads it, and from another offset on after a Seek, so that the
// Putter can continue a part at the target.
type source struct {
	c        *Copy
	ctx      context.Context
	e        *entry
	up       *protocols.Upload
	isAside  bool      // it does not have the name of the file that it replaces yet
	size     int64     // of the document, -1 if unknown
	modified time.Time // of the document, zero if unknown
	next     int64     // offset of the next octet that Read returns
	fetch    *fetch    // or nil
	err      error     // of a fetch that has failed
}

// fetch is a document that arrives.
type fetch struct {
	body  *io.PipeReader
	next  int64 // offset of the next octet of body
	ended chan struct{}
	err   error // set when ended is closed
}

// errStopped ends the fetch of a file that is not read to its end.
var errStopped = errors.New("the file was not read to its end")

// open begins to fetch the document from offset on, and waits for the answer. The first answer tells the size and date of the
// document; the error is errChanged if a later one does not fit them.
func (s *source) open(offset int64) error {
	r, w := io.Pipe()
	f := &fetch{body: r, next: offset, ended: make(chan struct{})}
	heads := make(chan protocols.Head, 1)
	var fetcher protocols.Fetcher = s.c.Server
	if offset > 0 {
		resumer, ok := s.c.Server.(protocols.Resumer)
		if !ok {
			return protocols.NewError(protocols.Unsupported, "fetch the rest of a file", "the source cannot send it")
		}
		fetcher = transfer.Rest{Resumer: resumer}
	}
	req := s.request(offset)
	go func() {
		_, f.err = transfer.Save(s.ctx, fetcher, req, w, func(h protocols.Head) error { heads <- h; return nil })
		_ = w.CloseWithError(f.err) // nil is the end of the file
		close(f.ended)
	}()
	s.fetch = f
	head, err := firstHead(heads, f.ended, &f.err)
	if err != nil {
		s.err = err
		return err
	}
	return s.check(head, offset)
}

// firstHead waits for the head of an answer. The error *err is set when ended is closed. A short document may end at once.
func firstHead(heads <-chan protocols.Head, ended <-chan struct{}, err *error) (head protocols.Head, _ error) {
	select {
	case head = <-heads:
		return head, nil
	case <-ended:
	}
	select {
	case head = <-heads:
		return head, nil
	default:
		return head, cmp.Or(*err, errNoAnswer)
	}
}

var errNoAnswer = errors.New("the source has sent nothing")

func (s *source) request(offset int64) protocols.Request {
	req := protocols.Request{URL: s.e.line.Link, Fresh: true, Modified: true, Offset: offset}
	if n, ok := s.e.line.Note.(*protocols.FileNote); ok && offset == 0 && !isLink(&s.e.line) {
		req.Known = &protocols.FileFacts{Size: n.ExactSize()}
		if !n.DateOnly && !n.Local && n.Modified.Second() != 0 {
			req.Known.Modified = n.Modified
		}
	}
	return req
}

// check compares the head of an answer with the first one.
func (s *source) check(head protocols.Head, offset int64) error {
	if n, ok := s.e.line.Note.(*protocols.FileNote); ok && head.Modified.IsZero() && !n.DateOnly && !n.Local && !isLink(&s.e.line) {
		head.Modified = n.Modified
	}
	switch {
	case head.Size >= 0:
		head.Size += offset
	case offset == 0:
		head.Size = sizeOf(&s.e.line) // an answer that ends early is not the whole file
	}
	switch {
	case s.e.begun == nil && offset == 0, s.e.begun != nil && s.e.begun.fresh:
		s.size, s.modified = head.Size, head.Modified
		return nil
	case head.Size >= 0 && s.size >= 0 && head.Size != s.size, !head.Modified.IsZero() && !s.modified.IsZero() && !head.Modified.Equal(s.modified):
		s.err = errChanged
		return errChanged
	}
	return nil
}

// part describes what the target has of the document after sent octets of it.
func (s *source) part(sent int64) *part {
	p := &part{path: s.e.path, url: s.up.Part, sent: sent, size: s.size, modified: s.modified, replaces: s.e.there != nil, ours: true}
	if earlier := s.e.begun; earlier != nil {
		p.before, p.replaces, p.ours = earlier.before, earlier.replaces, earlier.ours || sent > 0
	} else if s.e.there != nil && !s.isAside {
		p.before = max(sizeOf(s.e.there), 0)
	}
	return p
}

// Read reads the document at the rate of the queue. Before it returns the first octets, the queue knows the part at the target.
func (s *source) Read(p []byte) (n int, err error) {
	if err := s.position(); err != nil {
		return 0, err
	}
	if s.up.Part != nil && (s.e.begun == nil || s.e.begun.url != s.up.Part) {
		s.c.setPart(s.e, s.part(0))
	}
	if s.c.work != nil {
		n, err = s.c.work.Read(s.ctx, s.fetch.body, p)
	} else {
		n, err = s.fetch.body.Read(p)
	}
	s.fetch.next += int64(n)
	s.moveTo(s.next + int64(n))
	return n, err
}

// maxSkip is the number of octets that are fetched and dropped rather than asking for the rest of the document from another offset on.
const maxSkip = 256 << 10

// position makes the next octet of the fetch the one that Read returns.
func (s *source) position() error {
	if f := s.fetch; f != nil && s.next >= f.next && s.next-f.next <= maxSkip {
		n, err := io.CopyN(io.Discard, f.body, s.next-f.next)
		f.next += n
		return err
	}
	if s.size >= 0 && s.next >= s.size {
		return io.EOF
	}
	_ = s.close()
	s.err = nil
	return s.open(s.next)
}

// Seek implements [io.Seeker]. The next Read begins at the new offset.
func (s *source) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekCurrent {
		offset += s.next
	}
	if whence == io.SeekEnd || offset < 0 {
		return 0, fmt.Errorf("seek to %d from %d: %w", offset, whence, errors.ErrUnsupported)
	}
	s.moveTo(offset)
	return offset, nil
}

func (s *source) moveTo(offset int64) {
	s.next = offset
	s.c.update(func(p *Progress) { p.Octets = s.c.octets + offset })
}

// close ends the fetch, and returns its error. The error is errStopped if the document was not read to its end.
func (s *source) close() error {
	if f := s.fetch; f != nil {
		_ = f.body.CloseWithError(errStopped)
		<-f.ended
		s.fetch = nil
		if s.err == nil || errors.Is(s.err, errStopped) {
			s.err = f.err
		}
	}
	return s.err
}
