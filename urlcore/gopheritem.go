package urlcore

import "strings"

// NewGopherItem returns the URL of a menu line (RFC 1436, section 2). The arguments are octets
// without escapes. For types 8 and T it returns the URL of a terminal session, with the selector as
// the user. For type h and a selector "URL:..." it returns the URL in the selector, and for a selector
// "GET /path" the http: URL. A line of type i or 3 has no URL, so the category of the error is
// Unrepresentable.
func NewGopherItem(typ byte, selector, host string, port uint16) (URL, error) {
	u, err := urlOfItem(Gopher{HostPort: HostPort{host, port}, Type: typ, Selector: selector})
	return u, asError(err)
}

func urlOfItem(u Gopher) (URL, *Error) {
	switch u.Type {
	case 'i', '3':
		return nil, fail(Unrepresentable, 0, "a text or error line of a menu leads nowhere")
	case 0:
		return nil, fail(BadGtype, 0, "a Gopher item type is a visible ASCII character")
	}
	if u.Port == 0 {
		return nil, fail(BadPort, 0, "there is no port 0")
	}
	switch {
	case u.Type == '8' || u.Type == 'T':
		t := Telnet{Name: "telnet", Server: Server{HostPort: u.HostPort, User: u.Selector, HasUser: u.Selector != ""}}
		if u.Type == 'T' {
			t.Name = "tn3270"
		}
		return t.canon()
	case u.Type == 'h' && hasURLPrefix(u.Selector):
		st := state{input: u.Selector, inText: true}
		if err := st.checkFull(u.Selector[4:]); err != nil {
			err.Input, err.Offset = st.input, err.Offset+4
			return nil, err
		}
		return st.url, nil
	}
	if web, ok := u.webURL(); ok {
		return web, nil
	}
	return u.canon()
}

// webURL returns the URL of an "h" item whose selector is a request of HTTP: "GET", a blank and a path or a
// http: URL, perhaps with a version. UMN gopherd makes such items of the URLs in its link files.
func (u Gopher) webURL() (URL, bool) {
	target, ok := strings.CutPrefix(strings.TrimPrefix(u.Selector, "/"), "GET ")
	server, err := HostPort{u.Host, u.portOrDefault("gopher")}.canon("http")
	if !ok || u.Type != 'h' || err != nil {
		return nil, false
	}
	if i := strings.LastIndex(target, " HTTP/"); i >= 0 {
		target = target[:i]
	}
	if strings.HasPrefix(target, "/") {
		target = HTTP{HostPort: server}.String() + target[1:]
	}
	st := state{input: target, inText: true}
	if st.checkFull(target) != nil {
		return nil, false
	}
	_, ok = st.url.(HTTP)
	return st.url, ok
}

// gopherItem returns the menu line that links to u. The type is 0 if the line cannot express u,
// because u has TLS, search words or a Gopher+ request.
func (u Gopher) gopherItem() (typ byte, selector, host string, port uint16) {
	if u.Secure || u.Search != "" || u.HasPlus && u.Plus != "+" {
		return 0, "", "", 0
	}
	return u.Type, u.Selector, u.Host, u.portOrDefault("gopher")
}

// gopherTypes are the item types of RFC 1436, section 3.8, of Gopher+ (":", ";", "<"), and of later
// servers. The field kind is a name for JSON, and item is a sentence for users or "".
var gopherTypes = [...]struct{ types, kind, item string }{
	{"0", "text", "the item is a text"},
	{"1", "menu", "the item is a menu"},
	{"2", "phonebook", "the item is a CSO phone book"},
	{"3", "failure", ""},
	{"456", "archive", "the item is a binary file"},
	{"7", "search", "the item is a search"},
	{"8T", "session", "the item is a terminal session"},
	{"9", "binary", "the item is a binary file"},
	{"gI", "image", "the item is a picture"},
	{"p:", "image", ""},
	{"s<", "sound", "the item is a sound"},
	{";vQ", "movie", ""},
	{"h", "html", "the item is hypertext"},
	{"H", "html", ""},
	{"d", "document", "the item is a document"},
	{"PrMXxc", "document", ""},
	{"i", "info", ""},
}

func gopherType(t byte) (kind, item string) {
	for _, known := range gopherTypes {
		if strings.IndexByte(known.types, t) >= 0 {
			return known.kind, known.item
		}
	}
	return "", ""
}

// Kind returns the kind of the item type, or "form" if u requests a Gopher+ form.
func (u Gopher) Kind() string {
	if u.HasPlus && u.Plus == "?" {
		return "form"
	}
	kind, _ := gopherType(u.Type)
	return kind
}

// embeddedURL returns the URL in the selector of an "h" item.
func (u Gopher) embeddedURL() (URL, bool) {
	if web, ok := u.webURL(); ok {
		return web, true
	}
	s := strings.TrimPrefix(u.Selector, "/")
	if u.Type != 'h' || len(s) < 4 || !strings.EqualFold(s[:4], "URL:") {
		return nil, false
	}
	named, err := Parse(s[4:])
	return named, err == nil
}
