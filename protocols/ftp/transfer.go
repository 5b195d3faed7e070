package ftp

import (
	"context"
	"errors"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jlaffaye/ftp"

	"gofer/protocols"
)

// lateReply is the time limit for the final reply after all octets of a transfer. Some
// servers never send it: a router forgot the silent control connection.
const lateReply = 10 * time.Second

var errLate = errors.New("no final reply")

// transfer reads one data connection. It returns io.EOF only if the server has confirmed
// the end (RFC 959, section 5.1.1) and nothing of the announced size is missing. Then
// the session returns to the client.
type transfer struct {
	c       *Client
	s       *session
	resp    *ftp.Response
	op      string
	size    int64  // announced, or -1
	listed  string // the file whose size comes from a listing, or ""
	got     int64
	resumed bool // the announced size counts the rest only
	keep    bool // do not give the session back at the end
	list    bool
	denied  error // why a command before did not list the directory, or nil
	err     error // of the last Read

	end sync.Once // the session is given back, or aborted
}

func (t *transfer) Read(p []byte) (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	n, err := t.resp.Read(p)
	t.got += int64(n)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		t.err = t.finish()
	default:
		t.err = t.s.fail(t.op, err)
	}
	if t.err != nil {
		t.abort(context.Canceled)
		return n, t.err
	}
	t.err = io.EOF
	if !t.keep {
		t.release()
	}
	return n, t.err
}

// finish reads the final reply.
func (t *transfer) finish() error {
	whole := t.size >= 0 && t.got == t.size
	if whole {
		cancel := t.s.cancel // of this fetch: the session may be in another's hands when the timer fires
		timer := time.AfterFunc(lateReply, func() { cancel(errLate) })
		defer timer.Stop()
	}
	err := t.resp.Close()
	if err == nil && t.got < t.size && t.listed != "" { // the file may have changed since
		if t.size, err = t.s.size(t.listed); err != nil {
			return err
		}
	}
	var refused *textproto.Error
	switch {
	case err == nil && t.resumed && t.size >= 0 && t.got > t.size:
		return protocols.NewError(protocols.Malformed, t.op,
			"more than the rest came: the server does not resume, or the file has changed; fetch it anew")
	case err == nil && t.got < t.size:
		return protocols.NewError(protocols.Broken, t.op,
			"only "+strconv.FormatInt(t.got, 10)+" of "+strconv.FormatInt(t.size, 10)+" octets came")
	case err == nil && t.list && t.got == 0:
		return t.unlisted()
	case err == nil:
		return nil
	case errors.As(err, &refused):
		answer := t.s.shim.last
		if t.list && t.got == 0 && (answer.code == 450 || answer.code == 550) && !denies(text(answer)) {
			return t.denied
		}
		e := t.s.refusal(t.op, answer)
		e.Reason = protocols.Broken
		return e
	case whole && (t.s.ctx.Err() == nil || errors.Is(context.Cause(t.s.ctx), errLate)):
		t.abort(context.Canceled)
		return nil
	}
	return t.s.fail(t.op, err)
}

// unlisted returns why the listing of a directory that sent nothing may not be its content, or nil.
// Some servers end the listing of a directory that they cannot read with 226, and say so in its text.
func (t *transfer) unlisted() error {
	last := t.s.shim.last
	said := strings.ToLower(text(last))
	if t.denied == nil && (denies(said) || strings.Contains(said, "failed to open directory") || strings.Contains(said, "unable to read")) {
		e := t.s.refusal(t.op, last)
		e.Reason = protocols.Denied
		return e
	}
	return t.denied
}

// release returns the session to the client, unless Close came first.
func (t *transfer) release() {
	t.end.Do(func() { t.c.put(t.s) })
}

func (t *transfer) abort(cause error) {
	t.end.Do(func() { t.s.cancel(cause) })
}

// Close ends the transfer. A session with an unfinished transfer is not used again: the
// next replies would be those to the transfer.
func (t *transfer) Close() error {
	t.abort(net.ErrClosed)
	return nil
}

// textReader turns CRLF, the line end of TYPE A (RFC 959, section 3.1.1.1), into LF. Any
// other CR stays.
type textReader struct {
	r    io.Reader
	buf  []byte
	out  []byte // not yet read, within buf
	held bool   // a CR that may belong to a line end
	err  error
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
	if t.held {
		t.buf[0], start, t.held = '\r', 1, false
	}
	n, err := t.r.Read(t.buf[start:])
	in := t.buf[:start+n]
	t.err = err
	if err == nil && len(in) > 0 && in[len(in)-1] == '\r' {
		t.held = true
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
