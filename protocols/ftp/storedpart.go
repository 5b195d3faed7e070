package ftp

import (
	"bytes"
	"errors"
	"io"
	"time"

	"gofer/protocols"
)

// comparedOctets is the number of octets at the end of a part on the server that are compared
// with the local file before the rest is sent.
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
	n := min(p.size, comparedOctets)
	want := make([]byte, n)
	if _, err = p.Seek(p.size-n, io.SeekStart); err == nil {
		_, err = io.ReadFull(p, want)
	}
	if err != nil {
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
