package fetchtest

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// faultPages returns the pages that are tried against hostile servers: the
// first one of lines and the first document.
func (target Target) faultPages() []Page {
	var pages []Page
	for _, lines := range []bool{true, false} {
		i := slices.IndexFunc(target.Pages, func(p Page) bool { return (p.Lines > 0) == lines && !p.Empty })
		if i >= 0 {
			pages = append(pages, target.Pages[i])
		}
	}
	return pages
}

// rehearsal is an honest answer and how many octets the server sent for it.
type rehearsal struct {
	outcome
	octets int
}

// rehearse fetches a page from behind an honest proxy.
func (target Target) rehearse(t testing.TB, page Page) rehearsal {
	t.Helper()
	u := Parse(t, page.URL)
	p := target.proxy(t, address(u), fault{kind: none})
	defer p.stop()
	ctx := patient(t)
	f := target.fetcher(t, wire.Dialer{})
	o := collect(ctx, f, moved(t, u, p.addr()))
	if o.err != nil {
		t.Fatalf("%s: %v", page.URL, o.err)
	}
	return rehearsal{outcome: o.home(p.addr(), address(u)), octets: p.octets()}
}

// home returns o with the links to the proxy turned to the server.
func (o outcome) home(proxy, server string) outcome {
	for i, line := range o.lines {
		if line.Link != nil && address(line.Link) == proxy {
			o.lines[i].Link = relocate(line.Link, server)
		}
	}
	return o
}

// offsets are where faults happen: before the first octet of the connection,
// after it, and in the middle of everything.
func (r rehearsal) offsets() []int { return []int{0, 1, r.octets / 2} }

// suffer fetches a page through a proxy with a fault. The time limits of its
// connections begin at limit and double until the server has sent enough for the
// fault.
func (target Target) suffer(t testing.TB, page Page, fl fault, limit time.Duration) outcome {
	t.Helper()
	for ; ; limit *= 2 {
		d := wire.Dialer{Connect: 3 * limit, FirstByte: limit, Idle: limit}
		o, hit := target.tryToSuffer(t, page, fl, d)
		if hit || !timedOut(o.err) || limit > 10*time.Second {
			return o
		}
	}
}

// tryToSuffer tells too whether the server sent enough for the fault.
func (target Target) tryToSuffer(t testing.TB, page Page, fl fault, d wire.Dialer) (_ outcome, hit bool) {
	t.Helper()
	u := Parse(t, page.URL)
	p := target.proxy(t, address(u), fl)
	defer p.stop()
	ctx := patient(t)
	f := target.fetcher(t, d)
	var o outcome
	behind := moved(t, u, p.addr())
	within(t, bounded, page.URL, func() { o = collect(ctx, f, behind) })
	select {
	case <-p.hit:
		hit = true
	default:
	}
	return o.home(p.addr(), address(u)), hit
}

// The limits with which [Target.suffer] begins: a stall always lasts until the
// limit, another fault only where the connection is silent after it.
const (
	stallLimit = 100 * time.Millisecond
	faultLimit = 300 * time.Millisecond
)

func timedOut(err error) bool {
	switch protocols.ReasonOf(err) {
	case protocols.FirstByteTimeout, protocols.IdleTimeout, protocols.ConnectTimeout:
		return true
	}
	return false
}

// checkStall has the server fall silent: the limits of the Dialer must end it.
func checkStall(t testing.TB, target Target) {
	for _, page := range target.faultPages() {
		honest := target.rehearse(t, page)
		for _, at := range honest.offsets() {
			o := target.suffer(t, page, fault{stall, at}, stallLimit)
			whole := o.err == nil && o.same(honest.outcome) // without the rest
			if !whole && !timedOut(o.err) {
				t.Errorf("%s, silent after %d octets: got error %v (%d lines, %d octets), want a timeout", page.URL, at, o.err, len(o.lines), len(o.body))
			}
			honest.mustBegin(t, page, at, o)
		}
	}
}

// checkBreakOff has the connection end too early, politely or not.
func checkBreakOff(t testing.TB, target Target) {
	for _, page := range target.faultPages() {
		honest := target.rehearse(t, page)
		for _, at := range honest.offsets() {
			o := target.suffer(t, page, fault{end, at}, faultLimit)
			honest.mustBegin(t, page, at, o)
			o = target.suffer(t, page, fault{reset, at}, faultLimit)
			if o.err == nil && !o.same(honest.outcome) {
				t.Errorf("%s, reset after %d octets: no error (%d lines, %d octets)", page.URL, at, len(o.lines), len(o.body))
			}
		}
	}
}

// mustBegin checks that what came is a part of the page, and something of
// it where the page streams and half of it came.
func (r rehearsal) mustBegin(t testing.TB, page Page, at int, o outcome) {
	t.Helper()
	if !o.partOf(r.outcome, page.Streams) {
		t.Errorf("%s, of which %d of %d octets came: what it shows is not of the page", page.URL, at, r.octets)
	}
	if page.Streams && at == r.octets/2 && o.empty() {
		t.Errorf("%s, of which %d of %d octets came: it shows nothing (%v)", page.URL, at, r.octets, o.err)
	}
}

const (
	floodOctets = 32 << 20 // of one line
	longestText = 1 << 20  // octets of one Line
	heapGrowth  = 64 << 20 // octets
)

// checkFlood has the server send a line without end.
func checkFlood(t testing.TB, target Target) {
	for _, page := range target.faultPages() {
		if page.Lines == 0 {
			continue // a document may be a line of any length
		}
		honest := target.rehearse(t, page)
		for _, at := range honest.offsets() {
			before := heap()
			o := target.suffer(t, page, fault{flood, at}, faultLimit)
			if grown := heap() - before; grown > heapGrowth {
				t.Errorf("%s, an endless line after %d octets: %d octets of memory are held", page.URL, at, grown)
			}
			for _, line := range o.lines {
				if len(line.Text) > longestText {
					t.Errorf("%s, an endless line after %d octets: a line of %d octets", page.URL, at, len(line.Text))
				}
			}
			runtime.KeepAlive(o)
		}
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// checkNoise has the server send every octet there is. What comes of it does
// not matter as long as it ends and its links are canonical.
func checkNoise(t testing.TB, target Target) {
	for _, page := range target.faultPages() {
		honest := target.rehearse(t, page)
		for _, at := range honest.offsets() {
			o := target.suffer(t, page, fault{noise, at}, faultLimit)
			for _, line := range o.lines {
				if line.Link == nil {
					continue
				}
				if again, err := urlcore.Parse(line.Link.String()); err != nil || again != line.Link {
					t.Errorf("%s, noise after %d octets: a line leads to %#v, which is read as %#v, %v", page.URL, at, line.Link, again, err)
				}
			}
		}
	}
}
