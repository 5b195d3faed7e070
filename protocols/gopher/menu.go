package gopher

import (
	"bytes"
	"context"
	"io"
	"iter"
	"path"
	"strconv"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

type menuSource struct {
	io.Reader
	endsInDot bool             // the menu must end in a line with a single dot
	secure    urlcore.HostPort // the server of a menu fetched by TLS; items on this server use TLS too
	// onMark is called with the server of an item with a Gopher+ mark. For consecutive items of a server,
	// onMark is called once. onMark may be nil.
	onMark func(server urlcore.HostPort)
	onEnd  func() // called at the line with a single dot; may be nil
}

// readMenu yields the lines of a menu (RFC 1436, section 2) as they arrive. The menu ends at a line with a
// single dot, or at the end of src. A byte order mark before the first line is not a part of it. The CRs before
// a LF belong to the end of the line. In a menu without LF, the lines end in CR.
func readMenu(ctx context.Context, src menuSource) iter.Seq2[protocols.Line, error] {
	src.Reader = &menuLineEnds{r: src.Reader}
	return func(yield func(protocols.Line, error) bool) {
		m := menuReader{menuSource: src, ctx: ctx, yield: yield}
		buf := make([]byte, 2*wire.MaxLine)
		kept := 0 // octets of an incomplete line at the start of buf
		for {
			n, err := src.Read(buf[kept:])
			end := bytes.LastIndexByte(buf[kept:kept+n], '\n') + 1
			if end > 0 {
				end += kept
			}
			kept += n
			if end == 0 && kept >= wire.MaxLine {
				end = kept
			}
			if end > 0 {
				if !m.yieldLines(string(buf[:end])) {
					return
				}
				kept = copy(buf, buf[end:kept])
			}
			if err != nil {
				m.yieldEnd(string(buf[:kept]), err)
				return
			}
		}
	}
}

// menuReader converts the octets of a menu to lines.
type menuReader struct {
	menuSource
	ctx   context.Context
	yield func(protocols.Line, error) bool

	isMenu   bool // a menu line was read
	isText   bool // a line was read that cannot be in a menu
	overlong bool // the next octets continue a long line

	// tail has the fields after the selector in the line of the last plain item, and server and plus
	// are their parsed values. In most menus many lines have the same tail.
	tail   string
	server urlcore.HostPort
	plus   string

	lastType byte                                       // the type of the last item
	notes    map[protocols.ItemNote]*protocols.ItemNote // notes without a Line; items with equal notes share one note
}

// yieldLines yields the lines of chunk and the pieces of overlong lines. It returns false if the
// caller wants no more lines, or if the menu or the context has ended.
func (m *menuReader) yieldLines(chunk string) bool {
	for len(chunk) > 0 {
		if m.ctx.Err() != nil {
			m.yield(protocols.Line{}, context.Cause(m.ctx))
			return false
		}
		i := strings.IndexByte(chunk, '\n')
		if i < 0 || i > wire.MaxLine || m.overlong {
			if i >= 0 && i <= wire.MaxLine {
				chunk, m.overlong = m.yieldPiece(chunk, i+1), false
			} else {
				chunk, m.overlong = m.yieldPiece(chunk, wire.MaxLine), true
			}
			if m.yield == nil {
				return false
			}
			continue
		}
		line := strings.TrimRight(chunk[:i], "\r")
		if end := itemEnd(line); end >= 0 {
			line, i = line[:end], end
		}
		chunk = chunk[i+1:]
		if line == "." {
			return m.endAtDot()
		}
		if !m.yield(m.parseLine(line), nil) {
			return false
		}
	}
	return true
}

// endAtDot handles the line with a single dot at the end of the menu.
func (m *menuReader) endAtDot() bool {
	if m.onEnd != nil {
		m.onEnd()
	}
	return false
}

// yieldPiece yields up to n octets of an overlong line and returns the rest of chunk.
func (m *menuReader) yieldPiece(chunk string, n int) (rest string) {
	n = min(n, len(chunk))
	kind := protocols.Problem
	if !m.isMenu {
		kind = protocols.Info
	}
	if !m.yield(protocols.Line{Kind: kind, Text: strings.TrimRight(chunk[:n], "\r\n")}, nil) {
		m.yield = nil
	}
	return chunk[n:]
}

// yieldEnd yields the incomplete last line and, if the menu is incomplete, an error.
func (m *menuReader) yieldEnd(rest string, err error) {
	failed := err != io.EOF
	rest = strings.TrimRight(rest, "\r")
	switch {
	case m.ctx.Err() != nil:
		m.yield(protocols.Line{}, context.Cause(m.ctx))
		return
	case rest == ".":
		m.endAtDot()
		return
	case rest == "":
	case failed || m.overlong:
		if !m.yield(protocols.Line{Kind: protocols.Problem, Text: rest}, nil) {
			return
		}
	default:
		l := m.parseLine(rest)
		if !m.yield(l, nil) {
			return
		}
		if !failed && l.Kind == protocols.Problem && beginsItem(rest) {
			failed, err = true, newMidLineError()
		}
	}
	if !failed && m.endsInDot {
		failed, err = true, newNoEndError()
	}
	if failed {
		m.yield(protocols.Line{}, err)
	}
}

// beginsItem reports whether s is the beginning of a menu line.
func beginsItem(s string) bool {
	tabs := strings.Count(s, "\t")
	return tabs >= 1 && tabs <= 2 && s[0] > ' ' && s[0] < 0x7f &&
		strings.IndexFunc(s, func(r rune) bool { return r < ' ' && r != '\t' }) < 0
}

// newMidLineError returns the error for a connection that the server closed within a line of a menu.
func newMidLineError() error {
	return protocols.NewError(protocols.Broken, "read the menu", "the server closed the connection in the middle of a line")
}

func (m *menuReader) parseLine(s string) protocols.Line {
	tab := strings.IndexByte(s, '\t')
	if tab < 0 {
		return m.parseTabless(s)
	}
	m.isMenu = true
	if tab == 0 {
		return protocols.Line{Kind: protocols.Problem, Text: s}
	}
	typ, text, rest := s[0], s[1:tab], s[tab+1:]
	switch typ {
	case 'i':
		return protocols.Line{Kind: protocols.Info, Text: text}
	case '3':
		return protocols.Line{Kind: protocols.Failure, Text: text}
	}
	tab = strings.IndexByte(rest, '\t')
	if tab < 0 {
		return protocols.Line{Kind: protocols.Problem, Text: s}
	}
	selector, tail := rest[:tab], rest[tab+1:]
	if selector == "" && hasErrorHost(tail) {
		return protocols.Line{Kind: protocols.Failure, Text: text}
	}
	mirror := typ == '+' && m.lastType != 0
	if mirror {
		typ = m.lastType
	}
	link, ok := m.parseLink(typ, selector, tail)
	if noServer := selector == "" && strings.HasPrefix(tail, "\t"); !ok && (typ <= ' ' || typ >= 0x7F || noServer) { // no item, or an error of the original server
		return protocols.Line{Kind: protocols.Problem, Text: s}
	}
	if strings.TrimSpace(text) == "" && typ != '+' {
		text = nameOf(selector, tail)
	}
	if !ok {
		return protocols.Line{Kind: protocols.Problem, Text: text, Link: protocols.UnopenedLink(writeItem(typ, selector, tail))}
	}
	m.lastType = typ
	return protocols.Line{Kind: protocols.KindOf(link), Text: text, Link: link, Note: m.makeNote(typ, selector, tail, link, mirror)}
}

// maxName is the largest length of the name of an item without a text, in octets.
const maxName = 200

// nameOf returns the text to show for an item without a text: the last part of its selector, or its host.
func nameOf(selector, tail string) string {
	name := selector
	if hasURL(selector) {
		name = urlcore.MaskPassword(strings.TrimPrefix(selector, "/")[len("URL:"):])
	}
	name = path.Base(name)
	if name == "." || name == "/" {
		name, _, _ = strings.Cut(tail, "\t")
	}
	return "[" + name[:min(len(name), maxName)] + "]"
}

// hasErrorHost reports whether the fields after the selector mark an error. The original server marks
// errors with the host "error.host" and port 1, whatever the item type is.
func hasErrorHost(tail string) bool {
	port, ok := strings.CutPrefix(tail, "error.host\t1")
	return ok && (port == "" || port[0] == '\t')
}

// writeItem returns the URL that an item would have if its fields were valid.
func writeItem(typ byte, selector, tail string) string {
	if typ == 'h' && hasURL(selector) {
		return strings.TrimPrefix(selector, "/")[len("URL:"):]
	}
	host, rest, _ := strings.Cut(tail, "\t")
	if port, _, _ := strings.Cut(rest, "\t"); port != "" {
		host += ":" + port
	}
	return "gopher://" + host + "/" + urlcore.EscapeQuery(string(rune(typ))) + strings.ReplaceAll(urlcore.EscapeQuery(selector), "%2F", "/")
}

// makeNote returns the data of a line that the link of the line does not contain, or nil.
func (m *menuReader) makeNote(typ byte, selector, tail string, link urlcore.URL, mirror bool) protocols.Note {
	if _, ok := link.(urlcore.Gopher); !ok {
		host, rest, _ := strings.Cut(tail, "\t")
		port, _, _ := strings.Cut(rest, "\t")
		n := &protocols.ItemNote{Mirror: mirror, Line: &protocols.MenuLine{Type: typ, Selector: strings.Clone(selector), Host: strings.Clone(host)}}
		n.Line.Port, _ = parsePort(port, typ)
		return n
	}
	if !mirror && m.plus == "" {
		return nil
	}
	key := protocols.ItemNote{Mirror: mirror, Plus: m.plus}
	n := m.notes[key]
	if n == nil {
		if m.notes == nil {
			m.notes = make(map[protocols.ItemNote]*protocols.ItemNote)
		}
		n = &protocols.ItemNote{Mirror: mirror, Plus: m.plus}
		m.notes[key] = n
	}
	return n
}

// parseTabless parses a line without tabs. The result is info text, an error message, or a line
// that is not part of a menu.
func (m *menuReader) parseTabless(s string) protocols.Line {
	first := !m.isText
	switch {
	case s == "":
		return protocols.Line{Kind: protocols.Info}
	case first && s[0] == 'i':
		m.isMenu = true
		return protocols.Line{Kind: protocols.Info, Text: s[1:]}
	case first && s[0] == '3':
		m.isMenu = true
		return protocols.Line{Kind: protocols.Failure, Text: s[1:]}
	case m.isMenu:
		return protocols.Line{Kind: protocols.Problem, Text: s}
	}
	m.isText = true
	if first && len(s) >= 5 && strings.EqualFold(s[:5], "error") {
		return protocols.Line{Kind: protocols.Failure, Text: s}
	}
	return protocols.Line{Kind: protocols.Info, Text: s}
}

// parseLink returns the URL of an item. The parameter tail contains the host, the port and the
// fields after the port.
func (m *menuReader) parseLink(typ byte, selector, tail string) (urlcore.URL, bool) {
	plain := typ > ' ' && typ < 0x7F && typ != '8' && typ != 'T' &&
		(typ != 'h' || !hasURL(selector) && !hasWebRequest(selector)) && strings.IndexByte(selector, '\r') < 0
	if plain && tail == m.tail && tail != "" {
		return m.makePlainURL(typ, selector), true
	}
	host, rest, _ := strings.Cut(tail, "\t")
	portText, plus, _ := strings.Cut(rest, "\t")
	port, ok := parsePort(portText, typ)
	if !ok {
		return nil, false
	}
	if typ == 'h' && hasURL(selector) {
		selector = strings.TrimPrefix(selector, "/")
	}
	u, err := urlcore.NewGopherItem(typ, selector, strings.Trim(host, " "), port)
	if err != nil || !protocols.MayLead(urlcore.Gopher{}, u) {
		return nil, false
	}
	if g, same := u.(urlcore.Gopher); same && plain {
		m.tail, m.server = strings.Clone(tail), g.HostPort
		m.server.Host = strings.Clone(g.Host)
		if m.plus = ""; plus == "?" || plus == "+" {
			if m.plus = strings.Clone(plus); m.onMark != nil {
				m.onMark(m.server)
			}
		}
		return m.makePlainURL(typ, selector), true
	}
	return u, true
}

// makePlainURL returns the URL of an item on the server m.server. It adds a Gopher+ string for an
// item with a Gopher+ form (RFC 1738, section 3.4.5), and for a document with a Gopher+ mark, because
// Gopher+ sends exact octets.
func (m *menuReader) makePlainURL(typ byte, selector string) urlcore.URL {
	g := urlcore.Gopher{HostPort: m.server, Type: typ, Selector: selector, Secure: m.server == m.secure}
	if m.plus == "?" || m.plus == "+" && !isPlainType(typ) {
		g.Plus, g.HasPlus, g.HasSearch = m.plus, true, true
	}
	return g
}

// hasURL reports whether the selector of an "h" item contains a URL.
func hasURL(selector string) bool {
	selector = strings.TrimPrefix(selector, "/")
	return len(selector) >= 4 && strings.EqualFold(selector[:4], "URL:")
}

// hasWebRequest reports whether the selector of an "h" item is a request of HTTP, from which
// [urlcore.NewGopherItem] makes a URL.
func hasWebRequest(selector string) bool {
	return strings.HasPrefix(strings.TrimPrefix(selector, "/"), "GET ")
}

// parsePort parses a port. An empty port is the default port of the protocol of the type.
func parsePort(s string, typ byte) (uint16, bool) {
	s = strings.Trim(s, " ")
	switch {
	case s != "":
		n, err := strconv.ParseUint(s, 10, 16)
		return uint16(n), err == nil && n > 0
	case typ == '8' || typ == 'T':
		return 23, true
	}
	return 70, true
}
