package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"gofer/protocols"
)

// Dialer opens connections. The zero value has the default limits and dials
// IPv6 and IPv4 with the fallback of RFC 8305.
type Dialer struct {
	Connect    time.Duration // the limit for looking up the name and connecting; 0: 15 s
	FirstByte  time.Duration // the limit of silence before the first byte of an answer; 0: 30 s
	Idle       time.Duration // the limit of silence within an answer; 0: 60 s
	LeastRate  int           // the fewest octets a second of an answer whose lines are shown, over 5 times Idle; 0: 10; -1: none
	QuickReply time.Duration // the limit for the next answer of an idle connection; 0: 2 s; see [Conn.RequireQuickReply]

	Offline bool    // connect to no server: the error has the reason Offline
	Allow   Allower // restricts connections to allowed servers; nil: all
	Proxies Proxies // the proxies for connections by TCP; nil: none
	Locals  Locals  // the servers inside this program; nil: none
	TLS     TLS     // the trust of DialTLS and StartTLS
	Memory  *Memory // data that clients share, see [Remember]; nil: each client has separate data
}

// Allower returns an error for a server, "host:port", to which connections are not allowed.
type Allower interface{ CheckServer(addr string) error }

// Locals holds the addresses of servers inside this program. Their hosts are not looked up, and
// connections to them do not use a proxy.
type Locals interface {
	// ListenAddr returns the address at which the server for addr ("host:port") listens, or "" if
	// there is none. The result ours reports whether the host is inside this program.
	ListenAddr(addr string) (listening string, ours bool)
}

// The limits of a zero Dialer.
const (
	DefaultConnect    = 15 * time.Second
	DefaultFirstByte  = 30 * time.Second
	DefaultIdle       = 60 * time.Second
	DefaultQuickReply = 2 * time.Second
	DefaultLeastRate  = 10 // a third of a modem line of 300 baud
)

// Silence returns the limits of silence before the first byte of an answer and within an answer.
func (d Dialer) Silence() (firstByte, idle time.Duration) {
	return orDefault(d.FirstByte, DefaultFirstByte), orDefault(d.Idle, DefaultIdle)
}

// LimitedTo returns d with the limit for connecting and for silence.
func (d Dialer) LimitedTo(limit time.Duration) Dialer {
	d.Connect, d.FirstByte, d.Idle = limit, limit, limit
	return d
}

func orDefault(d, def time.Duration) time.Duration {
	if d <= 0 {
		return def
	}
	return d
}

// Dial connects to addr ("host:port") by TCP. When ctx ends, the connection is
// closed and its reads and writes return the cause of ctx. The error of Dial is a
// *[protocols.Error] or the cause of ctx.
func (d Dialer) Dial(ctx context.Context, addr string) (*Conn, error) {
	return d.dial(ctx, "tcp", addr, nil)
}

// dial connects to addr and calls the function ready, which may be nil. The context of ready ends
// at the time limit for connecting.
func (d Dialer) dial(ctx context.Context, network, addr string, ready func(context.Context, *Conn) error) (*Conn, error) {
	if d.Allow != nil {
		if err := d.Allow.CheckServer(addr); err != nil {
			return nil, err
		}
	}
	if d.Offline {
		return nil, &protocols.Error{Reason: protocols.Offline, Op: "connect to " + addr}
	}
	limit := orDefault(d.Connect, DefaultConnect)
	progress := protocols.ProgressFrom(ctx)
	progress.Enter(protocols.Connecting, addr, limit)
	dialCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var route Route
	target, ours := addr, false
	if d.Locals != nil {
		if listening, ok := d.Locals.ListenAddr(addr); ok {
			target, ours = listening, true
		}
	}
	if target == "" {
		return nil, &protocols.Error{Reason: protocols.Refused, Op: "connect to " + addr}
	}
	if d.Proxies != nil && !ours {
		var err error
		if route, err = d.Proxies.Route(addr); err != nil {
			return nil, err
		}
		if route != nil && network != "tcp" {
			return nil, &protocols.Error{Reason: protocols.Unsupported, Op: "ask " + addr, Err: errNoUDP}
		}
	}
	dial := new(net.Dialer).DialContext
	if route != nil {
		dial = route.DialContext
	}
	nc, err := dial(dialCtx, network, loopbackAddr(target))
	if err != nil {
		err = dialError(ctx, addr, err)
		if e, ok := errors.AsType[*protocols.Error](err); route != nil && ok {
			e.Op += " through the proxy " + route.String()
		}
		return nil, err
	}
	c := d.newConn(ctx, nc, addr)
	c.proxied = route != nil
	if ready != nil {
		if err := ready(dialCtx, c); err != nil {
			_ = c.Close()
			return nil, err
		}
	}
	progress.Enter(protocols.Waiting, addr, c.firstByte)
	return c, nil
}

// Fetch connects to addr, with TLS if secure is set, and calls the function exchange. It returns
// the Resource of exchange with the Security of the connection. It closes the connection if
// exchange fails.
func (d Dialer) Fetch(ctx context.Context, addr string, secure bool, exchange func(*Conn) (*protocols.Resource, error)) (*protocols.Resource, error) {
	dial := d.Dial
	if secure {
		dial = d.DialTLS
	}
	conn, err := dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	res, err := exchange(conn)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	res.Security = conn.Security()
	res.Personal = res.Personal || res.Security.Identity != ""
	return res, nil
}

// newConn returns a Conn for the new connection nc, which is closed when ctx ends.
func (d Dialer) newConn(ctx context.Context, nc net.Conn, peer string) *Conn {
	firstByte, idle := d.Silence()
	c := &Conn{
		Conn: nc, raw: nc, ctx: ctx, peer: peer, progress: protocols.ProgressFrom(ctx),
		firstByte: firstByte, idle: idle, quickReply: orDefault(d.QuickReply, DefaultQuickReply),
		leastRate: cmp.Or(d.LeastRate, DefaultLeastRate),
	}
	c.recorder.peer = peer
	c.recorder.begin(ctx)
	c.stop = context.AfterFunc(ctx, func() { _ = nc.Close() })
	return c
}

// Conn is a connection that is closed when its context ends. Like any net.Conn it may be
// read by one goroutine and written by another.
type Conn struct {
	net.Conn
	Unlimited bool // no limit of silence, for interactive sessions; set before the first Read
	MarksEnds bool // the protocol marks the ends of its answers: TLS may end without close_notify; set before the first Read

	raw             net.Conn // the connection below TLS; without TLS it is the same as Conn
	datagrams       bool     // each read and write is one datagram
	ctx             context.Context
	stop            func() bool
	peer            string
	progress        *protocols.Progress
	firstByte       time.Duration
	idle            time.Duration
	quickReply      time.Duration
	slowest         time.Duration // the longest wait for an answer
	needsQuickReply bool          // see RequireQuickReply
	answered        atomic.Bool   // bytes were received since the last write
	line            slowLine
	leastRate       int // in octets a second; -1 for none
	arrival         arrival
	recorder        recorder
	security        protocols.Security
	proxied         bool
	startTLS        func() error // performs the postponed TLS handshake; may be nil
	beginTLS        func()       // performs its part that needs no change of the Conn; may be nil
	end             *endRecorder // nil without TLS
	trustsEnd       bool         // see [TLS].Ends
	offer           *offer       // the identity of the user in TLS; nil without TLS
}

// Context returns the context of the connection.
func (c *Conn) Context() context.Context { return c.ctx }

// Security returns the protection of the connection.
func (c *Conn) Security() protocols.Security { return c.security }

// Handshake performs the TLS handshake if [Dialer.StartTLSOnUse] postponed it.
func (c *Conn) Handshake() error {
	if c.startTLS == nil {
		return nil
	}
	return c.startTLS()
}

// Read reads data from the server. If the server is silent beyond the limit, the error is
// [protocols.TimeoutError], or an *[protocols.Error] with reason Broken after
// [Conn.RequireQuickReply]. After a reset, the reason is Broken. If the server sends a line very slowly, or lines
// that are shown below the least rate, the reason is IdleTimeout. At the end of the stream the error is io.EOF.
// If TLS ended without the alert close_notify, the reason is EndUnmarked, unless MarksEnds is set or [TLS].Ends
// allows such an end. Read reads nothing after the context has ended.
func (c *Conn) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil { // the connection may not be closed yet
		return 0, context.Cause(c.ctx)
	}
	if err := c.Handshake(); err != nil {
		return 0, err
	}
	limit, first, from := c.idle, !c.answered.Load(), time.Now()
	if first {
		limit, c.line, c.arrival = c.firstByte, slowLine{begun: from}, arrival{}
	}
	if c.needsQuickReply {
		limit = min(limit, max(c.quickReply, c.SlowAnswer()))
	}
	if !c.Unlimited {
		_ = c.Conn.SetReadDeadline(from.Add(limit))
	}
	n, err := c.Conn.Read(p)
	c.recorder.record(p[:n], false, err != nil || c.datagrams)
	if n > 0 {
		if first {
			c.slowest = max(c.slowest, time.Since(from))
		}
		c.needsQuickReply = false
		c.answered.Store(true)
		if c.recorder.octets != onlyLines {
			c.progress.AddReceived(n, c.idle)
		}
	}
	if err = c.checkEnd(err); err != nil && !errors.Is(err, io.EOF) && protocols.ReasonOf(err) != protocols.EndUnmarked {
		err = c.ioError("read from "+c.peer, err)
	}
	if n > 0 && err == nil && c.line.isDripping(p[:n], lineIdles*c.idle) && !c.Unlimited {
		err = &protocols.Error{Reason: protocols.IdleTimeout, Op: "read from " + c.peer, Err: errDrip}
	}
	if n > 0 && err == nil && c.leastRate > 0 && !c.Unlimited && c.arrival.isSlow(n, lineIdles*c.idle, c.leastRate) && c.progress.ReadsLines() {
		err = &protocols.Error{Reason: protocols.IdleTimeout, Op: "read from " + c.peer, Err: errSlow}
	}
	return n, err
}

// Write writes to the server. The limit FirstByte applies to the next Read.
func (c *Conn) Write(p []byte) (int, error) {
	if err := c.Handshake(); err != nil {
		return 0, err
	}
	_ = c.Conn.SetWriteDeadline(time.Now().Add(c.idle))
	c.answered.Store(false)
	c.recorder.record(p, true, c.datagrams)
	n, err := c.Conn.Write(p)
	if err != nil {
		return n, c.ioError("write to "+c.peer, c.causeOfReset(err))
	}
	c.progress.Enter(protocols.Waiting, c.peer, c.firstByte)
	return n, nil
}

// causeOfReset returns the alert that has arrived before a reset, or err, the error of a write. With TLS 1.3, a server that refuses the
// identity of the user closes the connection after its alert, and a write may notice only the reset.
func (c *Conn) causeOfReset(err error) error {
	if c.offer == nil || !c.offer.asked || !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		return err
	}
	if _, alert := c.Conn.Read(make([]byte, 1)); c.offer.describeAlert(alert) != nil { // it does not block after a reset
		return alert
	}
	return err
}

// WriteCommands is like Write. The Transcript shows that the lines of p were sent together.
func (c *Conn) WriteCommands(p []byte) (int, error) {
	c.recorder.markCommands(true)
	defer c.recorder.markCommands(false)
	return c.Write(p)
}

// Hide masks a password in all later lines of transcripts.
func (c *Conn) Hide(password string) { c.recorder.hide(password) }

// ResetUnlessFinished makes Close reset the connection unless Finish was called. After an orderly
// close the peer would believe that it has all data.
func (c *Conn) ResetUnlessFinished() {
	if t, ok := c.raw.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
}

const finishTime = 10 * time.Second // the time limit for the peer to close a connection

// Finish makes the following Close orderly, after all data was written. With TLS, Finish also sends
// the end of the data and waits up to [finishTime] until the peer has closed the connection: closing
// it while TLS data is unread would reset it, and the peer might lose data.
func (c *Conn) Finish() error {
	if err := c.Handshake(); err != nil {
		return err
	}
	if t, ok := c.raw.(*net.TCPConn); ok {
		_ = t.SetLinger(-1)
	}
	secure, ok := c.Conn.(*tls.Conn)
	if !ok {
		return nil
	}
	if err := secure.CloseWrite(); err != nil {
		return c.ioError("write to "+c.peer, err)
	}
	_ = secure.SetReadDeadline(time.Now().Add(finishTime))
	_, _ = io.Copy(io.Discard, secure)
	return nil
}

// Abort closes the connection without ending TLS.
func (c *Conn) Abort() { _ = c.raw.Close() }

// Close closes the connection and releases the context.
func (c *Conn) Close() error {
	c.stop()
	return c.Conn.Close()
}

func (c *Conn) ioError(op string, err error) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	if asked := c.offer.describeAlert(err); asked != nil { // TLS 1.3: the server checks the identity after the handshake
		return asked
	}
	e := &protocols.Error{Reason: protocols.Broken, Op: op, Err: trimAddresses(err)}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) && c.needsQuickReply:
		e.Err = errSilent
	case errors.Is(err, os.ErrDeadlineExceeded):
		e = protocols.TimeoutError(op, c.answered.Load())
	case errors.Is(err, syscall.ECONNREFUSED): // with UDP
		e.Reason, e.Err = protocols.Refused, nil
	case errors.Is(err, errLongDatagram):
		e.Reason = protocols.TooBig
	}
	return e
}

// IsProxied reports whether the connection goes through a proxy.
func (c *Conn) IsProxied() bool { return c.proxied }

// SameHost returns the address of another port of the server's host. The address has the IP address
// of the host, or its name if the connection goes through a proxy.
func (c *Conn) SameHost(port uint16) string {
	if peer, ok := c.raw.RemoteAddr().(*net.TCPAddr); ok && !c.proxied {
		return (&net.TCPAddr{IP: peer.IP, Zone: peer.Zone, Port: int(port)}).String()
	}
	host, _, _ := net.SplitHostPort(c.peer)
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}
