package urlcore

import "strings"

// News is a newsgroup or an article on the user's own news server (RFC 1738, section 3.6). If the
// URL names a server, News is an article or the list of all groups on that server (RFC 5538,
// section 2):
//
//	news:<newsgroup-name>
//	news:<message-id>
//	news://<host>:<port>/*
//	news://<host>:<port>/<message-id>
//
// Either Group or MessageID is set. A group with a server is an [NNTP] URL.
type News struct {
	HostPort         // the server, or no host for the user's own server
	Group     string // octets; "*" means all groups
	MessageID string // octets, without angle brackets
	Search    string // the canonical text of a [NewsSearch] in Group
	Secure    bool   // the scheme is snews, which uses TLS
}

func (u News) Scheme() string { return chooseScheme(u.Secure, "snews", "news") }

// Addr returns the host:port to dial, or "" if the URL has no server.
func (u News) Addr() string {
	if u.Host == "" {
		return ""
	}
	return u.addr(u.Scheme())
}

func (u News) HasWords() bool { return u.Search != "" }

func (u News) String() string {
	var buf [bufSize]byte
	b := append(append(buf[:0], u.Scheme()...), ':')
	if u.Host != "" {
		b = append(u.append(append(b, "//"...)), '/')
	}
	id := u.MessageID
	if id == "" {
		if u.Search == "" && hasOnly(u.Group, inText) {
			return join(b, u.Group)
		}
		return withSearch(appendEscaped(b, u.Group, inText), u.Search)
	}
	left, right := id, ""
	if at := strings.LastIndexByte(id, '@'); at >= 0 {
		left, right = id[:at], id[at:]
	}
	if id[0] != '/' && hasOnly(left, inMessageID) && (right == "" || hasOnly(right[1:], inText)) {
		return join(b, id)
	}
	if strings.HasPrefix(left, "/") {
		b = append(b, "%2F"...)
		left = left[1:]
	}
	b = appendEscaped(b, left, inMessageID)
	if right != "" {
		b = appendEscaped(append(b, '@'), right[1:], inText)
	}
	return string(b)
}

// parseNews parses newsurl (RFC 1738, section 5) and the form with a server (RFC 5538, section 2).
func (st *state) parseNews(name, s string, off int) *Error {
	u := News{Secure: name == "snews"}
	if u.Secure || strings.HasPrefix(s, "//") {
		path, err := st.parseNewsServer(&u, s, off)
		if err != nil {
			return err
		}
		s, off = path, off+len(s)-len(path)
	}
	octets := s
	if st.marks&markPercent != 0 {
		octets = unescape(s)
	}
	if st.marks&markQuestion != 0 && strings.IndexByte(s, '@') < 0 {
		group, search, err := st.cutGroupSearch(s, off)
		switch {
		case err != nil && strings.IndexByte(octets, '@') < 0:
			return err
		case err == nil && group != s:
			s, octets, u.Search = group, unescape(group), search
		}
	}
	if st.marks&markAt != 0 && strings.IndexByte(s, '@') >= 0 ||
		st.marks&markPercent != 0 && !st.strict && strings.IndexByte(octets, '@') >= 0 {
		return st.parseArticle(&u, s, octets, off)
	}
	if st.marks&markPercent != 0 && strings.ContainsAny(octets, "\r\n\x00") {
		return fail(IllegalOctet, off+escapeIndex(s, "\r\n\x00"), "a newsgroup name cannot contain a line end or NUL")
	}
	u.Group = octets
	if st.strict {
		u.Group = s
	}
	if u.Group == "" && u.Host != "" && u.Search == "" { // all groups of the server
		u.Group = "*"
	}
	switch {
	case u.Group == "*" && u.Search == "":
		st.url = u
	case !st.isGroup(u.Group):
		return groupError(off)
	case u.Host != "":
		st.url = u.groupURL()
	default:
		st.url = u
	}
	return nil
}

// parseNewsServer parses "//" [hostport] "/" and returns the text after it.
func (st *state) parseNewsServer(u *News, s string, off int) (string, *Error) {
	if !st.acceptsExtensions() {
		return "", fail(BadPath, off, "a news URL has no host; nntp: has one")
	}
	st.warnings |= Not1738
	if path, ok := strings.CutPrefix(s, "///"); ok && !u.Secure {
		return path, nil
	}
	path, err := st.parseHost(&u.HostPort, s, off, u.Scheme(), false)
	return strings.TrimPrefix(path, "/"), err
}

// acceptsExtensions reports whether the parser accepts forms of later RFCs.
func (st *state) acceptsExtensions() bool { return !st.strict && st.dialect == RFC1738 }

// groupURL returns the canonical URL of a group with a server.
func (u News) groupURL() NNTP {
	return NNTP{HostPort: u.HostPort, Group: u.Group, Search: u.Search, Secure: u.Secure}
}

func groupError(off int) *Error {
	return fail(BadGroup, off, "a newsgroup name is a letter, then letters, digits, - . + and _")
}

// isGroup reports whether s is a newsgroup name (RFC 1738, section 5: group). The lenient parser
// also accepts names in common use.
func (st *state) isGroup(s string) bool {
	switch {
	case s == "":
		return false
	case st.strict:
		return isLetter(s[0]) && hasOnly(s, inGroup)
	}
	return isGroup(s) && (st.dialect == RFC1738 || scan(s)&markEight == 0)
}

// isGroup reports whether s is a newsgroup name in common use, which may begin with a digit and
// contain octets beyond ASCII (RFC 5538, section 2.2; RFC 5536, section 3.1.4).
func isGroup(s string) bool {
	if s == "" || strings.IndexByte("-.+_", s[0]) >= 0 {
		return false
	}
	return hasOnly(s, inGroup) || strings.IndexFunc(s, func(r rune) bool { return r < 0x80 && octets[r]&inGroup == 0 }) < 0
}

// parseArticle parses the Message-ID s. The parameter octets is s after decoding.
func (st *state) parseArticle(u *News, s, octets string, off int) *Error {
	if st.strict {
		at := strings.LastIndexByte(s, '@')
		if i := strings.IndexByte(s[:at], '@'); i >= 0 && st.dialect == RFC1738 {
			return fail(ReservedChar, off+i, `the first "@" of two must be written %40`)
		}
		if err := st.checkReserved(s[:at], off, st.missingInXalphas()); err != nil {
			return err
		}
	} else if len(octets) >= 2 && octets[0] == '<' && octets[len(octets)-1] == '>' {
		octets = octets[1 : len(octets)-1]
	}
	if err := checkMessageID(octets, off, st.marks&(markPercent|markUnsafe) != 0); err != nil {
		return err
	}
	if st.strict {
		at := strings.LastIndexByte(s, '@') + 1
		if _, err := parseOnlyHost(s[at:], off+at); err != nil {
			return fail(BadArticle, err.Offset, "a Message-ID needs a host after the @: "+err.Reason)
		}
	}
	u.MessageID = octets
	st.url = *u
	return nil
}

// checkMessageID checks a Message-ID without its angle brackets (RFC 1738, section 3.6; RFC 1036,
// section 2.1.5). The caller may set checkOctets to false if it knows that all octets are visible
// and not angle brackets.
func checkMessageID(id string, off int, checkOctets bool) *Error {
	for i := 0; checkOctets && i < len(id); i++ {
		if c := id[i]; c <= ' ' || c == 0x7F || c == '<' || c == '>' {
			return fail(IllegalOctet, off, "a Message-ID cannot contain blanks, < > or control characters")
		}
	}
	if at := strings.LastIndexByte(id, '@'); at <= 0 || at == len(id)-1 {
		return fail(BadArticle, off, "a Message-ID needs text on both sides of an @")
	}
	return nil
}

func (u News) canon() (URL, *Error) {
	if u.Group != "" && u.MessageID != "" {
		return nil, fail(BadArticle, 0, "a news URL is a group or an article, not both")
	}
	if u.HostPort != (HostPort{}) || u.Secure {
		var err *Error
		if u.HostPort, err = u.HostPort.canon(u.Scheme()); err != nil {
			return nil, err
		}
	}
	var err *Error
	if u.Search, err = canonSearch(u.Search, u.Group != "" && u.Group != "*"); err != nil {
		return nil, err
	}
	if id := u.MessageID; id != "" {
		if len(id) >= 2 && id[0] == '<' && id[len(id)-1] == '>' {
			id = id[1 : len(id)-1]
		}
		if err := checkMessageID(id, 0, true); err != nil {
			return nil, err
		}
		u.MessageID = id
		return u, nil
	}
	if strings.ContainsAny(u.Group, "\r\n\x00") {
		return nil, fail(IllegalOctet, 0, "a newsgroup name cannot contain a line end or NUL")
	}
	switch {
	case u.Group == "*":
		return u, nil
	case !isGroup(u.Group):
		return nil, groupError(0)
	case u.Host != "":
		return u.groupURL(), nil
	}
	return u, nil
}

func (u News) Kind() string {
	if u.MessageID != "" {
		return "article"
	}
	return "group"
}

// Alternatives returns the URL of the list of all groups.
func (u News) Alternatives() []Alternative {
	u.Search = ""
	all, _ := u.Up()
	return []Alternative{{all, "All groups of the news server"}}
}

// FileName returns the Message-ID or the name of the group.
func (u News) FileName() string { return u.MessageID + u.Group }

func (u News) warnings() Warnings {
	w := warnGroup(u.Group) | warnExtension(u.Search != "")
	if u.Host != "" {
		w |= u.warn(u.Scheme()) | Not1738
	}
	return w
}

// Up returns the group if u is a search in it. If u is a group or an article, Up returns the list
// of all groups of the server.
func (u News) Up() (URL, bool) {
	if u.Search != "" {
		u.Search = ""
		return u, true
	}
	ok := u.Group != "*"
	u.Group, u.MessageID = "*", ""
	return u, ok
}

func (u News) parts(b *partList) {
	where := "the user's server"
	if u.Host != "" {
		where = "that server"
		b.addHost(u.HostPort, u.Scheme(), "3.7")
	}
	switch {
	case u.MessageID != "":
		text := u.String()[b.end:]
		b.add("message-id", text, u.MessageID, "3.6", "the article's Message-ID, without < >")
	case u.Group == "*":
		b.addText("newsgroup-name", "*", "3.6", "all newsgroups of "+where)
	default:
		b.addOctets("newsgroup-name", u.Group, inText, "3.6", "the newsgroup, on "+where)
		b.addSearch(u)
	}
}
