package sftp

import (
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// request is what is asked for a URL.
type request struct {
	url    urlcore.FTP // without the password
	addr   string      // host:port of the URL
	path   string      // the path at the server; names are octets
	dir    bool        // the URL says that it is a directory
	offset int64
	want   protocols.Request
}

// newRequest returns the request for a URL. A path begins at the root; "~" as its first name is the login directory, where
// the server begins relative paths.
func newRequest(req protocols.Request) (urlcore.FTP, *request, error) {
	f, ok := req.URL.(urlcore.FTP)
	if !ok || !f.SSH {
		return f, nil, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(req.URL).String()}
	}
	plain := f
	plain.Password, plain.HasPassword = "", false
	r := &request{url: plain, addr: f.Addr(), want: req}
	names := append(f.CWDs(), f.Name())
	for n := len(names); n > 0 && names[n-1] == ""; n = len(names) {
		names, r.dir = names[:n-1], true
	}
	r.dir = r.dir || f.Type == 'd'
	for _, name := range names {
		if strings.ContainsAny(name, "/\x00") {
			return f, nil, protocols.NewError(protocols.BadURL, "name the file", "a name cannot contain a slash or NUL")
		}
	}
	for _, p := range []struct{ label, s string }{{"host", f.Host}, {"user name", f.User}, {"password", f.Password}} {
		if err := wire.Check(p.label, p.s); err != nil {
			return f, nil, err
		}
	}
	r.path = joinPath(names)
	return f, r, nil
}

func joinPath(names []string) string {
	if len(names) > 0 && names[0] == "~" {
		return strings.Join(append([]string{"."}, names[1:]...), "/")
	}
	return "/" + strings.Join(names, "/")
}

// below returns the path of an item in the directory with the path dir.
func below(dir, name string) string { return strings.TrimSuffix(dir, "/") + "/" + name }

// parentOf returns the path of the directory of an item, and the name of the item.
func parentOf(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	if i <= 0 {
		return "/", path[i+1:]
	}
	return path[:i], path[i+1:]
}

// asDirectory sets the URL of a directory: it has the type d, and no slash at its end.
func (r *request) asDirectory() error {
	names := r.names()
	parents, last := names, ""
	if n := len(names); n > 0 {
		parents, last = names[:n-1], names[n-1]
	}
	u, err := r.url.With(parents, last, 'd')
	if err != nil {
		return &protocols.Error{Reason: protocols.BadURL, Op: "name the directory", Err: err}
	}
	r.url, r.dir = u, true
	return nil
}

// names returns the names in the path of the URL.
func (r *request) names() []string {
	names := append(r.url.CWDs(), r.url.Name())
	for len(names) > 0 && names[len(names)-1] == "" {
		names = names[:len(names)-1]
	}
	return names
}
