package download

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	cut   bool // its end was not received
}

// menuLine is a line of a menu: a link, or a text.
type menuLine struct {
	text   string
	link   urlcore.URL
	failed bool // the text is an error of the server, of type 3
}

// The memory that a line takes beside its text and two copies of its URL, and an item beside its
// key and its path, in octets.
const (
	lineOctets = 256
	itemOctets = 400
)

// errFull is the reason to leave out the menus that are read after the mirror has reached a limit.
var errFull = protocols.NewError(protocols.TooBig, "save the menu", "the mirror has as many items as it can have")

// menu reads a menu of the mirrored server. Items outside the mirror stay links. If the menu exceeds
// a limit, menu returns an error; if it does so only with the items before it, the mirror is full.
func (w *walker) menu(ctx context.Context, f folder, head protocols.Head, page *nav.Lines) error {
	if text, refused := refusal(page); refused {
		return &protocols.Error{Reason: protocols.NotThere, Op: "open " + f.url.String(), Text: text}
	}
	m := &menu{path: f.path, lines: make([]menuLine, 0, page.Len()), cut: head.Ended != nil && !head.Ended()}
	w.tree.dots = w.tree.dots || head.Ended != nil && head.Ended()
	if f.depth > 0 && m.cut && page.Len() == 0 && (w.tree.dots || w.earlierMenu(f.path)) {
		w.leave(f.url, f.path, protocols.NewError(protocols.Broken, "read the menu", "the server closed the connection without an answer"))
		return nil
	}
	octets, fresh := 0, make(map[string]bool)
	for i := range page.Len() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		line := page.At(i)
		m.lines = append(m.lines, menuLine{line.Text, line.Link, line.Kind == protocols.Failure})
		octets += len(line.Text) + lineOctets
		if line.Link != nil {
			octets += 2 * len(line.Link.String())
		}
		if u, ok := w.belongs(line.Link); ok {
			if key := localKey(u); !w.items[key] && !fresh[key] {
				fresh[key] = true
				octets += itemOctets + len(key) + len(f.path) + min(len(line.Text), maxItemName)
			}
		}
	}
	switch {
	case len(fresh) > w.max, octets > maxMenuOctets:
		return protocols.NewError(protocols.TooBig, "save the menu", fmt.Sprintf("it has more than %d items, or titles and URLs of more than %d octets", w.max, maxMenuOctets))
	case len(w.items)+len(fresh) > w.max+1, w.kept+octets > maxMenuOctets: // the root is one of the items
		w.full = true
		return errFull
	}
	w.kept += octets
	w.tree.menus = append(w.tree.menus, m)
	for _, line := range m.lines {
		w.follow(f, line)
	}
	return nil
}

// earlierMenu reports whether an earlier mirror has a menu of a directory that is not empty.
func (w *walker) earlierMenu(path string) bool {
	info, err := os.Lstat(filepath.Join(w.dir, filepath.FromSlash(path), gophermap))
	return w.dir != "" && err == nil && info.Size() > 0
}

// refusal returns the words of a server that sends an error in place of a menu, perhaps with a
// footer.
func refusal(page *nav.Lines) (text string, refused bool) {
	for i := range page.Len() {
		line := page.WithoutLink(i)
		if page.Linked(i) || i == 0 && line.Kind != protocols.Failure {
			return "", false
		}
		text = cmp.Or(text, line.Text)
	}
	return text, page.Len() > 0
}

// belongs reports whether link is an item of the mirror.
func (w *walker) belongs(link urlcore.URL) (urlcore.Gopher, bool) {
	u, ok := mirrored(link, w.root)
	return u, ok && (!w.noParent || below(w.root, u))
}

// follow queues the item of a line, once, if it belongs to the mirror.
func (w *walker) follow(f folder, line menuLine) {
	u, ok := w.belongs(line.link)
	if !ok {
		w.outside(line.link)
		return
	}
	key := localKey(u)
	if w.items[key] {
		return
	}
	w.items[key] = true
	to := w.tree.index.Items[key]
	if to == "" {
		to = w.names.in(f.path, served(shorten(itemName(u, line.text), longestName(f.path))))
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
	key := link.String()
	if w.links[key] {
		return
	}
	w.links[key] = true
	_, ok := mirrored(link, w.root)
	switch addr := server(link); {
	case addr != server(w.root):
		w.elsewhere++
		w.servers[addr] = true
	case ok:
		w.above++
	case protocols.KindOf(link) == protocols.Search, protocols.KindOf(link) == protocols.FormItem:
		w.forms++
	}
}

// noteOutside reports the items that are not saved because they do not belong to the mirror.
func (w *walker) noteOutside() {
	var what []string
	if servers := slices.Sorted(maps.Keys(w.servers)); len(servers) > 0 {
		if n := len(servers); n > 3 {
			servers = append(servers[:3], fmt.Sprint(n-3, " more"))
		}
		what = append(what, english.Plural(w.elsewhere, "item", "")+" on other servers ("+english.WordSeries(servers, "and")+")")
	}
	if w.above > 0 {
		what = append(what, english.Plural(w.above, "item", "")+" outside this menu")
	}
	if w.deeper > 0 {
		what = append(what, english.Plural(w.deeper, "menu", "")+" more than "+english.Plural(w.depth, "level", "")+" down")
	}
	if w.forms > 0 {
		what = append(what, english.Plural(w.forms, "search or form", "searches and forms"))
	}
	if len(what) > 0 {
		w.note("not saved, only linked: " + strings.Join(what, ", "))
	}
}

// mirrored returns link as a Gopher URL. It returns false unless link can belong to a mirror of root:
// a document or menu of the same server.
func mirrored(link, root urlcore.URL) (urlcore.Gopher, bool) {
	u, ok := link.(urlcore.Gopher)
	own, _ := root.(urlcore.Gopher)
	switch protocols.KindOf(link) {
	case protocols.Search, protocols.FormItem, protocols.Phonebook, protocols.Session, protocols.Other:
		return u, false
	}
	plain := !u.HasSearch || u.Search == "" && u.Plus == "+" // which asks for the exact octets
	return u, ok && u.HostPort == own.HostPort && u.Secure == own.Secure && plain && !strings.HasPrefix(u.Selector, "URL:")
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
	var b bytes.Buffer
	for _, l := range m.lines {
		to := ""
		u, ok := mirrored(l.link, root)
		if ok {
			to = local(u)
		}
		switch {
		case l.failed:
			writeLine(&b, '3', l.text, noFields)
		case l.link == nil:
			writeLine(&b, 'i', l.text, noFields)
		case to != "" && isPlainType(u.Type):
			writeLine(&b, u.Type, l.text, "\t"+to)
		case to != "":
			writeLine(&b, '9', l.text, "\t"+to)
		default:
			typ, selector, host, port := urlcore.GopherItem(urlcore.Redact(l.link))
			if host != "" {
				host = fmt.Sprintf("\t%s\t%d", host, port)
			}
			writeLine(&b, typ, l.text, "\t"+selector+host)
		}
	}
	return b.Bytes()
}

// noFields are the fields of a line without a link, as UMN gopherd writes them. Pygopherd sends
// nothing of a menu that has a line without a text and a selector.
const noFields = "\tfake\t(NULL)\t0"

// maxMapLine is the longest line of a gophermap, in octets. For gophernicus the octets after the
// first 1022 are another line, perhaps a command.
const maxMapLine = 1000

// writeLine writes a line of a gophermap, with fields that begin with a tab. It cuts a long text.
// An item that a server would not read as it is becomes a text.
func writeLine(b *bytes.Buffer, typ byte, text, fields string) {
	if !isPlainType(typ) || len(fields) > maxMapLine-len("0\n") || strings.ContainsAny(fields, "\r\n\x00") {
		typ, fields = 'i', noFields
	}
	text = cut(blanks.Replace(text), maxMapLine-len(fields)-len("0\n"))
	fmt.Fprintf(b, "%c%s%s\n", typ, text, fields)
}

// blanks replaces the characters that separate the fields and lines of a menu, or end them.
var blanks = strings.NewReplacer("\t", " ", "\r", " ", "\n", " ", "\x00", " ")

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
func below(root urlcore.URL, u urlcore.Gopher) bool {
	top, _ := root.(urlcore.Gopher)
	r, s := selectorPath(top), selectorPath(u)
	return r == "" || s == r || strings.HasPrefix(s, r+"/")
}
