package ftp

import (
	"context"
	"errors"
	"io"
	"net/textproto"
	"strings"

	"gofer/protocols"
)

// maxText bounds the server's words in an error.
const maxText = 8 << 10

// fail turns an error of the library into one of ours. An answer of the server comes
// first, then the end of the context.
func (s *session) fail(op string, err error) error {
	var (
		fetch     *protocols.Error
		login     *protocols.Login
		confirm   *protocols.Confirm
		answer    *textproto.Error
		malformed textproto.ProtocolError
	)
	switch {
	case errors.As(err, &answer):
		return s.refusal(op, s.shim.last)
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case err == nil, errors.As(err, &login), errors.As(err, &confirm):
		return err
	case errors.As(err, &fetch):
		fetch.Text = s.shown(fetch.Text)
		if _, joined := err.(interface{ Unwrap() []error }); joined { // the library's own error follows from fetch
			return fetch
		}
		return err
	case errors.As(err, &malformed):
		return &protocols.Error{Reason: protocols.Malformed, Op: op, Text: s.shown(string(malformed))}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &protocols.Error{Reason: protocols.Broken, Op: op}
	}
	// The library quotes the server in its errors.
	return protocols.NewError(protocols.Malformed, op, s.shown(err.Error()))
}

// refusal returns the error for a negative reply (RFC 959, section 4.2.2).
func (s *session) refusal(op string, r reply) *protocols.Error {
	e := &protocols.Error{Reason: reasonOf(r.code, text(r)), Op: op, Code: r.code, Text: s.shown(text(r))}
	if r.code == 421 || r.code == 530 && protocols.IsBusy(e.Text) { // the latter is no word about the credentials
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
		if denies(text) {
			return protocols.Denied
		}
		return protocols.NotThere
	case 501:
		return protocols.NotThere
	}
	if code >= 400 && code < 600 {
		return protocols.ServerFailed
	}
	return protocols.Malformed
}

// denies reports whether a 550 is about permissions, not about a missing file.
func denies(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "permission denied") || strings.Contains(text, "access denied") ||
		strings.Contains(text, "access is denied")
}

// shown returns the server's text for an error: without the password, of bounded length.
func (s *session) shown(text string) string {
	text = s.mask(text)
	return text[:min(len(text), maxText)]
}

// mask hides passwords in a text of the server. It must come after parsing: "23" may be
// the password and 230 the code.
func (s *session) mask(text string) string {
	return s.logins.Mask(s.key.Addr, text)
}

func code(err error) int {
	if e, ok := errors.AsType[*protocols.Error](err); ok {
		return e.Code
	}
	return 0
}

// ends reports whether err ends the session: it is no mere refusal of a command.
func ends(err error) bool {
	return err != nil && (code(err) == 0 || code(err) == 421)
}

// unlessRefused returns err if it ends the session, else nil.
func unlessRefused(err error) error {
	if ends(err) {
		return err
	}
	return nil
}

// isRefusal reports whether err is a refusal that leaves the session usable.
func isRefusal(err error) bool { return code(err) >= 400 && !ends(err) }

// isDead reports whether err means that an idle connection was closed already. A new one
// is tried then.
func isDead(err error) bool {
	return protocols.ReasonOf(err) == protocols.Broken || code(err) == 421 || errors.Is(err, errLost)
}
