package urlcore

import "strings"

// File is a file on a host. The URL names no access protocol (RFC 1738, section 3.10):
//
//	file://<host>/<path>
type File struct {
	Host string // "" and "localhost" mean this machine
	// Path is the path without its leading slash, in canonical encoding.
	Path string
}

func (File) Scheme() string { return "file" }

// Segments returns the decoded segments of the path: the directories and then the name. The name
// may be empty. A "\" is not a separator.
func (u File) Segments() []string { return splitPath(u.Path) }

func (u File) String() string {
	var buf [bufSize]byte
	h := HostPort{Host: u.Host}
	return join(append(h.append(append(buf[:0], "file://"...)), '/'), u.Path)
}

// IsStandardInput reports whether u looks like the URL of the temporary file where gofer stores its
// standard input.
func IsStandardInput(u URL) bool {
	f, ok := u.(File)
	_, rest, _ := strings.Cut(f.Path, "/gofer-files-")
	_, name, _ := strings.Cut(rest, "/")
	return ok && f.Host == "" && strings.HasPrefix(name, "standard%20input") && !strings.Contains(name, "/")
}

// NewFile returns the URL of the file with the given name in the directory with the path dirs. The
// arguments contain no escapes.
func NewFile(host string, dirs []string, name string) (File, error) {
	u, err := File{Host: host, Path: joinPath(dirs, name)}.canon()
	if err != nil {
		return File{}, err
	}
	return u.(File), nil
}

// parseFile parses fileurl (RFC 1738, section 5).
func (st *state) parseFile(s string, off int) *Error {
	u := File{}
	path := s
	if st.strict || !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") {
		a, rest, err := st.parseSlashes(s, off, false)
		if err != nil {
			return err
		}
		if u.Host, err = st.parseFileHost(a, off+2); err != nil {
			return err
		}
		path, off = rest, off+2+len(a)
	}
	if path == "" {
		if st.strict {
			return fail(BadPath, off, `"/" must follow the host`)
		}
		path = "/"
	}
	path, off = path[1:], off+1
	if !st.dialect.is1993() {
		if err := st.checkReserved(path, off, ";"); err != nil {
			return err
		}
	}
	u.Path = path
	if st.marks&(markOdd|markSemicolon|markQuestion) != 0 {
		u.Path = recodePath(path)
	}
	st.url = u
	return nil
}

// parseFileHost parses a host that may be empty and has no port.
func (st *state) parseFileHost(a string, off int) (string, *Error) {
	if a == "" {
		return "", nil
	}
	if a[0] == ':' && strings.IndexByte(a, '@') < 0 {
		return "", fail(BadPort, off, "a file URL has no port")
	}
	h := HostPort{}
	if err := st.parseHostPort(&h, a, off, ""); err != nil {
		return "", err
	}
	if colon := strings.LastIndexByte(a, ':'); colon >= 0 && a[len(a)-1] != ']' {
		return "", fail(BadPort, off+colon, "a file URL has no port")
	}
	if h.Host == "localhost" {
		return "", nil
	}
	return h.Host, nil
}

func (u File) canon() (URL, *Error) {
	if u.Host != "" {
		h, err := canonHost(u.Host)
		if err != nil {
			return nil, err
		}
		u.Host = h
		if h == "localhost" {
			u.Host = ""
		}
	}
	if badEscapeIndex(u.Path) >= 0 {
		return nil, fail(BadEscape, 0, `"%" begins no escape in the path`)
	}
	u.Path = recodePath(u.Path)
	return u, nil
}

func (u File) Kind() string {
	if u.Path == "" || strings.HasSuffix(u.Path, "/") {
		return "directory"
	}
	return "file"
}

// Alternatives returns the URL of the same path by FTP, and the URL of this path on this machine.
// For a file of this machine it returns nil.
func (u File) Alternatives() []Alternative {
	if u.Host == "" {
		return nil
	}
	here, ftp := u, FTP{Server: Server{HostPort: HostPort{Host: u.Host}}, Path: "%2F" + u.Path}
	here.Host = ""
	list := []Alternative{{here, "The file of that name on this machine"}}
	if v, err := ftp.canon(); err == nil {
		list = append([]Alternative{{v, "Try the path by FTP"}}, list...)
	}
	return list
}

// FileName returns the decoded last name in the path, which may be empty.
func (u File) FileName() string { return lastName(unescape(u.Path)) }

// Child returns the URL of an item in the directory u.
func (u File) Child(name string) (URL, error) {
	dirs := u.Segments()
	if dirs[len(dirs)-1] == "" {
		dirs = dirs[:len(dirs)-1]
	}
	return NewFile(u.Host, dirs, name)
}

func (u File) Up() (URL, bool) {
	path, ok := parentPath("/" + u.Path)
	u.Path = path[1:]
	return u, ok
}

func (u File) warnings() Warnings { return warnText(u.Path) }

func (u File) parts(b *partList) {
	b.addSlashes()
	b.addText("host", hostText(u.Host), "3.10", "the host; empty means this machine")
	b.addDelimiter("/", "3.10", "ends the host")
	b.addPath(u.Path, "directory", "name", "3.10", "a directory", "the name of the file")
}
