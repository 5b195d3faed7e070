package cell

import (
	"fmt"
	"time"

	"gofer/protocols"
)

// Size formats a number of octets in at most six cells. It returns "" if n is negative.
func Size(n int64) string { return protocols.Octets(n).Format() }

// Rate formats the rate of a transfer of n octets, for example as " 300 kB/s". It returns "" if the
// transfer took less than 200 ms.
func Rate(n int64, took time.Duration) string {
	if took < 200*time.Millisecond {
		return ""
	}
	return " " + protocols.Octets(float64(n)/took.Seconds()).PerSecond()
}

// Amount formats the progress of a transfer as "1.2 MB of 5.0 MB 24%". If the parameter size is
// unknown (0 or less) or less than the parameter done, the text is only "1.2 MB".
func Amount(done, size int64) string {
	if size <= 0 || done > size {
		return Size(done)
	}
	return fmt.Sprintf("%s of %s %d%%", Size(done), Size(size), int(float64(done)/float64(size)*100))
}
