package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// Octets is a number of octets that is written as text such as "500k" or "2M", as curl and wget read it. "" is 0.
type Octets struct{ N int64 }

// String returns the text that [ParseOctets] parses: "" for 0.
func (o Octets) String() string {
	if o.N == 0 {
		return ""
	}
	for i, unit := range []string{"G", "M", "k"} {
		if size := int64(1) << (10 * (3 - i)); o.N%size == 0 {
			return strconv.FormatInt(o.N/size, 10) + unit
		}
	}
	return strconv.FormatInt(o.N, 10)
}

// MarshalText returns the text that UnmarshalText parses.
func (o Octets) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads a number of octets.
func (o *Octets) UnmarshalText(text []byte) (err error) {
	*o, err = ParseOctets(string(text))
	return err
}

// ParseOctets parses a number like "500k", as curl and wget do. "" is 0.
func ParseOctets(s string) (Octets, error) {
	if s == "" {
		return Octets{}, nil
	}
	n, err := humanize.ParseBytes(strings.TrimSuffix(strings.ToUpper(s), "B") + "iB")
	if strings.Trim(s, "0123456789.") == "" {
		n, err = humanize.ParseBytes(s)
	}
	if err != nil || n == 0 || n > math.MaxInt64 {
		return Octets{}, fmt.Errorf("%q is not a number of octets such as 500k or 2M", s)
	}
	return Octets{int64(n)}, nil
}
