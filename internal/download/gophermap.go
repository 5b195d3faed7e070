package download

import (
	"bytes"
	"fmt"
	"strings"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// gophermap is the name of the file with the menu of a directory, as in gophernicus.
const gophermap = "gophermap"

type menu struct {
	path  string // of its directory
	lines []menuLine
}

// menuLine is a line of a menu: a link, or a text.
type menuLine struct {
	text string
	link urlcore.URL
}

// menu reads a menu of the mirrored server. Items outside the mirror stay links.
func (w *walker) menu(f folder, page *nav.Lines) error {
	m := &menu{path: f.path}
	for i := range page.Len() {
		line := page.At(i)
		if line.Kind == protocols.Failure && page.Len() == 1 {
			return &protocols.Error{Reason: protocols.NotThere, Op: "open " + f.url.String(), Text: line.Text}
		}
		m.lines = append(m.lines, menuLine{line.Text, line.Link})
		if w.kept += len(line.Text) + 64; w.kept > maxMenuOctets {
			return protocols.NewError(protocols.TooBig, "keep the menus", "they are too large: save a part of it")
		}
		w.follow(f, line.Link)
	}
	w.tree.menus = append(w.tree.menus, m)
	return nil
}

// follow queues the item of a line, once, if it belongs to the mirror.
func (w *walker) follow(f folder, link urlcore.URL) {
	u, ok := link.(urlcore.Gopher)
	root, _ := w.root.(urlcore.Gopher)
	if !ok || !mirrored(u, root) {
		w.tree.foreign = w.tree.foreign || link != nil
		return
	}
	if w.seen[localKey(u)] {
		return
	}
	w.seen[localKey(u)] = true
	to := w.place(u)
	w.tree.local[localKey(u)] = "/" + to
	if u.Type == '1' {
		w.enter(folder{url: u, path: to, depth: f.depth + 1})
		return
	}
	w.add(TreeFile{URL: u, Path: to, Size: -1})
}

// mirrored reports whether u belongs to a mirror of root: a document or menu below it.
func mirrored(u, root urlcore.Gopher) bool {
	switch protocols.KindOf(u) {
	case protocols.Search, protocols.Phonebook, protocols.Session, protocols.Other:
		return false
	}
	plain := !u.HasSearch || u.Search == "" && u.Plus == "+" // which asks for the exact octets
	return u.HostPort == root.HostPort && u.Secure == root.Secure && plain &&
		!strings.HasPrefix(u.Selector, "URL:") && below(root, u)
}

// localKey identifies an item of the mirrored server. Documents with the same selector
// are the same, whatever their types.
func localKey(u urlcore.Gopher) string {
	if u.Type == '1' {
		return "1" + selectorPath(u)
	}
	return "0" + u.Selector
}

// elsewhere makes links to u lead to its server, because it was not saved.
func (t *Tree) elsewhere(u urlcore.URL) {
	if g, ok := u.(urlcore.Gopher); ok {
		delete(t.local, localKey(g))
	}
}

// place returns the path of an item, made of its selector, so that a server of the mirror
// has the same selectors.
func (w *walker) place(u urlcore.Gopher) string {
	root, _ := w.root.(urlcore.Gopher)
	rest := strings.Trim(strings.TrimPrefix(selectorPath(u), selectorPath(root)), "/")
	parts := strings.Split(rest, "/")
	dir := ""
	// In selectors of gophernicus these have a meaning.
	plain := strings.NewReplacer("#", "_", "%", "_", "?", "_")
	for _, part := range parts[:len(parts)-1] {
		dir = w.names.dir(dir, plain.Replace(part))
	}
	last := plain.Replace(parts[len(parts)-1])
	if u.Type == '1' {
		return w.names.dir(dir, last)
	}
	return w.names.in(dir, last)
}

// dir returns the directory with a name in dir, the same one for the same name.
func (n names) dir(dir, name string) string {
	key := dir + "/" + name
	if path, ok := n.dirs[key]; ok {
		return path
	}
	path := n.in(dir, name)
	n.dirs[key] = path
	n.reserveMenu(path)
	return path
}

// reserveMenu reserves the names of the menu of a directory.
func (n names) reserveMenu(dir string) {
	path := fold(n.system, join(dir, gophermap))
	n.used[path], n.used[path+partSuffix] = true, true
}

// write returns the menu as a gophermap, with the paths in local for items of the mirror
// of root.
func (m *menu) write(root urlcore.URL, local map[string]string) []byte {
	own, _ := root.(urlcore.Gopher)
	var b bytes.Buffer
	for _, l := range m.lines {
		text := strings.Map(func(r rune) rune {
			if r == '\t' || r == '\r' || r == '\n' {
				return ' '
			}
			return r
		}, l.text)
		u, isGopher := l.link.(urlcore.Gopher)
		to := local[localKey(u)]
		switch {
		case isGopher && mirrored(u, own) && to != "":
			fmt.Fprintf(&b, "%c%s\t%s\n", u.Type, text, to)
		case l.link == nil:
			fmt.Fprintf(&b, "i%s\t\t\t\n", text)
		default:
			typ, selector, host, port := urlcore.GopherItem(urlcore.Redact(l.link))
			fmt.Fprintf(&b, "%c%s\t%s", typ, text, selector)
			if host != "" {
				fmt.Fprintf(&b, "\t%s\t%d", host, port)
			}
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// selectorPath returns the path in a selector, without leading and trailing slashes.
// The selectors of UMN gopherd begin with the item type ("0/text/a"), with "m" (a mail
// folder), or with a range of octets (a message in a folder, "R0-93-/mail"). A range
// becomes the last element of the path ("mail/0-93").
func selectorPath(u urlcore.Gopher) string {
	s, octets := cutRange(u.Selector)
	if len(s) > 1 && s[1] == '/' && (s[0] == u.Type || s[0] == 'm' || octets != "") {
		s = s[1:]
	}
	return strings.Trim(strings.Trim(s, "/")+"/"+octets, "/")
}

// cutRange removes the prefix "R0-93-" and returns its range, "0-93".
func cutRange(selector string) (rest, octets string) {
	from, rest, ok := strings.Cut(strings.TrimPrefix(selector, "R"), "-")
	to, rest, ok2 := strings.Cut(rest, "-")
	if !ok || !ok2 || selector[0] != 'R' || from == "" || to == "" || strings.Trim(from+to, "0123456789") != "" {
		return selector, ""
	}
	return rest, from + "-" + to
}

// below reports whether an item is below the menu that is mirrored.
func below(root, u urlcore.Gopher) bool {
	r, s := selectorPath(root), selectorPath(u)
	return r == "" || s == r || strings.HasPrefix(s, r+"/")
}
