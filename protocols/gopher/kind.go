package gopher

import (
	"bufio"
	"bytes"
	"cmp"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// isSession reports whether g is a terminal session, which is never asked for
// by Gopher.
func isSession(g urlcore.Gopher) bool { return g.Type == '8' || g.Type == 'T' }

// isMenu reports whether the answer is to be read as a menu. A redundant
// server ("+") may offer anything, so there its first octets decide.
func isMenu(g urlcore.Gopher, r *bufio.Reader) bool {
	if g.HasPlus && g.Plus != "+" {
		view, _, _ := strings.Cut(strings.TrimPrefix(g.Plus, "+"), " ")
		return g.Plus[:min(1, len(g.Plus))] == "+" &&
			(view == "application/gopher-menu" || view == "application/gopher+-menu")
	}
	switch g.Type {
	case '1', '3', '7', 'i':
		return true
	case '+':
		b, _ := r.Peek(r.Buffered())
		line, _, _ := bytes.Cut(b, []byte("\n"))
		return bytes.Count(line, []byte("\t")) >= 3
	}
	return false
}

// isText reports whether the item is sent as a text in the sense of RFC 1436, as
// the original server does with BinHex and hypertext too.
func isText(g urlcore.Gopher) bool {
	return strings.IndexByte("04h", g.Type) >= 0 && (!g.HasPlus || g.Plus == "+" || strings.HasPrefix(g.Plus, "+text/"))
}

// looksLikeText reports whether the beginning of an answer is not a menu's.
func looksLikeText(b []byte) bool {
	if len(b) == 0 || b[0] == 'i' || b[0] == '3' || b[0] == '.' {
		return false
	}
	return bytes.IndexByte(b, '\n') >= 0 && bytes.IndexByte(b, '\t') < 0
}

// media returns the media type of an item that is not a menu: the view that
// was asked for, or else by the item type, or else by the end of the selector.
func media(g urlcore.Gopher) string {
	if g.HasPlus && len(g.Plus) > 1 && g.Plus[0] == '+' {
		view, _, _ := strings.Cut(g.Plus[1:], " ")
		return strings.ToLower(view)
	}
	if g.HasPlus && g.Plus != "+" {
		return "text/plain"
	}
	switch g.Type {
	case '0':
		if m := mediaByName(g.Selector); strings.HasPrefix(m, "text/") && m != "text/html" {
			return m
		}
		return "text/plain"
	case '4':
		return "application/mac-binhex40"
	case 'g':
		return "image/gif"
	case 'p':
		return "image/png"
	case 'h', 'H':
		return "text/html"
	case 'P':
		return "application/pdf"
	case 'r':
		return "application/rtf"
	case 'c':
		return "text/calendar"
	}
	if m := mediaByName(g.Selector); m != "" {
		return m
	}
	switch g.Type {
	case '5', '9':
		return "application/octet-stream"
	case '6':
		return "text/x-uuencode"
	case 'M':
		return "multipart/mixed"
	case 'X', 'x':
		return "application/xml"
	}
	return ""
}

// mediaByName returns the media type that the suffix of a name stands for, or
// "".
func mediaByName(name string) string {
	m, _ := protocols.BySuffix(name)
	return m
}

// sessionPage is what a gopher: URL of a terminal session leads to: its
// link, under its own scheme. Nothing is sent.
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
