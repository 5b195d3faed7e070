package download

import (
	"context"
	"math"
	"sync"
	"time"
)

// limiter limits the rate of transfers. The zero value and a nil limiter have no limit.
type limiter struct {
	mu       sync.Mutex
	rate     int64         // octets per second; 0: no limit
	nextFree time.Time     // when the next octets may be received
	changed  chan struct{} // closed when the rate changes; nil: nothing waits
}

// set changes the rate, also for the transfers that wait now.
func (l *limiter) set(rate int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if rate == l.rate {
		return
	}
	l.rate, l.nextFree = rate, time.Time{}
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// get returns the rate.
func (l *limiter) get() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rate
}

// maxStep returns the maximum number of octets for one call of wait: the octets of a tenth of a second, but at least
// 512.
func (l *limiter) maxStep() int {
	if l == nil {
		return math.MaxInt32
	}
	rate := l.get()
	if rate <= 0 {
		return maxUnlimitedStep
	}
	return int(min(max(rate/10, 512), math.MaxInt32))
}

// maxUnlimitedStep is the number of octets after which a transfer without a limit looks for a new limit.
const maxUnlimitedStep = 64 << 10

// wait waits until n more octets may be received, the rate changes, or ctx ends.
func (l *limiter) wait(ctx context.Context, n int) error {
	if l == nil {
		return nil
	}
	now := time.Now()
	l.mu.Lock()
	if l.rate <= 0 {
		l.mu.Unlock()
		return nil
	}
	if l.nextFree.Before(now) {
		l.nextFree = now
	}
	until := l.nextFree
	l.nextFree = l.nextFree.Add(time.Duration(float64(n) / float64(l.rate) * float64(time.Second)))
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	changed := l.changed
	l.mu.Unlock()
	select {
	case <-time.After(until.Sub(now)):
	case <-changed:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// meter measures the recent rate of a transfer.
type meter struct {
	samples [8]sample // oldest first
}

type sample struct {
	at   time.Time
	done int64
}

// meterStep is the minimum time between two samples.
const meterStep = 500 * time.Millisecond

func (m *meter) add(now time.Time, done int64) {
	last := &m.samples[len(m.samples)-1]
	if now.Sub(last.at) < meterStep {
		return
	}
	copy(m.samples[:], m.samples[1:])
	*last = sample{now, done}
}

// rateAt returns the rate in octets per second, or 0 if unknown.
func (m *meter) rateAt(now time.Time) int64 {
	last := m.samples[len(m.samples)-1]
	for _, first := range m.samples {
		if first.at.IsZero() || !first.at.Before(last.at) || now.Sub(first.at) > 2*meterStep*time.Duration(len(m.samples)) {
			continue
		}
		until := last.at
		if now.Sub(until) > 2*meterStep { // the transfer has stalled
			until = now
		}
		return int64(float64(last.done-first.done) / until.Sub(first.at).Seconds())
	}
	return 0
}
