package nfs

import (
	"path"
	"slices"
	"strings"

	"gofer/internal/text/clean"
	"gofer/protocols"
)

// Bounds of the way to an item.
const (
	maxLinks  = 40      // symbolic links that are followed
	maxSteps  = 1000    // names that are looked up
	maxTarget = 4 << 10 // octets of the target of a link
)

// tree is what is known of the file tree of a server.
type tree struct {
	access  access
	exports []string          // the paths of the exports, sorted; valid if listed is set
	listed  bool              // the server was asked for its exports
	roots   map[string]string // the file handles of mounted paths
}

// access is how a server is entered.
type access uint8

const (
	accessUnknown access = iota
	accessPublic         // by the public file handle
	accessMount          // by MOUNT
)

// place is what a path leads to.
type place struct {
	node
	exports []string // the names in a directory above exports, which has no file handle; else nil
}

// splitNames returns the names in a path.
func splitNames(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(name string) bool { return name == "" || name == "." })
}

// canonicalPath returns the path of a LOOKUP from the public file handle (RFC 2055, section 6.1). A percent sign begins an escape
// there, and so are slashes in names and octets beyond ASCII written.
func canonicalPath(names []string, absolute bool) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 || absolute {
			b.WriteByte('/')
		}
		for _, c := range []byte(name) {
			if c == '%' || c >= 0x80 {
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
	case absolute:
		return "/"
	}
	return "." // RFC 2224, section 1
}

// find returns the place of a path. It tries all names at once from the public file handle. Where this fails, a name may be that
// of a link, or the server may not have this handle.
func (s *session) find(t *target, names []string) (place, error) {
	if s.tree.access != accessMount {
		n, err := s.lookup(t.op, publicHandle, canonicalPath(names, t.absolute))
		if err != nil && !isRefusal(err) {
			return place{}, err
		}
		if err == nil {
			s.tree.access = accessPublic
		}
		if err == nil && n.attrs.kind != kindLink {
			return place{node: n}, nil
		}
	}
	w := &walker{mounter: mounter{s: s, t: t}}
	defer w.close()
	if err := w.begin(names); err != nil {
		return place{}, err
	}
	return w.walk()
}

// walker follows a path name by name.
type walker struct {
	mounter
	way   []node   // from the root of the tree to the directory that was reached
	base  []string // the path of this root, if it was mounted
	above []string // the names in a directory above exports
	rest  []string // the names to follow
	steps int
	links int
}

// begin goes to the root of the tree that has a path.
func (w *walker) begin(names []string) error {
	s := w.s
	if s.tree.access != accessMount {
		root, err := s.lookup(w.t.op, publicHandle, canonicalPath(nil, w.t.absolute))
		switch {
		case err == nil:
			s.tree.access = accessPublic
			w.way, w.base, w.rest = []node{root}, nil, names
			return nil
		case !isRefusal(err) || s.tree.access == accessPublic:
			return err
		}
		s.tree.access = accessMount
	}
	names = splitNames(path.Clean("/" + strings.Join(names, "/")))
	if err := w.list(); err != nil {
		return err
	}
	export, err := w.choose(names)
	if err != nil || export == "" {
		return err
	}
	root := node{handle: s.tree.roots[export]}
	if err := s.complete(w.t.op, &root); err != nil {
		return err
	}
	base := splitNames(export)
	w.way, w.base, w.above, w.rest = []node{root}, base, nil, names[len(base):]
	return nil
}

// list asks for the exports of the server.
func (w *walker) list() (err error) {
	tree := &w.s.tree
	if tree.listed {
		return nil
	}
	if tree.exports, err = w.exports(); err == nil {
		tree.listed, tree.roots = true, make(map[string]string)
	}
	return err
}

// choose mounts the longest export that a path begins with, and returns the export. It returns "" after it has set above, because
// the path leads to a directory above exports. A server that does not tell its exports is asked for the path and those above it.
func (w *walker) choose(names []string) (string, error) {
	whole, tree := "/"+strings.Join(names, "/"), &w.s.tree
	var refusal error
	for n := len(names); n >= 0; n-- {
		export := "/" + strings.Join(names[:n], "/")
		if _, mounted := tree.roots[export]; mounted {
			return export, nil
		}
		if len(tree.exports) > 0 && !slices.Contains(tree.exports, export) {
			continue
		}
		handle, err := w.mount(export)
		if err == nil {
			tree.roots[export] = handle
			return export, nil
		}
		if len(tree.exports) > 0 || !isRefusal(err) {
			return "", err
		}
		if refusal == nil {
			refusal = err
		}
	}
	if refusal != nil {
		return "", refusal
	}
	if w.above = namesBelow(tree.exports, whole); w.above == nil {
		return "", protocols.NewError(protocols.NotFound, w.t.op, "the server exports "+clean.Name(strings.Join(tree.exports[:min(len(tree.exports), 10)], ", "))+" only")
	}
	w.way, w.rest = nil, nil
	return "", nil
}

// namesBelow returns the names of the items of a directory above exports.
func namesBelow(exports []string, directory string) (names []string) {
	prefix := strings.TrimSuffix(directory, "/") + "/"
	for _, e := range exports {
		if rest, ok := strings.CutPrefix(e, prefix); ok {
			name, _, _ := strings.Cut(rest, "/")
			names = append(names, name)
		}
	}
	return slices.Compact(names)
}

// walk follows the names of rest and returns the last item.
func (w *walker) walk() (place, error) {
	for len(w.rest) > 0 {
		name := w.rest[0]
		w.rest = w.rest[1:]
		if w.steps++; w.steps > maxSteps {
			return place{}, protocols.NewError(protocols.TooBig, w.t.op, "the path and the links in it have too many names")
		}
		if name == ".." {
			if err := w.up(); err != nil {
				return place{}, err
			}
			continue
		}
		n, err := w.s.lookup(w.t.op, w.way[len(w.way)-1].handle, name)
		if err == nil && n.attrs.kind == kindLink {
			err = w.follow(n)
		} else {
			w.way = append(w.way, n)
		}
		if err != nil {
			return place{}, err
		}
	}
	if w.way == nil {
		return place{exports: w.above}, nil
	}
	return place{node: w.way[len(w.way)-1]}, nil
}

// up goes to the directory above. Above the root of an export it is that of the server, and above the root of the server this root.
func (w *walker) up() error {
	switch {
	case len(w.way) > 1:
		w.way = w.way[:len(w.way)-1]
	case len(w.base) > 0:
		return w.restart(append(slices.Clone(w.base[:len(w.base)-1]), w.rest...))
	}
	return nil
}

// restart begins again with a path from the root on, after a link.
func (w *walker) restart(names []string) error {
	if w.links++; w.links > maxLinks {
		return protocols.NewError(protocols.NotFound, w.t.op, "there are too many symbolic links: they lead to each other")
	}
	return w.begin(names)
}

// follow puts the target of a link in front of the names to follow.
func (w *walker) follow(link node) error {
	c, err := w.s.sendNFS(w.t.op, procReadlink, link.handle)
	if err != nil {
		return err
	}
	target, err := w.s.target(c)
	if err != nil {
		return err
	}
	names := append(splitNames(target), w.rest...)
	if strings.HasPrefix(target, "/") {
		return w.restart(names)
	}
	if w.links++; w.links > maxLinks {
		return w.restart(names)
	}
	w.rest = names
	return nil
}
