package charset

import "golang.org/x/text/unicode/norm"

// Encode returns the octets of s in c. It is the reverse of Decode. For UTF8 and Auto it returns s.
// If c lacks a character of s, Encode composes letters with their combining marks (NFC). If ok is
// false, missing is the first character that c lacks, or 0 if each character can be encoded alone.
func (c Charset) Encode(s string) (octets string, missing rune, ok bool) {
	if charsets[c].encoding == nil || IsASCII(s) {
		return s, 0, true
	}
	if octets, ok := c.encode(s); ok {
		return octets, 0, true
	}
	s = norm.NFC.String(s)
	if octets, ok := c.encode(s); ok {
		return octets, 0, true
	}
	for _, r := range s {
		if _, ok := c.encode(string(r)); !ok {
			return "", r, false
		}
	}
	return "", 0, false
}

func (c Charset) encode(s string) (octets string, ok bool) {
	octets, err := charsets[c].encoding.NewEncoder().String(s)
	return octets, err == nil
}
