package ftp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"gofer/protocols"
)

// finalReplyTimeout is the time that transfer waits for the final reply after the last octet of the
// announced size. The reply may never arrive if a router has dropped the idle control connection.
const finalReplyTimeout = 10 * time.Second

var errNoFinalReply = errors.New("no final reply")

// transfer reads a data connection. Read returns io.EOF only if all octets of the announced size have been received. After
// the exact number of octets, it does not wait for the final reply (RFC 959, section 5.4), which takes one more round trip.
// Otherwise the final reply must be positive, and if the size is unknown, it must not be missing. An empty listing may also
// end with a negative reply. If TLS ended without close_notify (RFC 4217, section 12.4), the announced size or the final
// reply must confirm the number of octets. If they do not, a file ends with an error, and a listing with endUnmarked set. At
// the end, the session is kept for the next fetch, unless holdSession is set.
type transfer struct {
	c           *Client
	s           *session
	data        *dataConn
	op          string
	size        int64  // announced size, or -1
	isExact     bool   // the server has announced the size in this session: with so many octets, no reply is needed
	listedFile  string // name of the file if size comes from a listing, else ""
	enough      int64  // octets that suffice for the caller; 0: all octets of the file
	received    int64
	resumed     bool // size counts the rest of the file only
	holdSession bool // at the end, the caller continues to use the session
	isListing   bool
	endUnmarked bool  // TLS ended without close_notify, and nothing confirms that all octets were received
	denial      error // error of an earlier listing command that was denied access, else nil
	err         error // error of the last Read
	ahead       []byte
	final       reply // the final reply

	end sync.Once // only the first call of releaseSession or abort has an effect
}

// readAhead waits for the first octet, which the next Read returns. If there is none, it returns an error.
func (t *transfer) readAhead() error {
	b := make([]byte, 1)
	n, err := t.Read(b)
	t.ahead = b[:n]
	if n > 0 {
		return nil
	}
	return err
}

func (t *transfer) Read(p []byte) (int, error) {
	if len(t.ahead) > 0 {
		n := copy(p, t.ahead)
		t.ahead = t.ahead[n:]
		return n, nil
	}
	if t.err != nil {
		return 0, t.err
	}
	n, err := t.data.Read(p)
	t.received += int64(n)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF), protocols.ReasonOf(err) == protocols.EndUnmarked:
		t.endUnmarked = !errors.Is(err, io.EOF)
		if t.isExact && t.received == t.size {
			t.s.awaitsFinal = true
			_ = t.data.Close()
		} else {
			t.err = t.finish()
		}
	default:
		t.err = t.s.convertError(t.op, err)
	}
	if t.err != nil {
		t.abort(context.Canceled)
		return n, t.err
	}
	t.err = io.EOF
	if !t.holdSession {
		t.releaseSession()
	}
	return n, t.err
}

// finish reads the final reply and checks the number of octets received.
func (t *transfer) finish() error {
	complete := t.size >= 0 && t.received == t.size
	if complete {
		cancel := t.s.bound.cancel // ends this fetch only: another fetch may use the session when the timer fires
		timer := time.AfterFunc(finalReplyTimeout, func() { cancel(errNoFinalReply) })
		defer timer.Stop()
	}
	end := func() (reply, error) { return t.s.endTransfer(t.data) }
	if t.isListing {
		end = func() (reply, error) { return t.awaitReply(func() (reply, error) { return t.s.endTransfer(t.data) }) }
	}
	var err error
	if t.final, err = end(); errors.Is(err, errLeft) {
		return err
	}
	done := err == nil && t.final.code/100 == 2
	if done && t.received < t.size && t.listedFile != "" { // the file may have changed since the listing
		if t.size, err = t.s.querySize(t.listedFile); err != nil {
			return err
		}
	}
	switch {
	case done && t.resumed && t.size >= 0 && t.received > t.size:
		return protocols.NewError(protocols.Malformed, t.op,
			"received more octets than were missing: the server ignored REST, or the file has changed; fetch the whole file")
	case done && t.received < t.size:
		return protocols.NewError(protocols.Broken, t.op,
			"received only "+strconv.FormatInt(t.received, 10)+" of "+strconv.FormatInt(t.size, 10)+" octets")
	case done && t.isListing && t.received == 0:
		return cmp.Or(t.checkEmptyListing(), t.checkEnd())
	case done:
		return t.checkEnd()
	case err == nil:
		if t.isListing && t.received == 0 && (t.final.code == 450 || t.final.code == 550) && !deniesAccess(replyText(t.final)) {
			return t.denial
		}
		e := t.s.newRefusalError(t.op, t.final)
		e.Reason = protocols.Broken
		return e
	case complete && (t.s.ctx.Err() == nil || errors.Is(context.Cause(t.s.ctx), errNoFinalReply)):
		t.abort(context.Canceled)
		return nil
	}
	return t.s.convertError(t.op, err)
}

// checkEnd returns an error if nothing confirms that all octets of a file were received. It clears endUnmarked if the
// announced size or the final reply confirms it.
func (t *transfer) checkEnd() error {
	t.endUnmarked = t.endUnmarked && t.received != t.size && (t.enough == 0 || t.received < t.enough) && !namesOctets(replyText(t.final), t.received)
	if !t.endUnmarked || t.isListing {
		return nil
	}
	return &protocols.Error{Reason: protocols.EndUnmarked, Op: t.op}
}

// namesOctets reports whether a final reply, such as "226 Transfer complete, 1,234 bytes sent", names the number n of
// octets.
func namesOctets(text string, n int64) bool {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" \t()[]:;=", r) })
	for i := 1; i < len(fields); i++ {
		number := strings.ReplaceAll(fields[i-1], ",", "")
		if unit := strings.Trim(fields[i], ".,"); (unit == "bytes" || unit == "octets") && number == strconv.FormatInt(n, 10) {
			return true
		}
	}
	return false
}

// checkEmptyListing returns an error if an empty listing does not mean that the directory is
// empty. Some servers send an empty listing of a directory that they cannot read, and name
// the cause in the text of the 226.
func (t *transfer) checkEmptyListing() error {
	answer := strings.ToLower(replyText(t.final))
	if t.denial == nil && (deniesAccess(answer) || strings.Contains(answer, "failed to open directory") || strings.Contains(answer, "unable to read")) {
		e := t.s.newRefusalError(t.op, t.final)
		e.Reason = protocols.Denied
		return e
	}
	return t.denial
}

// releaseSession keeps the session for the next fetch, unless the transfer was aborted.
func (t *transfer) releaseSession() {
	t.end.Do(func() { t.c.keepSession(t.s) })
}

func (t *transfer) abort(cause error) {
	t.end.Do(func() { t.s.bound.leave(cause) })
}

// Close ends the transfer. It drops the session if the transfer is unfinished, because the
// server may still send replies about it.
func (t *transfer) Close() error {
	t.abort(net.ErrClosed)
	return nil
}
