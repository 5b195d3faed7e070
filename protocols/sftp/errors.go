package sftp

import (
	"errors"
	"io"
	"net"

	"golang.org/x/crypto/ssh"

	"gofer/protocols"
)

// statusError returns the error of the operation op whose answer is a status, or nil for the status OK (section 7).
func statusError(op string, a answer) error {
	if a.kind != fxpStatus {
		return &protocols.Error{Reason: protocols.Malformed, Op: op, Err: errMalformed}
	}
	d := decoder{b: a.body}
	code := d.uint32()
	if d.bad {
		return &protocols.Error{Reason: protocols.Malformed, Op: op, Err: errMalformed}
	}
	if code == statusOK {
		return nil
	}
	text := d.string() // old servers send none
	e := &protocols.Error{Reason: protocols.ServerFailed, Op: op, Code: int(code), Text: text[:min(len(text), maxText)]}
	switch code {
	case statusNoFile:
		e.Reason = protocols.NotFound
	case statusDenied:
		e.Reason = protocols.Denied
	case statusUnsupported:
		e.Reason = protocols.NotSupported
	}
	return e
}

// expect returns a decoder of an answer of the wanted type. Another answer is the error of the operation op.
func expect(op string, a answer, err error, kind byte) (*decoder, error) {
	switch {
	case err != nil:
		return nil, err
	case a.kind == kind:
		return &decoder{b: a.body}, nil
	}
	if err := statusError(op, a); err != nil {
		return nil, err
	}
	return nil, &protocols.Error{Reason: protocols.Malformed, Op: op, Err: errMalformed}
}

// statusOf returns the status of the server in err, or 0.
func statusOf(err error) int {
	if e, ok := errors.AsType[*protocols.Error](err); ok {
		return e.Code
	}
	return 0
}

// isRefusal reports whether err is a refusal of the server, after which the connection is usable.
func isRefusal(err error) bool { return statusOf(err) > statusEOF }

// isCut reports whether err is the end of the connection, and no answer of the server.
func isCut(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.As(err, &op) && !op.Timeout()
}

// openError returns the error of an operation that opens an SSH channel: the refusal of the server, as seen, or the end of the
// connection.
func openError(op string, err error, reason protocols.Reason, seen string) error {
	if errors.As(err, new(*ssh.OpenChannelError)) {
		return protocols.NewError(reason, op, seen)
	}
	return protocols.NewError(protocols.Broken, op, "the server closed the connection")
}

// because gives err, a refusal, the cause.
func because(err error, reason protocols.Reason, cause string) error {
	if e, ok := errors.AsType[*protocols.Error](err); ok {
		e.Reason, e.Err = reason, errors.New(cause)
	}
	return err
}
