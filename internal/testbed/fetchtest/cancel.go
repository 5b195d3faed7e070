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

var errStopped = errors.New("the user stopped the fetch")

// checkCanceledBefore fetches with a context that is already canceled.
func checkCanceledBefore(ctx context.Context, t testing.TB, target Target) {
	f := target.newFetcher(t, patientDialer)
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(errStopped)
	for _, page := range target.Pages {
		u := Parse(t, page.URL)
		runWithLimit(t, cancelLimit, page.URL, func() {
			if o := collect(ctx, f, protocols.Request{URL: u}); !errors.Is(o.err, errStopped) {
				t.Errorf("%s: got error %v, want the cause of the context", u, o.err)
			}
		})
	}
}

// checkCancelStalled cancels fetches from a server that has stopped sending: before the first
// octet, after the first octet, and in the middle of the answer.
func checkCancelStalled(ctx context.Context, t testing.TB, target Target) {
	for _, base := range target.recordBaselines(ctx, t) {
		for _, offset := range base.offsets() {
			target.cancelStalled(ctx, t, base, offset)
		}
	}
}

func (target Target) cancelStalled(ctx context.Context, t testing.TB, base baseline, offset int) {
	t.Helper()
	p := Must(target.startProxy(serverAddr(base.url), fault{stallFault, offset}))(t)
	defer p.stop()
	f := target.newFetcher(t, patientDialer)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan outcome, 1)
	go func() { done <- collect(ctx, f, protocols.Request{URL: relocate(base.url, p.addr)}) }()
	select {
	case <-p.injected:
	case o := <-done:
		t.Errorf("%s: the fetch ended with %v before octet %d", base.url, o.err, offset)
		return
	case <-time.After(injectLimit):
		t.Errorf("%s: octet %d was not sent within %v", base.url, offset, injectLimit)
	}
	for len(done) == 0 && !isReading() {
		time.Sleep(time.Millisecond)
	}
	cancel(errStopped)
	select {
	case o := <-done:
		if !errors.Is(o.err, errStopped) {
			t.Errorf("%s, canceled after %d octets: got error %v, want the cause of the context", base.url, offset, o.err)
		}
	case <-time.After(cancelLimit):
		t.Errorf("%s, canceled after %d octets: the fetch has not returned after %v", base.url, offset, cancelLimit)
		p.stop()
		<-done
	}
}

// fetchLarge fetches the large answer and reads its beginning. The function readRest reads the
// rest and returns the error at its end, or nil.
func (target Target) fetchLarge(ctx context.Context, t testing.TB, f protocols.Fetcher) (res *protocols.Resource, readRest func() error) {
	t.Helper()
	res, err := f.Fetch(ctx, protocols.Request{URL: Parse(t, target.Large)})
	if err != nil {
		t.Fatalf("%s: %v", target.Large, err)
	}
	if res.Body != nil {
		if _, err := io.ReadFull(res.Body, make([]byte, 1000)); err != nil {
			t.Fatalf("%s: %v", target.Large, err)
		}
		return res, func() error {
			_, err := io.Copy(io.Discard, res.Body)
			return err
		}
	}
	next, stop := iter.Pull2(res.Lines)
	if _, err, _ := next(); err != nil {
		t.Fatalf("%s: %v", target.Large, err)
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

// checkCancelLarge cancels a fetch in the middle of a large answer.
func checkCancelLarge(ctx context.Context, t testing.TB, target Target) {
	if target.Large == "" {
		return
	}
	f := target.newFetcher(t, patientDialer)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	res, readRest := target.fetchLarge(ctx, t, f)
	cancel(errStopped)
	runWithLimit(t, cancelLimit, target.Large, func() {
		if err := readRest(); !errors.Is(err, errStopped) {
			t.Errorf("%s: got error %v, want the cause of the context", target.Large, err)
		}
	})
	_ = res.Close() // may fail because it is already closed
}

// checkCloseLarge closes a resource twice in the middle of a large answer, then fetches a page.
func checkCloseLarge(ctx context.Context, t testing.TB, target Target) {
	if target.Large == "" {
		return
	}
	f := target.newFetcher(t, patientDialer)
	res, readRest := target.fetchLarge(ctx, t, f)
	runWithLimit(t, cancelLimit, target.Large, func() {
		_ = res.Close()
		_ = res.Close()
		if err := readRest(); err == nil {
			t.Errorf("%s: reading continued after Close", target.Large)
		}
	})
	page := target.Pages[0]
	page.check(t, collect(ctx, f, protocols.Request{URL: Parse(t, page.URL)}))
}
