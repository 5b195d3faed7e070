package document

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"gofer/internal/text/charset"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
)

const (
	maxDepth    = 8        // depth of nested parts
	maxPreamble = 64 << 10 // octets before the first part
)

// entity is an article, or a part of it between two boundaries (RFC 2046, section 5.1).
type entity struct {
	article *articleReader
	parent  *entity
	bound   string // "--" and the boundary that ends it; "" for the whole article
	ended   bool
	closed  bool     // the last boundary of the multipart ended this part
	inLine  bool     // the last piece had no line end
	held    [][]byte // lines of the content that were read with the header
}

// readHeader reads the header of a message.
func readHeader(r io.Reader) articleHeader {
	a := &articleReader{in: bufio.NewReaderSize(r, maxLine)}
	return (&entity{article: a}).readHeader()
}

// piece returns the next line with its line end, or nil at the end of the part. It returns a line
// longer than 64 KiB in pieces. The boundary of an outer multipart also ends the part. The result
// is valid until the next call.
func (e *entity) piece() []byte {
	a := e.article
	if b := e.heldLine(); b != nil {
		if bytes.HasPrefix(b, []byte("--")) && e.endParts(b) {
			return nil
		}
		return b
	}
	if e.ended || a.stopped || a.err != nil {
		return nil
	}
	b, err := a.in.ReadSlice('\n')
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		a.err = err
		if len(b) == 0 {
			return nil
		}
	}
	if a.unshown += len(b); a.unshown > maxUnshown && a.wanted == 0 {
		a.err = errUnshown()
		return nil
	}
	start := !e.inLine
	e.inLine = errors.Is(err, bufio.ErrBufferFull)
	if start && len(b) > 2 && b[0] == '-' && b[1] == '-' && e.endParts(b) {
		return nil
	}
	return b
}

// heldLine returns the next held line of e or of a part around e, or nil.
func (e *entity) heldLine() (line []byte) {
	for p := e; p != nil; p = p.parent {
		if len(p.held) > 0 {
			line, p.held = p.held[0], p.held[1:]
			return line
		}
	}
	return nil
}

// endParts reports whether line is the boundary of e or of a part around e. If so, it ends that
// part and the parts inside it.
func (e *entity) endParts(line []byte) bool {
	line = bytes.TrimRight(line, " \t\r\n")
	for p := e; p != nil; p = p.parent {
		n := len(p.bound)
		if n == 0 || len(line) < n || string(line[:n]) != p.bound {
			continue
		}
		rest := string(line[n:])
		if rest != "" && rest != "--" {
			continue
		}
		p.closed = rest == "--"
		for q := e; ; q = q.parent {
			q.ended = true
			if q == p {
				return true
			}
		}
	}
	return false
}

// wholeLine reads a line and returns its first 64 KiB without the line end. It returns "" at the
// end of e.
func (e *entity) wholeLine() string {
	s := strings.TrimRight(string(e.piece()), "\r\n")
	for e.inLine && e.piece() != nil {
	}
	return s
}

// pieces is an io.Reader of the octets that the function next returns, until next returns nil.
type pieces struct {
	next func() []byte
	left []byte
	done bool
}

func (p *pieces) Read(b []byte) (int, error) {
	for len(p.left) == 0 {
		if p.done {
			return 0, io.EOF
		}
		if p.left = p.next(); p.left == nil {
			p.done = true
		}
	}
	n := copy(b, p.left)
	p.left = p.left[n:]
	return n, nil
}

// showPart shows the body of e. The header of e is h.
func (a *articleReader) showPart(e *entity, h articleHeader, depth int, inDigest bool) {
	media, params := parseContentType(h.raw("Content-Type"), inDigest)
	top, _, _ := strings.Cut(media, "/")
	if top == "multipart" && params["boundary"] != "" && depth < maxDepth {
		if media == "multipart/alternative" {
			a.showAlternative(e, params["boundary"], depth)
			return
		}
		signed := media == "multipart/signed"
		if signed {
			a.signatures++
		}
		number := a.signatures
		if signed && number == a.wantedSignature {
			a.takeParts(e, params["boundary"])
			return
		}
		a.readParts(e, params["boundary"], func(p *entity, h articleHeader, n int) {
			if n > 0 && a.shown {
				a.yieldText("")
			}
			inner, _ := parseContentType(h.raw("Content-Type"), false)
			switch {
			case !signed || n != 1:
			case inner == "application/pgp-signature":
				a.showSignature("OpenPGP", SignatureURL(a.page, number))
				return
			case inner == "application/pkcs7-signature", inner == "application/x-pkcs7-signature":
				a.showSignature("S/MIME", nil)
				return
			}
			a.showPart(p, h, depth+1, media == "multipart/digest")
		})
		return
	}
	l := newLeaf(e, h, media, params)
	switch {
	case a.wantedID != "" && strings.Trim(h.raw("Content-ID"), "<> \t") == a.wantedID:
		a.passWanted(l)
	case media == mediaPartial && a.wantsFile && depth == 0:
		a.takePartial(l, h, params)
	case media == "message/rfc822" && depth < maxDepth && l.asIs:
		a.yieldLine(protocols.Line{Kind: protocols.Heading, Text: "Enclosed message"})
		a.showMessage(e, depth+1)
	case media == "text/html" && l.name == "" && !l.attached:
		a.showHypertext(l, params["charset"])
	case media == "text/html", top != "text" && top != "message" && top != "multipart":
		a.showAttachment(l)
	default:
		a.showTextPart(l, top, params, depth)
	}
}

func (a *articleReader) showTextPart(l *leaf, top string, params map[string]string, depth int) {
	named := l.name != "" || l.media != "text/plain" && top != "multipart"
	if (named || a.alternatives > 0) && a.assignNumber(l) {
		return
	}
	if named {
		text := "[" + strings.TrimSuffix(l.media+", "+l.name, ", ") + "]"
		if l.media == mediaPartial {
			text = "[" + a.describePartial(params) + "]"
		}
		a.yieldLine(protocols.Line{
			Kind: attachmentKind(l.media, l.name), Text: text, Link: AttachmentURL(a.page, l.number, l.savedName()), Note: l.note(-1),
		})
		if u := JoinURL(a.page, "message.eml"); l.media == mediaPartial && a.subject.Part > 0 && depth == 0 && u != nil {
			a.yieldLine(protocols.Line{Kind: protocols.Text, Text: "[the whole message: join]", Link: u})
		}
	}
	f := textFormat{charset: params["charset"], flowed: strings.EqualFold(params["format"], "flowed"), delSp: strings.EqualFold(params["delsp"], "yes")}
	if c, ok := charset.Parse(f.charset); ok && c == a.raw && depth == 0 {
		f.charset = ""
	}
	a.showText(l.body, f)
}

func (a *articleReader) showHypertext(l *leaf, charset string) {
	if a.alternatives > 0 && a.assignNumber(l) {
		return
	}
	a.shown = true
	n, _ := io.ReadFull(l.body, a.buf[:firstBlockSize])
	d := &Document{first: a.buf[:n], body: l.body}
	meta := ""
	if charset == "" && bytes.Contains(bytes.ToLower(d.first), []byte("charset")) {
		_, meta, _ = htmlHead(d.first)
	}
	d.Charset = htmlCharset(charset, meta, d.first)
	h := newHTMLReader(nil, a.yieldLine)
	h.article, h.tableWidth = a.page, a.tableWidth
	_ = h.read(utf8Reader(d)) // a.err is the same error
}

// readParts calls show for each part of e (RFC 2046, section 5.1), with the header h of the part and
// the number n of parts before it. If e has no parts, readParts shows e as a text.
func (a *articleReader) readParts(e *entity, boundary string, show func(p *entity, h articleHeader, n int)) {
	first := &entity{article: a, parent: e, bound: "--" + boundary, ended: e.ended}
	preamble, whole := a.readPreamble(first)
	if !first.ended || e.ended {
		if whole {
			a.showText(bytes.NewReader(preamble), textFormat{})
		}
		return
	}
	for closed, n := first.closed, 0; !closed && !e.ended && !a.stopped; n++ {
		p := &entity{article: a, parent: e, bound: first.bound}
		show(p, p.readPartHeader(), n)
		for p.piece() != nil {
		}
		if !p.ended {
			return
		}
		closed = p.closed
	}
	for e.piece() != nil {
	}
}

// readPreamble reads e up to the first part. If no part begins in the first maxPreamble octets, it
// shows e as a text and returns false.
func (a *articleReader) readPreamble(e *entity) ([]byte, bool) {
	var b []byte
	for {
		p := e.piece()
		if p == nil {
			return b, true
		}
		if b = append(b, p...); len(b) > maxPreamble {
			a.showText(io.MultiReader(bytes.NewReader(b), &pieces{next: e.piece}), textFormat{})
			return nil, false
		}
	}
}

// parseContentType parses a Content-Type. It returns text/plain for an invalid or missing one, but
// message/rfc822 for a missing one in a multipart/digest (RFC 2046, section 5.1.5).
func parseContentType(s string, inDigest bool) (string, map[string]string) {
	if s == "" && inDigest {
		return "message/rfc822", nil
	}
	media, params := mimeheader.ParseParameters(s)
	if top, sub, ok := strings.Cut(media, "/"); !ok || !isFieldName(top) || !isFieldName(sub) {
		return "text/plain", params
	}
	return media, params
}
