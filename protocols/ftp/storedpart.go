package ftp

import (
	"bytes"
	"errors"
	"io"
	"time"

	"gofer/protocols"
)

// comparedOctets is the number of octets at the end of the part of this upload that are compared with the local file before
// the rest is sent. All octets of a file of unknown origin are compared.
const comparedOctets = 4 << 10

// Reasons in the question whether to replace a partly stored file, or to append the rest to it.
const (
	otherFile      = "The file on the server is not the beginning of this file."
	olderPart      = "The part on the server is not newer than this file: it may belong to an older version."
	unreadablePart = "The server refused to send its part: it may not be the beginning of this file."
)

var errNoResume = errors.New("received more than requested: the server cannot resume files")

// storedPart is a local file whose first part may be on the server.
type storedPart struct {
	io.ReadSeeker
	modified time.Time // date of the local file; may be zero
	size     int64     // size of the part on the server
	isOurs   bool      // an earlier attempt of this upload has stored the part
}

// comparePart returns the reason why the part on the server may not be the beginning of the file, or "".
func (p *storedPart) comparePart(s *session, c *Client, r *request) (reason string, err error) {
	if p.size == 0 {
		return "", nil
	}
	if s.MDTM && !p.modified.IsZero() {
		storedDate, err := s.queryDate(escapeTilde(r.name))
		if err != nil {
			return "", err
		}
		if !storedDate.IsZero() && !p.modified.Truncate(time.Second).Before(storedDate) { // the server's dates have whole seconds
			return olderPart, nil
		}
	}
	const op = "compare the file with the part on the server"
	n := p.size
	if p.isOurs {
		n = min(n, comparedOctets)
	}
	if _, err = p.Seek(p.size-n, io.SeekStart); err != nil {
		return "", protocols.LocalError("read the file", err)
	}
	data, err := s.retrieveFile(escapeTilde(r.name), p.size-n)
	if err != nil {
		if refused := replyCode(err); refused >= 400 && refused != 421 && refused != 530 {
			return unreadablePart, nil
		}
		return "", err
	}
	t := &transfer{c: c, s: s, data: data, op: op, size: -1, enough: n, holdSession: true}
	compared := &comparison{want: p}
	got, err := io.Copy(compared, io.LimitReader(t, n+1))
	if got > n {
		_ = t.Close()
		return "", &protocols.Error{Reason: protocols.NotSupported, Op: op, Err: errNoResume}
	}
	if err != nil {
		return "", err
	}
	if compared.differs || got < n {
		return otherFile, nil
	}
	return "", nil
}

// comparison compares the octets that are written to it with those that it reads. It takes all of them, because a transfer that is left
// before its end ends the session.
type comparison struct {
	want    io.Reader
	differs bool
}

func (c *comparison) Write(b []byte) (int, error) {
	if c.differs {
		return len(b), nil
	}
	want := make([]byte, len(b))
	_, err := io.ReadFull(c.want, want)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) { // the local file may end before the part
		return 0, protocols.LocalError("read the file", err)
	}
	c.differs = err != nil || !bytes.Equal(want, b)
	return len(b), nil
}
