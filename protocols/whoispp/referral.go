package whoispp

import (
	"net"
	"strconv"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// referral is a server that may know more (RFC 1914, section 2). Its record has the fields Server-Handle, Host-Name and
// Host-Port, perhaps of several servers. Older servers list all three in a line below the field Next-Servers.
type referral struct {
	handle, host, port string
	listed             bool // a line has been yielded for a server of the record
}

// takeServer takes a line of the record if it is a part of a referral. The result more is false if yield has returned
// false.
func (p *page) takeServer(line string, yield yield) (taken, more bool) {
	name, value, isField := strings.Cut(line, ":")
	if words := strings.Fields(strings.TrimLeft(line, " -+")); !isField && len(words) == 3 && portOf(words[2]) != 0 {
		p.server = referral{handle: words[0], host: words[1], port: words[2]}
		return true, p.yieldServer(yield)
	}
	name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
	if p.server.host != "" && (name == "server-handle" || name == "host-name") && !p.yieldServer(yield) {
		return true, false
	}
	switch name {
	case "server-handle":
		p.server.handle = value
	case "host-name":
		p.server.host = value
	case "host-port":
		p.server.port = value
	case "next-servers":
	default:
		return false, true
	}
	return true, true
}

// portOf returns the port in a text, or 0.
func portOf(text string) uint16 {
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0
	}
	return uint16(port)
}

// yieldServer yields the line for the server that has been read: a link to the same query there.
func (p *page) yieldServer(yield yield) bool {
	r := p.server
	p.server = referral{listed: true}
	if r.listed && r.handle == "" && r.host == "" {
		return true
	}
	addr := r.host
	if r.port != "" {
		addr = net.JoinHostPort(strings.Trim(r.host, "[]"), r.port)
	}
	l := protocols.Line{Kind: protocols.Problem, Text: "Another server: " + strings.TrimSpace(r.handle+" "+addr)}
	port := portOf(r.port)
	if r.host == "" || r.port != "" && port == 0 {
		return yield(l, nil)
	}
	if u, err := urlcore.Canon(p.url.At(r.host, port)); err == nil {
		l.Kind, l.Link = protocols.Menu, u
	}
	return yield(l, nil)
}
