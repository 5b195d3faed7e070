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
	"sync"

	"github.com/dustin/go-humanize/english"

	"gofer/protocols"
	"gofer/urlcore"
)

// gophermap is the name of the file with the menu of a directory. Gophernicus uses the same name.
const gophermap = protocols.MenuFile

// menu is a menu of the mirrored server.
type menu struct {
	url        urlcore.URL
	path       string // path of its directory in the mirror
	lines      []menuLine
	incomplete bool // the connection ended before the end of the menu
}

// menuLine is a line of a menu: a link or, with a nil link, a text.
type menuLine struct {
	text    string
	link    urlcore.URL
	isError bool // the text is an error message, of type 3
}

// lineOctets is the memory of a line, in octets, without its text and the two copies of its URL. itemOctets is
// the memory of an item without its key and path.
const (
	lineOctets = 256
	itemOctets = 500
)

// errMirrorFull is the reason for leaving out menus after the mirror has reached a limit.
var errMirrorFull = protocols.NewError(protocols.TooBig, "save the menu", "the mirror has reached its limit")

// addMenu adds a menu of the mirrored server and queues its items. Items outside the mirror stay links. It
// returns an error if page is an error message, or if the menu alone exceeds a limit. It returns errMirrorFull if
// the menu makes the whole mirror exceed a limit.
func (w *walker) addMenu(ctx context.Context, f queuedDir, head protocols.Head, page []protocols.Line) error {
	if text, isRefusal := refusalText(page); isRefusal {
		return &protocols.Error{Reason: protocols.NotFound, Op: "open " + f.url.String(), Text: text}
	}
	m := &menu{url: f.url, path: f.path, lines: make([]menuLine, 0, len(page)), incomplete: head.Ended != nil && !head.Ended()}
	w.tree.endsMenus = w.tree.endsMenus || head.Ended != nil && head.Ended()
	if f.depth > 0 && m.incomplete && len(page) == 0 && (w.tree.endsMenus || w.hasEarlierMenu(f.path)) {
		w.leaveOut(f.url, f.path, protocols.NewError(protocols.Broken, "read the menu", "the server closed the connection without an answer"))
		return nil
	}
	octets, newKeys := 0, make(map[string]bool)
	for _, line := range page {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m.lines = append(m.lines, menuLine{line.Text, line.Link, line.Kind == protocols.Failure})
		octets += len(line.Text) + lineOctets
		if line.Link != nil {
			octets += 2 * len(line.Link.String())
		}
		if u, ok := w.inMirror(line.Link); ok {
			if key := itemKey(u); !w.seenItems[key] && !newKeys[key] {
				newKeys[key] = true
				octets += itemOctets + len(key) + 2*(len(f.path)+min(len(line.Text), maxItemName))
			}
		}
	}
	switch {
	case len(newKeys) > w.maxFiles, octets > maxMenuOctets:
		return protocols.NewError(protocols.TooBig, "save the menu", fmt.Sprintf("it has more than %d items, or titles and URLs of more than %d octets", w.maxFiles, maxMenuOctets))
	case len(w.seenItems)+len(newKeys) > w.maxFiles+1, w.memory+octets > maxMenuOctets: // seenItems contains the root too
		w.full = true
		return errMirrorFull
	}
	w.memory += octets
	w.tree.menus = append(w.tree.menus, m)
	for _, line := range m.lines {
		w.queueLine(f, line)
	}
	return w.learnAttributes(ctx, f, page)
}

// hasEarlierMenu reports whether an earlier mirror has a gophermap with content in the directory at path.
func (w *walker) hasEarlierMenu(path string) bool {
	info, err := os.Lstat(filepath.Join(w.earlierDir, filepath.FromSlash(path), gophermap))
	return w.earlierDir != "" && err == nil && info.Size() > 0
}

// refusalText reports whether a page is an error message in place of a menu, perhaps with a footer, and
// returns the message.
func refusalText(page []protocols.Line) (text string, isRefusal bool) {
	for i, line := range page {
		if line.Link != nil || i == 0 && line.Kind != protocols.Failure {
			return "", false
		}
		text = cmp.Or(text, line.Text)
	}
	return text, len(page) > 0
}

// inMirror reports whether link belongs to the mirror, and returns it as a Gopher URL.
func (w *walker) inMirror(link urlcore.URL) (urlcore.Gopher, bool) {
	u, ok := mirrorURL(link, w.root)
	return u, ok && !w.isOtherGateway(u) && (!w.noParent || isBelow(w.root, u))
}

// isOtherGateway reports whether u is at a gateway of the server to another host, unless the mirror begins at this
// gateway. UMN gopherd has gateways with selectors such as "ftp:host@/path/".
func (w *walker) isOtherGateway(u urlcore.Gopher) bool {
	root, _ := w.root.(urlcore.Gopher)
	gateway := gatewayOf(u.Selector)
	return gateway != "" && gateway != gatewayOf(root.Selector)
}

// gatewayOf returns the beginning of a selector of a gateway, up to the host, or "" for any other selector.
func gatewayOf(selector string) string {
	gateway, _, ok := strings.Cut(gatewayPrefix().FindString(selector), "@")
	if !ok {
		gateway = strings.TrimRight(gateway, "/")
	}
	return strings.ToLower(gateway)
}

// gatewayPrefix matches the beginning of the selector of a gateway: a scheme and a host, which ends in "@" or "/".
var gatewayPrefix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:.?/)?(?:ftp:[^@/]+@?|(?:ftp|gopher|http|https|nntp|news|wais)://[^/]+)`)
})

// queueLine queues the menu, or adds the document, that a line links to. An item that does not belong to the mirror
// is only counted, and an item of an earlier line is ignored.
func (w *walker) queueLine(f queuedDir, line menuLine) {
	u, ok := w.inMirror(line.link)
	if !ok {
		w.countOutside(line.link)
		return
	}
	key := itemKey(u)
	if w.seenItems[key] {
		return
	}
	w.seenItems[key] = true
	path := w.tree.index.Items[key]
	if path == "" {
		path = w.names.uniquePath(f.path, servableName(shortenName(itemName(u, line.text), maxNameIn(f.path))))
		w.tree.index.Items[key] = path
	}
	if u.Type == '1' {
		w.queueDir(queuedDir{url: u, path: path, depth: f.depth + 1})
		return
	}
	w.tree.addFile(TreeFile{URL: u, Path: path, Size: -1})
}

// countOutside counts a link that does not belong to the mirror. It counts each link only once.
func (w *walker) countOutside(link urlcore.URL) {
	if link == nil {
		return
	}
	w.tree.hasOutsideItems = true
	key := link.String()
	if w.outsideLinks[key] {
		return
	}
	w.outsideLinks[key] = true
	own, ok := mirrorURL(link, w.root)
	switch addr, _ := urlcore.Addr(link); {
	case addr == "":
		w.withoutServer++
		w.otherSchemes[link.Scheme()+":"] = true
	case addr != serverKey(w.root):
		w.onOtherServers++
		w.otherServers[addr] = true
	case ok && w.isOtherGateway(own):
		w.atGateways++
	case ok:
		w.outsideMenu++
	case protocols.KindOf(link) == protocols.Search, protocols.KindOf(link) == protocols.FormItem:
		w.forms++
	}
}

// noteOutside adds a note about the items that are not saved because they do not belong to the mirror.
func (w *walker) noteOutside() {
	var counts []string
	if w.onOtherServers > 0 {
		counts = append(counts, english.Plural(w.onOtherServers, "item", "")+" on other servers ("+firstNames(w.otherServers)+")")
	}
	if w.withoutServer > 0 {
		counts = append(counts, english.Plural(w.withoutServer, "item that names", "items that name")+" no server ("+firstNames(w.otherSchemes)+")")
	}
	if w.atGateways > 0 {
		counts = append(counts, english.Plural(w.atGateways, "item", "")+" of other hosts, through a gateway of this server")
	}
	if w.outsideMenu > 0 {
		counts = append(counts, english.Plural(w.outsideMenu, "item", "")+" outside this menu")
	}
	if w.belowDepth > 0 {
		counts = append(counts, english.Plural(w.belowDepth, "menu", "")+" below level "+fmt.Sprint(w.depth))
	}
	if w.forms > 0 {
		counts = append(counts, english.Plural(w.forms, "search or form", "searches and forms"))
	}
	if len(counts) > 0 {
		w.addNote("only linked: " + strings.Join(counts, ", "))
	}
}

// firstNames returns the first names and the number of the others.
func firstNames(all map[string]bool) string {
	names := slices.Sorted(maps.Keys(all))
	if n := len(names); n > 3 {
		names = append(names[:3], fmt.Sprint(n-3, " more"))
	}
	return english.WordSeries(names, "and")
}

// mirrorURL returns link as a Gopher URL. It returns false unless link is a document or menu of the server
// of root.
func mirrorURL(link, root urlcore.URL) (urlcore.Gopher, bool) {
	u, ok := link.(urlcore.Gopher)
	own, _ := root.(urlcore.Gopher)
	if k := protocols.KindOf(link); k.NeedsAnswers() || k.Opening() == protocols.OpensProgram {
		return u, false
	}
	plain := !u.HasSearch || u.Search == "" && u.Plus == "+" // "+" requests the exact octets by Gopher+
	return u, ok && u.HostPort == own.HostPort && u.Secure == own.Secure && plain && !strings.HasPrefix(u.Selector, "URL:")
}

// itemKey returns a URL that identifies an item of the mirrored server. Documents with the same selector
// are the same item, even if their types differ.
func itemKey(u urlcore.Gopher) string {
	key := urlcore.Gopher{HostPort: u.HostPort, Secure: u.Secure, Type: '0', Selector: u.Selector}
	if u.Type == '1' {
		key.Type, key.Selector = '1', selectorPath(u)
	}
	return key.String()
}

// encode returns the menu as a gophermap. The function pathOf returns the path of an item in the mirror of root,
// or "" if the item is not saved.
func (m *menu) encode(root urlcore.URL, pathOf func(urlcore.Gopher) string) []byte {
	var b bytes.Buffer
	for _, l := range m.lines {
		path := ""
		u, ok := mirrorURL(l.link, root)
		if ok {
			path = pathOf(u)
		}
		switch {
		case l.isError:
			writeLine(&b, '3', l.text, noFields)
		case l.link == nil:
			writeLine(&b, 'i', l.text, noFields)
		case path != "" && isPlainType(u.Type):
			writeLine(&b, u.Type, l.text, "\t"+path)
		case path != "":
			writeLine(&b, '9', l.text, "\t"+path)
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

// noFields are the fields of a line without a link, as UMN gopherd writes them. The selector is not empty, because
// pygopherd does not send a line that has neither a text nor a selector.
const noFields = "\tfake\t(NULL)\t0"

// maxMapLine limits the lines of a gophermap, in octets. Gophernicus reads the octets after the first 1022
// as another line, perhaps a command.
const maxMapLine = 1000

// writeLine writes a line of a gophermap. The parameter fields begins with a tab. A long text is cut. If servers
// would misread the type or the fields of an item, the item becomes a line of text.
func writeLine(b *bytes.Buffer, typ byte, text, fields string) {
	if !isPlainType(typ) || len(fields) > maxMapLine-len("0\n") || strings.ContainsAny(fields, "\r\n\x00") {
		typ, fields = 'i', noFields
	}
	text = cutOctets(separators.Replace(text), maxMapLine-len(fields)-len("0\n"))
	fmt.Fprintf(b, "%c%s%s\n", typ, text, fields)
}

// separators replaces with blanks the characters that separate the fields and lines of a menu.
var separators = strings.NewReplacer("\t", " ", "\r", " ", "\n", " ", "\x00", " ")

// isPlainType reports whether c can be the item type of a line in a gophermap. Other characters
// at the beginning of a line are commands of servers: gophernicus runs the program after "=".
func isPlainType(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '+' || c == ';' || c == '<'
}

// messageRange matches the beginning of the selectors that UMN gopherd has for the messages in a mail folder.
var messageRange = regexp.MustCompile(`^R[0-9]+-[0-9]+-`)

// selectorPath returns the path in a selector, without leading and trailing slashes. The selectors of UMN
// gopherd begin with the item type ("0/text/a"), with "m" for a mail folder, or with the range of octets of a
// message in a mail folder ("R0-93-/mail").
func selectorPath(u urlcore.Gopher) string {
	s := messageRange.ReplaceAllString(u.Selector, "")
	if len(s) > 1 && s[1] == '/' && (s[0] == u.Type || s[0] == 'm' || s != u.Selector) {
		s = s[1:]
	}
	return strings.Trim(s, "/")
}

// isBelow reports whether the selector of u has the path of root, or a path below it. It compares the selectors as
// they are, and without the letters of item types. UMN gopherd sends the letter of the file, which may not be the
// type of the item: a picture of type I has the selector "9/pics/a.gif". The letter of a menu is its type.
func isBelow(root urlcore.URL, u urlcore.Gopher) bool {
	top, _ := root.(urlcore.Gopher)
	below := func(r, s string) bool { return r == "" || s == r || strings.HasPrefix(s, r+"/") }
	return below(strings.Trim(top.Selector, "/"), strings.Trim(u.Selector, "/")) || below(selectorPath(top), untypedPath(u.Selector))
}

// untypedPath returns the path in a selector, without leading and trailing slashes and without the letter of any
// item type.
func untypedPath(selector string) string {
	s := messageRange.ReplaceAllString(selector, "")
	if letter, path, ok := strings.Cut(s, "/"); ok && isTypePrefix(letter) {
		s = path
	}
	return strings.Trim(s, "/")
}

// isTypePrefix reports whether s is what UMN gopherd has before the path of a selector: the letter of an item type,
// "m" for a mail folder, or two letters, such as "I9".
func isTypePrefix(s string) bool {
	letter, digit := strings.CutSuffix(s, "9")
	if !digit || letter == "" {
		letter = s
	}
	return letter == "m" || len(letter) == 1 && urlcore.Gopher{Type: letter[0]}.Kind() != ""
}
