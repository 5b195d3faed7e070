package sftp

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// Put implements [protocols.Putter]. A file that replaces another one is stored under a temporary name, and then takes its
// name, so that the name leads to a whole file at any moment, if the server has posix-rename. A link stays a link. What is
// written is always a new file, or the beginning of this one (see [put.findPart]). If the upload is interrupted, the part stays
// for a resumed upload. It is removed if it is of no use, as after a refusal of the server.
func (c *Client) Put(ctx context.Context, u urlcore.URL, upload *protocols.Upload) error {
	f, r, err := newRequest(protocols.Request{URL: u})
	switch {
	case err != nil:
		return err
	case r.dir || len(r.names()) == 0:
		return protocols.NewError(protocols.BadURL, "store a file", "the URL names a directory, not a file")
	}
	begun := false
	return c.withSession(ctx, f, r, func(s *session, l *lease) error {
		p := &put{Upload: upload, url: f, s: s, ctx: ctx, r: r, op: "store " + clean.Name(r.path)}
		if err := p.open(); err != nil {
			return p.asUploadError(err)
		}
		begun = true
		if err := p.store(); err != nil {
			return p.giveUp(err)
		}
		p.Part = nil
		return l.Close()
	}, func() bool { return !begun })
}

// put is an upload in progress.
type put struct {
	*protocols.Upload
	url      urlcore.FTP
	s        *session
	ctx      context.Context
	r        *request
	op       string
	path     string // where the octets are stored
	handle   string // of the file at path, or "" if it is closed
	replaces bool   // path is a temporary name, which replaces that of the URL
	made     bool   // this upload, or an earlier one of the same file, has made the file at path
	old      attrs  // of the replaced file
	offset   int64  // the octets before it are on the server already
	restored bool   // restore was called
	unused   string // the temporary name of an earlier upload of this file, which is not continued, or ""
}

// open finds out what is at the server, asks whether it may be replaced, and opens the file to be written.
func (p *put) open() error {
	if p.Listed && p.Replace && !p.Resume && p.SizeBefore == 0 { // the item is probably new
		err := p.create(p.r.path, openTruncate)
		if !isRefusal(err) || statusOf(err) == statusNoFile {
			return err
		}
	}
	itself, err := p.s.ask(p.ctx, p.op, "LSTAT", fxpLstat, p.r.path)
	if err != nil {
		return err
	}
	followed, err := p.s.ask(p.ctx, p.op, "STAT", fxpStat, p.r.path)
	if err != nil {
		return err
	}
	link, err := p.s.attrsOf(p.ctx, itself, p.op)
	if statusOf(err) == statusNoFile {
		if restored, err := p.restore(); err != nil {
			return err
		} else if restored {
			return p.open()
		}
		return p.create(p.r.path, 0)
	} else if err != nil {
		return err
	}
	if p.old, err = p.s.attrsOf(p.ctx, followed, p.op); err != nil && !isRefusal(err) {
		return err
	}
	switch kind := p.old.kind(); {
	case p.old.isDir():
		return protocols.NewError(protocols.BadURL, p.op, "it is a directory: end the URL with / to store files in it")
	case kind != 0 && kind != typeRegular: // opening a pipe would block the server
		return protocols.NewError(protocols.Unsupported, p.op, "it is neither a file nor a directory")
	}
	reason := ""
	if p.Resume {
		var found bool
		if found, reason, err = p.findPart(link); found || err != nil {
			return err
		}
	}
	isLink := link.kind() == typeLink
	if !p.Replace {
		return p.askReplace(isLink, reason)
	}
	if isLink {
		return p.openAt(p.r.path, openWrite|openCreate|openTruncate, attrs{})
	}
	return p.createPart()
}

// askReplace returns the question whether to replace the file.
func (p *put) askReplace(isLink bool, reason string) error {
	p.ExistingSize = max(p.old.knownSize(), 0)
	confirm := confirmReplace(p.r, p.r.path, p.old.knownSize(), func() { p.Upload.Replace = true })
	if reason != "" {
		confirm.Reason = reason
	}
	if isLink {
		confirm.Details = append(confirm.Details, "it is a link: the file it leads to is replaced")
	}
	return confirm
}

// create makes a new file. It is refused if the name exists.
func (p *put) create(path string, flags uint32) error {
	initial := attrs{}
	if mode, ok := p.modeOf(); ok {
		initial = attrs{flags: hasMode, mode: mode}
		if p.replaces { // nobody else reads or writes it before it is complete
			initial.mode = 0o600
		}
	}
	err := p.openAt(path, openWrite|openCreate|openNew|flags, initial)
	p.made = err == nil
	return err
}

// openAt opens a file, whose handle and path it stores.
func (p *put) openAt(path string, flags uint32, initial attrs) error {
	opened, err := p.s.ask(p.ctx, p.op, "OPEN", fxpOpen, path, flags, initial)
	if err != nil {
		return err
	}
	p.path = path
	p.handle, err = p.s.handleOf(p.ctx, opened, p.op)
	return err
}

// modeOf returns the permissions that the stored file gets. Those of a replaced file do not let users run the new one as
// somebody else.
func (p *put) modeOf() (mode uint32, ok bool) {
	if _, err := fmt.Sscanf(p.Mode, "%o", &mode); err == nil {
		return mode & 0o7777, true
	}
	if p.replaces && p.old.flags&hasMode != 0 {
		return p.old.mode & 0o777, true
	}
	return 0, false
}

// store sends the octets, and gives the file its date, its mode and its name.
func (p *put) store() error {
	if err := p.setPart(); err != nil {
		return err
	}
	unacknowledged, err := p.send()
	if err != nil {
		return err
	}
	return p.finish(unacknowledged)
}

// setPart sets Part of the upload, which is about to begin.
func (p *put) setPart() (err error) {
	p.Part = p.url
	if p.path != p.r.path {
		_, name := parentOf(p.path)
		p.Part, err = p.url.With(p.url.CWDs(), name, p.url.Type)
	}
	return err
}

// bodyError is an error of the local file.
type bodyError struct{ error }

func (e *bodyError) Unwrap() error { return e.error }

// errShortened is a bodyError after which the part on the server is of no use.
var errShortened = errors.New("the file was shortened while it was sent")

// send sends the octets of the body. Many writes are in flight, and the last of them are not acknowledged yet.
func (p *put) send() (inFlight []*call, err error) {
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
				return nil, &bodyError{fmt.Errorf("%w: %d octets are missing", errShortened, remaining)}
			}
		}
		if n == 0 {
			continue
		}
		w, err := p.s.send(p.ctx, p.op, fxpWrite, 0, p.handle, uint64(p.offset+sent), chunk[:n])
		if err != nil {
			return nil, err
		}
		sent += int64(n)
		inFlight = append(inFlight, w)
	}
	return inFlight, nil
}

// giveUp returns the error of an upload that has begun and failed with err. It removes the part if no upload can continue it.
func (p *put) giveUp(err error) error {
	ended := p.ctx.Err() != nil
	useless := isRefusal(err) || errors.Is(err, errShortened) || p.replaces && !p.isFound()
	removed := p.made && useless && !p.s.isDead()
	if removed {
		p.Part = nil
	}
	discard := func(ctx context.Context) {
		if p.handle != "" { // a server may give the handle of a closed file to another one
			_, _ = p.s.do(ctx, p.op, fxpClose, p.handle)
		}
		if removed {
			_ = p.s.change(ctx, p.op, "REMOVE", fxpRemove, p.path)
		}
	}
	if ended { // the caller does not wait
		go discard(context.WithoutCancel(p.ctx))
	} else {
		discard(p.ctx)
	}
	local, isLocal := errors.AsType[*bodyError](err)
	_, isStated := errors.AsType[*statedError](err)
	if isLocal {
		err = local.error
	} else {
		err = p.asUploadError(err)
	}
	switch {
	case isStated:
	case p.replaces && removed:
		err = fmt.Errorf("%w; the old file is unchanged", err)
	case p.replaces && !p.isFound():
		_, name := parentOf(p.path)
		err = fmt.Errorf("%w; the old file is unchanged, but the server may have a part of the new one as %s", err, clean.Name(name))
	case p.replaces:
		err = fmt.Errorf("%w; the old file is unchanged, and a resumed upload continues the part", err)
	case removed:
	case isLocal:
		err = fmt.Errorf("%w; the server has an incomplete file", err)
	default:
		err = fmt.Errorf("%w; the server may have an incomplete file", err)
	}
	if isLocal {
		return &protocols.Error{Reason: protocols.LocalFailure, Op: p.op, Err: err}
	}
	return err
}

// asUploadError changes the reason NotFound to Denied: the directory may not exist, or the file may not be stored there.
func (p *put) asUploadError(err error) error {
	if e, ok := errors.AsType[*protocols.Error](err); ok && e.Reason == protocols.NotFound {
		e.Reason = protocols.Denied
	}
	return err
}
