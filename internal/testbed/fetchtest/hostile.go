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

// faultPages returns the pages used for faults: the first page of lines and the first document.
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

// baseline is the result of fetching a page without a fault, and the number of octets that the
// server sent for it.
type baseline struct {
	outcome
	page     Page
	url      urlcore.URL
	octets   int
	duration time.Duration
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
	p := Must(target.startProxy(serverAddr(u), fault{kind: noFault}))(t)
	defer p.stop()
	f := target.newFetcher(t, patientDialer)
	start := time.Now()
	o := collect(ctx, f, protocols.Request{URL: mustRelocate(t, u, p.addr)})
	duration := time.Since(start)
	if o.err != nil {
		t.Fatalf("%s: %v", page.URL, o.err)
	}
	return baseline{outcome: o.relocateLinks(p.addr, serverAddr(u)), page: page, url: u, octets: p.octets(), duration: duration}
}

// relocateLinks replaces the server old with the server addr in the links of o.
func (o outcome) relocateLinks(old, addr string) outcome {
	for i, line := range o.lines {
		if line.Link != nil && serverAddr(line.Link) == old {
			o.lines[i].Link = relocate(line.Link, addr)
		}
	}
	return o
}

// offsets returns the offsets of faults: before the first octet of the connection, after that
// octet, and in the middle of the answer.
func (b baseline) offsets() []int { return []int{0, 1, b.octets / 2} }

// forEachFault calls try for each fault page and offset. Up to three calls run in parallel, because
// they mostly wait for time limits. More calls would slow the daemon down.
func (target Target) forEachFault(ctx context.Context, t testing.TB, try func(base baseline, offset int)) {
	t.Helper()
	var running sync.WaitGroup
	slots := make(chan struct{}, 3)
	for _, base := range target.recordBaselines(ctx, t) {
		for _, offset := range base.offsets() {
			slots <- struct{}{}
			running.Go(func() {
				try(base, offset)
				<-slots
			})
		}
	}
	running.Wait()
}

// injectFault fetches the page of base through a proxy with a fault. The time limits of the fetch
// start at limit, or at the duration of base if that is longer. If the fetch times out before the
// fault, injectFault tries again with doubled limits, until they exceed ten seconds.
func (target Target) injectFault(ctx context.Context, t testing.TB, base baseline, fl fault, limit time.Duration) outcome {
	t.Helper()
	for limit = max(limit, base.duration); ; limit *= 2 {
		d := wire.Dialer{}.LimitedTo(limit)
		d.Connect = 3 * limit
		o, hit := target.tryFault(ctx, t, base.url, fl, d)
		if hit || !isTimeout(o.err) || limit > 10*time.Second {
			return o
		}
	}
}

// tryFault fetches u once through a proxy with a fault. hit reports whether the fault was
// injected.
func (target Target) tryFault(ctx context.Context, t testing.TB, u urlcore.URL, fl fault, d wire.Dialer) (o outcome, hit bool) {
	t.Helper()
	p, err := target.startProxy(serverAddr(u), fl)
	if err != nil {
		t.Errorf("start a proxy: %v", err)
		return outcome{err: err}, false
	}
	defer p.stop()
	f := target.newFetcher(t, d)
	runWithLimit(t, faultLimit, u.String(), func() { o = collect(ctx, f, protocols.Request{URL: relocate(u, p.addr)}) })
	select {
	case <-p.injected:
		hit = true
	default:
	}
	return o.relocateLinks(p.addr, serverAddr(u)), hit
}

// The first limits of [Target.injectFault]. A fetch with a stall always lasts until the limit. With
// another fault it does so only if the connection is silent after the fault.
const (
	stallLimit      = 100 * time.Millisecond
	firstFaultLimit = 300 * time.Millisecond
)

func isTimeout(err error) bool { return protocols.ReasonOf(err).Is(protocols.TimedOut) }

// checkStall makes the server stop sending. The time limits of the Dialer must end the fetch.
func checkStall(ctx context.Context, t testing.TB, target Target) {
	target.forEachFault(ctx, t, func(base baseline, offset int) {
		o := target.injectFault(ctx, t, base, fault{stallFault, offset}, stallLimit)
		complete := o.err == nil && o.equals(base.outcome) // the page ended before the stall
		if !complete && !isTimeout(o.err) {
			t.Errorf("%s, silent after %d octets: got error %v (%d lines, %d octets), want a timeout", base.page.URL, offset, o.err, len(o.lines), len(o.body))
		}
		base.checkPartOfPage(t, offset, o)
	})
}

// checkBreakOff ends the connection too early, once by closing it and once by resetting it.
func checkBreakOff(ctx context.Context, t testing.TB, target Target) {
	target.forEachFault(ctx, t, func(base baseline, offset int) {
		o := target.injectFault(ctx, t, base, fault{endFault, offset}, firstFaultLimit)
		base.checkPartOfPage(t, offset, o)
		o = target.injectFault(ctx, t, base, fault{resetFault, offset}, firstFaultLimit)
		if o.err == nil && !o.equals(base.outcome) {
			t.Errorf("%s, reset after %d octets: no error (%d lines, %d octets)", base.page.URL, offset, len(o.lines), len(o.body))
		}
	})
}

// checkPartOfPage checks that o is a part of the page. It also checks that o is not empty if the
// page streams and half of the page has arrived.
func (b baseline) checkPartOfPage(t testing.TB, offset int, o outcome) {
	t.Helper()
	if !o.isPartOf(b.outcome, b.page.Streams) {
		t.Errorf("%s after %d of %d octets: the result is not a part of the page", b.page.URL, offset, b.octets)
	}
	if b.page.Streams && offset == b.octets/2 && o.isEmpty() {
		t.Errorf("%s after %d of %d octets: the result is empty (%v)", b.page.URL, offset, b.octets, o.err)
	}
}

const (
	floodOctets = 32 << 20 // length of the endless line
	longestText = 1 << 20  // maximum length of the text of a Line, in octets
	heapGrowth  = 64 << 20 // maximum growth of the heap, in octets
)

// checkFlood makes the server send an endless line. The client must not keep the line in memory.
func checkFlood(ctx context.Context, t testing.TB, target Target) {
	for _, base := range target.recordBaselines(ctx, t) {
		page := base.page
		if page.Lines == 0 {
			continue // a line of a document may have any length
		}
		for _, offset := range base.offsets() { // not in parallel, because the heap is measured
			before := measureHeap()
			o := target.injectFault(ctx, t, base, fault{floodFault, offset}, firstFaultLimit)
			if grown := measureHeap() - before; grown > heapGrowth {
				t.Errorf("%s, an endless line after %d octets: got %d more octets in memory, want at most %d", page.URL, offset, grown, heapGrowth)
			}
			for _, line := range o.lines {
				if len(line.Text) > longestText {
					t.Errorf("%s, an endless line after %d octets: a line of %d octets", page.URL, offset, len(line.Text))
				}
			}
			runtime.KeepAlive(o)
		}
	}
}

func measureHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// checkNoise makes the server send all pairs of octets. The fetch must end, and links must be
// canonical.
func checkNoise(ctx context.Context, t testing.TB, target Target) {
	target.forEachFault(ctx, t, func(base baseline, offset int) {
		o := target.injectFault(ctx, t, base, fault{noiseFault, offset}, firstFaultLimit)
		for _, line := range o.lines {
			if line.Link == nil {
				continue
			}
			if other := parseDifference(line.Link); other != "" {
				t.Errorf("%s, noise after %d octets: a line leads to %s", base.page.URL, offset, other)
			}
		}
	})
}
