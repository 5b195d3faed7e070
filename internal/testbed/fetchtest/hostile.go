package fetchtest

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// faultPages returns the pages that faults are injected into: the
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

// baseline is the honest answer of a page, and how many octets the server sent for
// it.
type baseline struct {
	outcome
	page   Page
	url    urlcore.URL
	octets int
	took   time.Duration
}

// recordBaselines fetches the fault pages through a proxy without a fault.
func (target Target) recordBaselines(ctx context.Context, t testing.TB) []baseline {
	t.Helper()
	var all []baseline
	for _, page := range target.faultPages() {
		all = append(all, target.recordBaseline(ctx, t, page))
	}
	return all
}

func (target Target) recordBaseline(ctx context.Context, t testing.TB, page Page) baseline {
	t.Helper()
	u := Parse(t, page.URL)
	p := Must(target.startProxy(address(u), fault{kind: none}))(t)
	defer p.stop()
	f := target.fetcher(t, unlimited)
	begun := time.Now()
	o := collect(ctx, f, mustRelocate(t, u, p.addr))
	took := time.Since(begun)
	if o.err != nil {
		t.Fatalf("%s: %v", page.URL, o.err)
	}
	return baseline{outcome: o.relocated(p.addr, address(u)), page: page, url: u, octets: p.octets(), took: took}
}

// relocated returns o with the links to one server turned to another.
func (o outcome) relocated(from, to string) outcome {
	for i, line := range o.lines {
		if line.Link != nil && address(line.Link) == from {
			o.lines[i].Link = relocate(line.Link, to)
		}
	}
	return o
}

// offsets returns where faults are injected: before the first octet of the
// connection, after it, and in the middle of the answer.
func (b baseline) offsets() []int { return []int{0, 1, b.octets / 2} }

// forEachFault calls try for each fault page and offset. Three run at a time: they
// wait for the time limits of connections, but a daemon may need the processor to
// accept one.
func (target Target) forEachFault(ctx context.Context, t testing.TB, try func(base baseline, at int)) {
	t.Helper()
	var running sync.WaitGroup
	slots := make(chan struct{}, 3)
	for _, base := range target.recordBaselines(ctx, t) {
		for _, at := range base.offsets() {
			slots <- struct{}{}
			running.Go(func() {
				try(base, at)
				<-slots
			})
		}
	}
	running.Wait()
}

// injectFault fetches the page of base through a proxy with a fault. The time limits of the
// connections begin at limit, or at the time of the honest answer, and double until the server
// has sent enough octets for the fault.
func (target Target) injectFault(ctx context.Context, t testing.TB, base baseline, fl fault, limit time.Duration) outcome {
	t.Helper()
	for limit = max(limit, base.took); ; limit *= 2 {
		d := wire.Dialer{Connect: 3 * limit, FirstByte: limit, Idle: limit}
		o, hit := target.tryFault(ctx, t, base.url, fl, d)
		if hit || !timedOut(o.err) || limit > 10*time.Second {
			return o
		}
	}
}

// tryFault also reports whether the server sent enough for the fault.
func (target Target) tryFault(ctx context.Context, t testing.TB, u urlcore.URL, fl fault, d wire.Dialer) (o outcome, hit bool) {
	t.Helper()
	p, err := target.startProxy(address(u), fl)
	if err != nil {
		t.Errorf("start a proxy: %v", err)
		return outcome{err: err}, false
	}
	defer p.stop()
	f := target.fetcher(t, d)
	within(t, faultLimit, u.String(), func() { o = collect(ctx, f, relocate(u, p.addr)) })
	select {
	case <-p.injected:
		hit = true
	default:
	}
	return o.relocated(p.addr, address(u)), hit
}

// The first limits of [Target.injectFault]. A stall always lasts until the limit, other faults
// only if the connection is silent afterwards.
const (
	stallSilence = 100 * time.Millisecond
	faultSilence = 300 * time.Millisecond
)

func timedOut(err error) bool {
	switch protocols.ReasonOf(err) {
	case protocols.FirstByteTimeout, protocols.IdleTimeout, protocols.ConnectTimeout:
		return true
	}
	return false
}

// checkStall has the server fall silent: the limits of the Dialer must end it.
func checkStall(ctx context.Context, t testing.TB, target Target) {
	target.forEachFault(ctx, t, func(base baseline, at int) {
		o := target.injectFault(ctx, t, base, fault{stall, at}, stallSilence)
		whole := o.err == nil && o.same(base.outcome) // without the rest
		if !whole && !timedOut(o.err) {
			t.Errorf("%s, silent after %d octets: got error %v (%d lines, %d octets), want a timeout", base.page.URL, at, o.err, len(o.lines), len(o.body))
		}
		base.mustBegin(t, at, o)
	})
}

// checkBreakOff has the connection end too early, politely or not.
func checkBreakOff(ctx context.Context, t testing.TB, target Target) {
	target.forEachFault(ctx, t, func(base baseline, at int) {
		o := target.injectFault(ctx, t, base, fault{end, at}, faultSilence)
		base.mustBegin(t, at, o)
		o = target.injectFault(ctx, t, base, fault{reset, at}, faultSilence)
		if o.err == nil && !o.same(base.outcome) {
			t.Errorf("%s, reset after %d octets: no error (%d lines, %d octets)", base.page.URL, at, len(o.lines), len(o.body))
		}
	})
}

// mustBegin checks that the outcome is a part of the page, and not empty if the page streams
// and half of it has arrived.
func (b baseline) mustBegin(t testing.TB, at int, o outcome) {
	t.Helper()
	if !o.partOf(b.outcome, b.page.Streams) {
		t.Errorf("%s, of which %d of %d octets came: what it shows is not of the page", b.page.URL, at, b.octets)
	}
	if b.page.Streams && at == b.octets/2 && o.empty() {
		t.Errorf("%s, of which %d of %d octets came: it shows nothing (%v)", b.page.URL, at, b.octets, o.err)
	}
}

const (
	floodOctets = 32 << 20 // of one line
	longestText = 1 << 20  // octets of one Line
	heapGrowth  = 64 << 20 // octets
)

// checkFlood has the server send a line without end.
func checkFlood(ctx context.Context, t testing.TB, target Target) {
	for _, base := range target.recordBaselines(ctx, t) {
		page := base.page
		if page.Lines == 0 {
			continue // a document may be a line of any length
		}
		for _, at := range base.offsets() { // one after another, for the heap is measured
			before := heap()
			o := target.injectFault(ctx, t, base, fault{flood, at}, faultSilence)
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

// checkNoise has the server send every octet. The fetch must end, and its links must
// be canonical.
func checkNoise(ctx context.Context, t testing.TB, target Target) {
	target.forEachFault(ctx, t, func(base baseline, at int) {
		o := target.injectFault(ctx, t, base, fault{noise, at}, faultSilence)
		for _, line := range o.lines {
			if line.Link == nil {
				continue
			}
			if other := misread(line.Link); other != "" {
				t.Errorf("%s, noise after %d octets: a line leads to %s", base.page.URL, at, other)
			}
		}
	})
}
