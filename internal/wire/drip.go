package wire

import (
	"bytes"
	"errors"
	"time"
)

const (
	lineIdles = 5       // the time limit for a line is this multiple of [Dialer].Idle
	maxDrip   = 4 << 10 // a line with at least this number of octets has no time limit
)

// errDrip is the cause when a line takes too long although the server was never silent for too
// long.
var errDrip = errors.New("a line is sent very slowly and does not end")

// errSlow is the cause when the lines of an answer arrive below the least rate.
var errSlow = errors.New("the lines arrive very slowly: least_rate under [timeouts] in the settings allows less")

// arrival measures the rate of an answer in windows of lineIdles times [Dialer].Idle. Within a window a server may pause
// as long as it likes, for example while it searches: only the octets of the whole window count.
type arrival struct {
	begun  time.Time // the start of the window
	octets int
}

// isSlow adds n octets, and reports whether the window that has ended had fewer than rate octets a second.
func (a *arrival) isSlow(n int, window time.Duration, rate int) bool {
	if a.begun.IsZero() {
		a.begun = time.Now()
	}
	a.octets += n
	passed := time.Since(a.begun)
	if passed < window {
		return false
	}
	slow := float64(a.octets) < passed.Seconds()*float64(rate)
	*a = arrival{begun: time.Now()}
	return slow
}

// slowLine measures the line being received. Binary files do not exceed the limits, because they
// contain line ends or arrive faster.
type slowLine struct {
	begun  time.Time
	octets int
}

// isDripping adds the received octets b, and reports whether the line has taken longer than limit
// and is still short.
func (l *slowLine) isDripping(b []byte, limit time.Duration) bool {
	if end := bytes.LastIndexByte(b, '\n'); end >= 0 {
		l.begun, l.octets = time.Now(), len(b)-1-end
		return false
	}
	l.octets += len(b)
	return l.octets < maxDrip && time.Since(l.begun) > limit
}
