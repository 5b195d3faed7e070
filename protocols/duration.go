package protocols

import "strconv"

// FormatSeconds formats n seconds in the largest unit that divides n: "1 day", "90 minutes".
func FormatSeconds(n uint64) string {
	name := " second"
	for _, unit := range []struct {
		name string
		size uint64
	}{{" minute", 60}, {" hour", 60}, {" day", 24}} {
		if n == 0 || n%unit.size != 0 {
			break
		}
		n, name = n/unit.size, unit.name
	}
	if n != 1 {
		name += "s"
	}
	return strconv.FormatUint(n, 10) + name
}
