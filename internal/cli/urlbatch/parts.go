package urlbatch

import (
	"cmp"

	"gofer/urlcore"
)

// urlParts returns the parts of a URL. Each character in a string means one octet, except in path, query,
// opaque and the fields of a search in news, which are text.
func urlParts(u urlcore.URL) map[string]any {
	m := map[string]any{"scheme": u.Scheme()}
	switch u := u.(type) {
	case urlcore.Gopher:
		setHost(m, u.HostPort)
		m["gtype"], m["selector_hex"] = string(rune(u.Type)), hexOf(u.Selector)
		m["search_hex"], m["plus_hex"] = orNil(u.HasSearch, hexOf(u.Search)), orNil(u.HasPlus, hexOf(u.Plus))
	case urlcore.FTP:
		setServer(m, u.Server)
		m["cwds"], m["name"] = mapStrings(u.CWDs(), latin1), latin1(u.Name())
		m["type"] = orNil(u.Type != 0, string(rune(u.Type)))
	case urlcore.File:
		s := u.Segments()
		m["host"] = u.Host
		m["cwds"], m["name"] = mapStrings(s[:len(s)-1], latin1), latin1(s[len(s)-1])
	case urlcore.HTTP:
		setHost(m, u.HostPort)
		m["path"], m["query"] = u.Path, orNil(u.HasQuery, u.Query)
	case urlcore.News, urlcore.NNTP:
		setNews(m, u)
	case urlcore.Telnet:
		setServer(m, u.Server)
	case urlcore.Mailto:
		m["address"] = latin1(u.Address)
	case urlcore.WAIS:
		setHost(m, u.HostPort)
		m["database"], m["search_hex"] = latin1(u.Database), orNil(u.HasSearch, hexOf(u.Search))
		m["wtype"], m["wpath_hex"] = orNil(u.HasDocument, latin1(u.Type)), orNil(u.HasDocument, hexOf(u.Document))
	case urlcore.Prospero:
		setHost(m, u.HostPort)
		m["hsoname_hex"] = hexOf(u.Object)
		fields := [][2]string{}
		for _, f := range u.FieldValues() {
			fields = append(fields, [2]string{latin1(f[0]), latin1(f[1])})
		}
		m["fields"] = fields
	case urlcore.Lookup:
		setPath(m, u.Server, u.Path)
	case urlcore.Generic:
		if s, path, ok := u.Server(); ok {
			setPath(m, s, path)
		} else {
			m["opaque"] = u.Rest
		}
	}
	return m
}

// setPath adds the parts of a Lookup or Generic URL. The port is nil if the URL has none.
func setPath(m map[string]any, s urlcore.Server, path string) {
	setServer(m, s)
	m["port"], m["path"] = s.Port, orNil(path != "", path)
	if s.Port == 0 {
		m["port"] = nil
	}
}

// setNews adds the parts of a news: or nntp: URL. The fields of a search are UTF-8.
func setNews(m map[string]any, u urlcore.URL) {
	switch u := u.(type) {
	case urlcore.News:
		if u.Host != "" {
			setHost(m, u.HostPort)
		}
		if u.MessageID != "" {
			m["message_id"] = latin1(u.MessageID)
		} else {
			m["group"] = latin1(u.Group)
		}
	case urlcore.NNTP:
		if u.Host != "" {
			setHost(m, u.HostPort)
		}
		m["group"], m["article"] = latin1(u.Group), nil
		if u.HasArticle {
			m["article"] = u.Article
		}
	}
	for i, value := range urlcore.SearchOf(u) {
		if value != "" {
			m[urlcore.SearchKeys()[i]] = value
		}
	}
}

func orNil(cond bool, s string) any {
	if !cond {
		return nil
	}
	return s
}

func setHost(m map[string]any, h urlcore.HostPort) {
	h.Port = cmp.Or(h.Port, urlcore.DefaultPort(m["scheme"].(string)))
	m["host"], m["port"] = h.Host, h.Port
}

func setServer(m map[string]any, s urlcore.Server) {
	setHost(m, s.HostPort)
	m["user"] = orNil(s.HasUser, latin1(s.User))
	m["password"] = orNil(s.HasPassword, latin1(s.Password))
}
