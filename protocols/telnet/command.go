package telnet

// The commands (RFC 854; SE and SB are the brackets of a subnegotiation).
const (
	se   = 240
	brk  = 243 // break
	ip   = 244 // interrupt process
	ao   = 245 // abort output
	ayt  = 246 // are you there
	ec   = 247 // erase character
	el   = 248 // erase line
	sb   = 250
	will = 251
	wont = 252
	do   = 253
	dont = 254
	iac  = 255

	susp = 237 // suspend process (RFC 1184)
)

// The options.
const (
	optBinary = 0  // RFC 856
	optEcho   = 1  // RFC 857
	optSGA    = 3  // suppress go-ahead, RFC 858
	optType   = 24 // terminal type, RFC 1091
	optSize   = 31 // window size, RFC 1073
)

const (
	typeIs   = 0
	typeSend = 1
)

// doubled returns p with each IAC doubled (RFC 854, "the data octet 255").
func doubled(p []byte) []byte {
	b := make([]byte, 0, len(p)+2)
	for _, c := range p {
		b = append(b, c)
		if c == iac {
			b = append(b, c)
		}
	}
	return b
}

// subnegotiation returns the octets that tell data of an option.
func subnegotiation(opt byte, data ...byte) []byte {
	return append(append([]byte{iac, sb, opt}, doubled(data)...), iac, se)
}
