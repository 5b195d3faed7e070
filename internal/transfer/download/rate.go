package download

import (
	"context"
	"math"
	"sync"
	"time"
)

// limiter limits the rate of transfers. A nil limiter has no limit.
type limiter struct {
	rate int64 // octets per second

	mu       sync.Mutex
	nextFree time.Time // when the next octets may be received
}

// maxStep returns the maximum number of octets for one call of wait: the octets of a tenth of a second, but at least
// 512.
func (l *limiter) maxStep() int {
	if l == nil {
		return math.MaxInt32
	}
	return int(min(max(l.rate/10, 512), math.MaxInt32))
}

// wait waits until n more octets may be received or ctx ends.
func (l *limiter) wait(ctx context.Context, n int) error {
	if l == nil {
		return nil
	}
	now := time.Now()
	l.mu.Lock()
	if l.nextFree.Before(now) {
		l.nextFree = now
	}
	until := l.nextFree
	l.nextFree = l.nextFree.Add(time.Duration(float64(n) / float64(l.rate) * float64(time.Second)))
	l.mu.Unlock()
	if !sleep(ctx, until.Sub(now)) {
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
