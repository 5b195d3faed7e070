package fetchtest

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync"
	"testing"

	"gofer/protocols"
	"gofer/urlcore"
)

// checkPages fetches every page twice, because the second fetch may reuse the connection of the
// first one.
func checkPages(ctx context.Context, t testing.TB, target Target) {
	f := target.newFetcher(t, patientDialer)
	for range 2 {
		for _, page := range target.Pages {
			page.check(t, collect(ctx, f, protocols.Request{URL: Parse(t, page.URL)}))
		}
	}
}

func checkMissing(ctx context.Context, t testing.TB, target Target) {
	f := target.newFetcher(t, patientDialer)
	for _, s := range target.Missing {
		o := collect(ctx, f, protocols.Request{URL: Parse(t, s)})
		if protocols.ReasonOf(o.err) != protocols.NotFound {
			t.Errorf("%s: got error %v (%d lines, %d octets), want one of reason NotFound", s, o.err, len(o.lines), len(o.body))
		}
	}
	if page := target.Pages[0]; len(target.Missing) > 0 { // checks that the fetcher still works
		page.check(t, collect(ctx, f, protocols.Request{URL: Parse(t, page.URL)}))
	}
}

// checkRefused fetches from a port without a server.
func checkRefused(ctx context.Context, t testing.TB, target Target) {
	f := target.newFetcher(t, patientDialer)
	l := Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	addr := l.Addr().String()
	_ = l.Close()
	u := mustRelocate(t, Parse(t, target.Pages[0].URL), addr)
	o := collect(ctx, f, protocols.Request{URL: u})
	if protocols.ReasonOf(o.err) != protocols.Refused {
		t.Errorf("%s: got error %v, want one of reason Refused", u, o.err)
	}
}

// checkConcurrent fetches the pages eight times at once with one Fetcher.
func checkConcurrent(ctx context.Context, t testing.TB, target Target) {
	f := target.newFetcher(t, patientDialer)
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			for k := range target.Pages {
				page := target.Pages[(k+i)%len(target.Pages)]
				u, err := urlcore.Parse(page.URL)
				if err != nil {
					t.Errorf("the target is wrong: %v", err)
					return
				}
				page.check(t, collect(ctx, f, protocols.Request{URL: u}))
			}
		})
	}
	running.Wait()
}

const (
	walkPages = 400 // maximum number of pages that a walk fetches
	walkLinks = 80  // number of lines of a page whose links a walk follows: half at the start of the page, half at its end
)

// checkWalk follows the links of the server breadth first.
func checkWalk(ctx context.Context, t testing.TB, target Target) {
	f := target.newFetcher(t, patientDialer)
	w := walk{target: target, servers: map[string]bool{}, seen: map[urlcore.URL]bool{}}
	for _, s := range target.WalkFrom {
		u := Parse(t, s)
		w.servers[serverAddr(u)] = true
		w.push(u)
	}
	fetched := 0
	for ; fetched < len(w.queue) && fetched < walkPages; fetched++ {
		w.visit(ctx, t, f, w.queue[fetched])
	}
	if len(target.WalkFrom) > 0 && fetched <= len(target.WalkFrom) {
		t.Errorf("the walk found no link to follow")
	}
	t.Logf("%d of %d links followed, %d documents compared with their known octets", fetched, len(w.queue), w.compared)
}

type walk struct {
	target   Target
	servers  map[string]bool
	seen     map[urlcore.URL]bool
	queue    []urlcore.URL
	compared int
}

func (w *walk) push(u urlcore.URL) {
	if !w.seen[u] {
		w.seen[u] = true
		w.queue = append(w.queue, u)
	}
}

// isOnServer reports whether u is on one of the servers that the walk started from.
func (w *walk) isOnServer(u urlcore.URL) bool {
	addr, ok := urlcore.Addr(u)
	return ok && (addr == "" || w.servers[addr]) || !ok && w.target.Local // without a host, u is on the tested server
}

func (w *walk) visit(ctx context.Context, t testing.TB, f protocols.Fetcher, u urlcore.URL) {
	t.Helper()
	o := collect(ctx, f, protocols.Request{URL: u})
	if ask, ok := errors.AsType[*protocols.Ask](o.err); ok {
		w.followAsk(t, ask)
		return
	}
	if o.err != nil {
		if _, handoff := errors.AsType[*protocols.Handoff](o.err); !handoff && (w.target.MayFail == nil || !w.target.MayFail(u)) {
			t.Errorf("%s: %v", u, o.err)
		}
		return
	}
	if w.target.Known != nil && o.lines == nil {
		if want, known := w.target.Known(u); known {
			w.compared++
			same := w.target.SameOctets
			if same == nil {
				same = bytes.Equal
			}
			if !same(o.body, want) {
				t.Errorf("%s: got %d octets %.80q, want %d octets %.80q", u, len(o.body), o.body, len(want), want)
			}
		}
	}
	for i, line := range o.lines {
		if line.Link == nil {
			continue
		}
		if other := parseDifference(line.Link); other != "" {
			t.Errorf("%s: line %q leads to %s", u, line.Text, other)
			continue
		}
		if w.isOnServer(line.Link) && (i < walkLinks/2 || i >= len(o.lines)-walkLinks/2) {
			w.push(line.Link)
		}
	}
}

// followAsk passes answers to ask.With, checks the URL that With returns, and queues the URL.
func (w *walk) followAsk(t testing.TB, ask *protocols.Ask) {
	t.Helper()
	if ask.With == nil || len(ask.Fields) == 0 {
		t.Errorf("%v: got an Ask with %d fields and With = nil: %v; want fields and With", ask, len(ask.Fields), ask.With == nil)
		return
	}
	answers := make([]string, len(ask.Fields))
	for i := range answers {
		answers[i] = "item 1"
	}
	u, err := ask.With(answers)
	if err != nil {
		t.Errorf("%v: With(%q): %v", ask, answers, err)
		return
	}
	if other := parseDifference(u); other != "" {
		t.Errorf("%v: With(%q) returned %s", ask, answers, other)
		return
	}
	w.push(u)
}
