package prospero

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"time"

	"gofer/protocols"
)

// The limits of an exchange.
const (
	maxRequest = 16        // packets of a request
	maxAhead   = 4096      // packets stored after a missing packet
	maxEarly   = 8 << 20   // octets of the packets stored after a missing packet
	maxOctets  = 256 << 20 // octets of an answer
	maxNumber  = 1<<16 - 1 // the largest number of a packet
	maxTime    = 2 * time.Hour
	maxWait    = 120 * time.Second // the longest time before the next attempt
	maxWaits   = 10 * time.Minute  // the total time before the first packet of the answer
)

// The times before packets are sent again. The first time is firstRetry. Later times depend on the
// measured round trip time. Old clients always wait 4 s, and their fetches fail if 30 % of the packets
// are lost.
const (
	firstRetry = time.Second
	minRetry   = 200 * time.Millisecond
	maxRetry   = 4 * time.Second
)

// datagrams is a socket. The reason of the error of a read that times out has the trait TimedOut.
type datagrams interface {
	io.ReadWriteCloser
	SetReadDeadline(t time.Time) error
}

// exchange is a request and its answer over ARDP (Asynchronous Reliable Delivery Protocol, version
// 0). As an io.Reader it returns the text of the answer from all packets in order, without
// duplicates.
type exchange struct {
	ctx       context.Context
	conn      datagrams
	resend    io.Writer // for acknowledgements and repeated packets; if nil, conn is used
	peer      string
	firstByte time.Duration // the time limit for the start of the answer
	idle      time.Duration // the time limit for the next packet of the answer

	id              uint16
	request         [][]byte
	acceptedPackets int // the number of packets of the request that the server has received

	receivedThrough    int            // the number of the last packet before the first missing one
	total              int            // the number of packets of the answer, or 0 if unknown
	highest            int            // the highest number received
	earlyPackets       map[int][]byte // received packets after a missing packet
	earlySize          int            // octets in earlyPackets
	unread             [][]byte       // received data in order that Read has not returned yet
	octets             int
	answered           bool // a part of the answer was received
	foreign            bool // a datagram that is not ARDP was received
	acknowledgedNumber int  // the highest number that was acknowledged

	end       time.Time     // the end of the whole exchange
	deadline  time.Time     // the time limit for the next new packet
	retryAt   time.Time     // the time of the next attempt
	waitEnd   time.Time     // the end of the wait requested by the server
	retry     time.Duration // the current time between two attempts
	roundTrip time.Duration // the smoothed round trip time, or 0 if unknown
	sentAt    time.Time     // when the last packet was sent, or zero after a repetition
	buf       []byte
}

var (
	errRefused  = errors.New("the server refuses the request")
	errNumbers  = errors.New("the packet numbers contradict each other")
	errOther    = errors.New("the answer is not Prospero version 5: an older version or another service")
	errTooLong  = errors.New("the answer is too long")
	errTooSlow  = errors.New("the answer takes too long")
	errRequest  = errors.New("the name is too long for a request")
	errRedirect = errors.New("the redirect names no address")
)

// redirect is the error for an answer that names another address for the request.
type redirect struct{ target netip.AddrPort }

func (r *redirect) Error() string { return "redirected to " + r.target.String() }

// newID returns a random connection id, which is not zero. Its two octets are equal, because some
// servers swap them after the first packets of an answer.
func newID() uint16 { return uint16(1+rand.IntN(255)) * 0x101 }

// newExchange sends the request. The caller must close the exchange.
func newExchange(ctx context.Context, conn datagrams, x exchange, text string) (*exchange, error) {
	x.ctx, x.conn = ctx, conn
	x.request = requestPackets(x.id, text)
	if len(x.request) > maxRequest {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: "send the request", Err: errRequest}
	}
	x.buf = make([]byte, 1<<16)
	x.earlyPackets = make(map[int][]byte)
	now := time.Now()
	x.end, x.deadline, x.retry = now.Add(maxTime), now.Add(x.firstByte), firstRetry
	x.sentAt, x.retryAt = now, now.Add(x.retry)
	if x.resend == nil {
		x.resend = conn
	}
	for _, p := range x.request {
		if _, err := conn.Write(p); err != nil {
			return nil, err
		}
	}
	return &x, nil
}

// Read returns the received octets in order. If no packet arrives, Read requests the missing
// packets again.
func (x *exchange) Read(p []byte) (int, error) {
	for len(x.unread) == 0 {
		if x.total > 0 && x.receivedThrough == x.total {
			return 0, io.EOF
		}
		if err := x.receive(); err != nil {
			return 0, err
		}
	}
	if x.ctx.Err() != nil {
		return 0, context.Cause(x.ctx)
	}
	n := copy(p, x.unread[0])
	if x.unread[0] = x.unread[0][n:]; len(x.unread[0]) == 0 {
		x.unread = x.unread[1:]
	}
	return n, nil
}

// Close cancels the request at the server if only a part of the answer has arrived. It closes the
// socket.
func (x *exchange) Close() error {
	if x.answered && (x.total == 0 || x.receivedThrough < x.total) {
		_, _ = x.resend.Write(cancelPacket(x.id, x.receivedThrough))
	}
	if err := x.conn.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil // conn was closed when the context ended
}

// receive reads and handles the next packet. While it waits, it repeats packets that may have been lost.
func (x *exchange) receive() error {
	for {
		now := time.Now()
		if !now.Before(x.deadline) || !now.Before(x.end) {
			return x.timeoutError(now)
		}
		if !now.Before(x.retryAt) {
			x.sendAgain(now)
		}
		_ = x.conn.SetReadDeadline(earliest(x.retryAt, x.deadline, x.end))
		n, err := x.conn.Read(x.buf)
		switch {
		case isTimeout(err):
			continue
		case err != nil:
			return err
		}
		k, ok := parsePacket(x.buf[:n])
		if ok && k.id == x.id {
			return x.handlePacket(k)
		}
		x.foreign = x.foreign || !ok
	}
}

func earliest(times ...time.Time) time.Time { return slices.MinFunc(times, time.Time.Compare) }

func isTimeout(err error) bool { return protocols.ReasonOf(err).Is(protocols.TimedOut) }

func (x *exchange) timeoutError(now time.Time) error {
	e := protocols.TimeoutError("read from "+x.peer, x.answered)
	switch {
	case !now.Before(x.end):
		e.Reason, e.Err = protocols.TooBig, errTooSlow
	case x.foreign && !x.answered:
		e.Reason, e.Err = protocols.Malformed, errOther
	}
	return e
}

// sendAgain sends the packets of the request that the server has not received. If the server has
// received all of them, or its answer has begun, sendAgain acknowledges the packets of the answer.
// It ignores errors, because reading the answer then fails too.
func (x *exchange) sendAgain(now time.Time) {
	x.retry = min(x.retry*3/2, maxRetry)
	x.retryAt = now.Add(x.retry)
	if x.waitEnd.After(x.retryAt) {
		x.retryAt = earliest(x.waitEnd, now.Add(maxWait))
	}
	x.sentAt = time.Time{} // the next packet may answer the original or the repeated one
	if x.answered || x.acceptedPackets == len(x.request) {
		x.acknowledge()
		return
	}
	for _, p := range x.request[x.acceptedPackets:] {
		_, _ = x.resend.Write(p)
	}
}

func (x *exchange) acknowledge() {
	x.acknowledgedNumber = x.receivedThrough
	_, _ = x.resend.Write(newHeader(x.id, 0, 0, x.receivedThrough))
}

func (x *exchange) handlePacket(k packet) error {
	now := time.Now()
	switch k.option {
	case optionRefused:
		return &protocols.Error{Reason: protocols.Refused, Op: "ask " + x.peer, Text: string(k.data), Err: errRefused}
	case optionReset:
		x.acceptedPackets = min(k.receivedThrough, x.acceptedPackets)
	case optionRedirect, optionRedirectNotify:
		if x.answered {
			return nil
		}
		to, ok := k.redirectTarget()
		if !ok {
			return x.malformedError(errRedirect)
		}
		return &redirect{to}
	}
	x.acceptedPackets = min(max(x.acceptedPackets, k.receivedThrough), len(x.request))
	if k.wait > 0 && !x.answered {
		x.postpone(now, k.wait)
	}
	isNew, err := x.store(k)
	if err != nil {
		return err
	}
	if isNew {
		x.resetTimes(now)
	}
	if k.flags&flagAck != 0 && (isNew || k.number == 0 || x.receivedThrough > x.acknowledgedNumber) {
		x.sentAt = now
		x.acknowledge()
	}
	return nil
}

// postpone postpones the next attempt and the deadline, as the server requests.
func (x *exchange) postpone(now time.Time, d time.Duration) {
	x.waitEnd = now.Add(d)
	x.retryAt = earliest(x.waitEnd, now.Add(maxWait))
	x.deadline = earliest(now.Add(d+x.firstByte), x.end.Add(maxWaits-maxTime))
	protocols.ProgressFrom(x.ctx).Enter(protocols.Waiting, x.peer, x.deadline.Sub(now))
}

// store stores the data of a packet and reports whether the packet is new. A packet beyond the
// limits for early packets counts as lost, and is not new.
func (x *exchange) store(k packet) (isNew bool, err error) {
	if k.number == 0 {
		return false, nil
	}
	if k.total > 0 && x.total > 0 && k.total != x.total {
		return false, x.malformedError(errNumbers)
	}
	x.total = max(x.total, k.total)
	x.highest = max(x.highest, k.number)
	if x.total > 0 && x.highest > x.total {
		return false, x.malformedError(errNumbers)
	}
	if _, known := x.earlyPackets[k.number]; known || k.number <= x.receivedThrough || k.number > x.receivedThrough+maxAhead {
		return false, nil
	}
	if k.number > x.receivedThrough+1 && x.earlySize+len(k.data) > maxEarly {
		return false, nil // the packet counts as lost
	}
	x.octets += len(k.data)
	if x.octets > maxOctets || k.number == maxNumber && x.total == 0 {
		return false, &protocols.Error{Reason: protocols.TooBig, Op: "read from " + x.peer, Err: errTooLong}
	}
	if k.number > x.receivedThrough+1 {
		x.earlyPackets[k.number] = slices.Clone(k.data)
		x.earlySize += len(k.data)
		return true, nil
	}
	x.appendData(k.data) // k.data is valid until the next packet is read
	for known := true; known; {
		var data []byte
		if data, known = x.earlyPackets[x.receivedThrough+1]; known {
			delete(x.earlyPackets, x.receivedThrough+1)
			x.earlySize -= len(data)
			x.appendData(data)
		}
	}
	return true, nil
}

func (x *exchange) appendData(data []byte) {
	x.receivedThrough++
	if len(data) > 0 {
		x.unread = append(x.unread, data)
	}
}

// resetTimes sets the times of the next attempt and of the deadline after a new packet.
func (x *exchange) resetTimes(now time.Time) {
	x.answered = true
	if !x.sentAt.IsZero() {
		sample := now.Sub(x.sentAt)
		x.roundTrip = cmp.Or(x.roundTrip, sample)
		x.roundTrip = (7*x.roundTrip + sample) / 8
		x.sentAt = time.Time{}
	}
	x.retry = firstRetry
	if x.roundTrip > 0 {
		x.retry = min(max(4*x.roundTrip, minRetry), maxRetry)
	}
	x.retryAt, x.waitEnd, x.deadline = now.Add(x.retry), time.Time{}, now.Add(x.idle)
}

func (x *exchange) malformedError(err error) error {
	return &protocols.Error{Reason: protocols.Malformed, Op: "read from " + x.peer, Err: err}
}
