package download

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/dustin/go-humanize/english"

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
	if text, refused := refusal(page); refused {
		return &protocols.Error{Reason: protocols.NotThere, Op: "open " + f.url.String(), Text: text}
	}
	m := &menu{path: f.path}
	for i := range page.Len() {
		line := page.At(i)
		m.lines = append(m.lines, menuLine{line.Text, line.Link})
		if w.kept += len(line.Text) + 64; w.kept > maxMenuOctets {
			return protocols.NewError(protocols.TooBig, "keep the menus", "they are too large: save a part of it")
		}
		w.follow(f, line)
	}
	w.tree.menus = append(w.tree.menus, m)
	return nil
}

// refusal returns the words of a server that sends an error in place of a menu, perhaps with a
// footer.
func refusal(page *nav.Lines) (text string, refused bool) {
	for i := range page.Len() {
		line := page.At(i)
		if line.Link != nil || i == 0 && line.Kind != protocols.Failure {
			return "", false
		}
	}
	if page.Len() == 0 {
		return "", false
	}
	return page.At(0).Text, true
}

// follow queues the item of a line, once, if it belongs to the mirror.
func (w *walker) follow(f folder, line protocols.Line) {
	u, ok := line.Link.(urlcore.Gopher)
	root, _ := w.root.(urlcore.Gopher)
	if !ok || !mirrored(u, root) || w.noParent && !below(root, u) {
		w.outside(line.Link)
		return
	}
	key := localKey(u)
	if w.seen[key] {
		return
	}
	w.seen[key] = true
	to := w.tree.index.Items[key]
	if to == "" {
		to = w.names.in(f.path, itemName(u, line.Text))
		w.tree.index.Items[key] = to
	}
	if u.Type == '1' {
		w.enter(folder{url: u, path: to, depth: f.depth + 1})
		return
	}
	w.add(TreeFile{URL: u, Path: to, Size: -1})
}

// outside counts a link that does not belong to the mirror, once.
func (w *walker) outside(link urlcore.URL) {
	if link == nil {
		return
	}
	w.tree.foreign = true
	if key := link.String(); !w.seen[key] {
		w.seen[key] = true
		switch {
		case server(link) != server(w.root):
			w.elsewhere++
			if addr := server(link); !w.seen[addr] {
				w.seen[addr] = true
				w.servers = append(w.servers, addr)
			}
		case protocols.KindOf(link) == protocols.Search, isForm(link):
			w.forms++
		}
	}
}

func isForm(link urlcore.URL) bool {
	u, ok := link.(urlcore.Gopher)
	return ok && u.HasPlus && u.Plus == "?"
}

// noteOutside reports the items on other servers, the searches and the forms.
func (w *walker) noteOutside() {
	var what []string
	if n := len(w.servers); n > 0 {
		if n > 3 {
			w.servers = append(w.servers[:3], fmt.Sprint(n-3, " more"))
		}
		what = append(what, english.Plural(w.elsewhere, "item", "")+" on other servers ("+english.WordSeries(w.servers, "and")+")")
	}
	if w.forms > 0 {
		what = append(what, english.Plural(w.forms, "search or form", "searches and forms"))
	}
	if len(what) > 0 {
		w.note("not saved, only linked: " + strings.Join(what, ", "))
	}
}

// mirrored reports whether u can belong to a mirror of root: a document or menu of the
// same server.
func mirrored(u, root urlcore.Gopher) bool {
	switch protocols.KindOf(u) {
	case protocols.Search, protocols.Phonebook, protocols.Session, protocols.Other:
		return false
	}
	plain := !u.HasSearch || u.Search == "" && u.Plus == "+" // which asks for the exact octets
	return u.HostPort == root.HostPort && u.Secure == root.Secure && plain && !strings.HasPrefix(u.Selector, "URL:")
}

// localKey identifies an item of the mirrored server by a URL. Documents with the same
// selector are the same, whatever their types.
func localKey(u urlcore.Gopher) string {
	key := urlcore.Gopher{HostPort: u.HostPort, Secure: u.Secure, Type: '0', Selector: u.Selector}
	if u.Type == '1' {
		key.Type, key.Selector = '1', selectorPath(u)
	}
	return key.String()
}

// write returns the menu as a gophermap. local returns the path of an item of the mirror
// of root, or "" if it is not saved.
func (m *menu) write(root urlcore.URL, local func(urlcore.Gopher) string) []byte {
	own, _ := root.(urlcore.Gopher)
	var b bytes.Buffer
	for _, l := range m.lines {
		text := blanks.Replace(l.text)
		to := ""
		u, ok := l.link.(urlcore.Gopher)
		if ok && mirrored(u, own) {
			to = local(u)
		}
		switch {
		case to != "":
			typ := u.Type
			if !isPlainType(typ) {
				typ = '9'
			}
			fmt.Fprintf(&b, "%c%s\t%s\n", typ, text, to)
		case l.link == nil:
			fmt.Fprintf(&b, "i%s\t\t\t\n", text)
		default:
			typ, selector, host, port := urlcore.GopherItem(urlcore.Redact(l.link))
			if !isPlainType(typ) {
				fmt.Fprintf(&b, "i%s\t\t\t\n", text)
				continue
			}
			fmt.Fprintf(&b, "%c%s\t%s", typ, text, selector)
			if host != "" {
				fmt.Fprintf(&b, "\t%s\t%d", host, port)
			}
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// blanks replaces the characters that separate the fields and lines of a menu.
var blanks = strings.NewReplacer("\t", " ", "\r", " ", "\n", " ")

// isPlainType reports whether c can be the item type of a line in a gophermap. Other characters
// at the beginning of a line are commands of servers: gophernicus runs the program after "=".
func isPlainType(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '+' || c == ';' || c == '<'
}

// messageRange begins the selector of a message in a mail folder of UMN gopherd.
var messageRange = regexp.MustCompile(`^R[0-9]+-[0-9]+-`)

// selectorPath returns the path in a selector, without leading and trailing slashes.
// The selectors of UMN gopherd begin with the item type ("0/text/a"), with "m" (a mail
// folder), or with a range of octets ("R0-93-/mail"): the message has the path of its folder.
func selectorPath(u urlcore.Gopher) string {
	s := messageRange.ReplaceAllString(u.Selector, "")
	if len(s) > 1 && s[1] == '/' && (s[0] == u.Type || s[0] == 'm' || s != u.Selector) {
		s = s[1:]
	}
	return strings.Trim(s, "/")
}

// below reports whether u has the path of root, or one below it.
func below(root, u urlcore.Gopher) bool {
	r, s := selectorPath(root), selectorPath(u)
	return r == "" || s == r || strings.HasPrefix(s, r+"/")
}
