package document

import (
	"bytes"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"gofer/internal/text/charset"
	"gofer/protocols"
)

// Media types of Markdown. The second one is older (RFC 7763, section 6.1).
const (
	mediaMarkdown    = "text/markdown"
	mediaOldMarkdown = "text/x-markdown"
)

// Bounds of a Markdown document.
const (
	maxAhead        = 16 << 20 // octets of lines that are read ahead to find the definitions of links
	lineSize        = 32       // octets that a line counts in addition to its text
	maxDefinitions  = 10_000
	maxTargets      = 4 << 20 // octets of the URLs of the links in one chunk
	maxChunkHTML    = 4 << 20 // octets of the HTML of one chunk
	maxHeadingIDs   = 100_000
	maxDefinedLabel = 1000
)

// IsMarkdown reports whether a media type is Markdown.
func IsMarkdown(media string) bool {
	e := essence(media)
	return e == mediaMarkdown || e == mediaOldMarkdown
}

// markdownLines returns the lines of a Markdown document (CommonMark 0.31 with the tables, strikethrough and
// autolinks of GitHub). It converts the document to HTML, a chunk at a time, and reads the HTML.
func markdownLines(d *Document) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		next, stop := iter.Pull2(markdownText(d))
		defer stop()
		h := newHTMLReader(d.URL, func(l protocols.Line) bool { return yield(l, nil) })
		h.tableWidth, h.namesPictures = d.TableWidth, true
		if err := h.read(newMarkdownReader(next)); err != nil && !h.stopped {
			yield(protocols.Line{}, err)
		}
	}
}

// markdownText returns the lines of the source of a Markdown document in UTF-8. A line that is UTF-8 stays as it is,
// whatever charset the document declares.
func markdownText(d *Document) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		r, known := d.decodedReader()
		var f textFormat
		if !known {
			if f.charset = d.Charset; charset.ByName(f.charset) == nil {
				r = &guessingReader{r: d}
			}
		}
		splitText(r, f, yield)
	}
}

// markdownTitle returns the text of the heading at the beginning of a Markdown document in UTF-8, or "".
func (d *Document) markdownTitle() string {
	src := &Document{Head: d.Head, first: d.first, err: io.EOF}
	for line, err := range markdownText(src) {
		if err != nil {
			break
		}
		if title, ok := strings.CutPrefix(line.Text, "# "); ok {
			return strings.Trim(title, " \t#")
		} else if !isBlankLine(line.Text) {
			break
		}
	}
	return ""
}

// markdownReader reads the lines of a Markdown document as HTML.
type markdownReader struct {
	next  func() (protocols.Line, error, bool) // returns the next line
	ahead []string                             // lines that have been read but not converted
	begun bool                                 // the definitions have been read
	err   error                                // error after the lines in ahead; io.EOF at the end

	chunks      chunker
	parser      parser.Parser
	definer     parser.Parser // parses definitions only
	markdown    goldmark.Markdown
	ids         headingIDs
	definitions map[string]parser.Reference // definitions of links, [label]: URL, by label
	html        bytes.Buffer                // HTML that has not been read
}

func newMarkdownReader(next func() (protocols.Line, error, bool)) *markdownReader {
	m := &markdownReader{next: next, ids: make(headingIDs), definitions: make(map[string]parser.Reference)}
	m.markdown = goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
		goldmark.WithRendererOptions(html.WithUnsafe()), // the reader of HTML decides what is shown
	)
	m.parser = m.markdown.Parser()
	m.definer = parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1)),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
	return m
}

// Read reads the HTML.
func (m *markdownReader) Read(p []byte) (int, error) {
	if !m.begun {
		m.begun = true
		m.readAhead()
		quoteMetadata(m.ahead)
	}
	for m.html.Len() == 0 {
		if !m.convert() {
			return 0, m.err
		}
	}
	return m.html.Read(p)
}

// readAhead reads the lines at the beginning of the document, to know the links that are defined at the end of a
// usual document.
func (m *markdownReader) readAhead() {
	var fence fence
	size, begins := 0, true // begins: a definition may begin at the line
	label := ""             // the line before if it is the beginning of a definition
	for size < maxAhead && m.err == nil {
		line, ok := m.readLine()
		if !ok {
			return
		}
		size += len(line) + lineSize
		m.ahead = append(m.ahead, line)
		inFence := fence.add(line)
		switch {
		case inFence:
			begins, label = fence.mark == "", ""
		case begins && label == "" && strings.HasSuffix(strings.TrimRight(line, " \t"), "]:"):
			label = line
		case begins && m.define(label, line):
			label = ""
		default:
			begins, label = isBlankLine(line) || line[0] == '#' || begins && label == "" && beginsTitle(line), ""
		}
	}
}

// beginsTitle reports whether a line may begin with the title of a definition.
func beginsTitle(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return line != "" && strings.IndexByte("\"'(", line[0]) >= 0
}

// readLine reads a line of the document. At the end it sets m.err.
func (m *markdownReader) readLine() (line string, ok bool) {
	if m.err != nil {
		return "", false
	}
	l, err, more := m.next()
	switch {
	case !more:
		m.err = io.EOF
	case err != nil:
		m.err = err
	}
	return l.Text, m.err == nil
}

// define records the definition of a link if the line is one, or is the rest of one that begins with the line before it
// (the parameter begun).
func (m *markdownReader) define(begun, line string) bool {
	if begun != "" {
		line = begun + "\n" + line
	}
	label := strings.TrimLeft(line, " ")
	if len(line)-len(label) > 3 || !strings.HasPrefix(label, "[") || isFootnote(label) || !strings.Contains(label, "]:") || len(line) > maxHref ||
		strings.Index(label, "]:") > maxDefinedLabel || countMarks(line) > maxMarks || len(m.definitions) >= maxDefinitions {
		return false
	}
	c := parser.NewContext()
	doc := m.definer.Parse(text.NewReader([]byte(line+"\n")), parser.WithContext(c))
	defined := c.References()
	if doc.HasChildren() && doc.FirstChild().Kind() == ast.KindParagraph || len(defined) != 1 {
		return false
	}
	if key := util.ToLinkReference(defined[0].Label()); m.definitions[key] == nil { // the first definition counts
		m.definitions[key] = defined[0]
	}
	return true
}

// convert converts the next chunk to HTML. It returns false at the end, and if the document fails.
func (m *markdownReader) convert() bool {
	for {
		if len(m.ahead) == 0 {
			line, ok := m.readLine()
			if !ok {
				break
			}
			m.ahead = append(m.ahead, line)
		}
		line := m.ahead[0]
		if n := cutMarks(line); n < len(line) {
			m.ahead[0], line = line[n:], line[:n]
		} else {
			m.ahead = m.ahead[1:]
		}
		if done := m.chunks.add(line); done.text != nil {
			return m.render(done)
		}
	}
	last := m.chunks.rest()
	return len(last.text) > 0 && m.render(last)
}

// render converts a chunk to HTML.
func (m *markdownReader) render(part chunk) bool {
	m.html.Reset()
	if part.html {
		m.html.Write(part.text)
		return true
	}
	if len(m.ids) > maxHeadingIDs {
		clear(m.ids)
	}
	c := &chunkContext{parser.NewContext(), m.definitions}
	doc := m.parser.Parse(text.NewReader(part.text), parser.WithContext(c))
	m.adapt(doc, part.text)
	err := m.markdown.Renderer().Render(&limitedWriter{&m.html, maxChunkHTML}, part.text, doc)
	if err != nil && m.html.Len() == 0 {
		m.err = err
		return false
	}
	if !bytes.HasSuffix(m.html.Bytes(), []byte("\n")) {
		m.html.WriteByte('\n')
	}
	return true
}

// chunkContext is the context of a chunk with the definitions of the whole document.
type chunkContext struct {
	parser.Context
	definitions map[string]parser.Reference
}

// Reference returns the definition of a label. A definition of the document outweighs one of the chunk.
func (c *chunkContext) Reference(label string) (parser.Reference, bool) {
	if d, ok := c.definitions[label]; ok {
		return d, true
	}
	return c.Context.Reference(label)
}

// adapt gives the headings of a chunk their IDs. It empties the URLs of links after the first maxTargets octets of
// URLs, because a short text may have many links to the same long URL.
func (m *markdownReader) adapt(doc ast.Node, chunk []byte) {
	left := maxTargets
	var heading *ast.Heading
	var title []byte // text of heading
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			if heading = n; !entering {
				n.SetAttributeString("id", m.ids.add(string(title)))
				heading = nil
			}
			title = nil
		case *ast.Text:
			if entering && heading != nil {
				title = append(title, n.Segment.Value(chunk)...)
			}
		case *ast.Link:
			limitTarget(&n.Destination, &n.Title, &left)
		case *ast.Image:
			limitTarget(&n.Destination, &n.Title, &left)
		}
		return ast.WalkContinue, nil
	})
}

func limitTarget(target, title *[]byte, left *int) {
	if *left -= len(*target) + len(*title); *left < 0 {
		*target, *title = nil, nil
	}
}

// limitedWriter writes at most left octets and drops the rest.
type limitedWriter struct {
	w    *bytes.Buffer
	left int
}

func (l *limitedWriter) Write(p []byte) (int, error) {
	if n := min(len(p), l.left); n > 0 {
		l.w.Write(p[:n])
		l.left -= n
	}
	return len(p), nil
}

// headingIDs makes the IDs of headings, as GitHub does. It counts the headings by ID.
type headingIDs map[string]int

// add returns the ID of the next heading.
func (h headingIDs) add(title string) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(title)) {
		switch {
		case b.Len() >= maxID-10:
		case r == ' ':
			b.WriteByte('-')
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			b.WriteRune(r)
		}
	}
	id := b.String()
	if id == "" {
		id = "heading"
	}
	n := h[id]
	h[id]++
	if n > 0 {
		id += "-" + strconv.Itoa(n)
	}
	return []byte(id)
}
