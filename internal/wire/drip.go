package wire

import (
	"bytes"
	"errors"
	"time"
)

const (
	lineIdles = 5       // how many times the limit of silence one line may take
	maxDrip   = 4 << 10 // octets that show that a slow stream makes progress
)

// errDrip is the cause where no silence was too long.
var errDrip = errors.New("a line comes octet by octet, and does not end")

// slowLine is the line being received. Files have line ends too, or come faster.
type slowLine struct {
	begun  time.Time
	octets int
}

// dripping reports whether the line has taken longer than limit for very little.
func (l *slowLine) dripping(b []byte, limit time.Duration) bool {
	if end := bytes.LastIndexByte(b, '\n'); end >= 0 {
		l.begun, l.octets = time.Now(), len(b)-1-end
		return false
	}
	l.octets += len(b)
	return l.octets < maxDrip && time.Since(l.begun) > limit
}
