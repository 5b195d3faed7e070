// Package fetchtest is the conformance suite that every scheme passes: what
// [protocols.Fetcher] promises, tried out against a server that runs.
package fetchtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Target is a scheme together with a server that speaks it.
type Target struct {
	// New returns a Fetcher whose connections have the limits of d. If it is
	// an io.Closer the suite closes it, and then nothing may remain of it.
	New func(d wire.Dialer) protocols.Fetcher
	// Datagrams says that the scheme's protocol runs over UDP.
	Datagrams bool
	// Pages are pages of the server, at least one.
	Pages []Page
	// Slow is an answer of 8 MB or more.
	Slow string
	// Missing are items that the server does not have.
	Missing []string
	// Walk is where the walk over all links begins.
	Walk []string
	// Local says that there is no server: what needs one is not tried.
	Local bool
	// MayFail reports whether a link of the server leads nowhere by design; nil:
	// none does.
	MayFail func(u urlcore.URL) bool
	// Known returns the octets of the document at u, if the test knows them; nil:
	// it knows none.
	Known func(u urlcore.URL) (want []byte, known bool)
	// Same compares a document with its known octets; nil: [bytes.Equal].
	Same func(got, want []byte) bool

	leakPatience time.Duration // 0: the constant of that name
	// ctx is not nil for checks that run in parallel with the checks of other targets, whose
	// goroutines a snapshot would contain. It ends after the search for leaks.
	ctx context.Context
}

// Page is one answer of the server.
type Page struct {
	URL string
	// Layout is the layout of its head; LayoutText is not checked.
	Layout protocols.Layout
	// Media is the media type of its head; "" is not checked.
	Media string
	// Lines is how many lines it has at least; 0 if it is a document.
	Lines int
	// Empty says that it may have no line and no octet.
	Empty bool
	// Contains are parts of the document, or of the text or link of some line.
	Contains []string
	// Streams says that its first half can be shown when no more than that has
	// come.
	Streams bool
}

// The time limits are generous: a busy machine is no failure.
const (
	cancelLimit = 3 * time.Second   // after a cancel
	askLimit    = 60 * time.Second  // until the server is asked
	faultLimit  = 20 * time.Second  // for the end of a fetch that meets a fault
	checkLimit  = 150 * time.Second // for the honest answers of a check
	maxBody     = 64 << 20          // octets that are read of one document
)

type check struct {
	name   string
	run    func(context.Context, testing.TB, Target)
	remote bool // it needs a server
	fault  bool // the proxy of the suite injects a fault
}

func checks() []check {
	return []check{
		{name: "Pages", run: checkPages},
		{name: "Missing", run: checkMissing},
		{name: "Refused", run: checkRefused, remote: true},
		{name: "Walk", run: checkWalk},
		{name: "Concurrent", run: checkConcurrent},
		{name: "CancelledBefore", run: checkCancelledBefore},
		{name: "CancelStalled", run: checkCancelStalled, remote: true, fault: true},
		{name: "CancelSlow", run: checkCancelSlow},
		{name: "CloseSlow", run: checkCloseSlow},
		{name: "Stall", run: checkStall, remote: true, fault: true},
		{name: "BreakOff", run: checkBreakOff, remote: true, fault: true},
		{name: "Flood", run: checkFlood, remote: true, fault: true},
		{name: "Noise", run: checkNoise, remote: true, fault: true},
	}
}

// Run runs the suite as subtests.
func Run(t *testing.T, target Target) {
	t.Helper()
	run(t, target, checks())
}

// RunWithoutFaults runs the checks whose outcome depends on the server. The
// proxy of the suite makes the faults (stall, break, flood, noise), and they test
// the client: a scheme runs them with [Run] against its loopback server, one
// daemon, and one daemon with TLS.
func RunWithoutFaults(t *testing.T, target Target) {
	t.Helper()
	run(t, target, slices.DeleteFunc(checks(), func(c check) bool { return c.fault }))
}

// Variant is one of several servers.
type Variant struct {
	Name  string
	Start func(*testing.T) Target
}

// RunVariants is [RunWithoutFaults] against several servers, each in a parallel
// subtest. Leaks are looked for once, after the last of them.
func RunVariants(t *testing.T, variants []Variant) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	for _, v := range variants {
		t.Run(v.Name, func(t *testing.T) {
			target := v.Start(t)
			target.ctx = ctx
			t.Parallel()
			RunWithoutFaults(t, target)
		})
	}
	before := takeLeakSnapshot() // all servers run, no check does
	t.Cleanup(func() { before.compare(t, leakPatience) })
}

func run(t *testing.T, target Target, checks []check) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if target.Local && c.remote {
				t.Skip("there is no server")
			}
			c.try(t, target)
		})
	}
}

// try runs the check and fails t if it leaves goroutines or sockets. The context
// ends after the snapshots are compared: what only its end frees is a leak.
func (c check) try(t testing.TB, target Target) {
	t.Helper()
	ctx := target.ctx
	if ctx == nil {
		var end context.CancelFunc
		ctx, end = context.WithCancel(context.Background())
		t.Cleanup(end)
		before := takeLeakSnapshot()
		t.Cleanup(func() { before.compare(t, cmp.Or(target.leakPatience, leakPatience)) })
	}
	ctx, cancel := context.WithCancelCause(ctx)
	limit := time.AfterFunc(checkLimit, func() { cancel(context.DeadlineExceeded) })
	t.Cleanup(func() { limit.Stop() })
	c.run(ctx, t, target)
}

// unlimited are the time limits of a fetch without a fault. They are longer than the search for
// leaks, which must find resources that only a time limit would free.
var unlimited = wire.Dialer{Connect: 2 * leakPatience, FirstByte: 2 * leakPatience, Idle: 2 * leakPatience}

// fetcher returns a new Fetcher, which is closed at the end of the check.
func (target Target) fetcher(t testing.TB, d wire.Dialer) protocols.Fetcher {
	t.Helper()
	f := target.New(d)
	t.Cleanup(func() {
		if c, ok := f.(io.Closer); ok {
			if err := c.Close(); err != nil {
				t.Errorf("close the fetcher: %v", err)
			}
		}
	})
	return f
}

// outcome is everything that a fetch brought.
type outcome struct {
	head     protocols.Head
	lines    []protocols.Line
	body     []byte
	document bool  // it has a Body, no Lines
	err      error // of Fetch or of reading
}

// collect fetches u and reads it to its end.
func collect(ctx context.Context, f protocols.Fetcher, u urlcore.URL) (o outcome) {
	res, err := f.Fetch(ctx, u)
	if err != nil {
		return outcome{err: err}
	}
	defer func() {
		if err := res.Close(); err != nil && o.err == nil {
			o.err = err
		}
	}()
	o.head = res.Head
	switch {
	case (res.Lines == nil) == (res.Body == nil):
		o.err = errors.New("exactly one of Lines and Body must be set")
	case res.Layout.Document() != (res.Body != nil):
		o.err = errors.New("the layout of a document needs Body, any other Lines")
	case res.Lines != nil:
		for line, err := range res.Lines {
			if o.err != nil {
				o.err = errors.New("something comes after an error of Lines")
				return o
			}
			if err != nil {
				o.err = err
				continue
			}
			o.lines = append(o.lines, line)
		}
	default:
		o.document = true
		o.body, o.err = readAll(res.Body, maxBody)
	}
	return o
}

// readAll reads r to its end. It is an error if r has more than limit octets.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(b)) > limit {
		return b[:limit], errors.New("the document is larger than " + strconv.FormatInt(limit, 10) + " octets")
	}
	return b, err
}

func (o outcome) empty() bool { return len(o.lines) == 0 && len(o.body) == 0 }

// same reports whether two outcomes show the same page.
func (o outcome) same(other outcome) bool {
	alike := func(a, b protocols.Line) bool { return a.Link == b.Link && a.Text == b.Text }
	return bytes.Equal(o.body, other.body) && slices.EqualFunc(o.lines, other.lines, alike)
}

// partOf reports whether o is a part of whole, and if ordered is set its beginning. The last
// line of o may be cut.
func (o outcome) partOf(whole outcome, ordered bool) bool {
	if !bytes.HasPrefix(whole.body, o.body) || len(o.lines) > len(whole.lines) {
		return false
	}
	known := map[urlcore.URL]bool{}
	for _, line := range whole.lines {
		known[line.Link] = true
	}
	for i, line := range o.lines {
		switch w := whole.lines[i]; {
		case i == len(o.lines)-1: // perhaps cut
		case ordered && (line.Link != w.Link || line.Text != w.Text), !known[line.Link]:
			return false
		}
	}
	return true
}

// within runs f and fails t if it takes longer than limit.
func within(t testing.TB, limit time.Duration, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(limit):
		t.Errorf("%s: it has not come back after %v", what, limit)
		<-done
	}
}

// address returns the host:port of u, "" if u has none.
func address(u urlcore.URL) string {
	addr, _ := urlcore.Addr(u)
	return addr
}

// mustRelocate is relocate of a URL that names a server.
func mustRelocate(t testing.TB, u urlcore.URL, addr string) urlcore.URL {
	t.Helper()
	to := relocate(u, addr)
	if to == nil {
		t.Fatalf("the target is wrong: %s names no server", u)
	}
	return to
}

// relocate returns u on the server at addr, nil if u names no server.
func relocate(u urlcore.URL, addr string) urlcore.URL {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil
	}
	if m, ok := u.(interface {
		At(host string, port uint16) urlcore.URL
	}); ok {
		return m.At(host, uint16(n))
	}
	return nil
}

// misread says how the text of u is read if not as u; it is empty for a canonical URL.
func misread(u urlcore.URL) string {
	if again, err := urlcore.Parse(u.String()); err != nil || again != u {
		return fmt.Sprintf("%#v, whose text %s is read as %#v, %v", u, u, again, err)
	}
	return ""
}

func (p Page) check(t testing.TB, o outcome) {
	t.Helper()
	if o.err != nil {
		t.Errorf("%s: %v", p.URL, o.err)
		return
	}
	if p.Media != "" && o.head.Media != p.Media {
		t.Errorf("%s: media: got %q, want %q", p.URL, o.head.Media, p.Media)
	}
	if p.Layout != protocols.LayoutText && o.head.Layout != p.Layout {
		t.Errorf("%s: layout: got %d, want %d", p.URL, o.head.Layout, p.Layout)
	}
	if o.head.URL == nil {
		t.Errorf("%s: its head has no URL", p.URL)
	} else if other := misread(o.head.URL); other != "" {
		t.Errorf("%s: the URL of its head is not canonical: %s", p.URL, other)
	}
	if o.empty() && !p.Empty {
		t.Errorf("%s: nothing came", p.URL)
	}
	if p.Lines == 0 && !p.Empty && !o.document {
		t.Errorf("%s: got %d lines, want a document", p.URL, len(o.lines))
	}
	if len(o.lines) < p.Lines {
		t.Errorf("%s: got %d lines, want at least %d", p.URL, len(o.lines), p.Lines)
	}
	for _, want := range p.Contains {
		if !o.contains(want) {
			t.Errorf("%s: %q is not in it", p.URL, want)
		}
	}
}

func (o outcome) contains(s string) bool {
	for _, line := range o.lines {
		if strings.Contains(line.Text, s) || line.Link != nil && strings.Contains(line.Link.String(), s) {
			return true
		}
	}
	return bytes.Contains(o.body, []byte(s))
}
