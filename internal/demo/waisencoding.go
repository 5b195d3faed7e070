package demo

func waisAPDU(header, info []byte) []byte {
	b := append([]byte{byte(len(header) >> 8), byte(len(header))}, header...)
	return append(b, waisField(nil, 99, string(info))...)
}

// waisResponse returns a SearchResponse with records. As with freeWAIS, its status has no
// meaning.
func waisResponse(records []byte) []byte {
	return waisAPDU([]byte{23, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 27, 1, 0}, records)
}

func waisDiagnostic(code, text string, surrogate byte) []byte {
	b := []byte{0x1c, byte((len(text) + 3) >> 8), byte(len(text) + 3)}
	return append(append(append(b, code...), text...), surrogate, 0x1d)
}

func waisField(b []byte, tag int, value string) []byte {
	for _, n := range []int{tag, len(value)} {
		for shift := 21; shift > 0; shift -= 7 {
			if n>>shift > 0 {
				b = append(b, byte(n>>shift)&0x7f|0x80)
			}
		}
		b = append(b, byte(n)&0x7f)
	}
	return append(b, value...)
}

// waisFields yields the tags and values of the fields in b, up to the first malformed field.
func waisFields(b []byte) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		number := func() int {
			for n := 0; len(b) > 0; {
				c := b[0]
				b, n = b[1:], n<<7|int(c&0x7f)
				if c < 0x80 || n > waisBuffer {
					return n
				}
			}
			return -1
		}
		for len(b) > 0 {
			tag, n := number(), number()
			if n < 0 || n > len(b) || !yield(tag, string(b[:n])) {
				return
			}
			b = b[n:]
		}
	}
}

func waisNumber(value string) (n int) {
	for i := range min(len(value), 4) {
		n = n<<8 | int(value[i])
	}
	return n
}

func waisDigits(n int64) string {
	b := []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
	for len(b) > 1 && b[0] == 0 {
		b = b[1:]
	}
	return string(b)
}
