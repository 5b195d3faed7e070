package document

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"gofer/protocols"
	"gofer/urlcore"
)

// Bounds of a line.
const (
	maxIDs    = 16  // IDs of one line
	maxID     = 128 // octets of an ID
	maxBlocks = 100 // nested lists and quotes
	maxHang   = 24  // cells of the hanging indent
)

// lineState is the state of the line that is being built.
type lineState struct {
	text  []byte
	links []protocols.Hyperlink
	ids   []string
	blank bool // write a blank before the next word
	sup   int  // where the open superscript begins in text; 0: none

	href     urlcore.URL // URL of the open link, or nil
	fragment string
	from     int  // start of the open link in text
	empty    bool // the open link has no text in this line yet

	linkShown bool   // the open link has text in an earlier line
	linkName  string // the name of the open link if it has no text
	reference string // the URL of the open link as the page writes it
}

// block is an open list, description or quote.
type block struct {
	tag    atom.Atom
	number int  // number of the next item of an ol
	marked bool // the mark of the current item, such as "*", was written
	mark   string
}

// addText adds text to the line, or to the open field of a form.
func (h *htmlReader) addText(b []byte) {
	switch {
	case h.skip.tag != 0:
		if title := bytes.TrimSpace(b); h.skip.svgTitle && h.href != nil && h.linkName == "" {
			h.linkName = string(title)
		}
		return
	case h.form != nil && h.form.text != nil:
		if f := h.form; len(f.read) < maxLine {
			f.read = append(f.read, b...)
		}
		return
	case h.pre > 0:
		h.addVerbatim(b)
		return
	}
	if h.octets < enoughText {
		h.octets += len(bytes.TrimSpace(b))
	}
	for len(b) > 0 {
		n := 0
		for n < len(b) && !isBlank(b[n]) {
			n++
		}
		if n > 0 {
			h.addWord(b[:n])
		}
		for ; n < len(b) && isBlank(b[n]); n++ {
			h.blank = true
		}
		b = b[n:]
	}
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' && c != '\v' }

// addWord adds a word to the line.
func (h *htmlReader) addWord(b []byte) {
	b = replaceSpaces(b)
	if len(b) == 0 {
		return
	}
	if h.blank && len(h.text) > 0 && h.text[len(h.text)-1] != ' ' {
		h.text = append(h.text, ' ')
		if h.href != nil && h.empty {
			h.from = len(h.text)
		}
	}
	h.blank, h.empty = false, h.empty && !isVisible(b)
	h.form.addWords(b)
	h.appendText(b)
}

// isVisible reports whether b has a character that readers see. Characters for private use are the
// pictures of icon fonts.
func isVisible(b []byte) bool {
	return bytes.ContainsFunc(b, func(r rune) bool { return !unicode.In(r, unicode.Zs, unicode.Co, unicode.Cc, unicode.Cf) })
}

// appendText adds b to the line. It begins a new line when the line is full.
func (h *htmlReader) appendText(b []byte) {
	for len(h.text)+len(b) > maxLine {
		n := cut(b, max(0, maxLine-len(h.text)))
		h.text = append(h.text, b[:n]...)
		b = b[n:]
		h.breakLine()
	}
	h.text = append(h.text, b...)
}

// replaceSpaces replaces no-break spaces with blanks and drops zero-width characters.
func replaceSpaces(b []byte) []byte {
	if bytes.IndexByte(b, 0xc2) < 0 && bytes.IndexByte(b, 0xe2) < 0 {
		return b
	}
	b = bytes.ReplaceAll(b, []byte("\u00a0"), []byte(" "))
	for _, none := range []string{"\u00ad", "\u200b", "\ufeff"} {
		b = bytes.ReplaceAll(b, []byte(none), nil)
	}
	return b
}

// addVerbatim adds preformatted text.
func (h *htmlReader) addVerbatim(b []byte) {
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	if h.preBegun {
		b, h.preBegun = bytes.TrimPrefix(b, []byte("\n")), false
	}
	for len(b) > 0 {
		line, rest, ended := bytes.Cut(b, []byte("\n"))
		if len(line) > 0 {
			if h.octets < enoughText {
				h.octets += len(line)
			}
			h.empty = h.empty && !isVisible(line)
			h.appendText(line)
		}
		if ended && !h.endLine() {
			h.yieldEmptyLine()
		}
		b = rest
	}
}

// endLine ends the line like a br element, and reports whether the line had text.
func (h *htmlReader) endLine() bool {
	had := len(h.text) > 0
	h.breakLine()
	return had
}

func (h *htmlReader) yieldEmptyLine() {
	if h.table != nil {
		return
	}
	h.emit(protocols.Line{})
	h.gap = false
}

// breakLine yields the line, or adds it to the open table. It drops an empty line. A link that is
// still open continues in the next line.
func (h *htmlReader) breakLine() {
	h.form.endLine()
	if len(bytes.TrimRight(h.text, " ")) == 0 {
		h.text, h.links, h.from = h.text[:0], nil, 0
		h.blank = false
		return
	}
	h.sup = 0
	h.cutLink()
	line := protocols.Line{Text: string(bytes.TrimRight(h.text, " "))}
	note := protocols.Hypertext{Links: h.links, IDs: h.ids, Level: h.level, Verbatim: h.pre > 0}
	for i := range note.Links {
		note.Links[i].To = min(note.Links[i].To, len(line.Text))
	}
	h.text, h.links, h.ids, h.from, h.blank = h.text[:0], nil, nil, 0, false
	h.empty = true
	if h.level > 0 {
		line.Kind = protocols.Heading
	}
	if h.table != nil {
		h.table.add(h, line.Text, note)
		return
	}
	h.yieldLine(line, note)
}

// yieldLine yields line with the indent and the marks of the open lists and quotes before it.
func (h *htmlReader) yieldLine(line protocols.Line, note protocols.Hypertext) {
	if h.gap && h.begun {
		h.emit(protocols.Line{})
	}
	h.gap = false
	prefix, quoted := h.makePrefix()
	if prefix != "" {
		line.Text = prefix + line.Text
		for i := range note.Links {
			note.Links[i].From += len(prefix)
			note.Links[i].To += len(prefix)
		}
		note.Hang = len(prefix)
	}
	if quoted && line.Kind == protocols.Info {
		line.Kind = protocols.Quote
	}
	if len(note.Links)+len(note.IDs)+note.Level+note.Hang > 0 || note.Verbatim {
		line.Note = &note
	}
	h.emit(line)
}

// makePrefix returns the indent, marks and quote signs of a line, in ASCII.
func (h *htmlReader) makePrefix() (prefix string, quoted bool) {
	if len(h.blocks) == 0 {
		return "", false
	}
	var b strings.Builder
	for i := range h.blocks {
		l := &h.blocks[i]
		mark := l.mark
		switch {
		case l.tag == atom.Blockquote:
			mark, quoted = "> ", true
		case l.marked:
			mark = strings.Repeat(" ", len(mark))
		}
		l.marked = true
		if b.Len()+len(mark) <= maxHang || i == len(h.blocks)-1 && b.Len() < 2*maxHang {
			b.WriteString(mark)
		}
	}
	return b.String(), quoted
}

// prefixWidth returns the width of the next result of makePrefix, in cells.
func (h *htmlReader) prefixWidth() (width int) {
	for i := range h.blocks {
		n := len(h.blocks[i].mark)
		if h.blocks[i].tag == atom.Blockquote {
			n = len("> ")
		}
		if width+n <= maxHang || i == len(h.blocks)-1 && width < 2*maxHang {
			width += n
		}
	}
	return width
}

// startItem begins an item of the innermost list.
func (h *htmlReader) startItem() {
	h.breakLine()
	if n := len(h.blocks); n == 0 || h.blocks[n-1].tag == atom.Blockquote {
		h.openBlock(atom.Ul, 0)
	}
	l := &h.blocks[len(h.blocks)-1]
	l.marked = false
	l.mark = "  * "
	if l.tag == atom.Ol {
		l.mark = " " + strconv.Itoa(l.number) + ". "
		l.number++
	}
}

// openBlock begins a list or a quote.
func (h *htmlReader) openBlock(tag atom.Atom, number int) {
	if h.breakLine(); len(h.blocks) < maxBlocks {
		h.blocks = append(h.blocks, block{tag: tag, number: number, mark: "    ", marked: true})
	}
}

// closeBlock ends the innermost block with the given tag, and the blocks inside it.
func (h *htmlReader) closeBlock(tag atom.Atom) {
	h.breakLine()
	for i := len(h.blocks) - 1; i >= 0; i-- {
		if h.blocks[i].tag == tag {
			h.blocks = h.blocks[:i]
			return
		}
	}
}

// addID records an ID for the next line.
func (h *htmlReader) addID(id string) {
	if id != "" && len(id) <= maxID && len(h.ids) < maxIDs {
		h.ids = append(h.ids, id)
	}
}
