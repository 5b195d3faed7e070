package urlcore

import (
	"strconv"
	"strings"
)

// Part is a piece of a URL's canonical text. What is there but empty (the user
// of "ftp://@h/", the argument of the CWD between two slashes) is a part
// without text; what is not there is none.
type Part struct {
	// Name is the word of RFC 1738: "scheme", "host", "selector", ... Marks
	// between them are "delimiter".
	Name string
	// Text is u.String()[Start:End].
	Text string
	// Value are the octets that Text stands for. A password is here in the
	// clear: whoever shows parts masks those named "password".
	Value      string
	Start, End int
	// Rule is the document and section that has the production.
	Rule string
	// Meaning is a sentence for people.
	Meaning string
}

// Parts takes a URL apart for showing and explaining. The parts tile
// u.String(): each begins where the one before it ends.
func Parts(u URL) []Part {
	b := partList{}
	b.text("scheme", u.Scheme(), "2.1", "how the thing is reached")
	b.mark(":", "2.1", "ends the scheme")
	switch u := u.(type) {
	case Gopher:
		b.gopher(u)
	case FTP:
		b.login(u.Server, "ftp")
		b.path(u.Path, "cwd", "name", "3.2.2", "the argument of a CWD command", "the argument of RETR, or of NLST for a directory")
		if u.Type != 0 {
			b.mark(";type=", "3.2.2", "begins the type code")
			b.text("typecode", string(rune(u.Type)), "3.2.2", ftpTypeMeaning(u.Type))
		}
	case HTTP:
		b.slashes()
		b.hostport(u.HostPort, u.Scheme())
		path := u.Path
		if path == "" {
			path = "/"
		}
		b.encoded("path", path, "3.3", "what the server is asked for, as text")
		if u.HasQuery {
			b.mark("?", "3.3", "begins the search")
			b.encoded("searchpart", u.Query, "3.3", "the search, as text")
		}
	case News:
		b.news(u)
	case NNTP:
		b.slashes()
		b.hostport(u.HostPort, "nntp")
		b.mark("/", "3.7", "ends the host")
		b.text("newsgroup-name", u.Group, "3.7", "the group on that server")
		if u.HasArticle {
			b.mark("/", "3.7", "ends the group")
			b.text("article-number", strconv.FormatUint(u.Article, 10), "3.7", "the number of the article on that server")
		}
	case Telnet:
		b.login(u.Server, u.Scheme())
	case Mailto:
		b.octets("addr-spec", u.Address, inSelector, "3.5", "the mail address (RFC 822)")
	case WAIS:
		b.wais(u)
	case File:
		b.slashes()
		b.text("host", hostText(u.Host), "3.10", "the machine; none is this one")
		b.mark("/", "3.10", "ends the host")
		b.path(u.Path, "directory", "name", "3.10", "a directory", "the name of the file")
	case Prospero:
		b.prospero(u)
	case Generic:
		b.generic(u)
	}
	return b.parts
}

type partList struct {
	parts []Part
	end   int
}

func (b *partList) add(name, text, value, section, meaning string) {
	b.parts = append(b.parts, Part{name, text, value, b.end, b.end + len(text), "RFC 1738, section " + section, meaning})
	b.end += len(text)
}

// text adds what is written as it is.
func (b *partList) text(name, text, section, meaning string) {
	b.add(name, text, text, section, meaning)
}

func (b *partList) mark(text, section, meaning string) {
	b.add("delimiter", text, text, section, meaning)
}

// encoded adds canonical text.
func (b *partList) encoded(name, text, section, meaning string) {
	b.add(name, text, unescape(text), section, meaning)
}

// octets adds octets that are written with set.
func (b *partList) octets(name, value string, set uint32, section, meaning string) {
	b.add(name, escape(value, set), value, section, meaning)
}

func (b *partList) slashes() { b.mark("//", "3.1", "begins the common Internet syntax") }

func (b *partList) hostport(h HostPort, scheme string) {
	b.add("host", hostText(h.Host), h.Host, "3.1", "the host that is asked")
	if h.Port == 0 {
		return
	}
	meaning := "the port"
	if d := DefaultPort(scheme); d != 0 {
		meaning = "the port; " + scheme + " has " + strconv.Itoa(int(d))
	}
	b.mark(":", "3.1", "ends the host")
	b.text("port", strconv.Itoa(int(h.Port)), "3.1", meaning)
}

func hostText(host string) string {
	if h := (HostPort{Host: host}); h.isIP6() {
		return "[" + host + "]"
	}
	return host
}

// login adds "//", the login and the slash after it.
func (b *partList) login(s Server, scheme string) {
	b.userinfo(s)
	b.hostport(s.HostPort, scheme)
	b.mark("/", "3.1", "ends the host; it is not part of the path")
}

func (b *partList) userinfo(s Server) {
	b.slashes()
	if !s.HasUser && !s.HasPassword {
		return
	}
	b.octets("user", s.User, inUser, "3.1", "the user name")
	if s.HasPassword {
		b.mark(":", "3.1", "ends the user name")
		b.octets("password", s.Password, inUser, "3.1", "the password, for anybody to read")
	}
	b.mark("@", "3.1", "ends the login")
}

// path adds canonical segments.
func (b *partList) path(path, dir, name, section, dirMeaning, nameMeaning string) {
	for {
		segment, rest, more := strings.Cut(path, "/")
		if !more {
			b.encoded(name, segment, section, nameMeaning)
			return
		}
		b.encoded(dir, segment, section, dirMeaning)
		b.mark("/", section, "ends a segment")
		path = rest
	}
}

func (b *partList) gopher(u Gopher) {
	b.slashes()
	b.hostport(u.HostPort, "gopher")
	b.mark("/", "3.4.1", "ends the host; it is not part of the selector")
	if u.Type == 0 {
		u.Type = '1'
	}
	b.octets("gophertype", string([]byte{u.Type}), inSelector, "3.4.1", gopherTypeMeaning(u.Type))
	b.octets("selector", u.Selector, inSelector, "3.4.1", "what is sent to the server")
	if u.HasSearch || u.HasPlus {
		b.add("delimiter", "%09", "\t", "3.4.2", "a TAB, begins the search")
		b.octets("search", u.Search, inSearch, "3.4.2", "the words to search for")
	}
	if u.HasPlus {
		b.add("delimiter", "%09", "\t", "3.4.3", "a TAB, begins the Gopher+ string")
		b.octets("gopher+_string", u.Plus, inSelector, "3.4.3", gopherPlusMeaning(u.Plus))
	}
}

func gopherTypeMeaning(t byte) string {
	switch t {
	case '0':
		return "the item is a text"
	case '1':
		return "the item is a menu"
	case '2':
		return "the item is a CSO phone book"
	case '7':
		return "the item is a search"
	case '8', 'T':
		return "the item is a terminal session"
	case '4', '5', '6', '9':
		return "the item is a binary file"
	case 'g', 'I':
		return "the item is a picture"
	case 's', '<':
		return "the item is a sound"
	case 'h':
		return "the item is hypertext"
	case 'd':
		return "the item is a document"
	}
	return "the type of the item"
}

func gopherPlusMeaning(plus string) string {
	switch {
	case plus == "?":
		return "the item is a form to be filled in (section 3.4.6)"
	case strings.HasSuffix(plus, "\r\n"):
		return "a filled-in form (section 3.4.9)"
	case strings.HasPrefix(plus, "!"), strings.HasPrefix(plus, "$"):
		return "asks for attributes of the item (section 3.4.7)"
	case strings.HasPrefix(plus, "+") && len(plus) > 1:
		return "asks for this view of the item (section 3.4.8)"
	}
	return "asks in Gopher+"
}

func ftpTypeMeaning(t byte) string {
	switch t {
	case 'a':
		return "transfer as text"
	case 'i':
		return "transfer as it is"
	}
	return "list the directory"
}

func (b *partList) news(u News) {
	switch {
	case u.MessageID != "":
		text := u.String()[len("news:"):]
		b.add("message-id", text, u.MessageID, "3.6", "the article's Message-ID, without < >")
	case u.Group == "*":
		b.text("newsgroup-name", "*", "3.6", "all newsgroups of the reader's server")
	default:
		b.text("newsgroup-name", u.Group, "3.6", "the newsgroup, on the reader's server")
	}
}

func (b *partList) wais(u WAIS) {
	b.slashes()
	b.hostport(u.HostPort, "wais")
	b.mark("/", "3.9", "ends the host")
	b.octets("database", u.Database, inText, "3.9", "the database")
	if u.HasDocument {
		b.mark("/", "3.9", "ends the database")
		b.octets("wtype", u.Type, inText, "3.9", "the type of the document")
		b.mark("/", "3.9", "ends the type")
		b.octets("wpath", u.Document, inText, "3.9", "the document's id, opaque")
	}
	if u.HasSearch {
		b.mark("?", "3.9", "begins the search")
		b.octets("search", u.Search, inWords, "3.9", "the words to search for")
	}
}

func (b *partList) prospero(u Prospero) {
	b.slashes()
	b.hostport(u.HostPort, "prospero")
	b.mark("/", "3.11", "ends the host")
	b.octets("hsoname", u.Object, inObject, "3.11", "the name of the object on the host")
	if u.Fields == "" {
		return
	}
	for field := range strings.SplitSeq(u.Fields[1:], ";") {
		name, value, _ := strings.Cut(field, "=")
		b.mark(";", "3.11", "begins a field")
		b.encoded("field", name, "3.11", "the name of a field")
		b.mark("=", "3.11", "ends the name of a field")
		b.encoded("value", value, "3.11", "the value of a field")
	}
}

func (b *partList) generic(u Generic) {
	s, path, ok := u.Server()
	if !ok {
		b.encoded("schemepart", u.Rest, "2.1", "what only this scheme knows how to read")
		return
	}
	b.userinfo(s)
	b.hostport(s.HostPort, u.Name)
	if path != "" {
		b.encoded("url-path", path, "3.1", "what only this scheme knows how to read")
	}
}
