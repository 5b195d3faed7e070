package document

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"gofer/internal/text/feed"
	"gofer/protocols"
	"gofer/urlcore"
)

func (h *htmlReader) start(tag atom.Atom, attr attributes) {
	if isHidden(tag, attr) {
		h.skip = hiddenElement{tag: tag, depth: 1, svgTitle: tag == atom.Title && h.drawing.tag != 0}
	}
	if lang := attr.get(atom.Lang); tag == atom.Html && lang != "" {
		h.quotes.lang = lang
	}
	h.addLinkName(attr)
	id := attr.get(atom.Id)
	if tag == atom.Hr {
		h.breakLine()
		h.addID(id) // before the line of the element itself
		id = ""
	}
	h.startElement(tag, attr)
	h.addID(id) // after the end of the line before the element
}

func (h *htmlReader) startElement(tag atom.Atom, attr attributes) {
	switch tag {
	case atom.Script:
		h.scripts = true
	case atom.Base:
		if u, _ := h.resolve(attr.get(atom.Href)); u != nil {
			h.base = u
		}
	case atom.A:
		h.addID(attr.get(atom.Name))
		h.endLink()
		h.beginLink(attr)
	case atom.Area:
		h.addNamedLink(attr.get(atom.Href), "", cmp.Or(attr.get(atom.Alt), nameOf(attr)))
	case atom.Img:
		h.showPicture(attr)
	case atom.Iframe, atom.Frame:
		h.addNamedLink(attr.get(atom.Src), "frame", nameOf(attr))
	case atom.Audio, atom.Video, atom.Embed:
		h.addNamedLink(attr.get(atom.Src), tag.String(), nameOf(attr))
	case atom.Source:
		if attr.get(atom.Srcset) == "" {
			h.addNamedLink(attr.get(atom.Src), "file", "")
		}
	case atom.Object:
		h.addNamedLink(attr.get(atom.Data), "object", nameOf(attr))
	case atom.Meta:
		h.showRedirect(attr)
	case atom.Link:
		h.addFeed(attr)
	case atom.Form, atom.Input, atom.Button, atom.Select, atom.Option, atom.Optgroup, atom.Textarea, atom.Label:
		h.startFormTag(tag, attr)
	default:
		h.startBlock(tag, attr)
	}
}

func (h *htmlReader) startBlock(tag atom.Atom, attr attributes) {
	switch tag {
	case atom.Br:
		if !h.endLine() && h.begun {
			h.gap = true
		}
	case atom.Hr:
		h.breakLine()
		if h.table.flow(h); h.table == nil {
			h.yieldLine(protocols.Line{Text: strings.Repeat("─", 40)}, protocols.Hypertext{IDs: h.ids})
			h.ids = nil
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		h.table.flow(h)
		h.startParagraph()
		h.level = int(tag.String()[1] - '0')
	case atom.Pre, atom.Xmp, atom.Listing, atom.Plaintext:
		h.table.flow(h)
		h.startParagraph()
		h.pre++
		h.preBegun = true
	case atom.Ul, atom.Menu, atom.Dir, atom.Ol, atom.Blockquote:
		h.startList(tag, attr)
	case atom.Li:
		h.startItem()
	case atom.Dl:
		h.startParagraph()
	case atom.Dt:
		h.closeBlock(atom.Dd)
	case atom.Dd:
		h.closeBlock(atom.Dd)
		h.openBlock(atom.Dd, 0)
	case atom.P:
		h.startParagraph()
	case atom.Table, atom.Tr, atom.Td, atom.Th, atom.Caption:
		h.startTable(tag, attr)
	case atom.Q:
		h.startQuotation(attr)
	case atom.Sup:
		h.startSuperscript()
	default:
		if isBlock(tag) {
			h.breakLine()
		}
	}
}

// startList begins a list or a quote. A nested list has no empty line before it.
func (h *htmlReader) startList(tag atom.Atom, attr attributes) {
	h.table.flow(h)
	if h.breakLine(); len(h.blocks) == 0 || tag == atom.Blockquote {
		h.gap = true
	}
	if tag == atom.Menu || tag == atom.Dir {
		tag = atom.Ul
	}
	number, err := strconv.Atoi(attr.get(atom.Start))
	if err != nil || number < 0 || number > 1e6 {
		number = 1
	}
	h.openBlock(tag, number)
}

// endDrawing goes on with a drawing after a link in it.
func (h *htmlReader) endDrawing() {
	if h.drawing.tag != 0 {
		h.skip, h.drawing = h.drawing, hiddenElement{}
	}
}

func (h *htmlReader) end(tag atom.Atom) {
	if h.skip.tag != 0 {
		h.skip.svgTitle = false
		if tag == h.skip.tag {
			if h.skip.depth--; h.skip.depth == 0 {
				h.skip.tag = 0
			}
		}
		return
	}
	switch tag {
	case atom.A:
		h.endLink()
		h.endDrawing()
	case atom.Svg:
		if h.drawing.tag != 0 { // a link in it has no end
			h.endLink()
			h.endDrawing()
			h.end(tag)
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		h.startParagraph()
		h.level = 0
	case atom.Pre, atom.Xmp, atom.Listing:
		h.startParagraph()
		h.pre = max(0, h.pre-1)
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir, atom.Blockquote:
		if tag == atom.Menu || tag == atom.Dir {
			tag = atom.Ul
		}
		if h.closeBlock(tag); len(h.blocks) == 0 || tag == atom.Blockquote {
			h.gap = true
		}
	case atom.Dl:
		h.closeBlock(atom.Dd)
		h.gap = true
	case atom.P:
		h.startParagraph()
	case atom.Table, atom.Tr, atom.Td, atom.Th, atom.Caption:
		h.endTable(tag)
	case atom.Form, atom.Select, atom.Button, atom.Textarea, atom.Label, atom.Option:
		h.endFormTag(tag)
	case atom.Q:
		h.endQuotation()
	case atom.Sup:
		h.endSuperscript()
	default:
		if isBlock(tag) {
			h.breakLine()
		}
	}
}

// startParagraph ends the line and begins a paragraph. The next line gets an empty line before it,
// except at the beginning of a list item.
func (h *htmlReader) startParagraph() {
	h.breakLine()
	if n := len(h.blocks); n == 0 || h.blocks[n-1].tag == atom.Blockquote || h.blocks[n-1].marked && h.begun {
		h.gap = true
	}
}

// isBlock reports whether an element begins a new line and ends with a line end.
func isBlock(tag atom.Atom) bool {
	switch tag {
	case atom.Div, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Nav, atom.Main, atom.Aside, atom.Address,
		atom.Center, atom.Figure, atom.Figcaption, atom.Fieldset, atom.Legend, atom.Details, atom.Summary, atom.Dialog,
		atom.Body, atom.Head, atom.Html, atom.Thead, atom.Tbody, atom.Tfoot, atom.Option, atom.Noscript, atom.Li, atom.Dd, atom.Dt, atom.Hgroup:
		return true
	}
	return false
}

// showPicture shows the name of a picture. If the picture is not in a link, the name links to the
// picture.
func (h *htmlReader) showPicture(attr attributes) {
	alt, hasAlt := attr.find(atom.Alt)
	alt = strings.TrimSpace(alt)
	switch {
	case attr.get(atom.Width) == "1" || attr.get(atom.Height) == "1":
		return
	case h.href != nil:
		if alt != "" {
			h.addText([]byte("[" + alt + "]"))
		}
		return
	case hasAlt && alt == "" && !h.namesPictures: // a decoration
		return
	}
	source, _, _ := strings.Cut(strings.TrimSpace(attr.get(atom.Srcset)), " ")
	h.addNamedLink(cmp.Or(attr.get(atom.Src), source), "image", cmp.Or(alt, nameOf(attr)))
}

// addNamedLink adds a link with the text "[kind: name]", or only the name if kind is empty.
func (h *htmlReader) addNamedLink(href, kind, name string) {
	u, fragment := h.resolve(href)
	if scheme := schemeOf(strings.TrimSpace(href)); u == nil && href != "" && (kind == "" || scheme != "data" && scheme != "about" && scheme != "javascript") {
		u, fragment = protocols.UnopenedLink(unopenedReference(h.base, href)), ""
	}
	if u == nil && name == "" || href == "" && name == "" {
		return
	}
	if name = strings.TrimSpace(name); name == "" {
		name = fileNameOf(urlcore.MaskPassword(href))
	}
	switch {
	case kind == "":
	case name == "":
		name = "[" + kind + "]"
	default:
		name = "[" + kind + ": " + name + "]"
	}
	if kind == "frame" || kind == "" {
		h.breakLine()
	}
	if u != nil && h.href == nil {
		h.setLink(u, fragment)
		defer h.endLink()
	}
	h.writeName(name)
}

// nameOf returns the name of an element that has no text, or "".
func nameOf(attr attributes) string {
	return cmp.Or(strings.TrimSpace(attr.get(atom.Title)), strings.TrimSpace(attr.get(ariaLabel)))
}

// writeName adds the name of an element without text to the line.
func (h *htmlReader) writeName(name string) {
	pre, skip := h.pre, h.skip
	h.pre, h.skip = 0, hiddenElement{}
	h.addText([]byte(name))
	h.pre, h.skip = pre, skip
}

// fileNameOf returns the last path segment of a reference.
func fileNameOf(href string) string {
	href, _, _ = strings.Cut(href, "?")
	if strings.HasPrefix(href, "data:") || len(href) > 1000 {
		return ""
	}
	if name := path.Base(href); name != "." && name != "/" {
		return name
	}
	return ""
}

// showRedirect shows the target of a meta element that redirects to another page.
func (h *htmlReader) showRedirect(attr attributes) {
	if !strings.EqualFold(attr.get(atom.HttpEquiv), "refresh") || h.refresh {
		return
	}
	_, href, ok := strings.Cut(attr.get(atom.Content), "=")
	href = strings.Trim(strings.TrimSpace(href), `"'`)
	u, fragment := h.resolve(href)
	if u == nil {
		u, fragment = protocols.UnopenedLink(unopenedReference(h.base, href)), ""
	}
	if ok && href != "" && u != h.base {
		h.refresh = true
		h.breakLine()
		h.addText([]byte("The page redirects to "))
		h.setLink(u, fragment)
		h.addText([]byte(protocols.LinkText(u, fragment)))
		h.endLink()
		h.startParagraph()
	}
}

// pageFeed is a feed that a page names.
type pageFeed struct {
	url   urlcore.URL
	title string
}

// maxFeeds is the largest number of feeds of a page.
const maxFeeds = 8

// addFeed records the feed that a link element names (HTML, section 4.6.7.1).
func (h *htmlReader) addFeed(attr attributes) {
	if !slices.Contains(strings.Fields(strings.ToLower(attr.get(atom.Rel))), "alternate") || !feed.IsFeed(essence(attr.get(atom.Type))) || len(h.feeds) == maxFeeds {
		return
	}
	u, _ := h.resolve(attr.get(atom.Href))
	if u == nil || slices.ContainsFunc(h.feeds, func(f pageFeed) bool { return f.url == u }) {
		return
	}
	title := strings.Join(strings.Fields(attr.get(atom.Title)), " ")
	if len(title) > maxLinkName {
		title = title[:cut([]byte(title), maxLinkName)]
	}
	h.feeds = append(h.feeds, pageFeed{u, cmp.Or(title, u.String())})
}
