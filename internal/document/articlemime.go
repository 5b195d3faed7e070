package document

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"path"
	"strings"

	"github.com/dustin/go-humanize/english"

	"gofer/internal/clean"
	"gofer/protocols"
)

const (
	maxDepth    = 8        // of parts within parts
	maxPreamble = 64 << 10 // octets that are kept to be shown if no part follows
)

// entity is a part of an article's octets: all of it, or what stands between
// two boundaries (RFC 2046, section 5.1).
type entity struct {
	article *articleReader
	parent  *entity
	bound   string // "--" and the boundary that ends it; "" for the whole article
	ended   bool
	closed  bool // the boundary was the last of its multipart
	inLine  bool // the last piece had no line end
}

func (a *articleReader) entity(parent *entity) *entity {
	return &entity{article: a, parent: parent}
}

// piece returns the next line with its end, or 64 KiB of a longer one, valid
// until the next call; nil at the end of the part. A boundary of a multipart
// outside ends this one too.
func (e *entity) piece() []byte {
	a := e.article
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
	if start && len(b) > 2 && b[0] == '-' && b[1] == '-' && e.meets(b) {
		return nil
	}
	return b
}

// meets ends the parts that the line is a boundary of.
func (e *entity) meets(line []byte) bool {
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
			q.closed = true
		}
	}
	return false
}

// wholeLine returns a line without its end, cut at 64 KiB.
func (e *entity) wholeLine() (string, bool) {
	b := e.piece()
	if b == nil {
		return "", false
	}
	s := strings.TrimRight(string(b), "\r\n")
	for e.inLine && e.piece() != nil {
	}
	return s, true
}

// pieces is an io.Reader of what next returns, up to nil.
type pieces struct {
	next func() []byte
	left []byte
	done bool
}

// Read returns the octets of the pieces.
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

// part shows the body of an entity whose header is h.
func (a *articleReader) part(e *entity, h articleHeader, depth int, inDigest bool) {
	media, params := contentType(h.raw("Content-Type"), inDigest)
	top, _, _ := strings.Cut(media, "/")
	if top == "multipart" && params["boundary"] != "" && depth < maxDepth {
		a.multipart(e, media, params["boundary"], depth)
		return
	}
	body := transfer(e, h.raw("Content-Transfer-Encoding"))
	name := fileName(h, params)
	switch {
	case a.wantedID != "" && strings.Trim(h.raw("Content-ID"), "<> \t") == a.wantedID:
		a.take(media, name, body, !encoded(h))
		a.stopped = true
	case media == "message/rfc822" && depth < maxDepth && !encoded(h):
		a.rule()
		a.message(e, depth+1)
	case media == "text/html" && !a.shown:
		a.shown = true
		_ = newHTMLReader(nil, a.line).read(decoded(body, params["charset"])) // its errors are those of the article
	case media == "text/html", top != "text" && top != "message" && top != "multipart":
		a.attachment(media, name, body, !encoded(h))
	default:
		if name != "" || media != "text/plain" && top != "multipart" {
			a.info("[" + join(media, name) + "]")
		}
		text := decoded(body, params["charset"])
		if c, ok := clean.ParseCharset(params["charset"]); ok && c == a.raw && depth == 0 {
			text = body
		}
		a.show(text, strings.EqualFold(params["format"], "flowed"), strings.EqualFold(params["delsp"], "yes"))
	}
}

// multipart shows the parts of e one after the other (RFC 2046, section 5.1).
func (a *articleReader) multipart(e *entity, media, boundary string, depth int) {
	first := a.entity(e)
	first.bound = "--" + boundary
	preamble, whole := a.preamble(first)
	if !first.ended {
		if whole {
			a.show(bytes.NewReader(preamble), false, false)
		}
		return
	}
	for closed, n := first.closed, 0; !closed && !e.ended && !a.stopped; n++ {
		if n > 0 && a.shown {
			a.info("")
		}
		p := a.entity(e)
		p.bound = first.bound
		a.part(p, p.header(), depth+1, media == "multipart/digest")
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

// preamble reads what stands before the first part. Without a part it is the
// text itself, however long: then what passes the limit is shown at once.
func (a *articleReader) preamble(e *entity) ([]byte, bool) {
	var b []byte
	for {
		p := e.piece()
		if p == nil {
			return b, true
		}
		if b = append(b, p...); len(b) > maxPreamble {
			a.show(io.MultiReader(bytes.NewReader(b), &pieces{next: e.piece}), false, false)
			return nil, false
		}
	}
}

// rule sets an enclosed message off.
func (a *articleReader) rule() {
	a.line(protocols.Line{Kind: protocols.Heading, Text: "Enclosed message"})
}

// attachment reads a part that is not shown and tells what it is.
// The line end before a boundary is the boundary's: with asIs, when no encoding
// says where the part ends, it is not counted.
func (a *articleReader) attachment(media, name string, body io.Reader, asIs bool) {
	a.attachments++
	if a.attachments == a.wanted {
		a.take(media, name, body, asIs)
		a.stopped = true
		return
	}
	var size sizer
	_, _ = io.CopyBuffer(&size, body, a.buf[:])
	if asIs {
		size.n -= size.end
	}
	octets := english.Plural(size.n, "octet", "")
	if a.err != nil && !errors.Is(a.err, io.EOF) {
		octets = "at least " + octets
	}
	a.line(protocols.Line{
		Kind: attachmentKind(media, name), Text: "[attachment " + join(media, name) + ", " + octets + "]",
		Link: AttachmentURL(a.page, a.attachments, name),
	})
}

// sizer counts octets, and those of the line end that is last.
type sizer struct{ n, end int }

// Write counts p.
func (s *sizer) Write(p []byte) (int, error) {
	s.n += len(p)
	if len(p) > 0 {
		s.end = len(p) - len(bytes.TrimSuffix(bytes.TrimSuffix(p, []byte("\n")), []byte("\r")))
	}
	return len(p), nil
}

func join(media, name string) string {
	if name == "" {
		return media
	}
	return media + ", " + name
}

// contentType reads a Content-Type; what makes no sense is plain text.
func contentType(s string, inDigest bool) (string, map[string]string) {
	if s == "" && inDigest {
		return "message/rfc822", nil
	}
	media, params, err := mime.ParseMediaType(s)
	if err != nil && media == "" {
		media, _, _ = strings.Cut(s, ";")
		media = strings.ToLower(strings.TrimSpace(media))
		params = looseParams(s)
	}
	if top, sub, ok := strings.Cut(media, "/"); !ok || !isFieldName(top) || !isFieldName(sub) {
		return "text/plain", params
	}
	if err != nil && len(params) == 0 {
		params = looseParams(s)
	}
	return media, params
}

// looseParams finds the parameters that matter in a Content-Type which is
// against the rules.
func looseParams(s string) map[string]string {
	params := map[string]string{}
	for p := range strings.SplitSeq(s, ";") {
		if k, v, ok := strings.Cut(p, "="); ok {
			params[strings.ToLower(strings.TrimSpace(k))] = strings.Trim(v, " \t\"")
		}
	}
	return params
}

// fileName returns the name that a part should be saved under, without the
// folders that it names.
func fileName(h articleHeader, params map[string]string) string {
	_, d, _ := mime.ParseMediaType(h.raw("Content-Disposition"))
	name := d["filename"]
	if name == "" {
		name = params["name"]
	}
	if name == "" {
		return ""
	}
	name = path.Base(strings.ReplaceAll(oneLine(DecodeHeader(name)), `\`, "/"))
	if name == "." || name == "/" {
		return ""
	}
	return name
}
