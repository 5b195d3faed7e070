// Package document turns the octets of a document into lines. It recognizes texts, detects
// charsets, and parses articles, hypertexts and feeds (MIME, uuencode, yEnc, HTML, gemtext, Markdown, RSS, Atom, JSON Feed).
//
// The first block of a document, not the item type in a menu, decides whether the document is a
// text. The lines may contain any octets, so they are not safe to show: see package clean.
package document

import (
	"bytes"
	"cmp"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"gofer/internal/text/charset"
	"gofer/internal/text/feed"
	"gofer/internal/text/marc"
	"gofer/internal/text/waissource"
	"gofer/protocols"
	"gofer/urlcore"
)

// firstBlockSize is the size of the first block, in octets.
const firstBlockSize = 4 << 10

// Document is a resource whose first block has been read. If the resource looks like a mailbox, more
// has been read, to find a second message. A Document can be read once, either as octets or as
// lines.
type Document struct {
	// Head is the head passed to Open, with the media type, layout, charset, title and crossposts
	// that Open finds in the first block.
	protocols.Head
	// Thread is the position of an article in its thread, if known.
	Thread protocols.ThreadPlace
	// TableWidth is the largest width of a table, in terminal cells; 0 means 78 cells.
	TableWidth int
	// PreferHTML makes Lines show the HTML part of an article that contains the same message as
	// plain text and as HTML.
	PreferHTML bool

	// Item is the field Item of the [protocols.Resource], or nil.
	Item func(typ byte, selector string) urlcore.URL

	first   []byte // octets that were read from body and not yet returned by Read
	body    io.Reader
	err     error      // error of the last read of body into first, or nil
	pending *readAhead // background read of body, or nil

	lateNotes []string // see LateNotes
}

// Open reads the first block of body. If head has a charset, the user has chosen it: it outweighs the charset that the
// document declares. The URL of the Document is the base of its links. Open returns an error only if body fails before its first octet.
// Read and Lines return later errors.
func Open(head protocols.Head, body io.Reader) (*Document, error) {
	d := &Document{Head: head, body: body}
	d.URL = head.Base()
	buf := make([]byte, firstBlockSize)
	n, err := d.fill(buf)
	if n == 0 && err != nil && err != io.EOF {
		return nil, err
	}
	d.first, d.err = buf[:n], err
	if d.Problem != "" {
		d.Layout = protocols.LayoutBinary
		return d, nil
	}
	d.Media, d.Layout = detectMedia(d.Media, withoutRecord(d.first))
	if beginsHeader(head.Media, d.first) { // even if the octets of a part look binary
		d.Media, d.Layout = head.Media, protocols.LayoutText
	}
	if d.Layout == protocols.LayoutText && isMailbox(d.first) && !d.isOneMessage() {
		d.Media = MediaMailbox
	} else if d.Layout == protocols.LayoutText && d.Media == MediaMailbox {
		d.Media = mediaText
	}
	d.Charset = cmp.Or(head.Charset, d.declaredCharset())
	d.detectDrawing()
	d.detectMARC()
	d.noteUnknownCharset(d.Charset)
	if d.Layout == protocols.LayoutText && essence(d.Media) == protocols.MediaMenu {
		d.Layout, d.Parsed = protocols.LayoutMenu, true
	}
	if d.Media == protocols.MediaArticle {
		lines := d.first[:bytes.LastIndexByte(d.first, '\n')+1]
		if subject, ok := readHeader(bytes.NewReader(lines)).text("Subject"); ok {
			d.Title = subject
		}
	}
	if strings.HasPrefix(d.Media, mediaGemtext) && bytes.HasPrefix(d.first, []byte("# ")) {
		title, _, _ := strings.Cut(string(d.first[2:]), "\n")
		d.Title = strings.TrimSpace(title)
	}
	d.detectFeed()
	if IsMarkdown(d.Media) && d.Layout == protocols.LayoutText {
		d.Charset = htmlCharset(d.Charset, "", d.first)
		d.Title = cmp.Or(d.markdownTitle(), d.Title)
	}
	if IsHTML(d.Media) {
		_, meta, _ := htmlHead(d.first)
		if meta = cmp.Or(meta, feed.Charset(d.first)); d.Charset == "" {
			d.noteUnknownCharset(meta)
		}
		d.Charset = htmlCharset(d.Charset, meta, d.first)
		if title, _, _ := htmlHead([]byte(charset.ToUTF8(string(d.first), d.Charset))); title != "" {
			d.Title = title
		}
	}
	return d, nil
}

// noteUnknownCharset adds a note if name is the name of a charset that is not known.
func (d *Document) noteUnknownCharset(name string) {
	if d.Layout == protocols.LayoutText && name != "" && !strings.EqualFold(name, "unknown-8bit") && !charset.IsKnown(name) {
		d.Notes = append(slices.Clip(d.Notes), "the declared charset "+strconv.Quote(name)+" is not known: the charset is guessed")
	}
}

// declaredCharset returns the charset in the media type, or in the header of an article. It also
// sets d.Crossposts from this header.
func (d *Document) declaredCharset() string {
	said := d.Media
	if d.Media == protocols.MediaArticle {
		if said = ""; headerEnds(d.first) || d.err != nil {
			h := readHeader(bytes.NewReader(d.first))
			said, d.Crossposts = h.raw("Content-Type"), protocols.ParseCrossposts(h.raw("Xref"))
		}
	}
	_, params := parseContentType(said, false)
	return params["charset"]
}

// fill reads into buf until the format is known. It reads at least one octet. It reads on while the
// octets may be the beginning of a known format. It reads the whole header of an article, and the
// whole head of a hypertext, if they fit in buf.
func (d *Document) fill(buf []byte) (n int, err error) {
	for range 100 {
		var k int
		k, err = d.body.Read(buf[n:])
		n += k
		if err != nil || n == len(buf) || n > 0 && !mayBeginFormat(buf[:n]) && d.headEnds(buf[:n]) && (n >= minWide || !declaresWide(d.Media)) {
			return n, err
		}
	}
	return n, nil
}

// headEnds reports whether b contains the whole header of an article or a mailbox, or the whole
// head of a hypertext, or shows whether the document is a feed. For any other document it returns true.
func (d *Document) headEnds(b []byte) bool {
	switch {
	case d.Media == protocols.MediaArticle, mayBeMailbox(b):
		return headerEnds(b)
	case IsHTML(d.Media):
		if _, _, ended := htmlHead(b); !ended {
			return false
		}
	}
	_, more := feed.Detect(essence(d.Media), b)
	return !more
}

// IsHTML reports whether a media type is HTML or XHTML.
func IsHTML(media string) bool {
	e := essence(media)
	return e == mediaHTML || e == "application/xhtml+xml"
}

// IsHypertext reports whether a media type is HTML, a feed, text/gemini or Markdown. The lines of these formats are
// paragraphs.
func IsHypertext(media string) bool {
	return IsConverted(media) || strings.HasPrefix(strings.ToLower(media), mediaGemtext)
}

// IsConverted reports whether the lines of a document of this media type are in UTF-8, whatever the charset of the
// document.
func IsConverted(media string) bool {
	return IsHTML(media) || IsMarkdown(media) || feed.IsFeed(essence(media)) || essence(media) == marc.Media
}

// headerEnds reports whether b contains the empty line after a header.
func headerEnds(b []byte) bool {
	return bytes.Contains(b, []byte("\n\r\n")) || bytes.Contains(b, []byte("\n\n"))
}

// Read reads the octets of the document from the beginning.
func (d *Document) Read(p []byte) (int, error) {
	if len(d.first) > 0 {
		n := copy(p, d.first)
		d.first = d.first[n:]
		return n, nil
	}
	if d.err != nil {
		return 0, d.err
	}
	return d.body.Read(p)
}

// Lines returns the lines of the document, each as soon as it has arrived.
func (d *Document) Lines() iter.Seq2[protocols.Line, error] {
	switch media := essence(d.Media); {
	case d.Layout == protocols.LayoutBinary:
		return binaryLines(d.Head, d.Problem, d.insideLines())
	case d.Media == MediaMailbox:
		return mailboxLines(d, d.URL)
	case media == protocols.MediaArticle:
		raw, _ := charset.Parse(d.Charset)
		return articleLines(d, d.URL, raw, d.Thread, d.PreferHTML, d.TableWidth)
	case media == waissource.Media:
		return sourceLines(d)
	case media == marc.Media:
		return marcLines(d)
	case IsHTML(media):
		return htmlLines(d)
	case feed.IsFeed(media):
		return feedLines(d)
	case media == mediaGemtext:
		return gemtextLines(d)
	case d.Layout == protocols.LayoutMenu:
		return menuLines(d)
	case d.Drawing:
		return artLines(d)
	case IsMarkdown(media):
		return markdownLines(d)
	}
	return textLines(d)
}

// binaryLines returns the lines shown for a binary document. The parameter inside contains the
// lines that link to its content.
func binaryLines(h protocols.Head, problem string, inside []protocols.Line) iter.Seq2[protocols.Line, error] {
	size := "of unknown size"
	if h.Size >= 0 {
		size = formatSize(h.Size)
	}
	heading, text := "This is not a text.", "It is "+h.Media+", "+size+"."
	if problem != "" {
		heading, text = "This cannot be shown: "+problem+".", "It is "+h.Media+"."
	}
	lines := append([]protocols.Line{{Kind: protocols.Heading, Text: heading}, {Text: text}, {}}, inside...)
	lines = append(lines, protocols.Line{Kind: protocols.Binary, Text: "Save it to a file", Link: h.URL, Note: protocols.ActionSave})
	return protocols.NewPage(h, lines...).Lines
}

func formatSize(n int64) string {
	octets := strconv.FormatInt(n, 10) + " octets"
	if n < 1000 {
		return octets
	}
	return humanize.Bytes(uint64(n)) + " (" + octets + ")"
}
