package config_test

import (
	"math"
	"testing"

	"gofer/internal/userfile/config"
)

func TestParseOctets(t *testing.T) {
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
		{"1536", 1536, true},
		{"4G", 4 << 30, true},
		{"0", 0, false},
		{"-1", 0, false},
		{"much", 0, false},
		{"k", 0, false},
		{"99999999999G", 0, false},
		{"8589934591G", 8589934591 << 30, true},
		{"9223372036854775807", math.MaxInt64, true},
		{"9007199254740993", 1<<53 + 1, true},
		{"9007199254740991k", (1<<53 - 1) << 10, true},
		{"9223372036854775808", 0, false},
		{"8589934592G", 0, false},
	} {
		got, err := config.ParseOctets(tt.in)
		if got.N != tt.want || (err == nil) != tt.ok {
			t.Errorf("ParseOctets(%q) = %d, %v; want %d, success %v", tt.in, got.N, err, tt.want, tt.ok)
		}
		if again, err := config.ParseOctets(got.String()); tt.ok && (again != got || err != nil) {
			t.Errorf("ParseOctets(%q) = %v, %v; want %v", got.String(), again, err, got)
		}
	}
}
