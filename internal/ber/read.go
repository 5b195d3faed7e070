package ber

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"gofer/internal/wire"
	"gofer/protocols"
)

// Reader reads the messages of a server.
type Reader struct {
	In       *bufio.Reader
	Protocol string                // its name for errors
	Advice   string                // the end of errors about a server that has sent no message, or ""
	Begins   func(octet byte) bool // whether a message of the protocol may begin with the octet
	Limit    int                   // the octets of the largest message
	message  []byte
}

// maxHeader is the size of the largest tag and length.
const maxHeader = 4 + 9

// readStep is the memory that is taken before octets arrive.
const readStep = 64 << 10

// ErrDamaged is the cause of errors for messages that are no elements, or not those that the protocol has in their place.
var ErrDamaged = errors.New("an element of the answer is damaged")

// Malformed returns the error for an answer that is not what the protocol says.
func Malformed(err error) *protocols.Error {
	return &protocols.Error{Reason: protocols.Malformed, Op: "read the answer", Err: err}
}

// Read returns the next message. It is valid until the next call.
func (r *Reader) Read() (Element, error) {
	r.message = r.message[:0]
	if err := r.fill(); err != nil {
		return Element{Tag: Missing}, err
	}
	e, ok := Parse(r.message)
	if cap(r.message) > readStep {
		r.message = nil // an idle connection does not keep it
	}
	if !ok {
		return e, Malformed(ErrDamaged)
	}
	r.Advice = ""
	return e, nil
}

// fill reads a message.
func (r *Reader) fill() error {
	for depth := 0; ; {
		start := len(r.message)
		h, err := r.readHeader()
		switch {
		case err != nil:
			return err
		case h.length == indefinite && !h.constructed:
			return Malformed(ErrDamaged)
		case max(h.length, 0) > r.Limit-len(r.message):
			return &protocols.Error{Reason: protocols.TooBig, Op: "read the answer", Err: fmt.Errorf("it has more than %d octets", r.Limit)}
		case h.length == indefinite:
			if depth++; depth > maxNesting {
				return Malformed(fmt.Errorf("the answer has elements in more than %d levels", maxNesting))
			}
			continue
		case string(r.message[start:]) == eoc:
			depth--
		}
		if err := r.readContent(h.length); err != nil {
			return err
		}
		if depth <= 0 {
			return nil
		}
	}
}

// readHeader reads the header of an element.
func (r *Reader) readHeader() (header, error) {
	start := len(r.message)
	for {
		c, err := r.In.ReadByte()
		if err != nil {
			return header{}, r.endError(err)
		}
		if len(r.message) == 0 && !r.Begins(c) {
			return header{}, Malformed(fmt.Errorf("this is no %s server%s", r.Protocol, r.Advice))
		}
		r.message = append(r.message, c)
		if h, ok := cutHeader(r.message[start:]); ok {
			return h, nil
		}
		if len(r.message)-start >= maxHeader {
			return header{}, Malformed(ErrDamaged)
		}
	}
}

// readContent reads n octets, without room for octets that do not come.
func (r *Reader) readContent(n int) error {
	for n > 0 {
		step, start := min(n, readStep), len(r.message)
		r.message = slices.Grow(r.message, step)[:start+step]
		if read, err := io.ReadFull(r.In, r.message[start:]); err != nil {
			r.message = r.message[:start+read]
			return r.endError(err)
		}
		n -= step
	}
	return nil
}

// endError returns the error of a connection that ended before or within an answer.
func (r *Reader) endError(err error) error {
	return wire.Ended(err, len(r.message) > 0, "no "+r.Protocol+" server"+r.Advice)
}
