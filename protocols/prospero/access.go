package prospero

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

var errAddress = errors.New("not an address")

// parseHost parses a host in an answer, NAME or NAME(port).
func parseHost(text string) (urlcore.HostPort, error) {
	name, port, hasPort := strings.Cut(text, "(")
	h := urlcore.HostPort{Host: strings.ToLower(name)}
	if !hasPort {
		return h, nil
	}
	port, closed := strings.CutSuffix(port, ")")
	n, err := strconv.ParseUint(port, 10, 16)
	if !closed || err != nil || n == 0 {
		return h, errAddress
	}
	h.Port = uint16(n)
	return h, nil
}

// askedServer is the server of a request. Its methods convert names in the answer to URLs.
type askedServer struct{ urlcore.HostPort }

// hostOf returns the host of p. The host "localhost" in an answer means the server and not the
// machine of the user.
func (a askedServer) hostOf(p place) (urlcore.HostPort, error) {
	if p.hostType != "" && !strings.HasPrefix(strings.ToUpper(p.hostType), "INTERNET") {
		return urlcore.HostPort{}, errAddress
	}
	h, err := parseHost(p.host)
	if err == nil && wire.IsThisMachine(h.Host) && !wire.IsThisMachine(a.Host) {
		h.Host = a.Host
	}
	return h, err
}

// urlOf returns the prospero: URL of p. If a server names itself without a port, it means the port
// of the request.
func (a askedServer) urlOf(p place, version string) (urlcore.Prospero, error) {
	h, err := a.hostOf(p)
	if err != nil {
		return urlcore.Prospero{}, err
	}
	if h.Port == 0 && (h.Host == a.Host || wire.IsThisMachine(h.Host) && wire.IsThisMachine(a.Host)) {
		h = a.HostPort
	}
	var fields [][2]string
	if version != "" && version != "0" {
		fields = [][2]string{{fieldVersion, version}}
	}
	return urlcore.NewProspero(h, p.object, fields)
}

// urlsOf returns the URLs of the link, the best one first. If the link has no URL, the result why
// is the reason.
func (a askedServer) urlsOf(l *link) (list []urlcore.URL, why string) {
	switch l.target {
	case "SYMBOLIC":
		return nil, "link to " + l.place.object + " in the virtual system " + l.place.host
	case "NULL":
		return nil, "not readable"
	}
	if l.firstValue("OBJECT-INTERPRETATION") == "SEARCH" {
		if u, ok := gatewayItem(l.place.object); ok {
			return []urlcore.URL{u}, ""
		}
	}
	u, err := a.urlOf(l.place, l.version)
	if l.isDirectory() {
		if err != nil {
			return nil, "no address: " + l.place.host
		}
		list = append(list, u)
	}
	methods, unusable, byFTP := 0, "", 0
	for _, v := range l.attributes {
		if v.name != "ACCESS-METHOD" {
			continue
		}
		methods++
		if v.values[0] == "PROSPERO-CONTENTS" {
			u, err := a.urlOf(placeOf(v.values[1:]).withDefaults(l.place), l.version)
			if err == nil && !l.isDirectory() && !strings.HasPrefix(u.Object, ftpArchive) {
				list = slices.Insert(list, byFTP, urlcore.URL(u))
			}
		} else if u, err := a.accessURL(v.values, l); err == nil && v.values[0] == "AFTP" && !l.isDirectory() {
			list = slices.Insert(list, byFTP, u)
			byFTP++
		} else if err == nil {
			list = append(list, u)
		} else {
			unusable = "only by " + v.values[0] + " at " + placeOf(v.values[1:]).withDefaults(l.place).host
		}
	}
	switch {
	case len(list) > 0:
		return list, ""
	case methods == 0 && l.target != "EXTERNAL" && err == nil:
		return []urlcore.URL{u}, ""
	case unusable == "":
		unusable = "no access method"
	}
	return nil, unusable
}

// accessURL returns the URL for an access method. The parameter values has the name of the access
// method, the host type, the host, the hsoname type, the hsoname, and further arguments.
func (a askedServer) accessURL(values []string, l *link) (urlcore.URL, error) {
	p := placeOf(values[1:]).withDefaults(l.place)
	h, err := a.hostOf(p)
	if err != nil {
		return nil, err
	}
	extra := statement{tokens: values}.token(5)
	switch values[0] {
	case "AFTP":
		return ftpURL(h, "", strings.TrimPrefix(p.object, "/"), extra)
	case "FTP":
		return ftpURL(h, "/", strings.TrimPrefix(p.object, "/"), extra)
	case "GOPHER":
		typ := gopherType(l.firstValue("GOPHER-MENU-ITEM"), extra, p.object)
		return urlcore.NewGopherItem(typ, p.object, h.Host, cmp.Or(h.Port, urlcore.DefaultPort("gopher")))
	case "TELNET":
		return urlcore.Canon(urlcore.Telnet{Name: "telnet", Server: urlcore.Server{HostPort: h}})
	case "WAIS":
		u, err := parseURL("wais", h, p.object)
		if w, ok := u.(urlcore.WAIS); err == nil && ok && w.HasDocument {
			return w, nil
		}
		return nil, errAddress
	case "HTTP":
		return parseURL("http", h, strings.TrimPrefix(p.object, "/"))
	case "NNTP":
		return parseURL("nntp", h, p.object)
	case "NEWS":
		return urlcore.Parse("news:" + p.object)
	}
	return nil, errAddress
}

// gatewayItem returns the URL of the Gopher item that an object of the Gopher gateway represents. The
// name of such an object is GOPHER-GW/host(port)/type/selector.
func gatewayItem(name string) (urlcore.URL, bool) {
	parts := strings.SplitN(name, "/", 4)
	if len(parts) < 4 || parts[0]+"/" != gopherGateway || len(parts[2]) != 1 {
		return nil, false
	}
	h, err := parseHost(parts[1])
	if err != nil {
		return nil, false
	}
	u, err := urlcore.NewGopherItem(parts[2][0], parts[3], h.Host, cmp.Or(h.Port, urlcore.DefaultPort("gopher")))
	return u, err == nil
}

// parseURL returns the URL for a scheme, a host and an escaped path from a server.
func parseURL(scheme string, h urlcore.HostPort, path string) (urlcore.URL, error) {
	host := h.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if h.Port != 0 {
		host += ":" + strconv.Itoa(int(h.Port))
	}
	return urlcore.Parse(scheme + "://" + host + "/" + path)
}

// ftpURL returns the URL of a path. The parameter root is "/", or "" if the path begins in the
// login directory. The parameter mode is BINARY, TEXT or "".
func ftpURL(h urlcore.HostPort, root, path, mode string) (urlcore.URL, error) {
	names := strings.Split(path, "/")
	names[0] = root + names[0]
	last := len(names) - 1
	if path != "" && !strings.HasSuffix(path, "/") {
		typ := map[string]byte{"BINARY": 'i', "TEXT": 'a'}[strings.ToUpper(mode)]
		return urlcore.NewFTP(urlcore.Server{HostPort: h}, names[:last], names[last], typ)
	}
	if root+path != "/" {
		names = names[:last]
	}
	return urlcore.NewFTP(urlcore.Server{HostPort: h}, names, "", 'd')
}

// gopherType returns the type of a Gopher item. The parameter item is the line of the item in a Gopher
// menu, and extra is an argument of the access method. Both may be empty.
func gopherType(item, extra, selector string) byte {
	switch {
	case item != "":
		return item[0]
	case len(extra) == 1:
		return extra[0]
	case extra == "TEXT":
		return '0'
	case extra == "BINARY":
		return '9'
	case selector != "":
		return selector[0]
	}
	return '1'
}

// kindOf returns the kind of the link. The parameter u is the URL of the link.
func (l *link) kindOf(u urlcore.URL) protocols.Kind {
	switch k := protocols.KindOf(u); {
	case l.isDirectory() && (u == nil || u.Scheme() == "prospero"):
		return protocols.Directory
	case u == nil:
		return protocols.Other
	case k != protocols.Binary && u.Scheme() != "prospero":
		return k
	}
	if _, k := protocols.BySuffix(l.name); k != protocols.Other {
		return k
	}
	return protocols.Binary
}
