package wais

// The limits for messages of a server.
const (
	maxInteger = 1<<28 - 1 // the largest tag or length
	maxPadding = 8         // the maximum number of octets 0x80 before an integer
)

// cutInteger returns the compressed integer at the start of b and the octets after it. Such an
// integer has base 128, the highest digit first. All octets but the last have the high bit set.
func cutInteger(b []byte) (n int, rest []byte, ok bool) {
	for i, c := range b {
		n = n<<7 | int(c&0x7f)
		switch {
		case n > maxInteger || n == 0 && i >= maxPadding:
			return 0, nil, false
		case c < 0x80:
			return n, b[i+1:], true
		}
	}
	return 0, nil, false
}

// cutField returns the field at the start of b and the octets after it. A field is a tag, the
// length of the value, and the value.
func cutField(b []byte) (tag int, value, rest []byte, ok bool) {
	tag, b, ok = cutInteger(b)
	if !ok {
		return 0, nil, nil, false
	}
	n, b, ok := cutInteger(b)
	if !ok || n > len(b) {
		return 0, nil, nil, false
	}
	return tag, b[:n:n], b[n:], true
}

// parseNumber parses one to four octets, the highest first.
func parseNumber(value []byte) int64 {
	var n int64
	for _, c := range value[:min(len(value), 4)] {
		n = n<<8 | int64(c)
	}
	return n
}

func appendInteger(b []byte, n int) []byte {
	shift := 0
	for n>>shift >= 0x80 {
		shift += 7
	}
	for ; shift > 0; shift -= 7 {
		b = append(b, byte(n>>shift)|0x80)
	}
	return append(b, byte(n)&0x7f)
}

func appendField(b []byte, tag int, value string) []byte {
	return append(appendInteger(appendInteger(b, tag), len(value)), value...)
}

// appendNumber appends a field with the number n in as few octets as possible.
func appendNumber(b []byte, tag, n int) []byte {
	value := []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
	for len(value) > 1 && value[0] == 0 {
		value = value[1:]
	}
	return appendField(b, tag, string(value))
}

// append24 appends n in three octets.
func append24(b []byte, n int) []byte { return append(b, byte(n>>16), byte(n>>8), byte(n)) }
