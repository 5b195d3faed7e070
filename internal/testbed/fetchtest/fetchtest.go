// Package fetchtest is the conformance suite that every scheme must pass. It checks the contract of
// [protocols.Fetcher] against a running server. It also has helpers for other tests.
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

// Target is a scheme to test and a server of the scheme.
type Target struct {
	// New returns a Fetcher that uses d. If the Fetcher is an io.Closer the suite closes it. No
	// goroutine or connection of the Fetcher may remain.
	New func(d wire.Dialer) protocols.Fetcher
	// Datagrams is true if the protocol runs over UDP.
	Datagrams bool
	// Pages lists pages of the server, at least one.
	Pages []Page
	// Large is the URL of an answer of 8 MB or more. If it is "" the checks of large answers do
	// nothing.
	Large string
	// Missing lists URLs of items that the server does not have.
	Missing []string
	// WalkFrom lists the URLs from which a check follows links.
	WalkFrom []string
	// Local is true if the scheme has no server. The checks that need one are skipped.
	Local bool
	// MayFail reports whether u is a link that fails by design. MayFail is nil if there is no such
	// link.
	MayFail func(u urlcore.URL) bool
	// Known returns the octets of the document at u, if the test knows them. Known is nil if the
	// test knows no document.
	Known func(u urlcore.URL) (want []byte, known bool)
	// SameOctets compares a document with its known octets. If SameOctets is nil, [bytes.Equal]
	// compares them.
	SameOctets func(got, want []byte) bool

	leakPatience time.Duration // 0 means the constant leakPatience
	// ctx is set for checks that run in parallel with checks of other targets. It ends after the
	// search for leaks. Such checks take no snapshot, because a snapshot would contain goroutines
	// of other targets.
	ctx context.Context
}

// Page is a page of the server and what it must contain.
type Page struct {
	URL string
	// Layout is the expected layout; LayoutText is not checked.
	Layout protocols.Layout
	// Media is the expected media type; "" is not checked.
	Media string
	// Title is the expected title; "" is not checked.
	Title string
	// Lines is the smallest number of lines; 0 for a document.
	Lines int
	// Empty is true if the page may have no lines and no octets.
	Empty bool
	// Contains lists parts of the document, or of the text or link of a line.
	Contains []string
	// Streams is true if the first half of the page can be shown before the rest has arrived.
	Streams bool
}

// The time limits are generous, because a busy machine must not fail the test.
const (
	cancelLimit = 3 * time.Second   // from a cancel to the end of the fetch
	injectLimit = 60 * time.Second  // from the start of a fetch to the fault
	faultLimit  = 20 * time.Second  // for a fetch with a fault
	checkLimit  = 150 * time.Second // for a check without faults
	maxBody     = 64 << 20          // octets read from a document
)

type check struct {
	name   string
	run    func(context.Context, testing.TB, Target)
	remote bool // needs a server
	fault  bool // injects a fault through the proxy of the suite
}

func checks() []check {
	return []check{
		{name: "Pages", run: checkPages},
		{name: "Missing", run: checkMissing},
		{name: "Refused", run: checkRefused, remote: true},
		{name: "Walk", run: checkWalk},
		{name: "Concurrent", run: checkConcurrent},
		{name: "CanceledBefore", run: checkCanceledBefore},
		{name: "CancelStalled", run: checkCancelStalled, remote: true, fault: true},
		{name: "CancelSlow", run: checkCancelLarge},
		{name: "CloseSlow", run: checkCloseLarge},
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

// RunWithoutFaults runs the checks that depend on the server. The checks with faults (stall,
// break, flood, noise) test the client only: a scheme runs them with [Run] against its loopback
// server, one daemon, and one daemon with TLS.
func RunWithoutFaults(t *testing.T, target Target) {
	t.Helper()
	run(t, target, slices.DeleteFunc(checks(), func(c check) bool { return c.fault }))
}

// Variant is one of the servers of [RunVariants].
type Variant struct {
	Name  string
	Start func(*testing.T) Target
}

// RunVariants calls [RunWithoutFaults] for several servers, each in a parallel subtest. It looks
// for leaks once, after the last subtest.
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
	before := takeLeakSnapshot() // all servers are running, but no check is running
	t.Cleanup(func() { before.compare(t, leakPatience) })
}

func run(t *testing.T, target Target, checks []check) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if target.Local && c.remote {
				t.Skip("there is no server")
			}
			c.runAndFindLeaks(t, target)
		})
	}
}

// runAndFindLeaks runs the check and fails t if goroutines or sockets remain, unless target.ctx is
// set. It compares the snapshots before it cancels the context. So a resource is a leak if only the
// cancel releases it.
func (c check) runAndFindLeaks(t testing.TB, target Target) {
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

// patientDialer has the time limits of fetches without a fault. They exceed leakPatience. So the
// suite reports a resource as a leak if only a time limit releases it.
var patientDialer = wire.Dialer{}.LimitedTo(2 * leakPatience)

// newFetcher returns a new Fetcher and closes it at the end of the check.
func (target Target) newFetcher(t testing.TB, d wire.Dialer) protocols.Fetcher {
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

// outcome is the result of a fetch.
type outcome struct {
	head     protocols.Head
	lines    []protocols.Line
	body     []byte
	document bool  // true for a document: body is set, and lines is not
	err      error // error of Fetch or of reading
}

// collect fetches u and reads the answer to its end.
func collect(ctx context.Context, f protocols.Fetcher, req protocols.Request) (o outcome) {
	res, err := f.Fetch(ctx, req)
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
	case res.Layout.IsDocument() != (res.Body != nil):
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

// readAll reads r to its end. It returns an error if r has more than limit octets.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(b)) > limit {
		return b[:limit], errors.New("the document is larger than " + strconv.FormatInt(limit, 10) + " octets")
	}
	return b, err
}

func (o outcome) isEmpty() bool { return len(o.lines) == 0 && len(o.body) == 0 }

// equals reports whether o and other show the same page.
func (o outcome) equals(other outcome) bool {
	isEqual := func(a, b protocols.Line) bool { return a.Link == b.Link && a.Text == b.Text }
	return bytes.Equal(o.body, other.body) && slices.EqualFunc(o.lines, other.lines, isEqual)
}

// isPartOf reports whether the document and the lines of o are a part of the outcome whole. If
// ordered is true the lines of o must be the first lines of whole. The last line of o may be cut.
func (o outcome) isPartOf(whole outcome, ordered bool) bool {
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

// runWithLimit runs f and fails t if it takes longer than limit.
func runWithLimit(t testing.TB, limit time.Duration, label string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(limit):
		t.Errorf("%s: the fetch has not returned after %v", label, limit)
		<-done
	}
}

// serverAddr returns the host:port of u, or "" if u has none.
func serverAddr(u urlcore.URL) string {
	addr, _ := urlcore.Addr(u)
	return addr
}

// mustRelocate is [relocate] for a URL that must name a server.
func mustRelocate(t testing.TB, u urlcore.URL, addr string) urlcore.URL {
	t.Helper()
	moved := relocate(u, addr)
	if moved == nil {
		t.Fatalf("the target is wrong: %s names no server", u)
	}
	return moved
}

// relocate returns u with its server replaced by addr, or nil if u names no server.
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

// parseDifference parses the text of u. It returns "" if the result is u, or else a description of
// the result.
func parseDifference(u urlcore.URL) string {
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
		t.Errorf("%s: the head has no URL", p.URL)
	} else if other := parseDifference(o.head.URL); other != "" {
		t.Errorf("%s: the URL of the head is not canonical: %s", p.URL, other)
	}
	if p.Title != "" && o.head.Title != p.Title {
		t.Errorf("%s: got the title %q, want %q", p.URL, o.head.Title, p.Title)
	}
	if o.isEmpty() && !p.Empty {
		t.Errorf("%s: the page is empty", p.URL)
	}
	if p.Lines == 0 && !p.Empty && !o.document {
		t.Errorf("%s: got %d lines, want a document", p.URL, len(o.lines))
	}
	if len(o.lines) < p.Lines {
		t.Errorf("%s: got %d lines, want at least %d", p.URL, len(o.lines), p.Lines)
	}
	for _, want := range p.Contains {
		if !o.contains(want) {
			t.Errorf("%s: %q is not in the page", p.URL, want)
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
