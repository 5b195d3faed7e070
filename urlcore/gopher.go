package urlcore

import (
	"cmp"
	"strings"
)

// Gopher is a Gopher item (RFC 1738, section 3.4):
//
//	gopher://<host>:<port>/<gophertype><selector>%09<search>%09<gopher+_string>
//
// The strings contain the octets to send. Only Plus may contain TAB, CR or LF, and only in a
// completed form.
type Gopher struct {
	HostPort
	Selector  string
	Search    string
	Plus      string // the Gopher+ string
	Type      byte   // the item type, such as '1' for a menu, '0' for a text and '7' for a search
	HasSearch bool   // whether there is a search, which may be empty
	HasPlus   bool
	Secure    bool // the scheme is gophers, which uses TLS
}

func (u Gopher) Scheme() string { return chooseScheme(u.Secure, "gophers", "gopher") }

func (u Gopher) Addr() string { return u.addr(u.Scheme()) }

// HasWords is true also for the fields of a form, which have lines.
func (u Gopher) HasWords() bool {
	return u.Search != "" || u.HasSearch && !u.HasPlus || strings.Contains(u.Plus, "\n")
}

func (u Gopher) String() string {
	if u.Type == 0 {
		u.Type = '1'
	}
	var buf [bufSize]byte
	b := append(append(buf[:0], u.Scheme()...), "://"...)
	b = append(u.append(b), '/')
	if octets[u.Type]&inSelector != 0 {
		b = append(b, u.Type)
	} else {
		b = appendEscape(b, u.Type)
	}
	if !u.HasSearch && !u.HasPlus && hasOnly(u.Selector, inSelector) {
		return join(b, u.Selector)
	}
	b = appendEscaped(b, u.Selector, inSelector)
	if u.HasSearch || u.HasPlus {
		b = appendEscaped(append(b, "%09"...), u.Search, inSearch)
	}
	if u.HasPlus {
		b = appendEscaped(append(b, "%09"...), u.Plus, inSelector)
	}
	return string(b)
}

// Request returns the octets that a client sends for the item (RFC 1738, sections 3.4.3 to 3.4.9).
// These are the selector, a TAB and the search if there is one, a TAB and the Gopher+ string if
// there is one, and CR LF. An empty search before a Gopher+ string is sent only to a search item.
// Request returns false for the Gopher+ string "?", because the user must first fill in the form.
func (u Gopher) Request() (string, bool) {
	if u.HasPlus && u.Plus == "?" {
		return "", false
	}
	s := u.Selector
	if u.HasSearch && (u.Search != "" || !u.HasPlus || u.Type == '7') {
		s += "\t" + u.Search
	}
	if u.HasPlus {
		s += "\t" + u.Plus
		if strings.HasSuffix(u.Plus, "\r\n") {
			return s, true
		}
	}
	return s + "\r\n", true
}

// parseGopher parses gopherurl (RFC 1738, section 5).
func (st *state) parseGopher(name, s string, off int) *Error {
	u := Gopher{Type: '1', Secure: name == "gophers"}
	path, err := st.parseHost(&u.HostPort, s, off, u.Scheme(), st.dialect.is1993())
	if err != nil {
		return err
	}
	off += len(s) - len(path)
	question := -1
	if st.marks&markQuestion != 0 && st.dialect.is1993() {
		question = strings.IndexByte(path, '?')
	}
	search := ""
	if question >= 0 {
		path, search = path[:question], path[question+1:]
	}
	if err := st.checkReserved(path, off, st.reservedIn1994("=;?:")); err != nil {
		return err
	}
	if len(path) > 1 {
		if err := u.setPath(path[1:], off+1, st.marks&markPercent != 0); err != nil {
			if err.Category == IllegalOctet {
				err.Offset += escapeIndex(path[1:], "\r\n")
			}
			return err
		}
	}
	if question >= 0 {
		if u.HasSearch {
			return fail(IllegalOctet, off+question, "the search begins twice, with %09 and with ?")
		}
		if err := st.checkReserved(search, off+question+1, "/?"); err != nil {
			return err
		}
		u.HasSearch = true
		u.Search = unescape(strings.ReplaceAll(search, "+", " "))
		if err := u.checkFields(off + question + 1); err != nil {
			err.Offset += escapeIndex(search, "\t\r\n")
			return err
		}
	}
	st.url = u
	return nil
}

// phonebookPort is the port of CSO phone books (RFC 2378).
const phonebookPort = 105

// parsePhonebook parses the cso: URL of a phone book, which Lynx uses. Its canonical form is the gopher: URL of
// type 2. The text after the host is a query.
func (st *state) parsePhonebook(s string, off int) *Error {
	u := Gopher{Type: '2'}
	query, err := st.parseHost(&u.HostPort, s, off, "cso", true)
	if err != nil {
		return err
	}
	u.Port = cmp.Or(u.Port, phonebookPort)
	query = strings.TrimPrefix(strings.TrimPrefix(query, "/"), "?")
	u.Search, u.HasSearch = unescape(query), query != ""
	if err := u.checkFields(off + len(s) - len(query)); err != nil {
		err.Offset += escapeIndex(query, "\t\r\n")
		return err
	}
	st.url, err = u.canon()
	return err
}

// setPath sets the fields from a gopher-path (RFC 1738, section 3.4.1). The caller may set the
// parameter escapes to false if it knows that path contains no escapes.
func (u *Gopher) setPath(path string, off int, escapes bool) *Error {
	if escapes {
		path = unescape(path)
	}
	u.Type, u.Selector = path[0], path[1:]
	if err := checkGtype(u.Type, off); err != nil {
		return err
	}
	if !escapes || scan(path)&markControl == 0 {
		return nil
	}
	if u.Selector, u.Search, u.HasSearch = strings.Cut(u.Selector, "\t"); u.HasSearch {
		u.Search, u.Plus, u.HasPlus = strings.Cut(u.Search, "\t")
	}
	return u.checkFields(off)
}

func checkGtype(t byte, off int) *Error {
	if t < 0x21 || t > 0x7E {
		return fail(BadGtype, off, "a Gopher item type is a visible ASCII character")
	}
	return nil
}

// checkFields returns an error if a field contains octets that Gopher cannot transmit.
func (u *Gopher) checkFields(off int) *Error {
	if hasFieldEnd(u.Selector) || hasFieldEnd(u.Search) {
		return fail(IllegalOctet, off, "a Gopher selector or search cannot contain TAB, CR or LF")
	}
	if u.HasPlus && hasFieldEnd(u.Plus) && !isGopherForm(u.Plus) {
		return fail(IllegalOctet, off, "a Gopher+ string can contain TAB, CR and LF only in a filled-in form")
	}
	return nil
}

// hasFieldEnd reports whether s contains TAB, CR or LF.
func hasFieldEnd(s string) bool {
	return scan(s)&markControl != 0 && strings.ContainsAny(s, "\t\r\n")
}

// isGopherForm reports whether s is a completed form (RFC 1738, section 3.4.9). Such a form is "+"
// [view] TAB "1" CR LF "+-1" CR LF, the values with CR LF after each, and "." CR LF.
func isGopherForm(s string) bool {
	view, s, ok := strings.Cut(s, "\t1\r\n+-1\r\n")
	if !ok || view == "" || view[0] != '+' || hasFieldEnd(view) {
		return false
	}
	for {
		var value string
		if value, s, ok = strings.Cut(s, "\r\n"); !ok || hasLineEnd(value) {
			return false
		}
		if value == "." {
			return s == ""
		}
	}
}

func (u Gopher) canon() (URL, *Error) {
	var err *Error
	if u.HostPort, err = u.HostPort.canon(u.Scheme()); err != nil {
		return nil, err
	}
	if u.Type == 0 {
		u.Type = '1'
	}
	if err := checkGtype(u.Type, 0); err != nil {
		return nil, err
	}
	if u.HasPlus {
		u.HasSearch = true
	}
	if !u.HasSearch && u.Search != "" || !u.HasPlus && u.Plus != "" {
		return nil, fail(IllegalOctet, 0, "a search or Gopher+ string is set, but its Has field is not")
	}
	if err := u.checkFields(0); err != nil {
		return nil, err
	}
	return u, nil
}

func (u Gopher) At(host string, port uint16) URL {
	u.Host, u.Port = host, port
	return u
}

// ByTLS returns the URL of the item with TLS at the same port.
func (u Gopher) ByTLS() (URL, bool) {
	u.Secure = true
	return u, true
}

// WithoutPlus returns the URL of the item without its Gopher+ string. An empty search stays only at a search
// item, which would otherwise ask for the words again.
func (u Gopher) WithoutPlus() Gopher {
	u.HasSearch = u.Search != "" || u.Type == '7' && u.HasSearch
	u.Plus, u.HasPlus = "", false
	return u
}

// Alternatives returns other URLs to try. They are the item without its Gopher+ string, the URL in
// an "h" item, the whole path as a selector, the selector as a menu, and the main menu of the
// server. Alternatives omits URLs that make no sense for u. For a search in a phone book it returns
// only the form.
func (u Gopher) Alternatives() (list []Alternative) {
	if u.Type == '2' {
		if form, ok := u.Up(); ok {
			list = append(list, Alternative{form, "Search the phone book again"})
		}
		return list
	}
	if bare := u; u.HasPlus {
		bare.Plus, bare.HasPlus, bare.HasSearch = "", false, u.Search != ""
		text := "The item itself"
		if strings.Contains(u.Plus, "\r\n") { // Plus contains the answers to the form of the item
			text = "Fill in the form again"
		}
		list, u = append(list, Alternative{bare, text}), bare
	}
	if named, ok := u.embeddedURL(); ok {
		list = append(list, Alternative{named, "The URL in the selector"})
	} else if typed := u.untypedReadings(); typed != nil {
		list = append(list, typed...)
	} else if u.Type != '1' && u.Type != '7' {
		menu := u
		menu.Type = '1'
		list = append(list, Alternative{menu, "Try as a menu"})
	}
	return append(list, Alternative{Gopher{HostPort: u.HostPort, Type: '1', Secure: u.Secure}, "The server's main menu"})
}

// FileName returns the last name in the selector, which may be empty. The selector need not be a
// path.
func (u Gopher) FileName() string { return lastName(u.Selector) }

// Up returns the menu one level up. This is a guess, because selectors need not be hierarchical
// (RFC 1738, section 3.4). For a search in a phone book, Up returns the form.
func (u Gopher) Up() (URL, bool) {
	if u.Type == '2' { // a phone book is not a Gopher server
		form := u
		form.Search, form.HasSearch = "", false
		return form, u.HasSearch
	}
	s := strings.TrimRight(u.Selector, "/")
	top := s == "" && u.Type == '1'
	// Some servers repeat the type before the selector.
	repeated := len(s) >= 2 && s[0] == u.Type && s[1] == '/'
	if i := strings.LastIndexByte(s, '/'); i > 0 && !(repeated && i == 1) {
		s = s[:i]
		if repeated {
			s = "1" + s[1:]
		}
	} else {
		s = ""
	}
	return Gopher{HostPort: u.HostPort, Type: '1', Selector: s, Secure: u.Secure}, !top
}

func (u Gopher) warnings() Warnings {
	return u.warn(u.Scheme()) | warnExtension(u.Secure) | warnOctets(u.Selector) | warnOctets(u.Search) | warnOctets(u.Plus)
}

func (u Gopher) parts(b *partList) {
	b.addSlashes()
	b.addHostPort(u.HostPort, u.Scheme())
	b.addDelimiter("/", "3.4.1", "ends the host; it is not part of the selector")
	if u.Type == 0 {
		u.Type = '1'
	}
	b.addOctets("gophertype", string([]byte{u.Type}), inSelector, "3.4.1", gopherTypeMeaning(u.Type))
	meaning := "the text sent to the server"
	if strings.Contains(u.Selector, "?") {
		meaning += `; in the drafts of 1993 a search began at "?", which is now %09`
	}
	b.addOctets("selector", u.Selector, inSelector, "3.4.1", meaning)
	if u.HasSearch || u.HasPlus {
		b.add("delimiter", "%09", "\t", "3.4.2", "a TAB, begins the search")
		b.addOctets("search", u.Search, inSearch, "3.4.2", "the words to search for")
	}
	if u.HasPlus {
		b.add("delimiter", "%09", "\t", "3.4.3", "a TAB, begins the Gopher+ string")
		b.addOctets("gopher+_string", u.Plus, inSelector, "3.4.3", gopherPlusMeaning(u.Plus))
	}
}

func gopherTypeMeaning(t byte) string {
	_, item := gopherType(t)
	return cmp.Or(item, "the type of the item")
}

func gopherPlusMeaning(plus string) string {
	switch {
	case plus == "?":
		return "the item is a form to be filled in (section 3.4.5)"
	case strings.HasSuffix(plus, "\r\n"):
		return "a filled-in form (section 3.4.9)"
	case plus == "!":
		return "asks for the attributes of the item (section 3.4.6)"
	case plus == "$":
		return "asks for the attributes of all items of the menu (section 3.4.6)"
	case strings.HasPrefix(plus, "!"), strings.HasPrefix(plus, "$"):
		return "asks for these attributes (section 3.4.7)"
	case strings.HasPrefix(plus, "+") && len(plus) > 1:
		return "asks for this view of the item (section 3.4.8)"
	}
	return "asks in Gopher+"
}
