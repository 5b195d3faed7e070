package whoispp

import (
	"net"
	"strconv"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// referral is a server that a record names: one that may know more (RFC 1835, section 2.4.3.5), one that knows what
// this server has (appendix C.3), or one in a directory of servers (RFC 1914, section 3.2.2).
type referral struct {
	handle, host, port string
}

// take reports whether a line of a record is a field of the referral, and keeps its value.
func (r *referral) take(line string) bool {
	name, value, _ := strings.Cut(line, ":")
	var field *string
	switch strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), "cached-") {
	case "server-handle":
		field = &r.handle
	case "host-name":
		field = &r.host
	case "host-port", "port-number": // the second is the name in RFC 1913, section 6.5
		field = &r.port
	default:
		return false
	}
	if *field != "" { // a second server: its fields are shown
		return false
	}
	*field = strings.TrimSpace(value)
	return true
}

// line returns a link to the URL u at the server. If the address is malformed, the line has no link.
func (r referral) line(u urlcore.Lookup) protocols.Line {
	addr := r.host
	if r.port != "" {
		addr = net.JoinHostPort(strings.Trim(r.host, "[]"), r.port)
	}
	l := protocols.Line{Kind: protocols.Problem, Text: "Another server: " + strings.TrimSpace(r.handle+" "+addr)}
	port, err := strconv.ParseUint(r.port, 10, 16)
	if r.host == "" || r.port != "" && (err != nil || port == 0) {
		return l
	}
	if link, err := urlcore.Canon(u.At(r.host, uint16(port))); err == nil {
		l.Kind, l.Link = protocols.Menu, link
	}
	return l
}
