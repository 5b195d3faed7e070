// Package remotefile reads files by protocols that answer requests for parts of a file, as NFS and SFTP do. Parts are requested
// before they are needed, because else each would take a round trip.
package remotefile

import (
	"context"
	"errors"
	"io"

	"gofer/protocols"
)

// Reader reads a file. More parts are requested at once as long as they are read.
type Reader struct {
	// Op is the operation for errors.
	Op string
	// Ask sends a request for length octets at offset.
	Ask func(offset int64, length int) (Answer, error)
	// Longest returns the number of octets that the server sends at once.
	Longest func() int64
	// Ahead is the number of octets that are requested and not yet read, at most.
	Ahead int64
	// Done is called at the end of the file.
	Done func()

	ctx   context.Context
	next  int64  // the offset of the next request
	size  int64  // the size of the file, or -1 to read to its end
	parts []part // in flight, in the order of the file
	ahead int    // the parts to have in flight
	data  []byte // received and not yet read
	err   error
}

// Answer waits for the octets of a part, at least one. A server may send less than requested; at the end of the file the error
// is io.EOF.
type Answer func() ([]byte, error)

// part is a requested part of a file.
type part struct {
	wait   Answer
	offset int64
	length int
}

// Start requests the first parts, from offset on. The parameter size is the size of the file, or -1 if only the end of the file tells
// it. Parts that were requested by an earlier Start are forgotten.
func (r *Reader) Start(ctx context.Context, offset, size int64) error {
	r.ctx, r.next, r.size, r.parts = ctx, offset, size, nil
	return r.request()
}

// Wait waits for the first octets. It returns an error if the file cannot be read.
func (r *Reader) Wait() error {
	for len(r.data) == 0 && r.err == nil {
		r.data, r.err = r.receive()
	}
	if len(r.data) > 0 {
		return nil
	}
	return r.err
}

func (r *Reader) Read(p []byte) (int, error) {
	if err := r.Wait(); err != nil {
		return 0, err
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}

// WriteTo implements [io.WriterTo], so that a copy needs no buffer of its own.
func (r *Reader) WriteTo(w io.Writer) (written int64, err error) {
	for {
		if err := r.Wait(); errors.Is(err, io.EOF) {
			return written, nil
		} else if err != nil {
			return written, err
		}
		n, err := w.Write(r.data)
		written += int64(n)
		if r.data = r.data[n:]; err != nil {
			return written, err
		}
	}
}

// request sends requests for the next parts.
func (r *Reader) request() error {
	longest := r.Longest()
	if r.ahead = min(r.ahead+2, max(2, int(r.Ahead/longest))); r.size < 0 {
		r.ahead = min(r.ahead, 4)
	}
	for len(r.parts) < r.ahead && (r.size < 0 || r.next < r.size) {
		length := longest
		if r.size >= 0 {
			length = min(length, r.size-r.next)
		}
		wait, err := r.Ask(r.next, int(length))
		if err != nil {
			return err
		}
		r.parts = append(r.parts, part{wait, r.next, int(length)})
		r.next += length
	}
	return nil
}

// receive returns the octets of the next part. At the end of the file the error is io.EOF.
func (r *Reader) receive() ([]byte, error) {
	if r.ctx.Err() != nil {
		return nil, context.Cause(r.ctx)
	}
	if err := r.request(); err != nil {
		return nil, err
	}
	if len(r.parts) == 0 {
		r.Done()
		return nil, io.EOF
	}
	first := r.parts[0]
	data, err := first.wait()
	switch {
	case errors.Is(err, io.EOF) && r.size >= 0:
		return nil, protocols.NewError(protocols.Broken, r.Op, "the file has become shorter while it was read")
	case errors.Is(err, io.EOF):
		r.Done()
		return nil, io.EOF
	case err != nil:
		return nil, err
	}
	r.parts = r.parts[1:]
	if rest := first.length - len(data); rest > 0 {
		offset := first.offset + int64(len(data))
		wait, err := r.Ask(offset, rest)
		if err != nil {
			return nil, err
		}
		r.parts = append([]part{{wait, offset, rest}}, r.parts...)
	}
	return data, nil
}
