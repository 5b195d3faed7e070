package protocols

import "testing"

func TestFormatSeconds(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 seconds", 1: "1 second", 60: "1 minute", 61: "61 seconds", 5400: "90 minutes", 3600: "1 hour",
		86400: "1 day", 172800: "2 days", 1 << 63: "9223372036854775808 seconds",
	} {
		if got := FormatSeconds(n); got != want {
			t.Errorf("FormatSeconds(%d) = %q; want %q", n, got, want)
		}
	}
}
