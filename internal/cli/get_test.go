package cli

import "testing"

func TestOctets(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int64
		ok   bool
	}{
		{"", 0, true},
		{"1000", 1000, true},
		{"500k", 500 << 10, true},
		{"500K", 500 << 10, true},
		{"2M", 2 << 20, true},
		{"1.5m", 3 << 19, true},
		{"4G", 4 << 30, true},
		{"0", 0, false},
		{"-1", 0, false},
		{"much", 0, false},
		{"k", 0, false},
		{"99999999999G", 0, false},
	} {
		if got, err := octets(tt.in); got != tt.want || (err == nil) != tt.ok {
			t.Errorf("octets(%q) = %d, %v; want %d, %v", tt.in, got, err, tt.want, tt.ok)
		}
	}
}
