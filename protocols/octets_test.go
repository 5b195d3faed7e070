package protocols

import "testing"

// TestOctets checks the texts of sizes and rates.
func TestOctets(t *testing.T) {
	for n, want := range map[Octets]string{
		-1: "", 0: "0 B", 999: "999 B", 1000: "1.0 kB", 9949: "9.9 kB", 9950: "10 kB", 512000: "512 kB", 999_499: "999 kB",
		999_500: "1.0 MB", 5 << 30: "5.4 GB", 1<<63 - 1: "9 EB",
	} {
		if got := n.Format(); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
	if got := Octets(300_000).PerSecond(); got != "300 kB/s" {
		t.Errorf("rate: got %q", got)
	}
}
