package ftp

import (
	"bytes"
	"errors"
	"io"
	"time"

	"gofer/protocols"
)

// compared is how many octets at the end of what a server has are compared before the
// rest is added to them.
const compared = 4 << 10

// Why the rest is not added unasked.
const (
	otherFile  = "What is there is not the beginning of this file."
	olderPart  = "The part that is there is not newer than the file here: it may be of an older one."
	unreadable = "The server does not let it be read: nobody knows whether it is the beginning of this file."
)

var errNoResume = errors.New("more came than was asked for: the server does not resume files")

// storedPart is the beginning of a file of this machine, of which a server has as much.
type storedPart struct {
	io.ReadSeeker
	modified time.Time // when the file was changed last, if that is known
	size     int64
}

// compare returns why the server has something else, or may have, "" if it has not.
func (p *storedPart) compare(s *session, c *Client, r *request) (reason string, err error) {
	if p.size == 0 {
		return "", nil
	}
	if s.mdtm && !p.modified.IsZero() {
		at, err := s.modified(r.name)
		if err != nil {
			return "", err
		}
		if !at.IsZero() && !p.modified.Truncate(time.Second).Before(at) { // dates there are of whole seconds
			return olderPart, nil
		}
	}
	const op = "compare with what is there"
	n := min(p.size, compared)
	want := make([]byte, n)
	if _, err = p.Seek(p.size-n, io.SeekStart); err == nil {
		_, err = io.ReadFull(p, want)
	}
	if err != nil {
		return "", protocols.LocalError("read the file", err)
	}
	resp, err := s.retrieve(r.name, p.size-n)
	if err != nil {
		if refused := code(err); refused >= 400 && refused != 421 && refused != 530 {
			return unreadable, nil
		}
		return "", err
	}
	t := &transfer{c: c, s: s, resp: resp, op: op, size: -1, keep: true}
	got, err := io.ReadAll(io.LimitReader(t, n+1))
	if int64(len(got)) > n {
		_ = t.Close()
		return "", &protocols.Error{Reason: protocols.NotSupported, Op: op, Err: errNoResume}
	}
	if err != nil {
		return "", err
	}
	if !bytes.Equal(got, want) {
		return otherFile, nil
	}
	return "", nil
}
