package telnet

import (
	"gofer/protocols"
)

const (
	maxKept = 64       // octets stored of a subnegotiation; all known subnegotiations are shorter
	maxSub  = 64 << 10 // a longer subnegotiation ends the session
)

var errEndless = protocols.NewError(protocols.Malformed, "read the server's options", "a subnegotiation does not end")

type parserState uint8

const (
	inData    parserState = iota
	afterCR               // a NUL as the next octet is skipped
	afterIAC              // the next octet is a command
	afterVerb             // the next octet is the option of a WILL, WONT, DO or DONT
	afterSB               // the next octet is the option of a subnegotiation
	inSub                 // the next octet is data of a subnegotiation
	subIAC                // the previous octet is an IAC in a subnegotiation
)

// parser separates the data of a server from its commands (RFC 854).
type parser struct {
	negotiate func(verb, opt byte)
	sub       func(opt byte, data []byte)
	binary    func() bool // reports whether CR NUL is two octets of data (RFC 856)

	state parserState
	verb  byte
	opt   byte
	data  []byte // the data of the subnegotiation
	size  int
}

// feed appends the data in p to out. It calls negotiate for each command about an option in p, and
// sub for each complete subnegotiation.
func (r *parser) feed(out, p []byte) ([]byte, error) {
	for _, c := range p {
		switch r.state {
		case inData, afterCR:
			out = r.addOctet(out, c)
		case afterIAC:
			out = r.handleCommand(out, c)
		case afterVerb:
			r.state = inData
			r.negotiate(r.verb, c)
		case afterSB:
			r.state, r.opt, r.data, r.size = inSub, c, r.data[:0], 0
		case inSub:
			if c == iac {
				r.state = subIAC
			} else if err := r.storeOctet(c); err != nil {
				return out, err
			}
		case subIAC:
			r.state = inSub
			switch c {
			case se:
				r.state = inData
				r.sub(r.opt, r.data)
			case iac:
				if err := r.storeOctet(c); err != nil {
					return out, err
				}
			default: // the end of the subnegotiation is missing
				r.state = inData
				out = r.handleCommand(out, c)
			}
		}
	}
	return out, nil
}

func (r *parser) addOctet(out []byte, c byte) []byte {
	nul := r.state == afterCR && c == 0
	switch {
	case c == iac:
		r.state = afterIAC
		return out
	case c == '\r' && !r.binary():
		r.state = afterCR
	default:
		r.state = inData
	}
	if nul {
		return out
	}
	return append(out, c)
}

func (r *parser) handleCommand(out []byte, c byte) []byte {
	r.state = inData
	switch c {
	case iac:
		return append(out, iac)
	case will, wont, do, dont:
		r.state, r.verb = afterVerb, c
	case sb:
		r.state = afterSB
	}
	return out
}

func (r *parser) storeOctet(c byte) error {
	if r.size++; r.size > maxSub {
		return errEndless
	}
	if len(r.data) < maxKept {
		r.data = append(r.data, c)
	}
	return nil
}

// The commands of RFC 854. SB and SE are the start and the end of a subnegotiation.
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

// doubleIAC returns p with each IAC doubled, because a single IAC begins a command (RFC 854).
func doubleIAC(p []byte) []byte {
	b := make([]byte, 0, len(p)+2)
	for _, c := range p {
		b = append(b, c)
		if c == iac {
			b = append(b, c)
		}
	}
	return b
}

// subnegotiation returns the octets that send data about an option.
func subnegotiation(opt byte, data ...byte) []byte {
	return append(append([]byte{iac, sb, opt}, doubleIAC(data)...), iac, se)
}
