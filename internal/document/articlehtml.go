package document

import (
	"bufio"
	"html"
	"io"
	"strings"

	"gofer/protocols"
)

const maxTag = 16 << 10 // octets of a tag that are looked at

// html shows the text of a hypertext part: no more than what is between the
// tags, with line breaks where blocks begin and end.
func (a *articleReader) html(r io.Reader) {
	a.shown = true
	h := &htmlText{article: a, in: bufio.NewReader(r)}
	for !a.stopped {
		c, err := h.in.ReadByte()
		if err != nil {
			break
		}
		switch {
		case c == '<' && (h.skip == "" || h.ahead("/"+h.skip)):
			h.tag()
		case h.skip == "":
			h.octet(c)
		}
	}
	h.flush()
}

// htmlText is the state of the reading.
type htmlText struct {
	article *articleReader
	in      *bufio.Reader
	line    []byte
	skip    string // the element whose content is not text
	blank   bool   // the last line was empty, or there is none
	pre     int
}

// ahead reports whether word, in any case, comes next.
func (h *htmlText) ahead(word string) bool {
	b, _ := h.in.Peek(len(word))
	return strings.EqualFold(string(b), word)
}

func (h *htmlText) octet(c byte) {
	if h.pre > 0 {
		if c == '\n' {
			h.emit()
		} else if c != '\r' {
			h.line = append(h.line, c)
		}
	} else if c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' {
		h.line = append(h.line, c)
	} else if n := len(h.line); n > 0 && h.line[n-1] != ' ' {
		h.line = append(h.line, ' ')
	}
	if len(h.line) >= maxLine {
		h.emit()
	}
}

// flush ends a line of text, if there is any.
func (h *htmlText) flush() {
	if strings.TrimSpace(string(h.line)) != "" {
		h.emit()
	}
	h.line = h.line[:0]
}

func (h *htmlText) emit() {
	text := strings.TrimRight(html.UnescapeString(string(h.line)), " ")
	h.line = h.line[:0]
	h.blank = text == ""
	for part := range strings.SplitSeq(text, "\n") {
		h.article.line(protocols.Line{Text: strings.TrimRight(part, "\r")})
	}
}

// tag reads a tag after its "<" and acts on it.
func (h *htmlText) tag() {
	if h.ahead("!--") {
		h.comment()
		return
	}
	if b, _ := h.in.Peek(1); len(b) == 0 || !isTagStart(b[0]) {
		h.octet('<')
		return
	}
	var b []byte
	quote := byte(0)
	for {
		c, err := h.in.ReadByte()
		if err != nil || c == '>' && quote == 0 {
			break
		}
		switch {
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
		if len(b) == maxTag {
			break
		}
		b = append(b, c)
	}
	name := strings.ToLower(string(b))
	if i := strings.IndexAny(name[1:], " \t\r\n\f/"); i >= 0 {
		name = name[:i+1]
	}
	h.act(name)
}

func isTagStart(c byte) bool {
	return c == '/' || c == '!' || c == '?' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func (h *htmlText) comment() {
	last := [2]byte{}
	for n := 0; ; n++ {
		c, err := h.in.ReadByte()
		if err != nil || n > 4 && c == '>' && last == [2]byte{'-', '-'} {
			return
		}
		last = [2]byte{last[1], c}
	}
}

// act does what a tag, in lower case and without its attributes, is for.
func (h *htmlText) act(name string) {
	if h.skip != "" {
		h.skip = ""
		return
	}
	switch name {
	case "script", "style", "title", "template":
		h.skip = name
	case "br", "br/", "hr":
		h.emit()
	case "pre":
		h.flush()
		h.pre++
	case "/pre":
		h.flush()
		h.pre = max(0, h.pre-1)
	case "li":
		h.flush()
		h.line = append(h.line, "* "...)
	case "td", "th":
		h.octet(' ')
	case "p", "/p", "h1", "h2", "h3", "h4", "h5", "h6", "/h1", "/h2", "/h3", "/h4", "/h5", "/h6", "blockquote", "/blockquote":
		had := len(h.line) > 0
		h.flush()
		if had && !h.blank && name[0] == '/' {
			h.emit()
		}
	case "div", "/div", "tr", "/tr", "ul", "/ul", "ol", "/ol", "/li", "table", "/table", "body", "/body", "head", "/head", "dt", "dd":
		h.flush()
	}
}
