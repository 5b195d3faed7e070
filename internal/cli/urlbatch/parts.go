package urlbatch

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"gofer/urlcore"
)

// description describes a URL in two ways.
type description struct {
	// parts are the parts of the URL. Each character in a string means one octet, except in path, query,
	// opaque and the fields of a search in news, which are text.
	parts map[string]any
	item  *Native // the item that the URL names, or nil if its protocol has no items
}

// describe returns the description of u.
func describe(u urlcore.URL) description {
	d := description{map[string]any{"scheme": u.Scheme()}, &Native{Scheme: u.Scheme()}}
	m, n := d.parts, d.item
	switch u := u.(type) {
	case urlcore.Gopher:
		d.setHost(u.HostPort)
		n.Kind, n.Gtype, n.SelectorHex = "gopher-menu", ptr(string(rune(u.Type))), ptr(hexOf(u.Selector))
		n.SearchHex, n.PlusHex = hexIf(u.HasSearch, u.Search), hexIf(u.HasPlus, u.Plus)
		m["gtype"], m["selector_hex"], m["search_hex"], m["plus_hex"] = *n.Gtype, *n.SelectorHex, valueOf(n.SearchHex), valueOf(n.PlusHex)
	case urlcore.FTP:
		d.setServer(u.Server)
		d.setPath("ftp-entry", append(u.CWDs(), u.Name()))
		n.Type = textIf(u.Type != 0, string(rune(u.Type)))
		m["type"] = valueOf(n.Type)
	case urlcore.File:
		d.setPath("file", u.Segments())
		n.Host = ptr(u.Host)
		m["host"] = u.Host
	case urlcore.HTTP:
		d.setHost(u.HostPort)
		n.Kind, n.Path, n.Query = "http-object", ptr(u.Path), textIf(u.HasQuery, u.Query)
		m["path"], m["query"] = u.Path, valueOf(n.Query)
	case urlcore.News:
		d.setNews(u)
	case urlcore.NNTP:
		d.setNNTP(u)
	case urlcore.Telnet:
		n.Kind = "telnet-session"
		d.setServer(u.Server)
	case urlcore.Mailto:
		n.Kind, n.AddressHex = "mail-address", ptr(hexOf(u.Address))
		m["address"] = latin1(u.Address)
	case urlcore.WAIS:
		d.setWAIS(u)
	case urlcore.LDAP:
		d.setHost(u.HostPort)
		m["dn"], m["attributes"], m["scope"], m["filter"], m["extensions"] = latin1(u.DN), latin1(u.Attributes), cmp.Or(u.Scope, "base"), latin1(u.Filter), u.Extensions
	case urlcore.Prospero:
		d.setHost(u.HostPort)
		n.Kind, n.HsonameHex, n.FieldsHex = "prospero-link", ptr(hexOf(u.Object)), [][2]string{}
		fields := [][2]string{}
		for _, f := range u.FieldValues() {
			fields = append(fields, [2]string{latin1(f[0]), latin1(f[1])})
			n.FieldsHex = append(n.FieldsHex, [2]string{hexOf(f[0]), hexOf(f[1])})
		}
		m["hsoname_hex"], m["fields"] = *n.HsonameHex, fields
	default:
		d.item = nil
		d.setOther(u)
	}
	return d
}

func (d *description) setHost(h urlcore.HostPort) {
	h.Port = cmp.Or(h.Port, urlcore.DefaultPort(d.item.Scheme))
	d.item.Host, d.item.Port = ptr(h.Host), ptr(json.Number(strconv.Itoa(int(h.Port))))
	d.parts["host"], d.parts["port"] = h.Host, h.Port
}

func (d *description) setServer(s urlcore.Server) {
	d.setHost(s.HostPort)
	d.item.UserHex, d.item.PasswordHex = hexIf(s.HasUser, s.User), hexIf(s.HasPassword, s.Password)
	d.setLogin(s)
}

func (d *description) setLogin(s urlcore.Server) {
	d.parts["user"], d.parts["password"] = orNil(s.HasUser, latin1(s.User)), orNil(s.HasPassword, latin1(s.Password))
}

// setPath sets the names of directories and the last name, which is the name of a file or "".
func (d *description) setPath(kind string, segments []string) {
	dirs, name := segments[:len(segments)-1], segments[len(segments)-1]
	d.item.Kind, d.item.CWDsHex, d.item.NameHex = kind, mapStrings(dirs, hexOf), ptr(hexOf(name))
	d.parts["cwds"], d.parts["name"] = mapStrings(dirs, latin1), latin1(name)
}

func (d *description) setNews(u urlcore.News) {
	d.item.Kind, d.item.Query = "newsgroup", textIf(u.Search != "", u.Search)
	if u.Host != "" {
		d.setHost(u.HostPort)
	}
	if u.MessageID != "" {
		d.item.Kind, d.item.MessageIDHex = "article", ptr(hexOf(u.MessageID))
		d.parts["message_id"] = latin1(u.MessageID)
	} else {
		d.item.Group = ptr(latin1(u.Group))
		d.parts["group"] = *d.item.Group
	}
	d.setSearch(u)
}

func (d *description) setNNTP(u urlcore.NNTP) {
	d.item.Kind, d.item.Query, d.item.Group = "nntp-group", textIf(u.Search != "", u.Search), ptr(latin1(u.Group))
	if u.Host != "" {
		d.setHost(u.HostPort)
	}
	d.parts["group"], d.parts["article"] = *d.item.Group, nil
	if u.HasArticle {
		d.item.Kind, d.item.Article = "nntp-article", ptr(json.Number(strconv.FormatUint(u.Article, 10)))
		d.parts["article"] = u.Article
	}
	d.setSearch(u)
}

// setSearch adds the fields of a search in news to the parts.
func (d *description) setSearch(u urlcore.URL) {
	for i, value := range urlcore.SearchOf(u) {
		if value != "" {
			d.parts[urlcore.SearchKeys()[i]] = value
		}
	}
}

func (d *description) setWAIS(u urlcore.WAIS) {
	d.setHost(u.HostPort)
	n := d.item
	n.Kind, n.DatabaseHex = "wais-database", ptr(hexOf(u.Database))
	switch {
	case u.HasSearch:
		n.Kind, n.SearchHex = "wais-search", ptr(hexOf(u.Search))
	case u.HasDocument:
		n.Kind, n.WtypeHex, n.WpathHex = "wais-doc", ptr(hexOf(u.Type)), ptr(hexOf(u.Document))
	}
	d.parts["database"], d.parts["search_hex"] = latin1(u.Database), orNil(u.HasSearch, hexOf(u.Search))
	d.parts["wtype"], d.parts["wpath_hex"] = orNil(u.HasDocument, latin1(u.Type)), orNil(u.HasDocument, hexOf(u.Document))
}

// setOther adds the parts of a Lookup, Z3950, NFS or Generic URL. The port is nil if the URL has none.
func (d *description) setOther(u urlcore.URL) {
	var s urlcore.Server
	var path string
	switch u := u.(type) {
	case urlcore.Lookup:
		s, path = u.Server, u.Path
	case urlcore.Z3950:
		s.HostPort = u.HostPort
		_, path, _ = strings.Cut(strings.TrimPrefix(u.String(), u.Name+"://"), "/")
		path = "/" + path
	case urlcore.NFS:
		s.HostPort, path = u.HostPort, "/"+u.Path
	case urlcore.Generic:
		ok := false
		if s, path, ok = u.Server(); !ok {
			d.parts["opaque"] = u.Rest
			return
		}
	default:
		return
	}
	d.setLogin(s)
	d.parts["host"], d.parts["port"], d.parts["path"] = s.Host, s.Port, orNil(path != "", path)
	if s.Port == 0 {
		d.parts["port"] = nil
	}
}

// menuOf returns the menu line for u. A line "URL:..." has an empty host, because u does not name a
// Gopher server.
func menuOf(u urlcore.URL, item Native) *Native {
	if g, ok := u.(urlcore.Gopher); ok && !g.Secure {
		return describe(g).item
	}
	t, selector, host, port := urlcore.GopherItem(u)
	n := &Native{Kind: item.Kind, Scheme: "gopher", Gtype: ptr(string(rune(t))), SelectorHex: ptr(hexOf(selector))}
	n.Host, n.Port = ptr(host), ptr(json.Number(strconv.Itoa(int(port))))
	return n
}

func orNil(cond bool, s string) any { return valueOf(textIf(cond, s)) }

// valueOf returns the string at p, or nil.
func valueOf(p *string) any {
	if p == nil {
		return nil
	}
	return *p
}
