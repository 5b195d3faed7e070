package urlcore

// GopherItem is the inverse of [NewGopherItem]. It returns the menu line (RFC 1436, section 2)
// that links to u. For a terminal session the type is 8 or T. For a Gopher item the type is u.Type.
// If such a line cannot express u, the type is h and the selector is "URL:...". The host is then ""
// and the port is 0, which mean the server of the menu.
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
