package clean

import "unicode/utf8"

// MaxShort is the largest number of octets of a title, a label or a description, which are
// shown on one row.
const MaxShort = 1 << 10

// Short returns the text of s, cut to MaxShort octets.
func Short(s string) string { return Reading{}.Short(s) }

// Short returns the text of s in the charset of r, cut to MaxShort octets.
func (r Reading) Short(s string) string {
	if len(s) <= MaxShort {
		return r.Text(s)
	}
	end := MaxShort
	for end > MaxShort-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return r.Text(s[:end])
}
