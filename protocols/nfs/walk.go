package nfs

import (
	"path"
	"slices"
	"strings"

	"gofer/internal/text/clean"
	"gofer/protocols"
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

// walker follows a path name by name, from the root of an export on.
type walker struct {
	*mounter
	place          // that was reached
	rest  []string // the names to follow
	steps int
	links int
}

// begin goes to the root of the export that has a path, or to the directory above exports.
func (w *walker) begin(names []string) error {
	if err := w.list(); err != nil {
		return err
	}
	exports, whole := w.s.tree.exports, "/"+strings.Join(names, "/")
	if !slices.ContainsFunc(exports, func(e string) bool { return isBelow(whole, e) }) { // no name can be that of a link
		whole = path.Clean(whole)
		names = splitNames(whole)
	}
	export, err := w.choose(names)
	if err != nil {
		return err
	}
	if export == "" {
		w.place, w.rest = place{exports: namesBelow(exports, whole)}, nil
		if w.place.exports == nil {
			var names []string
			for _, e := range exports[:min(len(exports), 10)] {
				names = append(names, clean.Name(e))
			}
			return protocols.NewError(protocols.NotFound, w.t.op, "the server exports "+strings.Join(names, ", ")+" only")
		}
		return nil
	}
	root := node{handle: w.s.tree.roots[export]}
	if err := w.s.complete(w.t.op, &root); err != nil {
		return err
	}
	base := splitNames(export)
	w.place, w.rest = place{base: base, way: []node{root}}, names[len(base):]
	return nil
}

// list asks for the exports of the server.
func (w *walker) list() (err error) {
	tree := &w.s.tree
	if tree.listed {
		return nil
	}
	if tree.exports, err = w.mounter.exports(); err == nil {
		tree.listed, tree.roots = true, make(map[string]string)
	}
	return err
}

// choose mounts the longest export that a path begins with, and returns the export, or "" if there is none. A server that does not
// tell its exports is asked for the path and those above it.
func (w *walker) choose(names []string) (string, error) {
	tree := &w.s.tree
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
	return "", refusal
}

// isBelow reports whether a path is a directory or below it.
func isBelow(path, directory string) bool {
	return strings.HasPrefix(path+"/", strings.TrimSuffix(directory, "/")+"/")
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

// walk follows the names of rest and returns the place of the last one.
func (w *walker) walk() (place, error) {
	for len(w.rest) > 0 {
		name := w.rest[0]
		w.rest = w.rest[1:]
		if w.steps++; w.steps > maxSteps {
			return place{}, tooLong(w.t.op)
		}
		if err := w.step(name); err != nil {
			return place{}, err
		}
	}
	if w.way != nil {
		w.node = w.way[len(w.way)-1]
	}
	return w.place, nil
}

// step goes to an item of the directory that was reached. Above the root of an export is a directory of the server, and above the
// root of the server this root.
func (w *walker) step(name string) error {
	if name == ".." {
		switch {
		case len(w.way) > 1:
			w.way = w.way[:len(w.way)-1]
		case len(w.base) > 0:
			return w.begin(slices.Concat(w.base[:len(w.base)-1], w.rest))
		}
		return nil
	}
	n, err := w.s.lookup(w.t.op, w.way[len(w.way)-1].handle, name)
	if err != nil {
		return err
	}
	if n.attrs.kind != kindLink {
		w.way = append(w.way, n)
		return nil
	}
	text, err := w.s.pathIn(w.t.op, n)
	if err != nil {
		return err
	}
	return w.follow(text)
}

// follow puts the text of a link in front of the names to follow.
func (w *walker) follow(text string) error {
	if w.links++; w.links > maxLinks {
		return tooManyLinks(w.t.op)
	}
	names := append(splitNames(text), w.rest...)
	if strings.HasPrefix(text, "/") {
		return w.begin(names)
	}
	w.rest = names
	return nil
}
