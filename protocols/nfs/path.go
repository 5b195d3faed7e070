package nfs

import (
	"slices"
	"strings"

	"gofer/protocols"
)

// Bounds of the way to an item.
const (
	maxLinks  = 40      // symbolic links that are followed
	maxSteps  = 1000    // names that are looked up
	maxTarget = 4 << 10 // octets of the target of a link
)

// pathname is the path in a URL or in a link. An absolute one begins at the root of the server, and another one at the directory of
// the public file handle (RFC 2224, section 6.1).
type pathname struct {
	names    []string
	absolute bool
}

// splitNames returns the names in a path.
func splitNames(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(name string) bool { return name == "" || name == "." })
}

// text returns the path for errors and identities.
func (p pathname) text() string { return "/" + strings.Join(p.names, "/") }

// canonical returns the canonical path of a LOOKUP from the public file handle (RFC 2055, section 6.1). A percent sign begins an
// escape there, and so are octets written that are not printable ASCII. No name has a slash.
func (p pathname) canonical() string {
	var b strings.Builder
	for i, name := range p.names {
		if i > 0 || p.absolute {
			b.WriteByte('/')
		}
		for _, c := range []byte(name) {
			if c == '%' || c < ' ' || c > '~' {
				const digits = "0123456789abcdef"
				b.Write([]byte{'%', digits[c>>4], digits[c&15]})
				continue
			}
			b.WriteByte(c)
		}
	}
	switch {
	case b.Len() > 0:
		return b.String()
	case p.absolute:
		return "/"
	}
	return "." // RFC 2224, section 1
}

// follow returns the path to which the text of a link leads, if p leads to the link: an absolute text is the path itself, and
// another one replaces the last name of p (RFC 2054, sections 6.2.1 and 6.2.2).
func (p pathname) follow(text string) pathname {
	names := splitNames(text)
	if strings.HasPrefix(text, "/") {
		return pathname{names, true}
	}
	return pathname{slices.Concat(p.names[:max(0, len(p.names)-1)], names), p.absolute}
}

// place is what a path leads to.
type place struct {
	node
	exports []string // the names in a directory above exports, which has no file handle; else nil

	// With MOUNT:
	base []string // the path of an export
	way  []node   // from the root of this export to the item
}

// find returns the place of a path. A server that knows neither the path nor the public file handle is entered by MOUNT.
func (s *session) find(t *target, p pathname) (place, error) {
	if s.tree.access != accessMount {
		n, err := s.findPublic(t.op, p)
		if err == nil || !isRefusal(err) || s.tree.access == accessPublic {
			return place{node: n}, err
		}
		switch _, rootErr := s.lookup(t.op, publicHandle, pathname{}.canonical()); {
		case rootErr == nil:
			s.tree.access = accessPublic
			return place{}, err
		case !isRefusal(rootErr):
			return place{}, rootErr
		}
		s.tree.access = accessMount
	}
	w := &walker{mounter: &mounter{s: s, t: t}}
	defer w.close()
	if err := w.begin(p.names); err != nil {
		return place{}, err
	}
	return w.walk()
}

// findPublic looks a path up from the public file handle. The server follows the links in the path. If the last name is that of a
// link, the server returns the link, and the client combines its text with the path (RFC 2055, section 6.2). An absolute text
// begins at the root of the server (RFC 2054, section 6.2.1), and if the server refuses that, at the directory of the public file
// handle (RFC 2224, section 6.2).
func (s *session) findPublic(op string, p pathname) (node, error) {
	isText := false
	for range maxLinks {
		n, err := s.lookup(op, publicHandle, p.canonical())
		if isText && p.absolute && isRefusal(err) {
			p.absolute = false
			n, err = s.lookup(op, publicHandle, p.canonical())
		}
		if err != nil {
			return node{}, err
		}
		if s.tree.access = accessPublic; n.attrs.kind != kindLink {
			return n, nil
		}
		text, err := s.pathIn(op, n)
		if err != nil {
			return node{}, err
		}
		isText = strings.HasPrefix(text, "/")
		if p = p.follow(text); len(p.names) > maxSteps {
			return node{}, tooLong(op)
		}
	}
	return node{}, tooManyLinks(op)
}

// findTarget returns the place to which the text of a link in a directory leads. Its path is that of m.
func (m *mounter) findTarget(dir place, text string) (place, error) {
	if dir.way == nil {
		link := pathname{append(slices.Clone(m.t.path.names), ""), m.t.path.absolute}
		n, err := m.s.findPublic(m.t.op, link.follow(text))
		return place{node: n}, err
	}
	w := &walker{mounter: m, place: place{base: dir.base, way: slices.Clone(dir.way)}}
	if err := w.follow(text); err != nil {
		return place{}, err
	}
	return w.walk()
}

func tooLong(op string) error {
	return protocols.NewError(protocols.TooBig, op, "the path and the links in it have too many names")
}

func tooManyLinks(op string) error {
	return protocols.NewError(protocols.NotFound, op, "there are too many symbolic links: they lead to each other")
}
