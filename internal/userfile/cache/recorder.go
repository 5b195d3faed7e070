package cache

import (
	"errors"
	"io"
)

// Record returns a reader that reads from r. At the end of r, the reader calls keep with all octets
// of r, unless r has more than room octets.
func Record(r io.Reader, room int64, keep func(octets []byte)) io.Reader {
	return &recorder{Reader: r, room: room, keep: keep}
}

type recorder struct {
	io.Reader
	octets []byte
	room   int64
	keep   func(octets []byte) // nil after the end, or after too many octets
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.keep == nil {
		return n, err
	}
	r.octets = append(r.octets, p[:n]...)
	if int64(len(r.octets)) > r.room {
		r.octets, r.keep = nil, nil
	} else if errors.Is(err, io.EOF) {
		r.keep(r.octets)
		r.octets, r.keep = nil, nil
	}
	return n, err
}
