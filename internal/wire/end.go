package wire

import (
	"cmp"
	"errors"
	"io"
	"net"
	"sync/atomic"

	"gofer/protocols"
)

// endRecorder is the connection below TLS. It records that the connection has ended. Package crypto/tls reports an end
// without the alert close_notify as io.EOF, like an end with the alert, although anyone on the network can
// make such an end (RFC 8446, section 6.1).
type endRecorder struct {
	net.Conn
	ended atomic.Bool
}

func (r *endRecorder) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	if errors.Is(err, io.EOF) {
		r.ended.Store(true)
	}
	return n, err
}

// checkEnd returns err, the error of a read, or an error with the reason EndUnmarked if TLS ended without the alert
// close_notify.
func (c *Conn) checkEnd(err error) error {
	if c.MarksEnds || !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return cmp.Or(c.EndError(), err)
}

// EndError returns an error with the reason EndUnmarked if TLS has ended without the alert close_notify and
// [TLS].Ends does not allow such an end. It is for a protocol that marks the ends of some answers only.
func (c *Conn) EndError() error {
	if c.end == nil || !c.end.ended.Load() || c.trustsEnd {
		return nil
	}
	return &protocols.Error{Reason: protocols.EndUnmarked, Op: "read from " + c.peer}
}

// Ended returns the error of a connection that ended in the middle of an answer, or if partial is not set, perhaps without one. Then what
// says which server sends none. Ended returns any other err as it is.
func Ended(err error, partial bool, what string) error {
	cause := "the server closed the connection in the middle of an answer"
	switch {
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case !partial && errors.Is(err, io.EOF):
		cause = "the server closed the connection without an answer: it may have failed, or it is " + what
	}
	return protocols.NewError(protocols.Broken, "read the answer", cause)
}
