package clean

import "unicode/utf8"

// MaxShort bounds, in octets, what a screen shows on one row: a title, a label, a
// description.
const MaxShort = 1 << 10

// Short returns the text of s without what no row has room for.
func Short(s string) string { return Reading{}.Short(s) }

// Short returns the text of s, read like r, without what no row has room for.
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
