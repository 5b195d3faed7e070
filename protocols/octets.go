package protocols

import "fmt"

// Octets is a size in octets.
type Octets int64

// Format formats the size in at most six characters, such as "1.2 kB". It returns "" if n is negative.
func (n Octets) Format() string {
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

// PerSecond formats the rate of n octets in a second, such as "300 kB/s". All rates are shown so.
func (n Octets) PerSecond() string { return n.Format() + "/s" }
