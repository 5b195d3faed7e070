package urlcore

// GopherItem is the inverse of [NewGopherItem]. It returns the menu line (RFC 1436, section 3.4)
// that links to u. Only terminal sessions and Gopher items without TLS have lines of their own
// types. For another URL the line has type h and the selector "URL:...". Its host is "" and its
// port is 0, which mean the server of the menu.
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

// portOrDefault returns the port, or the default port of the scheme.
func (h HostPort) portOrDefault(scheme string) uint16 {
	if h.Port == 0 {
		return DefaultPort(scheme)
	}
	return h.Port
}
