package ftp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"gofer/internal/text/clean"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Put stores a file by STOR (RFC 959, section 4.1.3). It sends the rest of a partly stored
// file by REST and STOR (RFC 3659, section 5). It implements [protocols.Putter].
func (c *Client) Put(ctx context.Context, u urlcore.URL, upload *protocols.Upload) error {
	f, r, err := requestFor(protocols.Request{URL: u})
	switch {
	case err != nil:
		return err
	case r.name == "":
		return protocols.NewError(protocols.BadURL, "store a file", "the URL names a directory, not a file")
	case r.typ == 'a':
		return protocols.NewError(protocols.Unsupported, "store a file", "files are stored without conversion: remove ;type=a from the URL")
	}
	body := &uploadBody{Reader: upload.Body, url: u, remaining: upload.Size, rest: &finish{name: escapeTilde(r.name), upload: upload}}
	r.early = func(s *session, r *request) []string {
		if body.isStored {
			return nil
		}
		return s.storeCommands(r, upload)
	}
	var last error // of a session
	err = c.withSession(ctx, f, r, func(s *session) error {
		last = s.storeFile(c, r, upload, body)
		if _, isWrong := errors.AsType[*sizeError](last); body.isStored && ctx.Err() == nil && endsSession(last) && !isWrong {
			last = s.ctrl.outOfStepError() // another session can check the stored file
		}
		return last
	}, func() bool { return !body.begun || body.isStored })
	if body.isStored && ctx.Err() == nil && (errors.Is(err, errOutOfStep) || !errors.Is(err, last)) {
		return nil // no session is left that could check the file, but the server has replied that it is stored
	}
	if upload.Finish = nil; err == nil && !body.rest.isAnswered() {
		upload.Finish = func(ctx context.Context) { c.awaitFinish(ctx, f, r, body.rest) }
	}
	return err
}

// deniesName reports whether a final reply says that the file could not get its name, as after an upload that the server had stored
// under another one: the name may belong to a file of somebody else.
func deniesName(err error) bool { return replyCode(err) == 550 || replyCode(err) == 553 }

// sizeError reports that a stored file has another size than the sent file.
type sizeError struct{ stored, sent int64 }

func (e *sizeError) Error() string {
	return fmt.Sprintf("the server has %d of %d octets", e.stored, e.sent)
}

// storeFile stores the file of upload in the directory of r.
func (s *session) storeFile(c *Client, r *request, upload *protocols.Upload, body *uploadBody) error {
	name := escapeTilde(r.name)
	if body.isStored { // a session that has failed since has stored the file
		if err := s.chdir(r.cwds); err != nil {
			return err
		}
		return s.completeUpload(c, body.rest)
	}
	s.upload = body
	err := s.chdir(r.cwds, s.storeCommands(r, upload)...)
	s.upload = nil
	if err != nil {
		return err
	}
	if err := s.setType('I'); err != nil {
		return err
	}
	offset, err := s.findUploadOffset(c, r, upload, body)
	if err != nil {
		return err
	}
	op := "store " + clean.Name(r.name)
	err = s.sendBody(op, name, offset, body)
	if body.begun {
		upload.Sent = offset + body.sent
		if body.err == nil && s.ctx.Err() == nil && deniesName(err) { // and not that the octets have ended early
			upload.Part = nil
		}
	}
	switch {
	case body.err != nil:
		return &protocols.Error{Reason: protocols.LocalFailure, Op: op, Err: fmt.Errorf("%w; the server has an incomplete file", body.err)}
	case err == nil:
	case !body.begun:
		return s.asUploadError(err)
	default:
		if err = s.asUploadError(err); s.ctx.Err() != nil {
			err = context.Cause(s.ctx)
		}
		return fmt.Errorf("%w; the server may have an incomplete file", err)
	}
	body.isStored, upload.Part = true, nil
	return s.completeUpload(c, body.rest)
}

// storeCommands returns the commands that can be pipelined after the CWDs of an upload. The command of the transfer is not
// one of them after a CWD, because after a refused CWD it would store the file in the wrong directory, nor after the question
// whether the file exists.
func (s *session) storeCommands(r *request, upload *protocols.Upload) (lines []string) {
	name := escapeTilde(r.name)
	listed := upload.Listed && upload.Replace && !upload.Resume // findUploadOffset then sends no command
	switch {
	case s.typ != 'I', s.active:
		return nil
	case !listed:
		lines = append(lines, "SIZE "+name)
		if upload.Resume || s.NeedsPRET || s.hasNextPort() {
			return lines
		}
	case s.hasNextPort() && !slices.Equal(s.cwds, r.cwds):
		return nil
	}
	return append(lines, s.openingCommands("STOR "+name)...)
}

// sendBody sends body as the octets from offset on of the file name. A refusal in the final reply takes precedence over an
// error of the data connection, because the server may have closed the connection for the reason in the reply.
func (s *session) sendBody(op, name string, offset int64, body *uploadBody) error {
	s.upload = body
	data, err := s.beginTransfer(op, "STOR "+name, offset)
	s.upload = nil
	if err != nil {
		return err
	}
	_, copyErr := io.Copy(data, body)
	final, err := s.endTransfer(data)
	switch {
	case err == nil && final.code/100 != 2:
		return s.newRefusalError(op, final)
	case cmp.Or(copyErr, err) != nil:
		return s.convertError(op, cmp.Or(copyErr, err))
	}
	return nil
}

// asUploadError changes the reason NotFound to Denied, because the reply 550 to STOR means that the file
// may not be stored.
func (s *session) asUploadError(err error) error {
	if e, ok := errors.AsType[*protocols.Error](err); ok && e.Reason == protocols.NotFound {
		e.Reason = protocols.Denied
	}
	return err
}

// findUploadOffset returns the offset of the first octet to send. This is the size of the part on the server if
// the rest can be appended to the part, else 0. If the user has not yet agreed to replace an existing file,
// the error is a *[protocols.Confirm].
func (s *session) findUploadOffset(c *Client, r *request, upload *protocols.Upload, body *uploadBody) (offset int64, err error) {
	if upload.Listed && upload.Replace && !upload.Resume {
		return 0, nil
	}
	seeker, ok := upload.Body.(io.ReadSeeker)
	if ok && upload.Resume && body.remaining != upload.Size { // another session has found a part, and was lost
		if _, err := seeker.Seek(0, io.SeekStart); err != nil {
			return 0, protocols.LocalError("read the file", err)
		}
		body.remaining = upload.Size
	}
	size, err := s.stat(escapeTilde(r.name))
	if err != nil || size == absent || size == existenceUnknown && upload.Listed && !upload.Resume {
		return 0, err
	}
	reason := ""
	if upload.Resume && ok && size >= 0 && size <= upload.Size && (size == 0 || size != upload.SizeBefore) && (upload.Sent == 0 || size <= upload.Sent) {
		part := &storedPart{ReadSeeker: seeker, modified: upload.Modified, size: size, isOurs: upload.Part == body.url}
		switch reason, err = part.comparePart(s, c, r); {
		case err != nil:
			return 0, err
		case reason == "", reason == unreadablePart && upload.Replace:
			if _, err := seeker.Seek(size, io.SeekStart); err != nil {
				return 0, protocols.LocalError("read the file", err)
			}
			body.remaining = upload.Size - size
			return size, nil
		}
		if _, err := seeker.Seek(0, io.SeekStart); err != nil {
			return 0, protocols.LocalError("read the file", err)
		}
	}
	if upload.Replace {
		return 0, nil
	}
	upload.ExistingSize = max(size, 0)
	confirm := s.confirmReplace(r, r.name, size, func() { upload.Replace = true })
	if reason != "" {
		confirm.Reason = reason
	}
	if reason == unreadablePart {
		confirm.Question = "Append the rest to " + clean.Name(r.name) + " at " + r.addr
	}
	return 0, confirm
}

// confirmReplace returns the question whether the item called name may be replaced. The parameter size is
// the result of stat for the item.
func (s *session) confirmReplace(r *request, name string, size int64, giveConsent func()) *protocols.Confirm {
	confirm := &protocols.Confirm{
		URL:         r.requestedURL,
		Question:    "Replace " + clean.Name(name) + " at " + r.addr,
		Reason:      "It already exists.",
		Consent:     protocols.ConsentReplace,
		GiveConsent: giveConsent,
	}
	if size == existenceUnknown {
		confirm.Reason = "The server does not report whether it exists."
	} else if size >= 0 {
		confirm.Details = []string{strconv.FormatInt(size, 10) + " octets"}
	}
	return confirm
}

// Results of stat other than a size.
const (
	absent           = -1 - iota
	present          // the item exists, with an unknown size
	existenceUnknown // the server refuses SIZE and MDTM
)

// stat returns the size of a file, or absent, present or existenceUnknown. It returns an error for a
// directory. Image type is needed because ProFTPD refuses SIZE with 550 in ASCII type.
func (s *session) stat(name string) (size int64, err error) {
	if err := s.setType('I'); endsSession(err) {
		return 0, err
	}
	for _, verb := range []string{"SIZE", "MDTM"} {
		answer, err := s.queryFile("check whether the file exists", verb, name)
		switch n := replyCode(err); {
		case err == nil && verb == "SIZE":
			if n, err := strconv.ParseInt(answer, 10, 64); err == nil && n >= 0 {
				return n, nil
			}
			return present, nil
		case err == nil:
			return present, nil
		case endsSession(err) || n == 530:
			return 0, err
		case n == 550 || n == 553:
			return absent, s.checkNotDirectory(name)
		}
	}
	return existenceUnknown, nil
}

// checkNotDirectory returns an error if name is a directory.
func (s *session) checkNotDirectory(name string) error {
	err := s.sendCWD(name)
	if err == nil {
		s.cwds = append(s.cwds, name)
		return protocols.NewError(protocols.BadURL, "store "+clean.Name(name), "it is a directory: end the URL with / to store files in it")
	}
	return ignoreRefusal(err)
}

// uploadBody reads the file to be stored. If reading fails, uploadBody resets the data connection, because
// an orderly end would make the file look complete.
type uploadBody struct {
	io.Reader
	url       urlcore.URL
	remaining int64 // octets still to be read; negative to read the file to its end
	sent      int64
	begun     bool
	isStored  bool  // the server has replied that it has stored the file
	err       error // error of Reader
	conn      *wire.Conn
	rest      *finish
}

func (b *uploadBody) Read(p []byte) (int, error) {
	b.begun, b.rest.upload.Part = true, b.url
	if b.remaining == 0 {
		return 0, b.finish()
	}
	if b.remaining > 0 {
		p = p[:min(int64(len(p)), b.remaining)]
	}
	n, err := b.Reader.Read(p)
	b.sent += int64(n)
	switch {
	case b.remaining > 0:
		b.remaining -= int64(n)
		if errors.Is(err, io.EOF) && b.remaining > 0 {
			err = fmt.Errorf("the file was shortened while it was sent: %d octets are missing", b.remaining)
		}
	case errors.Is(err, io.EOF) && n == 0:
		return 0, b.finish()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
		b.conn.Abort()
	} else {
		err = nil
	}
	return n, err
}

// finish ends the data connection in an orderly way and returns io.EOF.
func (b *uploadBody) finish() error {
	if err := b.conn.Finish(); err != nil {
		return err
	}
	return io.EOF
}
