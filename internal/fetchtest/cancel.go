package fetchtest

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
)

var errStopped = errors.New("the reader pressed stop")

// checkCancelledBefore fetches with a context that has ended already.
func checkCancelledBefore(t testing.TB, target Target) {
	f := target.fetcher(t, wire.Dialer{})
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errStopped)
	for _, page := range target.Pages {
		u := Parse(t, page.URL)
		within(t, promptly, page.URL, func() {
			if o := collect(ctx, f, u); !errors.Is(o.err, errStopped) {
				t.Errorf("%s: got error %v, want the cause of the context", u, o.err)
			}
		})
	}
}

// checkCancelStalled cancels while the server is silent: before its first
// octet, after it, and in the middle.
func checkCancelStalled(t testing.TB, target Target) {
	for _, page := range target.faultPages() {
		honest := target.rehearse(t, page)
		for _, at := range honest.offsets() {
			target.cancelStalled(t, page, at)
		}
	}
}

func (target Target) cancelStalled(t testing.TB, page Page, at int) {
	t.Helper()
	u := Parse(t, page.URL)
	p := target.proxy(t, address(u), fault{stall, at})
	defer p.stop()
	f := target.fetcher(t, wire.Dialer{})
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	done := make(chan outcome, 1)
	behind := moved(t, u, p.addr())
	go func() { done <- collect(ctx, f, behind) }()
	select {
	case <-p.hit:
	case o := <-done:
		t.Errorf("%s: it ended with %v before octet %d came", page.URL, o.err, at)
		return
	case <-time.After(answerTime):
		t.Errorf("%s: the server was never asked", page.URL)
	}
	for len(done) == 0 && !isReading(t) {
		time.Sleep(time.Millisecond)
	}
	cancel(errStopped)
	select {
	case o := <-done:
		if !errors.Is(o.err, errStopped) {
			t.Errorf("%s, cancelled after %d octets: got error %v, want the cause of the context", page.URL, at, o.err)
		}
	case <-time.After(promptly):
		t.Errorf("%s, cancelled after %d octets: it has not come back after %v", page.URL, at, promptly)
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
	begun, stopped := make(chan error, 1), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		var last error
		for _, err := range res.Lines {
			select {
			case begun <- err:
				<-stopped
			default:
			}
			last = err
		}
		ended <- last
	}()
	if err := <-begun; err != nil {
		t.Fatalf("%s: %v", target.Slow, err)
	}
	return res, func() error {
		close(stopped)
		return <-ended
	}
}

// checkCancelSlow cancels in the middle of a big answer.
func checkCancelSlow(t testing.TB, target Target) {
	if target.Slow == "" {
		return
	}
	f := target.fetcher(t, wire.Dialer{})
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	res, more := target.begin(ctx, t, f)
	cancel(errStopped)
	within(t, promptly, target.Slow, func() {
		if err := more(); !errors.Is(err, errStopped) {
			t.Errorf("%s: got error %v, want the cause of the context", target.Slow, err)
		}
	})
	_ = res.Close() // it may say that it is closed already
}

// checkCloseSlow closes in the middle of a big answer, twice, and fetches
// again.
func checkCloseSlow(t testing.TB, target Target) {
	if target.Slow == "" {
		return
	}
	ctx := patient(t)
	f := target.fetcher(t, wire.Dialer{})
	res, more := target.begin(ctx, t, f)
	within(t, promptly, target.Slow, func() {
		_ = res.Close()
		_ = res.Close()
		if err := more(); err == nil {
			t.Errorf("%s: the rest came although it was closed", target.Slow)
		}
	})
	page := target.Pages[0]
	page.check(t, collect(ctx, f, Parse(t, page.URL)))
}
