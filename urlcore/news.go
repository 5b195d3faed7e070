package urlcore

import "strings"

// News is a newsgroup or an article on the reader's own news server (RFC 1738,
// section 3.6):
//
//	news:<newsgroup-name>
//	news:<message-id>
//
// Exactly one field is set.
type News struct {
	Group     string // octets; "*" means all groups
	MessageID string // octets, without < >
}

// Scheme is "news".
func (News) Scheme() string { return "news" }

// String is the canonical text.
func (u News) String() string {
	var buf [short]byte
	b := append(buf[:0], "news:"...)
	id := u.MessageID
	if id == "" {
		return string(appendEscaped(b, u.Group, inText))
	}
	left, right := id, ""
	if at := strings.LastIndexByte(id, '@'); at >= 0 {
		left, right = id[:at], id[at:]
	}
	if id[0] != '/' && all(left, inMessageID) && (right == "" || all(right[1:], inText)) {
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

// news reads newsurl (RFC 1738, section 5).
func (st *state) news(s string, off int) *Error {
	if strings.HasPrefix(s, "//") {
		return fail(BadPath, off, "a news URL has no host; nntp: has")
	}
	octets := s
	if st.marks&markPercent != 0 {
		octets = unescape(s)
	}
	if st.marks&markAt != 0 && strings.IndexByte(s, '@') >= 0 ||
		st.marks&markPercent != 0 && !st.strict && strings.IndexByte(octets, '@') >= 0 {
		return st.article(s, octets, off)
	}
	if st.marks&markPercent != 0 && strings.ContainsAny(octets, "\r\n\x00") {
		return fail(IllegalOctet, off+escapeOf(s, "\r\n\x00"), "a newsgroup name cannot hold a line end or NUL")
	}
	u := News{Group: octets}
	if st.strict {
		u.Group = s
	}
	if u.Group != "*" && !st.isGroup(u.Group) {
		return badGroup(off)
	}
	st.url = u
	return nil
}

func badGroup(off int) *Error {
	return fail(BadGroup, off, "a newsgroup name is a letter, then letters, digits, - . + and _")
}

// isGroup checks a newsgroup name (RFC 1738, section 5: group).
func (st *state) isGroup(s string) bool {
	switch {
	case s == "":
		return false
	case st.strict:
		return isLetter(s[0]) && all(s, inGroup)
	}
	return isGroup(s) && (st.dialect == RFC1738 || scan(s)&markEight == 0)
}

// isGroup checks a newsgroup name as people use it: it may begin with a digit
// and hold octets beyond ASCII (RFC 5538, section 2.2; RFC 5536, section 3.1.4).
func isGroup(s string) bool {
	if s == "" || strings.IndexByte("-.+_", s[0]) >= 0 {
		return false
	}
	return all(s, inGroup) || strings.IndexFunc(s, func(r rune) bool { return r < 0x80 && octets[r]&inGroup == 0 }) < 0
}

// article reads a Message-ID; octets is s decoded.
func (st *state) article(s, octets string, off int) *Error {
	if st.strict {
		at := strings.LastIndexByte(s, '@')
		if i := strings.IndexByte(s[:at], '@'); i >= 0 && st.dialect == RFC1738 {
			return fail(ReservedChar, off+i, `the first "@" of two must be written %40`)
		}
		if err := st.reserved(s[:at], off, st.xalphas()); err != nil {
			return err
		}
	} else if len(octets) >= 2 && octets[0] == '<' && octets[len(octets)-1] == '>' {
		octets = octets[1 : len(octets)-1]
	}
	if err := checkMessageID(octets, off); err != nil {
		return err
	}
	if st.strict {
		at := strings.LastIndexByte(s, '@') + 1
		if _, err := onlyHost(s[at:], off+at); err != nil {
			return fail(BadArticle, err.Offset, "after the @ of a Message-ID stands a host: "+err.Reason)
		}
	}
	st.url = News{MessageID: octets}
	return nil
}

// checkMessageID checks a Message-ID without its angle brackets (RFC 1738,
// section 3.6; RFC 1036, section 2.1.5).
func checkMessageID(id string, off int) *Error {
	for i := 0; i < len(id); i++ {
		if c := id[i]; c <= ' ' || c == 0x7F || c == '<' || c == '>' {
			return fail(IllegalOctet, off, "a Message-ID cannot hold blanks, < > or control characters")
		}
	}
	if at := strings.LastIndexByte(id, '@'); at <= 0 || at == len(id)-1 {
		return fail(BadArticle, off, "a Message-ID has something on both sides of an @")
	}
	return nil
}

func (u News) canon() (URL, *Error) {
	if u.Group != "" && u.MessageID != "" {
		return nil, fail(BadArticle, 0, "a news URL is a group or an article, not both")
	}
	if u.MessageID != "" {
		id := u.MessageID
		if len(id) >= 2 && id[0] == '<' && id[len(id)-1] == '>' {
			id = id[1 : len(id)-1]
		}
		if err := checkMessageID(id, 0); err != nil {
			return nil, err
		}
		return News{MessageID: id}, nil
	}
	if strings.ContainsAny(u.Group, "\r\n\x00") {
		return nil, fail(IllegalOctet, 0, "a newsgroup name cannot hold a line end or NUL")
	}
	if u.Group != "*" && !isGroup(u.Group) {
		return nil, badGroup(0)
	}
	return u, nil
}

// FileName is the Message-ID or the name of the group.
func (u News) FileName() string { return u.MessageID + u.Group }

func (u News) warnings() Warnings { return warnGroup(u.Group) }

// Up is the list of all groups.
func (u News) Up() (URL, bool) { return News{Group: "*"}, u.Group != "*" }

func (u News) parts(b *partList) {
	switch {
	case u.MessageID != "":
		text := u.String()[len("news:"):]
		b.add("message-id", text, u.MessageID, "3.6", "the article's Message-ID, without < >")
	case u.Group == "*":
		b.text("newsgroup-name", "*", "3.6", "all newsgroups of the reader's server")
	default:
		b.octets("newsgroup-name", u.Group, inText, "3.6", "the newsgroup, on the reader's server")
	}
}
