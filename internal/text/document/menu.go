package document

import (
	"cmp"
	"iter"
	neturl "net/url"
	"strconv"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// menuLines returns the lines of a document that is a Gopher menu (RFC 1436, section 2) or a gophermap, the file from
// which the servers Bucktooth and Gophernicus make a menu. A line without a tab is text. An item may leave out its
// server, and then its selector names a file beside the document, or its selector too, which is then its title.
func menuLines(d *Document) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		for l, err := range textLines(d) {
			if err == nil {
				if l.Text == "." {
					return
				}
				l = d.parseMenuLine(l.Text)
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

func (d *Document) parseMenuLine(s string) protocols.Line {
	item, rest, isItem := strings.Cut(s, "\t")
	if !isItem {
		return protocols.Line{Kind: protocols.Info, Text: s}
	}
	if item == "" {
		return protocols.Line{Kind: protocols.Problem, Text: s}
	}
	typ, text := item[0], item[1:]
	switch typ {
	case 'i':
		return protocols.Line{Kind: protocols.Info, Text: text}
	case '3':
		return protocols.Line{Kind: protocols.Failure, Text: text}
	}
	selector, rest, _ := strings.Cut(rest, "\t")
	host, rest, _ := strings.Cut(rest, "\t")
	port, _, _ := strings.Cut(rest, "\t")
	u := d.itemURL(typ, cmp.Or(selector, text), selector, strings.Trim(host, " "), strings.Trim(port, " "))
	if u != nil && !protocols.MayLead(d.URL, u) {
		return protocols.Line{Kind: protocols.Problem, Text: text, Link: protocols.UnopenedLink(urlcore.Reference(u, ""))}
	}
	if u == nil {
		return protocols.Line{Kind: protocols.Problem, Text: text, Link: protocols.UnopenedLink(strings.TrimRight(cmp.Or(selector, text)+" "+host, " "))}
	}
	kind := protocols.KindOf(u)
	if _, isFile := u.(urlcore.File); isFile {
		kind = cmp.Or(protocols.GopherKind(typ), kind)
	}
	return protocols.Line{Kind: kind, Text: text, Link: u}
}

// itemURL returns the URL of an item, or nil. The parameter local is the selector of an item without a server.
func (d *Document) itemURL(typ byte, local, selector, host, port string) urlcore.URL {
	isURL := typ == 'h' && len(selector) > 4 && strings.EqualFold(strings.TrimPrefix(selector, "/")[:4], "URL:")
	if host == "" && !isURL {
		if d.Item != nil {
			return d.Item(typ, local)
		}
		u, _ := resolve(d.URL, (&neturl.URL{Path: local}).EscapedPath())
		return u
	}
	if port == "" {
		port = "70"
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if isURL {
		selector, host, number, err = strings.TrimPrefix(selector, "/"), cmp.Or(host, "localhost"), max(number, 1), nil
	}
	if err != nil {
		return nil
	}
	u, err := urlcore.NewGopherItem(typ, selector, host, uint16(number))
	if err != nil {
		return nil
	}
	return u
}
