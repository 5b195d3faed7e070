package urlcore

import (
	"slices"
	"strings"
)

// NFS is a file or directory of an NFS server (RFC 2224, section 1):
//
//	nfs://<host>:<port>/<path>
type NFS struct {
	HostPort
	// Path is the path after the slash that ends the host, in canonical encoding. A path that begins with a slash begins at the
	// root of the server, and another one at the directory of the public file handle (RFC 2224, section 6.1). The path of a
	// directory is empty or ends in a slash.
	Path string
}

func (NFS) Scheme() string { return "nfs" }

func (u NFS) Addr() string { return u.addr(u.Scheme()) }

func (NFS) HasWords() bool { return false }

func (u NFS) At(host string, port uint16) URL {
	u.Host, u.Port = host, port
	return u
}

// Names implements [FileURL].
func (u NFS) Names() []string { return splitNames(u.Path) }

func splitNames(path string) []string {
	return slices.DeleteFunc(splitPath(path), func(name string) bool { return name == "" })
}

// IsDirectory reports whether the URL says that it leads to a directory.
func (u NFS) IsDirectory() bool { return u.Path == "" || strings.HasSuffix(u.Path, "/") }

// Directory returns the URL with the slash of a directory at its end.
func (u NFS) Directory() NFS {
	if !u.IsDirectory() {
		u.Path += "/"
	}
	return u
}

// Child returns the URL of the item with the decoded name in the directory u.
func (u NFS) Child(name string) (URL, error) {
	u.Path = u.Directory().Path + escape(name, inSegment)
	return Canon(u)
}

func (u NFS) String() string {
	var buf [bufSize]byte
	return join(append(u.append(append(buf[:0], "nfs://"...)), '/'), u.Path)
}

// parseNFS parses an nfs URL. Without a host it is a name of which nothing is known.
func (st *state) parseNFS(name, s string, off int) *Error {
	if !strings.HasPrefix(s, "//") {
		return st.parseGeneric(name, s, off)
	}
	u := NFS{}
	path, err := st.parseHost(&u.HostPort, s, off, u.Scheme(), false)
	if err != nil {
		return err
	}
	if path != "" {
		off += len(s) - len(path) + 1
		if err := st.checkReserved(path[1:], off, "?"); err != nil {
			return err
		}
		u.Path = recodePath(path[1:])
	}
	st.url = u
	return nil
}

func (u NFS) canon() (URL, *Error) {
	var err *Error
	if u.HostPort, err = u.HostPort.canon(u.Scheme()); err != nil {
		return nil, err
	}
	if badEscapeIndex(u.Path) >= 0 {
		return nil, fail(BadEscape, 0, `"%" begins no escape in the path`)
	}
	u.Path = recodePath(u.Path)
	return u, nil
}

// Kind returns "directory" for a path that is empty or ends in a slash, and otherwise "file".
func (u NFS) Kind() string {
	if u.IsDirectory() {
		return "directory"
	}
	return "file"
}

// FileName returns the decoded last name in the path, which may be empty.
func (u NFS) FileName() string { return lastName(unescape(u.Path)) }

// Up returns the URL of the directory above.
func (u NFS) Up() (URL, bool) {
	path := strings.TrimRight(u.Path, "/")
	if path == "" {
		return u, false
	}
	u.Path = path[:strings.LastIndexByte(path, '/')+1]
	return u, true
}

// Alternatives returns the URL of the root of the server.
func (u NFS) Alternatives() []Alternative {
	root := u
	if root.Path = ""; root == u {
		return nil
	}
	return []Alternative{{root, "The root of the server"}}
}

func (u NFS) warnings() Warnings {
	return u.warn(u.Scheme()) | warnExtension(true) | warnText(u.Path)
}

func (u NFS) parts(b *partList) {
	b.addHost(u.HostPort, u.Scheme(), "3.1")
	b.rule = "RFC 2224, section 1"
	b.addPath(u.Path, "directory", "name", "", "a directory of the path", "the name of the file or directory")
}
