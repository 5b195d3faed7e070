package cell

import (
	"fmt"
	"time"
)

// Size formats a number of octets in at most six cells. It returns "" if n is negative.
func Size(n int64) string {
	if n < 0 {
		return ""
	}
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f := float64(n)
	for _, unit := range []string{"kB", "MB", "GB", "TB", "PB"} {
		f /= 1000
		switch {
		case f < 9.95:
			return fmt.Sprintf("%.1f %s", f, unit)
		case f < 999.5:
			return fmt.Sprintf("%.0f %s", f, unit)
		}
	}
	return fmt.Sprintf("%.0f EB", f/1000)
}

// Rate formats the rate of a transfer of n octets, for example as " 300 kB/s". It returns "" if the
// transfer took less than 200 ms.
func Rate(n int64, took time.Duration) string {
	if took < 200*time.Millisecond {
		return ""
	}
	return " " + Size(int64(float64(n)/took.Seconds())) + "/s"
}

// Amount formats the progress of a transfer as "1.2 MB of 5.0 MB 24%". If the parameter size is
// unknown (0 or less) or less than the parameter done, the text is only "1.2 MB".
func Amount(done, size int64) string {
	if size <= 0 || done > size {
		return Size(done)
	}
	return fmt.Sprintf("%s of %s %d%%", Size(done), Size(size), int(float64(done)/float64(size)*100))
}
