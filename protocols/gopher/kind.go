package gopher

import (
	"bufio"
	"bytes"
	"cmp"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// isSession reports whether g is a terminal session, which does not use Gopher.
func isSession(g urlcore.Gopher) bool { return g.Type == '8' || g.Type == 'T' }

// isMenu reports whether the answer to a request for g is a menu. For a redundant server (type "+")
// it checks the first octets.
func isMenu(g urlcore.Gopher, r *bufio.Reader) bool {
	if g.HasPlus && g.Plus != "+" {
		view, _, _ := strings.Cut(g.Plus, " ")
		return strings.HasPrefix(view, "+") && isMenuView(view[1:])
	}
	switch g.Type {
	case '1', '3', '7', 'i':
		return true
	case '+':
		return beginsMenu(r)
	}
	return false
}

// isPlainMenu reports whether the server sent a menu without Gopher+ when the attributes of a menu
// were requested.
func (a *answer) isPlainMenu(g urlcore.Gopher) bool {
	return g.HasPlus && strings.HasPrefix(g.Plus, "$") && !a.hasHeader && beginsMenu(a.Reader)
}

// beginsMenu reports whether the first line has the fields of an item. It waits for the end of the
// line, up to the size of the buffer.
func beginsMenu(r *bufio.Reader) bool {
	for n := 1; ; n = r.Buffered() + 1 {
		_, err := r.Peek(n)
		b, _ := r.Peek(r.Buffered())
		if line, _, whole := bytes.Cut(b, []byte("\n")); whole || err != nil {
			return bytes.Count(line, []byte("\t")) >= 3
		}
	}
}

// isText reports whether the item is sent as a text of RFC 1436. Like the original server, isText
// counts BinHex, uuencoded files, hypertext, mail and calendars as texts.
func isText(g urlcore.Gopher) bool {
	return strings.IndexByte("046chM", g.Type) >= 0 && (!g.HasPlus || g.Plus == "+" || strings.HasPrefix(g.Plus, "+text/"))
}

// looksLikeText reports whether an answer that begins with b is a text and not a menu.
func looksLikeText(b []byte) bool {
	if len(b) == 0 || b[0] == 'i' || b[0] == '3' || b[0] == '.' {
		return false
	}
	return bytes.IndexByte(b, '\n') >= 0 && bytes.IndexByte(b, '\t') < 0
}

// mediaOf returns the media type of an item that is not a menu. It uses the requested view, the
// item type and the suffix of the selector.
func mediaOf(g urlcore.Gopher) string {
	if g.HasPlus && len(g.Plus) > 1 && g.Plus[0] == '+' {
		view, _, _ := strings.Cut(g.Plus[1:], " ")
		return strings.ToLower(view)
	}
	if g.HasPlus && g.Plus != "+" {
		return "text/plain"
	}
	bySuffix, _ := protocols.BySuffix(g.Selector)
	if g.Type == '0' && (!strings.HasPrefix(bySuffix, "text/") || bySuffix == "text/html") {
		return "text/plain"
	}
	return cmp.Or(fixedMedia[g.Type], bySuffix, otherMedia[g.Type])
}

// The media types of item types. fixedMedia applies to all names, and otherMedia only to names
// without a known suffix.
var (
	fixedMedia = map[byte]string{
		'4': "application/mac-binhex40", 'c': "text/calendar", 'g': "image/gif", 'h': "text/html", 'H': "text/html",
		'p': "image/png", 'P': "application/pdf", 'r': "application/rtf",
	}
	otherMedia = map[byte]string{
		'5': "application/octet-stream", '6': "text/x-uuencode", '9': "application/octet-stream", 'M': "multipart/mixed",
		'x': "application/xml", 'X': "application/xml",
	}
)

// newSessionPage returns a page with the URL of a terminal session as a link. It sends nothing.
func newSessionPage(g urlcore.Gopher) (*protocols.Resource, error) {
	port := cmp.Or(g.Port, 70)
	link, err := urlcore.NewGopherItem(g.Type, g.Selector, g.Host, port)
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: "open a terminal session", Err: err}
	}
	return protocols.NewPage(
		protocols.Head{URL: g, Title: titleOf(g), Layout: protocols.LayoutMenu},
		protocols.Line{Kind: protocols.Info, Text: "This Gopher item is a terminal session:"},
		protocols.Line{Kind: protocols.Session, Text: link.String(), Link: link},
	), nil
}
