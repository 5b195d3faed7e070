package fetchtest

import (
	"context"
	"errors"
	"io"
	"iter"
	"testing"
	"time"

	"gofer/protocols"
)

var errStopped = errors.New("the reader pressed stop")

// checkCancelledBefore fetches with a context that has ended already.
func checkCancelledBefore(ctx context.Context, t testing.TB, target Target) {
	f := target.fetcher(t, unlimited)
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(errStopped)
	for _, page := range target.Pages {
		u := Parse(t, page.URL)
		within(t, cancelLimit, page.URL, func() {
			if o := collect(ctx, f, u); !errors.Is(o.err, errStopped) {
				t.Errorf("%s: got error %v, want the cause of the context", u, o.err)
			}
		})
	}
}

// checkCancelStalled cancels while the server is silent: before its first
// octet, after it, and in the middle.
func checkCancelStalled(ctx context.Context, t testing.TB, target Target) {
	for _, base := range target.recordBaselines(ctx, t) {
		for _, at := range base.offsets() {
			target.cancelStalled(ctx, t, base, at)
		}
	}
}

func (target Target) cancelStalled(ctx context.Context, t testing.TB, base baseline, at int) {
	t.Helper()
	p := Must(target.startProxy(address(base.url), fault{stall, at}))(t)
	defer p.stop()
	f := target.fetcher(t, unlimited)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan outcome, 1)
	go func() { done <- collect(ctx, f, relocate(base.url, p.addr)) }()
	select {
	case <-p.injected:
	case o := <-done:
		t.Errorf("%s: it ended with %v before octet %d came", base.url, o.err, at)
		return
	case <-time.After(askLimit):
		t.Errorf("%s: the server was never asked", base.url)
	}
	for len(done) == 0 && !isReading() {
		time.Sleep(time.Millisecond)
	}
	cancel(errStopped)
	select {
	case o := <-done:
		if !errors.Is(o.err, errStopped) {
			t.Errorf("%s, cancelled after %d octets: got error %v, want the cause of the context", base.url, at, o.err)
		}
	case <-time.After(cancelLimit):
		t.Errorf("%s, cancelled after %d octets: it has not come back after %v", base.url, at, cancelLimit)
		p.stop()
		<-done
	}
}

// begin fetches the slow answer and reads a little of it. The rest is read by
// calling more, which returns at the end or the first error.
func (target Target) begin(ctx context.Context, t testing.TB, f protocols.Fetcher) (res *protocols.Resource, more func() error) {
	t.Helper()
	res, err := f.Fetch(ctx, Parse(t, target.Slow))
	if err != nil {
		t.Fatalf("%s: %v", target.Slow, err)
	}
	if res.Body != nil {
		if _, err := io.ReadFull(res.Body, make([]byte, 1000)); err != nil {
			t.Fatalf("%s: %v", target.Slow, err)
		}
		return res, func() error {
			_, err := io.Copy(io.Discard, res.Body)
			return err
		}
	}
	next, stop := iter.Pull2(res.Lines)
	if _, err, _ := next(); err != nil {
		t.Fatalf("%s: %v", target.Slow, err)
	}
	return res, func() (last error) {
		defer stop()
		for {
			_, err, ok := next()
			if !ok {
				return last
			}
			last = err
		}
	}
}

// checkCancelSlow cancels in the middle of a big answer.
func checkCancelSlow(ctx context.Context, t testing.TB, target Target) {
	if target.Slow == "" {
		return
	}
	f := target.fetcher(t, unlimited)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	res, more := target.begin(ctx, t, f)
	cancel(errStopped)
	within(t, cancelLimit, target.Slow, func() {
		if err := more(); !errors.Is(err, errStopped) {
			t.Errorf("%s: got error %v, want the cause of the context", target.Slow, err)
		}
	})
	_ = res.Close() // it may say that it is closed already
}

// checkCloseSlow closes in the middle of a big answer, twice, and fetches
// again.
func checkCloseSlow(ctx context.Context, t testing.TB, target Target) {
	if target.Slow == "" {
		return
	}
	f := target.fetcher(t, unlimited)
	res, more := target.begin(ctx, t, f)
	within(t, cancelLimit, target.Slow, func() {
		_ = res.Close()
		_ = res.Close()
		if err := more(); err == nil {
			t.Errorf("%s: the rest came although it was closed", target.Slow)
		}
	})
	page := target.Pages[0]
	page.check(t, collect(ctx, f, Parse(t, page.URL)))
}
