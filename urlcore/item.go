package urlcore

// GopherItem is the inverse of [NewGopherItem]: the menu line (RFC 1436,
// section 3.4) that leads to u. A URL of another protocol than Gopher, without
// TLS, and the terminal sessions is a line of type h with the selector "URL:...", of which
// the server is the menu's own: host is "" and port 0.
func GopherItem(u URL) (typ byte, selector, host string, port uint16) {
	switch u := u.(type) {
	case Gopher:
		if u.Secure {
			break
		}
		return u.Type, u.Selector, u.Host, u.port("gopher")
	case Telnet:
		if u.Name == "rlogin" || u.HasPassword || u.HasUser && u.User == "" {
			break
		}
		if u.Name == "tn3270" {
			return 'T', u.User, u.Host, u.port("tn3270")
		}
		return '8', u.User, u.Host, u.port("telnet")
	}
	return 'h', "URL:" + u.String(), "", 0
}

// port is the port, the scheme's own if there is none.
func (h HostPort) port(scheme string) uint16 {
	if h.Port == 0 {
		return DefaultPort(scheme)
	}
	return h.Port
}
