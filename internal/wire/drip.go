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
