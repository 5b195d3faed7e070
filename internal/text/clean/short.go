package clean

import "unicode/utf8"

// MaxShort is the largest length of a text that is shown on one row, such as a title or a label, in
// octets.
const MaxShort = 1 << 10

// Short is like [Text] for the first MaxShort octets of s.
func Short(s string) string { return Reading{}.Short(s) }

// Short is like [Reading.Text] for the first MaxShort octets of s.
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
