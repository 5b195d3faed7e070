package urlbatch

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"gofer/urlcore"
)

// Native is an item in the terms of its protocol. Fields that end in Hex hold octets in
// hexadecimal. nil means absent, "" means present and empty.
type Native struct {
	Kind   string `json:"kind"`
	Scheme string `json:"scheme"`

	Host        *string      `json:"host,omitempty"`
	Port        *json.Number `json:"port,omitempty"`
	UserHex     *string      `json:"user_hex,omitempty"`
	PasswordHex *string      `json:"password_hex,omitempty"`

	Gtype       *string `json:"gtype,omitempty"`
	SelectorHex *string `json:"selector_hex,omitempty"`
	SearchHex   *string `json:"search_hex,omitempty"`
	PlusHex     *string `json:"plus_hex,omitempty"`

	CWDsHex []string `json:"cwds_hex,omitzero"`
	NameHex *string  `json:"name_hex,omitempty"`
	Type    *string  `json:"type,omitempty"`

	Group        *string      `json:"group,omitempty"`
	Article      *json.Number `json:"article,omitempty"`
	MessageIDHex *string      `json:"message_id_hex,omitempty"`

	DatabaseHex *string `json:"database_hex,omitempty"`
	WtypeHex    *string `json:"wtype_hex,omitempty"`
	WpathHex    *string `json:"wpath_hex,omitempty"`

	HsonameHex *string     `json:"hsoname_hex,omitempty"`
	FieldsHex  [][2]string `json:"fields_hex,omitzero"`

	AddressHex *string `json:"address_hex,omitempty"`

	Path  *string `json:"path,omitempty"`
	Query *string `json:"query,omitempty"`
}

// normalized returns n with nil in place of empty lists, and with "" in place of the absent host of a file.
func (n Native) normalized() Native {
	if len(n.CWDsHex) == 0 {
		n.CWDsHex = nil
	}
	if len(n.FieldsHex) == 0 {
		n.FieldsHex = nil
	}
	if n.Scheme == "file" && n.Host == nil {
		n.Host = ptr("")
	}
	return n
}

// fieldReader decodes fields and records the first error.
type fieldReader struct{ err error }

func (r *fieldReader) fail(c urlcore.Category, reason string) {
	if r.err == nil {
		r.err = &urlcore.Error{Category: c, Reason: reason}
	}
}

// decodeOctets decodes hexadecimal; nil gives "".
func (r *fieldReader) decodeOctets(s *string) string {
	if s == nil {
		return ""
	}
	b, err := hex.DecodeString(*s)
	if err != nil {
		r.fail("bad-request", "octets must be in hexadecimal")
	}
	return string(b)
}

// decodeText decodes a string whose characters each mean one octet. Characters above U+00FF stay in UTF-8, so
// that the caller can refuse them.
func (r *fieldReader) decodeText(s *string) string {
	if s == nil {
		return ""
	}
	b := make([]byte, 0, len(*s))
	for _, c := range *s {
		if c > 0xFF {
			b = utf8.AppendRune(b, c)
		} else {
			b = append(b, byte(c))
		}
	}
	return string(b)
}

// decodeHost returns the host of an item, which must be a host of RFC 1738.
func (r *fieldReader) decodeHost(n *Native) string {
	host := r.decodeText(n.Host)
	if strings.ContainsFunc(host, func(c rune) bool { return c == '_' || c >= utf8.RuneSelf }) {
		r.fail(urlcore.BadHost, "a host has only letters, digits, - and dots; a name beyond ASCII is written as xn--")
	}
	return host
}

func (r *fieldReader) decodeHostPort(n *Native) urlcore.HostPort {
	h := urlcore.HostPort{Host: r.decodeHost(n), Port: urlcore.DefaultPort(n.Scheme)}
	if n.Port != nil {
		p, err := strconv.ParseUint(n.Port.String(), 10, 16)
		if err != nil || p == 0 {
			// An error in the host takes precedence.
			if _, err := urlcore.Canon(urlcore.Gopher{HostPort: urlcore.HostPort{Host: h.Host}}); err != nil {
				r.err = err
			}
			r.fail(urlcore.BadPort, "a port is a number from 1 to 65535")
		}
		h.Port = uint16(p)
	}
	return h
}

func (r *fieldReader) decodeServer(n *Native) urlcore.Server {
	return urlcore.Server{
		HostPort: r.decodeHostPort(n),
		User:     r.decodeOctets(n.UserHex), HasUser: n.UserHex != nil,
		Password: r.decodeOctets(n.PasswordHex), HasPassword: n.PasswordHex != nil,
	}
}

// URL returns the canonical URL of the item. The error is an *urlcore.Error.
func (n Native) URL() (urlcore.URL, error) {
	r := &fieldReader{}
	u, err := n.toURL(r)
	if r.err != nil {
		return nil, r.err
	}
	return u, err
}

func (n *Native) toURL(r *fieldReader) (urlcore.URL, error) {
	switch n.Scheme {
	case "gopher", "gophers":
		return n.toGopher(r)
	case "ftp", "ftps", "sftp":
		return n.toFTP(r)
	case "news", "snews":
		if n.MessageIDHex != nil && *n.MessageIDHex == "" {
			r.fail(urlcore.BadArticle, "a Message-ID needs text on both sides of an @")
		}
		u := urlcore.News{Secure: n.Scheme == "snews", Group: r.decodeText(n.Group), Search: r.decodeText(n.Query), MessageID: r.decodeOctets(n.MessageIDHex)}
		if n.Host != nil {
			u.HostPort = r.decodeHostPort(n)
		}
		return urlcore.Canon(u)
	case "nntp", "nntps":
		return n.toNNTP(r)
	case "telnet", "tn3270", "rlogin":
		return urlcore.Canon(urlcore.Telnet{Name: n.Scheme, Server: r.decodeServer(n)})
	case "wais":
		return urlcore.Canon(urlcore.WAIS{
			HostPort: r.decodeHostPort(n), Database: r.decodeOctets(n.DatabaseHex),
			Search: r.decodeOctets(n.SearchHex), HasSearch: n.SearchHex != nil,
			Type: r.decodeOctets(n.WtypeHex), Document: r.decodeOctets(n.WpathHex), HasDocument: n.WtypeHex != nil || n.WpathHex != nil,
		})
	case "prospero":
		var fields [][2]string
		for _, f := range n.FieldsHex {
			fields = append(fields, [2]string{r.decodeOctets(&f[0]), r.decodeOctets(&f[1])})
		}
		return urlcore.NewProspero(r.decodeHostPort(n), r.decodeOctets(n.HsonameHex), fields)
	case "file":
		return urlcore.NewFile(r.decodeHost(n), r.decodeOctetsList(n.CWDsHex), r.decodeOctets(n.NameHex))
	case "mailto":
		u, err := urlcore.Canon(urlcore.Mailto{Address: r.decodeOctets(n.AddressHex)})
		if err != nil {
			return nil, err
		}
		// Canon also accepts a list of addresses (RFC 6068).
		if _, err := (urlcore.Parser{}).Parse(u.String()); err != nil {
			r.fail(urlcore.BadAddress, "a mailto URL has one address, without a list or a route (RFC 1738)")
		}
		return u, nil
	case "http", "https":
		return urlcore.Canon(urlcore.HTTP{
			HostPort: r.decodeHostPort(n), Path: r.decodeText(n.Path), Query: r.decodeText(n.Query), HasQuery: n.Query != nil,
			Secure: n.Scheme == "https",
		})
	}
	return nil, &urlcore.Error{Category: urlcore.Unrepresentable, Reason: "RFC 1738 has no URL for items of " + n.Scheme}
}

func (r *fieldReader) decodeOctetsList(hexes []string) []string {
	var l []string
	for i := range hexes {
		l = append(l, r.decodeOctets(&hexes[i]))
	}
	return l
}

func (n *Native) toGopher(r *fieldReader) (urlcore.URL, error) {
	t := r.decodeText(n.Gtype)
	if t == "i" || t == "3" {
		return urlcore.NewGopherItem(t[0], "", "", 0)
	}
	h := r.decodeHostPort(n)
	if len(t) != 1 {
		r.fail(urlcore.BadGtype, "a Gopher item type is one character")
		return nil, nil
	}
	if n.SearchHex == nil && n.PlusHex == nil && n.Scheme == "gopher" {
		return urlcore.NewGopherItem(t[0], r.decodeOctets(n.SelectorHex), h.Host, h.Port)
	}
	return urlcore.Canon(urlcore.Gopher{
		HostPort: h, Secure: n.Scheme == "gophers", Type: t[0], Selector: r.decodeOctets(n.SelectorHex),
		Search: r.decodeOctets(n.SearchHex), HasSearch: n.SearchHex != nil,
		Plus: r.decodeOctets(n.PlusHex), HasPlus: n.PlusHex != nil,
	})
}

func (n *Native) toFTP(r *fieldReader) (urlcore.URL, error) {
	t := r.decodeText(n.Type)
	if len(t) > 1 || n.Type != nil && t == "" {
		r.fail(urlcore.BadType, "the FTP types are a, i and d")
		return nil, nil
	}
	var typ byte
	if t != "" {
		typ = t[0]
	}
	server := urlcore.FTP{Server: r.decodeServer(n), Secure: n.Scheme == "ftps", SSH: n.Scheme == "sftp"}
	return server.With(r.decodeOctetsList(n.CWDsHex), r.decodeOctets(n.NameHex), typ)
}

func (n *Native) toNNTP(r *fieldReader) (urlcore.URL, error) {
	u := urlcore.NNTP{Secure: n.Scheme == "nntps", Group: r.decodeText(n.Group), Search: r.decodeText(n.Query), HasArticle: n.Article != nil}
	if n.Host != nil || n.Article == nil {
		u.HostPort = r.decodeHostPort(n)
	}
	if n.Article != nil {
		a, err := strconv.ParseUint(n.Article.String(), 10, 63)
		if err != nil {
			r.fail(urlcore.BadArticle, "an article number is a number up to 9223372036854775807")
		}
		u.Article = a
	}
	return urlcore.Canon(u)
}

func ptr[T any](v T) *T { return &v }

func hexOf(s string) string { return hex.EncodeToString([]byte(s)) }

func hexIf(cond bool, s string) *string { return textIf(cond, hexOf(s)) }

func textIf(cond bool, s string) *string {
	if !cond {
		return nil
	}
	return &s
}

func mapStrings(l []string, f func(string) string) []string {
	list := make([]string, len(l))
	for i, s := range l {
		list[i] = f(s)
	}
	return list
}

// latin1 returns octets as a string with one character per octet.
func latin1(s string) string {
	r := make([]rune, len(s))
	for i := range len(s) {
		r[i] = rune(s[i])
	}
	return string(r)
}

// requiredKeys maps each kind of item to the keys that the item has even if they are null.
var requiredKeys = map[string][]string{
	"ftp-entry":      {"user_hex", "password_hex", "type"},
	"telnet-session": {"user_hex", "password_hex"},
	"wais-database":  {"search_hex", "wtype_hex", "wpath_hex"},
	"wais-search":    {"search_hex", "wtype_hex", "wpath_hex"},
	"wais-doc":       {"search_hex", "wtype_hex", "wpath_hex"},
	"nntp-group":     {"article"},
}

// MarshalJSON adds the keys that the kind requires.
func (n Native) MarshalJSON() ([]byte, error) {
	type plain Native
	b, err := json.Marshal(plain(n))
	if err != nil {
		return nil, err
	}
	b = b[:len(b)-1]
	for _, k := range requiredKeys[n.Kind] {
		if !bytes.Contains(b, []byte(`"`+k+`":`)) {
			b = append(b, `,"`+k+`":null`...)
		}
	}
	return append(b, '}'), nil
}
