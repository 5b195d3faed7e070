package ftp

import "io"

// textReader converts CRLF, the line end of TYPE A (RFC 959, section 3.1.1.1), to LF. It does not change
// any other CR.
type textReader struct {
	r      io.Reader
	buf    []byte
	out    []byte // part of buf that has not been read
	heldCR bool   // the last octet was a CR, which may belong to a line end
	err    error
}

func newTextReader(r io.Reader) *textReader {
	return &textReader{r: r, buf: make([]byte, 32<<10)}
}

func (t *textReader) Read(p []byte) (int, error) {
	for len(t.out) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		t.fill()
	}
	n := copy(p, t.out)
	t.out = t.out[n:]
	return n, nil
}

func (t *textReader) fill() {
	start := 0
	if t.heldCR {
		t.buf[0], start, t.heldCR = '\r', 1, false
	}
	n, err := t.r.Read(t.buf[start:])
	in := t.buf[:start+n]
	t.err = err
	if err == nil && len(in) > 0 && in[len(in)-1] == '\r' {
		t.heldCR = true
		in = in[:len(in)-1]
	}
	w := 0
	for i, b := range in {
		if b == '\r' && i+1 < len(in) && in[i+1] == '\n' {
			continue
		}
		in[w] = b
		w++
	}
	t.out = in[:w]
}
