package document

import (
	"errors"
	"io"
	"iter"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"gofer/protocols"
	"gofer/urlcore"
)

// maxToken is the largest size of a token, in octets. Longer tags and comments are skipped. Longer
// texts are read in pieces.
const maxToken = 256 << 10

// htmlLines returns the lines of a hypertext. After an error of d, it yields the lines that were
// read, and then the error.
func htmlLines(d *Document) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		h := newHTMLReader(d.URL, func(l protocols.Line) bool { return yield(l, nil) })
		h.page, h.article, h.tableWidth = d.URL, articleOf(d.URL), d.TableWidth
		if err := h.read(utf8Reader(d)); err != nil && !h.stopped {
			yield(protocols.Line{}, err)
		}
	}
}

// htmlReader reads a hypertext as a stream of tags. It builds no tree, so that a page of any length
// and depth takes little memory.
type htmlReader struct {
	base    urlcore.URL // base of relative links; nil: relative links are invalid
	yield   func(protocols.Line) bool
	stopped bool        // the caller wants no more lines
	page    urlcore.URL // URL of the hypertext if it is not part of an article, or nil
	article urlcore.URL // URL of the article that contains the hypertext, or nil

	tableWidth    int  // largest width of a table; 0: maxTable
	namesPictures bool // an empty alt means that the picture has no name, not that it is a decoration

	lineState
	attr     attributes // attributes of the current tag
	blocks   []block    // open lists and quotes
	skip     hiddenElement
	drawing  hiddenElement // the svg element whose link is open
	pre      int           // number of open pre elements
	preBegun bool          // the last token began a pre element, so a line end right after it is dropped
	level    int           // level of the heading, 0: none
	gap      bool          // write an empty line before the next line
	begun    bool          // a line has been yielded

	quotes quotations
	table  *table // the innermost table that is laid out in columns, or nil
	form   *form
	forms  int // number of forms so far

	unshown int  // octets read since the last line was yielded
	octets  int  // octets of text shown; not counted beyond enoughText
	scripts bool // the page has scripts
	refresh bool // a redirect has been shown
	feeds   []pageFeed
}

// hiddenElement is an element whose content is being skipped.
type hiddenElement struct {
	tag   atom.Atom // 0: none
	depth int       // nesting depth of elements with this tag

	svgTitle bool // the next text is the title of an svg element
}

func newHTMLReader(base urlcore.URL, yield func(protocols.Line) bool) *htmlReader {
	return &htmlReader{base: base, yield: yield}
}

// read reads r to its end. It returns nil at io.EOF.
func (h *htmlReader) read(r io.Reader) error {
	counted := &unshownReader{r, &h.unshown}
	z := html.NewTokenizer(counted)
	z.SetMaxBuf(maxToken)
	for !h.stopped {
		kind := z.Next()
		switch kind {
		case html.TextToken:
			h.addText(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			h.startTag(z)
		case html.EndTagToken:
			name, _ := z.TagName()
			h.end(atom.Lookup(name))
		}
		if err := z.Err(); errors.Is(err, html.ErrBufferExceeded) {
			z = h.resume(z, kind, counted)
		} else if kind == html.ErrorToken {
			h.finish()
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
	return nil
}

// unshownReader returns an error after maxUnshown octets that yield no line. A page without lines
// may be endless.
type unshownReader struct {
	r io.Reader
	n *int // octets read since the last line was yielded
}

func (u *unshownReader) Read(p []byte) (int, error) {
	if *u.n > maxUnshown {
		return 0, errUnshown()
	}
	n, err := u.r.Read(p)
	*u.n += n
	return n, err
}

// resume returns a tokenizer for the input after a token that was longer than the buffer. It skips
// the rest of a tag or comment, but not the rest of a text.
func (h *htmlReader) resume(z *html.Tokenizer, kind html.TokenType, r io.Reader) *html.Tokenizer {
	end := ""
	switch raw := z.Raw(); {
	case kind == html.TextToken:
	case strings.HasPrefix(string(raw[:min(len(raw), 4)]), "<!--"):
		end = "-->"
	default:
		end = ">"
	}
	rest := &skipReader{r: io.MultiReader(strings.NewReader(string(z.Buffered())), r), terminator: end}
	context := ""
	switch h.skip.tag {
	case atom.Script, atom.Style, atom.Title, atom.Textarea, atom.Iframe, atom.Noembed, atom.Noframes, atom.Xmp:
		context = h.skip.tag.String()
	}
	z = html.NewTokenizerFragment(rest, context)
	z.SetMaxBuf(maxToken)
	return z
}

// skipReader reads the input after the terminator.
type skipReader struct {
	r          io.Reader
	terminator string // "" after it was found
	tail       string // the last skipped octets, which may be the beginning of the terminator
}

func (p *skipReader) Read(b []byte) (int, error) {
	for {
		n, err := p.r.Read(b)
		if p.terminator == "" {
			return n, err
		}
		seen := p.tail + string(b[:n])
		if _, rest, found := strings.Cut(seen, p.terminator); found {
			p.terminator = ""
			return copy(b, rest), err
		}
		p.tail = seen[max(0, len(seen)-len(p.terminator)+1):]
		if err != nil {
			return 0, err
		}
	}
}

// attributes are the known attributes of a tag.
type attributes []attribute

type attribute struct {
	name  atom.Atom
	value string
}

// find returns the value of the first attribute with a name, and whether there is one.
func (a attributes) find(name atom.Atom) (value string, ok bool) {
	for i := range a {
		if a[i].name == name {
			return a[i].value, true
		}
	}
	return "", false
}

func (a attributes) get(name atom.Atom) string {
	value, _ := a.find(name)
	return value
}

// ariaLabel stands for the attribute aria-label, which has no Atom of its own.
const ariaLabel = ^atom.Atom(0)

// maxAttributes is the largest number of attributes of a tag that are read.
const maxAttributes = 64

func (h *htmlReader) startTag(z *html.Tokenizer) {
	name, more := z.TagName()
	tag := atom.Lookup(name)
	if h.skip.tag != 0 {
		if tag == h.skip.tag {
			h.skip.depth++
		}
		h.skip.svgTitle = tag == atom.Title && h.skip.tag == atom.Svg
		if tag != atom.A || h.skip.tag != atom.Svg || h.href != nil {
			return
		}
		h.drawing, h.skip = h.skip, hiddenElement{} // of a drawing, only the links are shown
	}
	attr := h.attr[:0]
	for more && len(attr) < maxAttributes {
		var key, value []byte
		key, value, more = z.TagAttr()
		a := atom.Lookup(key)
		switch string(key) {
		case "aria-label":
			a = ariaLabel
		case "xlink:href": // in an svg element
			a = atom.Href
		}
		cell := tag == atom.Td || tag == atom.Th || tag == atom.Tr // its style may align the text
		if a != 0 && a != atom.Class && (a != atom.Style || cell) {
			attr = append(attr, attribute{a, string(value)})
		}
	}
	h.attr = attr
	if tag == atom.Noscript { // gofer runs no scripts
		z.NextIsNotRawText()
	}
	h.start(tag, attr)
}

// isHidden reports whether the content of an element is not shown.
func isHidden(tag atom.Atom, attr attributes) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Title, atom.Template, atom.Svg, atom.Iframe, atom.Noembed, atom.Noframes, atom.Datalist:
		return true
	case atom.Div, atom.Span, atom.Section, atom.Nav, atom.Aside, atom.Dialog:
		_, hidden := attr.find(atom.Hidden)
		return hidden
	}
	return false
}

// enoughText is the smallest number of octets of text that makes a page useful without its scripts.
const enoughText = 200

// finish yields the last lines at the end of the input.
func (h *htmlReader) finish() {
	h.closeTable()
	h.endForm()
	h.breakLine()
	if h.page == nil {
		return
	}
	for i, f := range h.feeds {
		h.gap = i == 0
		h.yieldOwnLine(protocols.Line{Kind: protocols.Other, Text: "Feed: " + f.title, Link: f.url, Note: &protocols.Hypertext{Feed: true}})
	}
	if !h.scripts || h.octets >= enoughText {
		return
	}
	h.gap = true
	h.yieldOwnLine(protocols.Line{Kind: protocols.Heading, Text: "This page needs scripts, which are not run here."})
	h.yieldOwnLine(protocols.Line{Kind: protocols.Other, Text: "Open it in the web browser", Link: h.page, Note: protocols.ActionOutside})
}

// yieldOwnLine yields a line that gofer adds to the page.
func (h *htmlReader) yieldOwnLine(l protocols.Line) {
	if h.gap && h.begun {
		h.emit(protocols.Line{})
	}
	h.gap = false
	h.emit(l)
}

func (h *htmlReader) emit(l protocols.Line) {
	h.begun, h.unshown = true, 0
	if !h.stopped && !h.yield(l) {
		h.stopped = true
	}
}
