package sftp

import (
	"errors"

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

// because gives err, a refusal, the cause.
func because(err error, reason protocols.Reason, cause string) error {
	if e, ok := errors.AsType[*protocols.Error](err); ok {
		e.Reason, e.Err = reason, errors.New(cause)
	}
	return err
}
