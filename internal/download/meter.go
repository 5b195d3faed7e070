package download

import "time"

// meter measures the recent rate of a transfer.
type meter struct {
	samples [8]sample // the oldest first
}

type sample struct {
	at   time.Time
	done int64
}

// meterStep is the time between two samples.
const meterStep = 500 * time.Millisecond

func (m *meter) add(now time.Time, done int64) {
	last := &m.samples[len(m.samples)-1]
	if now.Sub(last.at) < meterStep {
		return
	}
	copy(m.samples[:], m.samples[1:])
	*last = sample{now, done}
}

// now returns the rate in octets a second, 0 if unknown.
func (m *meter) now(now time.Time) int64 {
	last := m.samples[len(m.samples)-1]
	for _, first := range m.samples {
		if first.at.IsZero() || !first.at.Before(last.at) || now.Sub(first.at) > 2*meterStep*time.Duration(len(m.samples)) {
			continue
		}
		until := last.at
		if now.Sub(until) > 2*meterStep { // it stands still
			until = now
		}
		return int64(float64(last.done-first.done) / until.Sub(first.at).Seconds())
	}
	return 0
}
