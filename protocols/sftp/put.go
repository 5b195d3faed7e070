package sftp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

const (
	maxBehind      = 4 << 20 // octets of an upload that the server has not acknowledged
	comparedOctets = 4 << 10 // octets at the end of a part on the server that are compared with the local file
)

// Put implements [protocols.Putter]. A file that replaces another one is stored under a temporary name, and then takes its
// name (posix-rename), so that the name leads to a whole file at any moment. If the upload is interrupted, the part keeps
// that name, and a resumed upload continues it.
func (c *Client) Put(ctx context.Context, u urlcore.URL, upload *protocols.Upload) error {
	f, r, err := newRequest(protocols.Request{URL: u})
	switch {
	case err != nil:
		return err
	case r.dir || len(r.names()) == 0:
		return protocols.NewError(protocols.BadURL, "store a file", "the URL names a directory, not a file")
	}
	p := &put{Upload: upload, r: r, op: "store " + clean.Name(r.path), path: r.path}
	return c.withSession(ctx, f, r, func(s *session, l *lease) error {
		p.s, p.ctx = s, ctx
		if err := p.prepare(); err != nil {
			return err
		}
		if err := p.store(); err != nil {
			return err
		}
		return l.Close()
	}, func() bool { return !p.begun })
}

// put is an upload in progress.
type put struct {
	*protocols.Upload
	s       *session
	ctx     context.Context
	r       *request
	op      string
	path    string // where the octets are stored
	replace bool   // path is a temporary name, which replaces that of the URL
	mode    attrs  // the permissions of the replaced file
	offset  int64  // the octets before it are on the server already
	begun   bool
}

// prepare finds out what is at the server, asks whether it may be replaced, and where to begin.
func (p *put) prepare() error {
	if p.Listed && p.Replace && !p.Resume && p.SizeBefore == 0 {
		return nil
	}
	itself, err := p.s.ask(p.ctx, "LSTAT", fxpLstat, p.r.path)
	if err != nil {
		return err
	}
	followed, err := p.s.ask(p.ctx, "STAT", fxpStat, p.r.path)
	if err != nil {
		return err
	}
	temporary, err := p.s.ask(p.ctx, "STAT", fxpStat, temporaryName(p.r.path))
	if err != nil {
		return err
	}
	link, err := p.s.attrsOf(p.ctx, itself, p.op)
	if err != nil && statusOf(err) != statusNoFile {
		return err
	}
	exists := err == nil
	old, err := p.s.attrsOf(p.ctx, followed, p.op)
	if err != nil && !isRefusal(err) {
		return err
	}
	part, partErr := p.s.attrsOf(p.ctx, temporary, p.op)
	if partErr != nil && !isRefusal(partErr) {
		return partErr
	}
	if old.isDir() {
		return protocols.NewError(protocols.BadURL, p.op, "it is a directory: end the URL with / to store files in it")
	}
	if p.Resume && partErr == nil && part.kind() == typeRegular && p.s.posix {
		if found, _, err := p.resume(temporaryName(p.r.path), part); found || err != nil {
			p.replace, p.mode = true, old
			return err
		}
	}
	if !exists {
		return nil
	}
	reason := ""
	if p.Resume {
		var found bool
		if found, reason, err = p.resume(p.r.path, old); found || err != nil {
			return err
		}
	}
	if !p.Replace {
		p.ExistingSize = max(old.knownSize(), 0)
		confirm := confirmReplace(p.r, p.r.path, old.knownSize(), func() { p.Upload.Replace = true })
		if reason != "" {
			confirm.Reason = reason
		}
		return confirm
	}
	if p.s.posix && link.kind() == typeRegular { // a link stays a link
		p.path, p.replace, p.mode = temporaryName(p.r.path), true, old
	}
	return nil
}

// Reasons in the question whether to replace a partly stored file.
const (
	otherFile = "The file on the server is not the beginning of this file."
	olderPart = "The part on the server is not newer than this file: it may belong to an older version."
)

// resume finds out whether the item at path is the beginning of the file, and then continues it. Otherwise it returns the
// reason, or "".
func (p *put) resume(path string, a attrs) (found bool, reason string, err error) {
	body, ok := p.Body.(io.ReadSeeker)
	size := a.knownSize()
	if !ok || size <= 0 || size > p.Size || size == p.SizeBefore || p.Sent != 0 && size > p.Sent {
		return false, "", nil
	}
	if !p.Modified.IsZero() && !a.date().IsZero() && !p.Modified.Truncate(time.Second).Before(a.date()) {
		return false, olderPart, nil
	}
	n := min(size, comparedOctets)
	want := make([]byte, n)
	if _, err = body.Seek(size-n, io.SeekStart); err == nil {
		_, err = io.ReadFull(body, want)
	}
	if err != nil {
		return false, "", protocols.LocalError("read the file", err)
	}
	got, err := p.s.readPart(p.ctx, path, size-n, int(n))
	if err != nil && !isRefusal(err) {
		return false, "", err
	}
	start := int64(0)
	if found = bytes.Equal(got, want); found {
		start, p.path, p.offset = size, path, size
	}
	if _, err := body.Seek(start, io.SeekStart); err != nil {
		return false, "", protocols.LocalError("read the file", err)
	}
	if !found {
		return false, otherFile, nil
	}
	return true, "", nil
}

// readPart reads n octets of a file from offset on.
func (s *session) readPart(ctx context.Context, path string, offset int64, n int) ([]byte, error) {
	op := "compare the file with the part on the server"
	opened, err := s.askOpen(ctx, path)
	if err != nil {
		return nil, err
	}
	handle, err := s.handleOf(ctx, opened, op)
	if err != nil {
		return nil, err
	}
	l := &lease{release: func() { s.closeHandle(handle) }}
	defer l.done()
	got := make([]byte, n)
	_, err = io.ReadFull(&fileReader{s: s, ctx: ctx, op: op, handle: handle, lease: l, next: offset, size: offset + int64(n)}, got)
	return got, err
}

// store sends the octets, and gives the file its date, its mode and its name.
func (p *put) store() error {
	flags := uint32(openWrite | openCreate)
	if p.offset == 0 {
		flags |= openTruncate
	}
	initial := attrs{}
	if mode, ok := p.modeOf(); ok {
		initial = attrs{flags: hasMode, mode: mode}
	}
	handle, err := p.open(flags, initial)
	if err != nil {
		return p.asUploadError(err)
	}
	p.begun = true
	unacknowledged, err := p.send(handle)
	if err != nil {
		p.s.closeHandle(handle)
		var local *bodyError
		if errors.As(err, &local) {
			return &protocols.Error{Reason: protocols.LocalFailure, Op: p.op, Err: fmt.Errorf("%w; the server has an incomplete file", local.error)}
		}
		return fmt.Errorf("%w; the server may have an incomplete file", p.asUploadError(err))
	}
	return p.finish(handle, unacknowledged)
}

// open opens the file to be written. If no temporary file can be made, the file itself is replaced.
func (p *put) open(flags uint32, initial attrs) (string, error) {
	for {
		opened, err := p.s.ask(p.ctx, "OPEN", fxpOpen, p.path, flags, initial)
		if err != nil {
			return "", err
		}
		handle, err := p.s.handleOf(p.ctx, opened, p.op)
		if isRefusal(err) && p.replace && p.offset == 0 {
			p.path, p.replace = p.r.path, false
			continue
		}
		return handle, err
	}
}

// modeOf returns the permissions that the stored file gets.
func (p *put) modeOf() (mode uint32, ok bool) {
	if _, err := fmt.Sscanf(p.Mode, "%o", &mode); err == nil {
		return mode & 0o7777, true
	}
	if p.replace && p.mode.flags&hasMode != 0 {
		return p.mode.mode & 0o7777, true
	}
	return 0, false
}

// bodyError is an error of the local file.
type bodyError struct{ error }

// send sends the octets of the body. Many writes are in flight, and the last of them are not acknowledged yet.
func (p *put) send(handle string) (inFlight []*call, err error) {
	sent := int64(0)
	defer func() { p.Sent = p.offset + sent }()
	longest := p.s.maxWrite.Load()
	most := max(2, int(maxBehind/longest))
	remaining := p.Size - p.offset // negative if the size is unknown
	for more := true; more; {
		if len(inFlight) >= most {
			if err := p.s.done(p.ctx, inFlight[0], p.op); err != nil {
				return nil, err
			}
			inFlight = inFlight[1:]
		}
		length := longest
		if p.Size >= 0 {
			length = min(length, remaining)
		}
		chunk := make([]byte, length)
		n, err := io.ReadFull(p.Body, chunk)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			more, err = false, nil
		}
		if err != nil {
			return nil, &bodyError{err}
		}
		if remaining -= int64(n); p.Size >= 0 {
			more = more && remaining > 0
			if !more && remaining > 0 {
				return nil, &bodyError{fmt.Errorf("the file was shortened while it was sent: %d octets are missing", remaining)}
			}
		}
		if n == 0 {
			continue
		}
		w, err := p.s.send(p.ctx, p.op, fxpWrite, 0, handle, uint64(p.offset+sent), chunk[:n])
		if err != nil {
			return nil, err
		}
		sent += int64(n)
		inFlight = append(inFlight, w)
	}
	return inFlight, nil
}

// finish closes the file, sets its date and mode, checks its size and gives it its name. All but the name is sent at once. A
// server may set a date while it still writes, but it closes a file only after all writes; therefore the date is set by the path.
func (p *put) finish(handle string, unacknowledged []*call) error {
	closed, err := p.s.send(p.ctx, p.op, fxpClose, 0, handle)
	if err != nil {
		return err
	}
	var dated, moded *call
	if !p.Modified.IsZero() {
		if dated, err = p.s.ask(p.ctx, "SETSTAT", fxpSetstat, p.path, dateAttrs(p.Modified.Unix())); err != nil {
			return err
		}
	}
	if mode, ok := p.modeOf(); ok {
		if moded, err = p.s.ask(p.ctx, "SETSTAT", fxpSetstat, p.path, attrs{flags: hasMode, mode: mode}); err != nil {
			return err
		}
	}
	var sized *call
	if !p.Unchecked || p.replace {
		if sized, err = p.s.ask(p.ctx, "STAT", fxpStat, p.path); err != nil {
			return err
		}
	}
	return p.confirm(append(unacknowledged, closed), dated, moded, sized)
}

// confirm waits for the answers of finish, and gives the file its name.
func (p *put) confirm(written []*call, dated, moded, sized *call) error {
	for _, w := range written {
		if err := p.s.done(p.ctx, w, p.op); err != nil {
			return fmt.Errorf("%w; the server may have an incomplete file", p.asUploadError(err))
		}
	}
	for _, set := range []struct {
		call *call
		done *bool
	}{{dated, &p.DateKept}, {moded, &p.ModeKept}} {
		if set.call != nil {
			err := p.s.done(p.ctx, set.call, p.op)
			if *set.done = err == nil; err != nil && !isRefusal(err) {
				return err
			}
		}
	}
	if sized != nil {
		a, err := p.s.attrsOf(p.ctx, sized, p.op)
		if err != nil {
			return err
		}
		if n := a.knownSize(); n >= 0 && n != p.Sent {
			if p.offset == 0 || n < p.Sent {
				return protocols.NewError(protocols.Broken, p.op, fmt.Sprintf("the server has %d of %d octets", n, p.Sent))
			}
		}
	}
	if p.replace {
		return p.s.change(p.ctx, p.op, "posix-rename", fxpExtended, p.path, p.r.path)
	}
	return nil
}

// asUploadError changes the reason NotFound to Denied: the directory may not exist, or the file may not be stored there.
func (p *put) asUploadError(err error) error {
	if e, ok := errors.AsType[*protocols.Error](err); ok && e.Reason == protocols.NotFound {
		e.Reason = protocols.Denied
	}
	return err
}
