package urlcore

// GopherItem is the inverse of [NewGopherItem]: the menu line (RFC 1436,
// section 3.4) that leads to u. A URL of another protocol than Gopher, without
// TLS, and the terminal sessions is a line of type h with the selector "URL:...", of which
// the server is the menu's own: host is "" and port 0.
func GopherItem(u URL) (typ byte, selector, host string, port uint16) {
	if g, ok := u.(interface {
		gopherItem() (typ byte, selector, host string, port uint16)
	}); ok {
		typ, selector, host, port = g.gopherItem()
	}
	if typ == 0 {
		return 'h', "URL:" + u.String(), "", 0
	}
	return typ, selector, host, port
}

// port is the port, the scheme's own if there is none.
func (h HostPort) port(scheme string) uint16 {
	if h.Port == 0 {
		return DefaultPort(scheme)
	}
	return h.Port
}
