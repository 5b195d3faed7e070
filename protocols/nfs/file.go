package nfs

import (
	"cmp"
	"io"
	"strings"
	"time"

	"gofer/internal/remotefile"
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
	op := "read " + clean.Name(head.Title)
	if s.readSize == 0 {
		if err := s.askReadSize(op, n.handle); err != nil {
			return nil, err
		}
	}
	body := &remotefile.Reader{
		Op: op, Longest: func() int64 { return int64(s.readSize) }, Ahead: maxAhead, Done: lease.Done,
		Ask: func(offset int64, length int) (remotefile.Answer, error) {
			return s.askPart(op, n.handle, offset, length)
		},
	}
	if err := body.Start(s.conn.Context(), t.want.Offset, size); err != nil {
		return nil, err
	}
	if err := body.Wait(); err != nil { // it tells whether the file may be read
		return nil, err
	}
	return &protocols.Resource{Head: head, Body: body, Closer: lease}, nil
}

// askReadSize asks how many octets the server sends at once (RFC 1813, section 3.3.19).
func (s *session) askReadSize(op, handle string) error {
	c, err := s.sendNFS(op, procFsinfo, handle)
	if err != nil {
		return err
	}
	d, err := s.results(c)
	if isRefusal(err) {
		s.readSize = defaultRead
		return nil
	}
	if err != nil {
		return err
	}
	d.optionalAttrs()
	most, preferred := d.uint32(), d.uint32()
	if d.bad {
		return malformed(op)
	}
	s.readSize = max(512, min(cmp.Or(max(most, preferred), defaultRead), maxRead))
	return nil
}

// askPart asks for octets of a file (RFC 1813, section 3.3.6).
func (s *session) askPart(op, handle string, offset int64, length int) (remotefile.Answer, error) {
	c, err := s.sendNFS(op, procRead, handle, uint64(offset), uint32(length))
	return func() ([]byte, error) {
		d, err := s.results(c)
		if err != nil {
			return nil, err
		}
		d.optionalAttrs()
		count, ended := d.uint32(), d.bool()
		data := d.octets(length)
		switch {
		case !d.end() || int(count) != len(data) || len(data) == 0 && !ended:
			s.failed = malformed(op)
			return nil, s.failed
		case ended && len(data) < length: // no part is requested beyond the end
			return nil, io.EOF
		}
		return data, nil
	}, err
}
