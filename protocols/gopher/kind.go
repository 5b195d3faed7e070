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

// isMenu reports whether the answer is a menu. For a redundant server ("+") it checks the
// first octets.
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

// isPlainMenu reports whether the answer to a request for the attributes of a menu is a menu without
// Gopher+.
func (a *answer) isPlainMenu(g urlcore.Gopher) bool {
	return g.HasPlus && strings.HasPrefix(g.Plus, "$") && !a.hasHeader && beginsMenu(a.Reader)
}

// beginsMenu reports whether the first line has the fields of an item. It waits for the
// line, up to readAhead octets.
func beginsMenu(r *bufio.Reader) bool {
	for n := 1; ; n = r.Buffered() + 1 {
		_, err := r.Peek(n)
		b, _ := r.Peek(r.Buffered())
		if line, _, whole := bytes.Cut(b, []byte("\n")); whole || err != nil {
			return bytes.Count(line, []byte("\t")) >= 3
		}
	}
}

// isText reports whether the item is sent as a text in the sense of RFC 1436. Like the original
// server, it returns true for all but binary items, also for BinHex, uuencoded files, hypertext,
// mail and calendars.
func isText(g urlcore.Gopher) bool {
	return strings.IndexByte("046chM", g.Type) >= 0 && (!g.HasPlus || g.Plus == "+" || strings.HasPrefix(g.Plus, "+text/"))
}

// looksLikeText reports whether b cannot be the beginning of a menu.
func looksLikeText(b []byte) bool {
	if len(b) == 0 || b[0] == 'i' || b[0] == '3' || b[0] == '.' {
		return false
	}
	return bytes.IndexByte(b, '\n') >= 0 && bytes.IndexByte(b, '\t') < 0
}

// media returns the media type of an item that is not a menu: the type of the requested view, of
// the item type, or of the suffix of the selector.
func media(g urlcore.Gopher) string {
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

// The media types of item types: fixed ones, and defaults for names without a known suffix.
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

// sessionPage returns the page of a terminal session: a link under its own scheme. Nothing
// is sent.
func sessionPage(g urlcore.Gopher) (*protocols.Resource, error) {
	port := cmp.Or(g.Port, 70)
	link, err := urlcore.NewGopherItem(g.Type, g.Selector, g.Host, port)
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: "open a terminal session", Err: err}
	}
	return protocols.NewPage(
		protocols.Head{URL: g, Title: title(g), Layout: protocols.LayoutMenu},
		protocols.Line{Kind: protocols.Info, Text: "This Gopher item is a terminal session:"},
		protocols.Line{Kind: protocols.Session, Text: link.String(), Link: link},
	), nil
}
