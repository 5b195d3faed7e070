package ftp

import (
	"context"
	"errors"
	"io"
	"net/textproto"
	"strings"

	"gofer/protocols"
)

// maxText is the maximal length of a server's text in an error, in octets.
const maxText = 8 << 10

// convertError turns an error of the library (jlaffaye/ftp), or of a connection, into a *protocols.Error. A
// negative reply takes precedence over the end of the context, which takes precedence over other errors.
func (s *session) convertError(op string, err error) error {
	var (
		known     *protocols.Error
		login     *protocols.Login
		confirm   *protocols.Confirm
		answer    *textproto.Error
		malformed textproto.ProtocolError
	)
	switch {
	case errors.As(err, &answer):
		return s.newRefusalError(op, replyOf(answer))
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case err == nil, errors.As(err, &login), errors.As(err, &confirm):
		return err
	case errors.As(err, &known):
		known.Text = s.maskErrorText(known.Text)
		return err
	case errors.As(err, &malformed):
		return &protocols.Error{Reason: protocols.Malformed, Op: op, Text: s.maskErrorText(string(malformed))}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &protocols.Error{Reason: protocols.Broken, Op: op}
	}
	// The errors of the library quote the server, so passwords must be masked.
	return protocols.NewError(protocols.Malformed, op, s.maskErrorText(err.Error()))
}

// newRefusalError returns the error for a negative reply (RFC 959, section 4.2.2).
func (s *session) newRefusalError(op string, r reply) *protocols.Error {
	e := &protocols.Error{Reason: reasonOf(r.code, replyText(r)), Op: op, Code: r.code, Text: s.maskErrorText(replyText(r))}
	if r.code == 421 || r.code == 530 && protocols.IsBusy(e.Text) { // the server refuses service, not the credentials
		e.Reason, e.Err = protocols.ServerFailed, protocols.ErrUnavailable
	}
	return e
}

func reasonOf(code int, text string) protocols.Reason {
	switch code {
	case 332, 530, 532, 553:
		return protocols.Denied
	case 521, 522, 533, 534: // RFC 2228 and RFC 4217
		return protocols.Insecure
	case 550:
		if deniesAccess(text) {
			return protocols.Denied
		}
		return protocols.NotFound
	case 501:
		return protocols.NotFound
	}
	if code >= 400 && code < 600 {
		return protocols.ServerFailed
	}
	return protocols.Malformed
}

// deniesAccess reports whether a 550 with this text is about permissions, not a missing file.
func deniesAccess(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "permission denied") || strings.Contains(text, "access denied") ||
		strings.Contains(text, "access is denied")
}

// maskErrorText masks the password in a server's text for an error, and cuts the text to maxText octets.
func (s *session) maskErrorText(text string) string {
	text = s.mask(text)
	return text[:min(len(text), maxText)]
}

// mask masks passwords in a text of the server. A text is parsed before it is masked, because a password
// such as "23" may be a part of the code 230.
func (s *session) mask(text string) string {
	return s.logins.Mask(s.key.Addr, text)
}

func replyCode(err error) int {
	if e, ok := errors.AsType[*protocols.Error](err); ok {
		return e.Code
	}
	return 0
}

// endsSession reports whether err ends the session, unlike the refusal of a command.
func endsSession(err error) bool {
	return err != nil && (replyCode(err) == 0 || replyCode(err) == 421 || errors.Is(err, errDied))
}

// ignoreRefusal returns err if it ends the session, else nil.
func ignoreRefusal(err error) error {
	if endsSession(err) {
		return err
	}
	return nil
}

// isRefusal reports whether err is a refusal that leaves the session usable.
func isRefusal(err error) bool { return replyCode(err) >= 400 && !endsSession(err) }

// isDead reports whether err means that an idle connection was already closed, or cannot be used for
// another fetch. In this case a new connection is tried.
func isDead(err error) bool {
	return protocols.ReasonOf(err) == protocols.Broken || replyCode(err) == 421 || errors.Is(err, errDied) || errors.Is(err, errCannotReturn)
}
