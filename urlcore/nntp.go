package urlcore

import (
	"math"
	"strconv"
	"strings"
)

// NNTP is a newsgroup, or an article by its number, on the server in the URL
// (RFC 1738, section 3.7):
//
//	nntp://<host>:<port>/<newsgroup-name>/<article-number>
//
// In the drafts of October 1993 and March 1994 the form is nntp:group/number. An article without a
// host has this form, and its server is the server of [News] without a host.
type NNTP struct {
	HostPort
	Group      string // octets
	Article    uint64 // at most 2^63-1
	HasArticle bool
	Search     string // the canonical text of a [NewsSearch] in Group
	Secure     bool   // the scheme is nntps, which uses TLS
}

// NewsGroup returns the group of a News or NNTP URL, with the server and the search. A field that u
// lacks is zero.
func NewsGroup(u URL) NNTP {
	switch u := u.(type) {
	case News:
		return u.groupURL()
	case NNTP:
		u.Article, u.HasArticle = 0, false
		return u
	}
	return NNTP{}
}

func (u NNTP) Scheme() string { return chooseScheme(u.Secure, "nntps", "nntp") }

// Addr returns the host:port to dial, or "" if the URL has no server.
func (u NNTP) Addr() string {
	if u.Host == "" {
		return ""
	}
	return u.addr(u.Scheme())
}

func (u NNTP) HasWords() bool { return u.Search != "" }

func (u NNTP) String() string {
	var buf [bufSize]byte
	b := append(append(buf[:0], u.Scheme()...), ':')
	if u.Host != "" {
		b = append(u.append(append(b, "//"...)), '/')
	}
	b = appendEscaped(b, u.Group, inText)
	if !u.HasArticle {
		return withSearch(b, u.Search)
	}
	b = append(b, '/')
	return string(strconv.AppendUint(b, u.Article, 10))
}

// parseNNTP parses nntpurl (RFC 1738, section 5) and the drafts' form without a server. It also
// parses a URL that contains only a server, which means all groups of the server.
func (st *state) parseNNTP(name, s string, off int) *Error {
	u := NNTP{Secure: name == "nntps"}
	if !strings.HasPrefix(s, "//") && (st.dialect != RFC1738 || !st.strict) && !u.Secure {
		return st.parseNNTPDraft(s, off)
	}
	path, err := st.parseHost(&u.HostPort, s, off, u.Scheme(), false)
	if err != nil {
		return err
	}
	off += len(s) - len(path) + 1
	if err := st.parseNNTPPath(&u, strings.TrimPrefix(path, "/"), off); err != nil {
		return err
	}
	if u.Group == "*" {
		st.warnings |= Not1738
		st.url = News{HostPort: u.HostPort, Group: u.Group, Secure: u.Secure}
		return nil
	}
	st.url = u
	return nil
}

// parseNNTPPath parses group ["/" digits]. The group "*" means all groups.
func (st *state) parseNNTPPath(u *NNTP, path string, off int) *Error {
	path, search, err := st.cutGroupSearch(path, off)
	if err != nil {
		return err
	}
	group, number, hasArticle := strings.Cut(path, "/")
	if hasArticle && search != "" {
		return fail(BadPath, off, "only a group can be searched, not an article")
	}
	if !st.strict && group != "" && number == "" {
		hasArticle = false // the slash only ends the group
	}
	if strings.IndexByte(number, '/') >= 0 {
		return fail(BadPath, off+len(group)+1, "only an article number can follow the group")
	}
	at := off + len(group) + 1
	if !st.strict && st.marks&markPercent != 0 {
		group, number = unescape(group), unescape(number)
	}
	if (path == "" || group == "*") && !hasArticle && search == "" && st.acceptsExtensions() {
		u.Group = "*"
		return nil
	}
	if !st.isGroup(group) {
		return groupError(off)
	}
	u.Group, u.Search, u.HasArticle = group, search, hasArticle
	if hasArticle {
		var ok bool
		if u.Article, ok = parseArticleNumber(number); !ok {
			return fail(BadArticle, at, "an article number is a number up to 9223372036854775807")
		}
	}
	return nil
}

// parseNNTPDraft parses group "/" digits. The server is the news host of the parser. If there is
// none, the URL has no host if the parser allows that.
func (st *state) parseNNTPDraft(s string, off int) *Error {
	group, number, _ := strings.Cut(s, "/")
	if !st.strict {
		number = unescape(number)
	}
	if !isDigits(number) || group == "" {
		return fail(BadPath, off, `"//" and a host must follow the colon, or a group and an article number`)
	}
	u := NNTP{}
	if err := st.parseNNTPPath(&u, s, off); err != nil {
		return err
	}
	if st.newsHost == "" && st.ownNNTP {
		st.url = u
		return nil
	}
	if st.newsHost == "" {
		return fail(Unrepresentable, off, "the URL names no news server, and none is set")
	}
	// The host does not come from the URL, so the rules of the dialect do not apply to it.
	host := state{input: st.newsHost, marks: scan(st.newsHost)}
	if err := host.parseHostPort(&u.HostPort, st.newsHost, 0, u.Scheme()); err != nil {
		err.Offset = off
		return err
	}
	st.url = u
	return nil
}

// parseArticleNumber parses a number from 0 to 2^63-1.
func parseArticleNumber(s string) (n uint64, ok bool) {
	n, err := strconv.ParseUint(s, 10, 63)
	return n, err == nil
}

func (u NNTP) canon() (URL, *Error) {
	var err *Error
	if u.Host != "" || u.Port != 0 || u.Secure || !u.HasArticle {
		u.HostPort, err = u.HostPort.canon(u.Scheme())
	}
	if err != nil {
		return nil, err
	}
	if !isGroup(u.Group) {
		return nil, groupError(0)
	}
	if u.Article > math.MaxInt64 || !u.HasArticle && u.Article != 0 {
		return nil, fail(BadArticle, 0, "an article number is a number up to 9223372036854775807")
	}
	u.Search, err = canonSearch(u.Search, !u.HasArticle)
	return u, err
}

func (u NNTP) Kind() string {
	if u.HasArticle {
		return "article"
	}
	return "group"
}

func (u NNTP) At(host string, port uint16) URL {
	u.Host, u.Port = host, port
	return u
}

// FileName returns the name of the group. For an article it adds "-" and the number.
func (u NNTP) FileName() string {
	if u.HasArticle {
		return u.Group + "-" + strconv.FormatUint(u.Article, 10)
	}
	return u.Group
}

// Up returns the group if u is an article or a search in the group. If u is a group, Up returns the
// list of all groups of the server.
func (u NNTP) Up() (URL, bool) {
	if u.Host == "" {
		return News{Group: u.Group}, true
	}
	if u.HasArticle || u.Search != "" {
		u.Article, u.HasArticle, u.Search = 0, false, ""
		return u, true
	}
	return News{HostPort: u.HostPort, Group: "*", Secure: u.Secure}, true
}

func (u NNTP) warnings() Warnings {
	return u.warn(u.Scheme()) | warnExtension(u.Secure || u.Search != "" || u.Host == "") | warnGroup(u.Group)
}

func (u NNTP) parts(b *partList) {
	server := "that server"
	if u.Host == "" {
		server = "your own news server; RFC 1738 writes nntp://host/group/number"
	} else {
		b.addHost(u.HostPort, u.Scheme(), "3.7")
	}
	b.addOctets("newsgroup-name", u.Group, inText, "3.7", "the group on "+server)
	b.addSearch(u)
	if u.HasArticle {
		b.addDelimiter("/", "3.7", "ends the group")
		b.addText("article-number", strconv.FormatUint(u.Article, 10), "3.7", "the number of the article on that server; other servers have other numbers, so this URL is for local use")
	}
}
