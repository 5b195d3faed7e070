package clean

import (
	"fmt"

	"golang.org/x/text/unicode/norm"
)

// Encode returns the octets of s in c, the reverse of Decode. UTF8 and Auto return s
// itself. A letter with combining marks that c lacks is composed (NFC). The error
// names the first letter that c lacks.
func (c Charset) Encode(s string) (octets string, err error) {
	if c.encoding() == nil || isASCII(s) {
		return s, nil
	}
	if octets, ok := c.encode(s); ok {
		return octets, nil
	}
	s = norm.NFC.String(s)
	if octets, ok := c.encode(s); ok {
		return octets, nil
	}
	for _, r := range s {
		if _, ok := c.encode(string(r)); !ok {
			return "", fmt.Errorf("%s has no %q (%U)", c, Text(string(r)), r)
		}
	}
	return "", fmt.Errorf("%s cannot hold the text", c)
}

func (c Charset) encode(s string) (octets string, ok bool) {
	octets, err := c.encoding().NewEncoder().String(s)
	return octets, err == nil
}
