package ftp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"gofer/internal/text/clean"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Put stores a file by STOR (RFC 959, section 4.1.3), the rest of one by REST
// before it (RFC 3659, section 5). It implements [protocols.Putter].
func (c *Client) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	f, r, err := requestFor(u)
	switch {
	case err != nil:
		return err
	case r.name == "":
		return protocols.NewError(protocols.BadURL, "put a file", "the URL names a directory, not a file")
	case r.typ == 'a':
		return protocols.NewError(protocols.Unsupported, "put a file", "files are sent in their own octets: leave out ;type=a")
	}
	body := &uploadBody{Reader: up.Body, left: up.Size}
	return c.do(ctx, f, r, func(s *session) error { return s.put(c, r, up, body) }, func() bool { return !body.begun })
}

// put stores the file in the directory of r.
func (s *session) put(c *Client, r *request, up *protocols.Upload, body *uploadBody) error {
	name := local(r.name)
	var next []string
	if s.typ == 'I' && !s.active && up.Listed && up.Replace && !up.Resume { // target asks nothing
		next = s.opening(r, "STOR "+name)
	}
	if err := s.chdir(r.cwds, next...); err != nil {
		return err
	}
	if err := s.setType('I'); err != nil {
		return err
	}
	offset, err := s.target(c, r, up, body)
	if err != nil {
		return err
	}
	op := "put " + clean.Name(r.name)
	if err := s.prepare("STOR " + name); err != nil {
		return s.fail(op, err)
	}
	body.session = s
	s.upload = body
	err = s.lib.StorFrom(name, body, uint64(offset))
	s.upload = nil
	sent := offset + body.sent
	if body.begun {
		up.Sent = sent
	}
	switch {
	case body.err != nil:
		return &protocols.Error{Reason: protocols.LocalFailure, Op: op, Err: fmt.Errorf("%w; the server has an incomplete file", body.err)}
	case err == nil:
	case !body.begun:
		return s.refusedPut(s.unopened(op, err))
	default:
		if err = s.refusedPut(s.fail(op, err)); s.ctx.Err() != nil {
			err = context.Cause(s.ctx)
		}
		return fmt.Errorf("%w; the server may have an incomplete file", err)
	}
	if err := s.undouble(name); err != nil {
		return err
	}
	if err := s.settleStored(name, sent, up); err != nil {
		return err
	}
	c.put(s)
	return nil
}

// settleStored compares the size of a stored file, and sets its date and mode. No command
// depends on a reply.
func (s *session) settleStored(name string, sent int64, up *protocols.Upload) error {
	var lines []string
	if !up.Unchecked {
		lines = append(lines, "SIZE "+name)
	}
	date, mode := s.setDate(up.Modified), ""
	if date != "" {
		lines = append(lines, date+" "+name)
	}
	if up.Mode != "" && !s.keepsNoModes {
		mode = s.chmod(up.Mode)
		lines = append(lines, mode+" "+name)
	}
	op := "put " + clean.Name(name)
	answers, err := s.ctrl.pipeline(lines...)
	if err != nil {
		return s.fail(op, err)
	}
	for i, answer := range answers {
		done := answer.code/100 == 2
		switch verb := strings.TrimSuffix(lines[i], " "+name); {
		case answer.code == 421:
			return s.refusal(op, answer)
		case verb == "SIZE" && done:
			if n := parseSize(strings.TrimSpace(text(answer))); n >= 0 && n != sent {
				return &protocols.Error{Reason: protocols.Broken, Op: op, Err: fmt.Errorf("the server has %d of %d octets", n, sent)}
			}
		case verb == "SIZE" && answer.code == 550 && strings.Trim(name, " ") != name: // pure-ftpd
			e := s.refusal(op, answer)
			e.Reason, e.Err = protocols.Rejected, errors.New("all was sent, but is not there under this name: the server may have replaced the blanks at its ends")
			return e
		case verb == date:
			up.DateKept = done
			s.keepsNoDates = s.keepsNoDates || !done && !s.mfmt
		case verb == mode:
			up.ModeKept = done && answer.code != 202
			s.keepsNoModes = s.keepsNoModes || answer.code == 500 || answer.code == 502 || answer.code == 504
		}
	}
	return nil
}

// refusedPut turns "no such file" into Denied, its meaning for a file to be stored.
func (s *session) refusedPut(err error) error {
	if e, ok := errors.AsType[*protocols.Error](err); ok && e.Reason == protocols.NotThere {
		e.Reason = protocols.Denied
	}
	return err
}

// target returns the start offset: the size of the part on the server, or 0.
func (s *session) target(c *Client, r *request, up *protocols.Upload, body *uploadBody) (offset int64, err error) {
	if up.Listed && up.Replace && !up.Resume {
		return 0, nil
	}
	there, err := s.look(local(r.name))
	if err != nil || there == absent {
		return 0, err
	}
	seeker, ok := up.Body.(io.ReadSeeker)
	reason := ""
	if up.Resume && ok && there >= 0 && there <= up.Size && (there == 0 || there != up.Before) && (up.Sent == 0 || there <= up.Sent) {
		part := &storedPart{ReadSeeker: seeker, modified: up.Modified, size: there}
		switch reason, err = part.compare(s, c, r); {
		case err != nil:
			return 0, err
		case reason == "", reason == unreadable && up.Replace:
			if _, err := seeker.Seek(there, io.SeekStart); err != nil {
				return 0, protocols.LocalError("read the file", err)
			}
			body.left -= there
			return there, nil
		}
		if _, err := seeker.Seek(0, io.SeekStart); err != nil {
			return 0, protocols.LocalError("read the file", err)
		}
	}
	if up.Replace {
		return 0, nil
	}
	up.Found = max(there, 0)
	confirm := s.taken(r, r.name, there, func() { up.Replace = true })
	if reason != "" {
		confirm.Reason = reason
	}
	if reason == unreadable {
		confirm.Question = "Add the rest to " + clean.Name(r.name) + " at " + r.addr
	}
	return 0, confirm
}

// taken asks whether an existing item may be replaced.
func (s *session) taken(r *request, name string, there int64, yes func()) *protocols.Confirm {
	confirm := &protocols.Confirm{
		URL:      r.asked,
		Question: "Replace " + clean.Name(name) + " at " + r.addr,
		Reason:   "It is there already.",
		Consent:  protocols.ConsentReplace,
		Yes:      yes,
	}
	if there == unclear {
		confirm.Reason = "The server does not tell whether it is there already."
	} else if there >= 0 {
		confirm.Details = []string{strconv.FormatInt(there, 10) + " octets"}
	}
	return confirm
}

// The results of look if there is no size.
const (
	absent  = -1 - iota
	present // the size is unknown
	unclear // the server does not say
)

// look returns the size of a file; a directory is an error. In ASCII type proftpd answers SIZE with 550, as
// if there were no file.
func (s *session) look(name string) (there int64, err error) {
	if err := s.setType('I'); ends(err) {
		return 0, err
	}
	for _, verb := range []string{"SIZE", "MDTM"} {
		answer, err := s.query("look what is there", verb, name)
		switch n := code(err); {
		case err == nil && verb == "SIZE":
			if n, err := strconv.ParseInt(answer, 10, 64); err == nil && n >= 0 {
				return n, nil
			}
			return present, nil
		case err == nil:
			return present, nil
		case ends(err) || n == 530:
			return 0, err
		case n == 550 || n == 553:
			return absent, s.noDirectory(name)
		}
	}
	return unclear, nil
}

// noDirectory returns an error if name is a directory.
func (s *session) noDirectory(name string) error {
	err := s.change(name)
	if err == nil {
		s.cwds = append(s.cwds, name)
		return protocols.NewError(protocols.BadURL, "put "+clean.Name(name), "it is a directory: end the URL with / to put files into it")
	}
	return unlessRefused(err)
}

// uploadBody reads the file to be stored. Unless all of it was read, the data connection
// ends in a reset: its orderly end would make the file look complete.
type uploadBody struct {
	io.Reader
	left    int64 // still to be read; negative: until the end
	sent    int64
	begun   bool
	err     error // a local error
	session *session
	conn    *wire.Conn
}

func (b *uploadBody) Read(p []byte) (int, error) {
	b.begun = true
	if b.left == 0 {
		return 0, b.whole()
	}
	if b.left > 0 {
		p = p[:min(int64(len(p)), b.left)]
	}
	n, err := b.Reader.Read(p)
	b.sent += int64(n)
	switch {
	case b.left > 0:
		b.left -= int64(n)
		if errors.Is(err, io.EOF) && b.left > 0 {
			err = fmt.Errorf("the file has become shorter: %d octets are missing", b.left)
		}
	case errors.Is(err, io.EOF) && n == 0:
		return 0, b.whole()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
		b.conn.Abort()
	} else {
		err = nil
	}
	return n, err
}

// whole ends the data connection in order.
func (b *uploadBody) whole() error {
	if err := b.conn.Finish(); err != nil {
		return err
	}
	return io.EOF
}

// compared is the number of octets at the end of a part that are compared before the rest
// is sent.
const compared = 4 << 10

// The reasons to ask before the rest is sent.
const (
	otherFile  = "What is there is not the beginning of this file."
	olderPart  = "The part that is there is not newer than the file here: it may be of an older one."
	unreadable = "The server does not let it be read: nobody knows whether it is the beginning of this file."
)

var errNoResume = errors.New("more came than was asked for: the server does not resume files")

// storedPart is a local file whose first octets are on the server.
type storedPart struct {
	io.ReadSeeker
	modified time.Time // of the local file; may be zero
	size     int64     // of the part at the server
}

// compare returns the reason why the part may not belong to the file, or "".
func (p *storedPart) compare(s *session, c *Client, r *request) (reason string, err error) {
	if p.size == 0 {
		return "", nil
	}
	if s.mdtm && !p.modified.IsZero() {
		at, err := s.modified(local(r.name))
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
	resp, err := s.retrieve(local(r.name), p.size-n)
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
