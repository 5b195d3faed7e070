package clean

// Octets formats octets in printable ASCII like a string in C: \t, \r, \n, \\, and \xHH for other
// octets that are not printable. Different strings have different results.
func Octets(s string) string {
	const digits = "0123456789ABCDEF"
	b := make([]byte, 0, len(s)+8)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\\':
			b = append(b, `\\`...)
		case c < ' ' || c > '~':
			b = append(b, '\\', 'x', digits[c>>4], digits[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(b)
}
