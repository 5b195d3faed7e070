package gopher

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// plusMemory stores what a Client has learned about Gopher+. The zero value is ready.
type plusMemory struct {
	servers    memory[string, bool]                  // addresses of servers that speak Gopher+
	plainItems memory[urlcore.Gopher, bool]          // items answered without Gopher+; withoutSearch makes the keys
	views      memory[urlcore.Gopher, string]        // the view that was chosen last; withoutPlus makes the keys
	forms      memory[urlcore.Gopher, completedForm] // completed forms, by their URLs
}

// isPlain reports whether g was answered without Gopher+ and its server is not known to speak
// Gopher+.
func (p *plusMemory) isPlain(g urlcore.Gopher) bool {
	_, plain := p.plainItems.get(withoutSearch(g))
	_, known := p.servers.get(g.Addr())
	return plain && !known
}

// setPlain records that g was answered without Gopher+, unless the server is known to speak Gopher+. The
// record is only about g: gateways, mail folders and searches of a Gopher+ server send no header.
func (p *plusMemory) setPlain(g urlcore.Gopher) {
	if _, known := p.servers.get(g.Addr()); !known {
		p.plainItems.set(withoutSearch(g), true)
	}
}

// setPlusServer records that the server of g speaks Gopher+. Such a server has sent a Gopher+
// header, or a menu with Gopher+ marks on its own items.
func (p *plusMemory) setPlusServer(g urlcore.Gopher) { p.servers.add(g.Addr(), true) }

// withoutPlus returns g without its Gopher+ string.
func withoutPlus(g urlcore.Gopher) urlcore.Gopher {
	g.Plus, g.HasPlus = "", false
	g.HasSearch = g.Search != ""
	return g
}

// withoutSearch returns g without its Gopher+ string and its search words.
func withoutSearch(g urlcore.Gopher) urlcore.Gopher {
	g.Search = ""
	return withoutPlus(g)
}

// tlsServer returns the server of g if g uses TLS, or else a zero HostPort.
func tlsServer(g urlcore.Gopher) (h urlcore.HostPort) {
	if g.Secure {
		h = g.HostPort
	}
	return h
}

var errNoPlus = errors.New("the server answered without Gopher+")

// noteNoAttributes is the note for a menu that the server sent when its attributes were requested.
const noteNoAttributes = "this menu has no Gopher+ attributes"

// The notes for answers to a request for attributes that have none.
const (
	noteNoBlocks = "the server sent no attributes: the item has none of those requested"
	noteDocument = "the server sent this document in place of the attributes"
)

// fetchPlus fetches a URL that has a Gopher+ string (RFC 1738, sections 3.4.3 to 3.4.9).
func (c *Client) fetchPlus(ctx context.Context, g urlcore.Gopher) (res *protocols.Resource, err error) {
	switch {
	case g.Plus == "?":
		res, err = c.openForm(ctx, g)
	case isForm(g):
		res, err = c.sendForm(ctx, g)
	case wantsAttributes(g):
		res, err = c.fetchAttributes(ctx, g)
	default:
		res, err = c.fetchItem(ctx, g)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return res, err
}

// wantsAttributes reports whether g requests the attributes of an item or of a menu.
func wantsAttributes(g urlcore.Gopher) bool {
	return g.HasPlus && (strings.HasPrefix(g.Plus, "!") || strings.HasPrefix(g.Plus, "$"))
}

// plannedRequest is a request with its purpose.
type plannedRequest struct {
	g    urlcore.Gopher
	note string
}

// planRequests returns the requests that a fetch of g may send, in this order.
func planRequests(g urlcore.Gopher) []plannedRequest {
	form := g
	form.Plus = "?"
	switch {
	case !g.HasPlus:
	case g.Plus == "?":
		return []plannedRequest{{g, "ask for the form of the item"}}
	case isForm(g):
		return []plannedRequest{{form, "ask for the form, to show it before it is sent"}, {g, "send the form, if you agree"}}
	case g.Plus == "+":
		return []plannedRequest{{g, describeRequest(g) + ", in Gopher+"}, {withoutPlus(g), "if the server does not speak Gopher+"}}
	}
	return []plannedRequest{{g, describeRequest(g)}}
}

// fetchItem fetches the item. If the URL names no view, it requests the view that was chosen last.
// If an answer without Gopher+ is empty or an error, it requests the item without Gopher+.
func (c *Client) fetchItem(ctx context.Context, g urlcore.Gopher) (*protocols.Resource, error) {
	if g.Plus == "+" && c.plus.isPlain(g) {
		return c.fetchPlain(ctx, g)
	}
	requested := g
	if view, ok := c.plus.views.get(withoutPlus(g)); ok && g.Plus == "+" {
		requested.Plus = view
	}
	hasHeader := false
	res, err := c.get(ctx, requested, message{text: formatRequest(requested)}, &hasHeader)
	reason := protocols.ReasonOf(err)
	switch {
	case hasHeader && err == nil && len(g.Plus) > 1:
		c.plus.views.set(withoutPlus(g), g.Plus)
	case hasHeader && err == nil && requested != g:
		res.Notes = append(res.Notes, "the view chosen last: "+requested.Plus[1:])
	case hasHeader || requested.Plus != "+":
	case err == nil && !isRefusal(res):
		c.plus.setPlain(g)
	case err == nil, reason == protocols.Broken, reason.IsServerFailure():
		if res != nil {
			_ = res.Close()
		}
		if res, err = c.fetchPlain(ctx, g); err == nil && ctx.Err() == nil {
			c.plus.setPlain(g)
		}
	}
	return res, err
}

// isRefusal reports whether an answer without a header is empty or an error. A server without Gopher+ sends
// such an answer if it takes the Gopher+ string for a part of the selector.
func isRefusal(res *protocols.Resource) bool {
	if res.Body == nil {
		return false
	}
	r := bufio.NewReader(res.Body)
	res.Body = r
	b, err := r.Peek(1)
	return err == io.EOF || err == nil && b[0] == '3'
}

// fetchPlain fetches the item without Gopher+.
func (c *Client) fetchPlain(ctx context.Context, g urlcore.Gopher) (*protocols.Resource, error) {
	old := withoutPlus(g)
	res, err := c.get(ctx, old, message{text: formatRequest(old)}, nil)
	if err != nil {
		return nil, err
	}
	res.URL = g
	res.Notes = append(res.Notes, "the server did not answer in Gopher+: fetched without it")
	return res, nil
}

// fetchAttributes fetches the attributes of an item or of all items of a menu. If the server sends
// a menu without Gopher+, or a document in Gopher+, fetchAttributes returns the menu or the document.
func (c *Client) fetchAttributes(ctx context.Context, g urlcore.Gopher) (*protocols.Resource, error) {
	hasHeader := false
	res, err := c.get(ctx, g, message{text: formatRequest(g)}, &hasHeader)
	switch {
	case err == nil && res.Lines != nil:
		return res, nil
	case err == nil && !hasHeader:
		_ = res.Close()
		err = newNoPlusError(g)
	case protocols.ReasonOf(err).IsServerFailure() && !hasHeader:
		err = newNoPlusError(g)
	}
	if err != nil {
		return nil, err
	}
	body := bufio.NewReader(res.Body)
	if isBlock, empty, err := beginsBlock(body); err != nil {
		return nil, errors.Join(err, res.Close())
	} else if empty {
		res.Notes = append(res.Notes, noteNoBlocks)
	} else if !isBlock {
		res.Body = body
		res.Notes = append(res.Notes, noteDocument)
		return res, nil
	}
	res.Body, res.Media, res.Layout = nil, "", protocols.LayoutMenu
	if g.Plus[0] == '$' {
		res.Lines = readAttributeMenu(ctx, menuSource{Reader: body, secure: tlsServer(g)})
	} else {
		view, _ := c.plus.views.get(withoutPlus(g))
		res.Lines = readAttributePage(g, body, view)
	}
	return res, nil
}

// beginsBlock reports whether the first line of r is the head of an attribute, "+NAME:" or "+INFO ", and
// whether r is empty.
func beginsBlock(r *bufio.Reader) (isBlock, empty bool, err error) {
	for n := 1; n <= maxBlockName; n++ {
		b, err := r.Peek(n)
		if err != nil && err != io.EOF {
			return false, false, err
		}
		if err != nil {
			return false, len(b) == 0, nil
		}
		switch c := b[n-1]; {
		case n == 1 && c != '+', c == '\t', c == '\r', c == '\n':
			return false, false, nil
		case c == ':', c == ' ':
			return n > 2 && (c == ':' || string(b) == "+INFO "), false, nil
		}
	}
	return false, false, nil
}

func newNoPlusError(g urlcore.Gopher) error {
	return &protocols.Error{Reason: protocols.NotSupported, Op: "read the attributes of " + withoutPlus(g).String(), Err: errNoPlus}
}

// isPlainType reports whether items of the type need no Gopher+, because they are not documents: menus, phone
// books, searches and redundant servers.
func isPlainType(typ byte) bool { return strings.IndexByte("127+", typ) >= 0 }

// isMenuView reports whether a view with the media type is a menu. The original server uses the
// types with "/recursive" for a directory together with all directories below it.
func isMenuView(media string) bool {
	switch strings.ToLower(media) {
	case "application/gopher-menu", "application/gopher+-menu", "directory/recursive", "directory+/recursive":
		return true
	}
	return false
}

// isAttributeMenu reports whether the server sent the items of a menu as blocks of attributes.
func isAttributeMenu(r *bufio.Reader) bool {
	b, _ := r.Peek(r.Buffered())
	_, ok := cutInfo(string(b[:min(len(b), len("+INFO:"))]))
	return ok
}

// cutInfo returns the item in a line "+INFO: item". The original server also sends "+INFO item".
func cutInfo(line string) (item string, ok bool) {
	if item, ok = strings.CutPrefix(line, "+INFO:"); !ok {
		item, ok = strings.CutPrefix(line, "+INFO ")
	}
	return strings.TrimPrefix(item, " "), ok
}

// splitRefusal returns the links in an error message and the message without them. The links may be to an
// item at a new address and, from the first line, to the administrator.
func splitRefusal(g urlcore.Gopher, first, rest string) (lines []protocols.Line, words string) {
	var b strings.Builder
	m := menuReader{menuSource: menuSource{secure: tlsServer(g)}}
	for line := range strings.Lines(rest) {
		item := strings.TrimRight(line, "\r\n")
		if info, ok := cutInfo(item); ok {
			item = info
		}
		text, empty, _ := strings.Cut(item, "\t")
		switch l := m.parseLine(item); {
		case l.Link != nil:
			lines = append(lines, l)
		case strings.HasPrefix(text, "0") && empty != "" && strings.Trim(empty, "\t") == "":
			b.WriteString(text[1:] + "\n") // the original server also names an item with empty fields in place of a link
		default:
			b.WriteString(line)
		}
	}
	_, admin, _ := strings.Cut(strings.TrimSpace(first), " ")
	if link := parseMailAddress(admin); link != nil {
		lines = append(lines, protocols.Line{Kind: protocols.Mail, Text: admin, Link: link})
	}
	return lines, b.String()
}
