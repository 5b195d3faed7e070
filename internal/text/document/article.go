package document

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/urlcore"
)

// articleLines turns a news article (RFC 5536) into the lines of a page: the header fields, an
// empty line and the body. Text in a known charset is converted to UTF-8. Other text is not
// converted. Text in the charset of the parameter raw is not converted either if the article has only
// one part. After an error of r, articleLines yields the lines that were read, and then the error.
// Group names link to the server of page, or to the user's own server. If preferHTML is set,
// articleLines chooses hypertext among alternatives, otherwise text. Tables of hypertext are at most tableWidth cells wide, see
// [Document.TableWidth].
//
// go-message is not used: it rejects a whole part for one malformed header line, a wrong octet in
// quoted-printable or base64, or an unknown charset.
func articleLines(r io.Reader, page urlcore.URL, raw charset.Charset, thread protocols.ThreadPlace, preferHTML bool, tableWidth int) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		a := &articleReader{in: bufio.NewReaderSize(r, maxLine), page: page, raw: raw, thread: thread, preferHTML: preferHTML, tableWidth: tableWidth, yield: yield}
		a.showMessage(&entity{article: a}, 0)
		if a.err != nil && !a.stopped && !errors.Is(a.err, io.EOF) {
			yield(protocols.Line{}, a.err)
		}
	}
}

// maxUnshown is the largest number of octets that are read without yielding a line. It limits the
// reading of attachments, which may be endless.
const maxUnshown = 32 << 20

func errUnshown() error {
	err := fmt.Errorf("more than %d MiB contain no visible text; save the document to a file", maxUnshown>>20)
	return &protocols.Error{Reason: protocols.TooBig, Op: "show the document", Err: err}
}

// articleReader reads an article once, from its first octet to its last.
type articleReader struct {
	in      *bufio.Reader
	page    urlcore.URL // URL of the article
	raw     charset.Charset
	thread  protocols.ThreadPlace
	err     error // the error that ended the input, io.EOF included
	unshown int   // octets read since the last line was yielded
	yield   func(protocols.Line, error) bool
	stopped bool // the caller wants no more lines
	shown   bool // some text of the body has been shown

	held         *heldLines            // lines of an alternative that are not shown yet, or nil
	preferHTML   bool                  // choose hypertext among alternatives
	tableWidth   int                   // largest width of a table; 0: maxTable
	alternatives int                   // number of multipart/alternative around this part
	leaf         *leaf                 // the last part that got a number
	subject      protocols.SubjectPart // the part of a file that the Subject names
	subjectName  string                // the file name in the Subject, or "" if there is none or it is used
	body         *bufio.Reader         // the text that is being read

	attachments int    // number of attachments so far
	wanted      int    // number of the part that is passed to take; 0: none
	wantedID    string // Content-ID of the part that is passed to take; "": none
	wantsFile   bool   // the function take gets the first file that is encoded in a text
	take        func(*leaf)

	signatures      int // number of signatures so far
	wantedSignature int // number of the signature that is passed to takeSigned; 0: none
	takeSigned      func(*Signed)
	armor           string // the armor line that is expected next; "": outside armor

	buf     [16 << 10]byte // buffer of the part that is being read
	scratch []byte         // buffer for parts that are not shown
}

func (a *articleReader) yieldLine(l protocols.Line) bool {
	a.unshown = 0
	if a.held != nil {
		return a.hold(l)
	}
	if !a.stopped && !a.yield(l, nil) {
		a.stopped = true
	}
	return !a.stopped
}

func (a *articleReader) yieldText(s string) bool { return a.yieldLine(protocols.Line{Text: s}) }

func (a *articleReader) showMessage(e *entity, depth int) {
	h := e.readHeader()
	lines := headerLines(h, a.page, a.thread)
	if depth == 0 && len(lines) > 0 && lines[0].Note == nil {
		lines[0].Note = typedHeader(h, a.page)
	}
	for _, line := range lines {
		if !a.yieldLine(line) {
			return
		}
	}
	if a.yieldText("") {
		a.shown = false
		if depth == 0 {
			subject, _ := h.text("Subject")
			a.subject = protocols.PartOfSubject(subject)
			a.subjectName = mimeheader.FileName(charset.Auto, protocols.SubjectPart{Rest: subject}.FileName())
		}
		a.showPart(e, h, depth, false)
		a.shown = true
	}
}

const (
	maxReferences = 6  // lines of References; the middle of a longer list is left out
	maxGroups     = 50 // lines of Newsgroups
)

// headerLines returns the lines of the header of the message whose URL is page. The most important
// fields come first.
func headerLines(h articleHeader, page urlcore.URL, thread protocols.ThreadPlace) []protocols.Line {
	var lines []protocols.Line
	var note protocols.Note
	add := func(text string, u urlcore.URL) {
		lines = append(lines, protocols.Line{Kind: protocols.Header, Text: text, Link: u, Note: note})
	}
	addField := func(name string) {
		if v, ok := h.text(name); ok {
			if name == "From" {
				v = mimeheader.NameFirst(v)
			}
			add(name+": "+v, nil)
		}
	}
	addField("From")
	addField("Subject")
	addField("Date")
	addList := func(name string, items []string, link func(string) urlcore.URL) {
		start := name + ": "
		for _, item := range items {
			add(start+item, link(item))
			start = strings.Repeat(" ", len(start))
		}
	}
	addGroups := func(name string) {
		if v, ok := h.text(name); ok {
			names := groupNames(v)
			if n := len(names) - maxGroups; n > 0 {
				names = append(names[:maxGroups], "("+english.Plural(n, "more group", "")+")")
			}
			addList(name, names, func(group string) urlcore.URL { return groupURL(page, group) })
		}
	}
	addGroups("Newsgroups")
	if thread.Articles > 1 {
		add(fmt.Sprintf("Thread: %d of %d", thread.N, thread.Articles), nil)
	}
	if v, ok := h.text("Archived-At"); ok { // RFC 5064
		lines = append(lines, urlLines("Archived-At", v, nil)...)
	}
	note = protocols.KnownField
	addGroups("Followup-To")
	addField("Organization")
	if v, ok := h.text("Message-ID"); ok {
		add("Message-ID: "+v, messageURL(page, v))
	}
	if v, ok := h.text("References"); ok {
		addList("References", shortenReferences(messageIDs(v)), func(id string) urlcore.URL { return messageURL(page, id) })
	}
	lines = append(lines, otherFields(h, "From", "Subject", "Date", "Newsgroups", "Archived-At", "Followup-To", "Organization", "Message-ID", "References")...)
	for _, line := range h.unread {
		lines = append(lines, protocols.Line{Kind: protocols.Problem, Text: line})
	}
	return lines
}

// shortenReferences returns ids. If there are too many to show, a remark replaces the middle.
func shortenReferences(ids []string) []string {
	if len(ids) <= maxReferences {
		return ids
	}
	left := len(ids) - maxReferences + 1
	list := append([]string{ids[0]}, "("+english.Plural(left, "older answer", "")+" left out)")
	return append(list, ids[len(ids)-maxReferences+2:]...)
}

// groupURL returns the URL of a group on the server of page, or nil if name is not a group. If page
// has no server, the URL means the group on the user's own server.
func groupURL(page urlcore.URL, name string) urlcore.URL {
	if name == "*" || name == "poster" || strings.Contains(name, "@") {
		return nil
	}
	if u := urlcore.NewsGroup(page); u.Host != "" {
		u.Group = name
		return canonURL(u)
	}
	return canonURL(urlcore.News{Group: name})
}

// messageURL returns the URL of an article on the server that groupURL uses (RFC 5538, section
// 2.2), or nil if id is not a Message-ID in angle brackets.
func messageURL(page urlcore.URL, id string) urlcore.URL {
	if len(id) < 3 || id[0] != '<' || id[len(id)-1] != '>' {
		return nil
	}
	at := urlcore.NewsGroup(page)
	return canonURL(urlcore.News{HostPort: at.HostPort, MessageID: id[1 : len(id)-1], Secure: at.Secure})
}

// canonURL returns u in its canonical form, or nil if u is not valid.
func canonURL(u urlcore.URL) urlcore.URL {
	c, _ := urlcore.Canon(u)
	return c
}

// articleHeader is a header. The fields are unfolded, but not decoded.
type articleHeader struct {
	fields []articleField
	unread []string // lines that are not fields
}

type articleField struct{ name, value string }

// raw returns the value of the first field with this name, without surrounding blanks.
func (h articleHeader) raw(name string) string {
	for _, f := range h.fields {
		if strings.EqualFold(f.name, name) {
			return strings.TrimSpace(f.value)
		}
	}
	return ""
}

// text returns the value of a field as one line, and whether the field has a value. It decodes a
// field with encoded words (RFC 2047). In any other field, octets that are not UTF-8 stay unchanged.
func (h articleHeader) text(name string) (string, bool) {
	v := h.raw(name)
	switch {
	case mimeheader.IsEncoded(v):
		v = mimeheader.OneLine(mimeheader.DecodeAs(h.readingOf(v), v))
	case utf8.ValidString(v):
		v = mimeheader.OneLine(v)
	default:
		v = strings.NewReplacer("\r", " ", "\n", " ", "\t", " ", "\v", " ", "\f", " ").Replace(v)
	}
	v = strings.TrimSpace(v)
	return v, v != ""
}

// readingOf returns how the octets of a field are decoded that are neither in encoded words nor in UTF-8: in the
// charset that Content-Type declares, or in the charset that they seem to be in.
func (h articleHeader) readingOf(value string) clean.Reading {
	_, params := parseContentType(h.raw("Content-Type"), false)
	declared, _ := charset.Parse(params["charset"])
	var e charset.Evidence
	e.Add(value)
	return clean.Reading{Charset: e.Choose(declared, false).EightBit()}
}

const (
	maxHeader         = 1 << 20 // octets of one header that are kept
	maxField          = maxLine // octets of one field that are kept
	maxUnreadInHeader = 20      // lines that are not fields
)

// headerBuilder collects the lines of a header.
type headerBuilder struct {
	fields []articleField
	name   string // the name of the last field, or ""
	value  strings.Builder
	size   int // octets kept
}

// add adds a line with a field, or the continuation of a field. It returns false for any other line.
func (b *headerBuilder) add(line string) bool {
	if line[0] == ' ' || line[0] == '\t' {
		if b.name != "" && b.value.Len()+len(line) <= maxField {
			b.value.WriteString(line)
		}
		return b.name != ""
	}
	before, after, found := strings.Cut(line, ":")
	before = strings.TrimRight(before, " \t")
	if !found || !isFieldName(before) {
		return false
	}
	b.flush()
	b.name = before
	b.value.WriteString(after)
	return true
}

// flush ends the last field.
func (b *headerBuilder) flush() {
	if b.size += len(b.name) + b.value.Len() + len(": \r\n"); b.name != "" && b.size < maxHeader {
		b.fields = append(b.fields, articleField{b.name, b.value.String()})
	}
	b.name = ""
	b.value.Reset()
}

// header ends the header and returns it.
func (b *headerBuilder) header() articleHeader {
	b.flush()
	return articleHeader{fields: b.fields}
}

// readHeader reads the header of a message up to the empty line. It appends lines that are not fields to
// h.unread.
func (e *entity) readHeader() (h articleHeader) {
	var b headerBuilder
	var unread []string
	for octets := 0; ; {
		line := e.wholeLine()
		if octets += len(line) + 2; line == "" {
			break
		}
		if b.add(line) {
			continue
		}
		b.flush()
		if octets > maxHeader {
			break
		}
		if len(unread) < maxUnreadInHeader {
			unread = append(unread, line)
		}
	}
	h = b.header()
	h.unread = unread
	return h
}

// beginsHeader reports whether media is the type of an article and first begins with a header
// field.
func beginsHeader(media string, first []byte) bool {
	name, _, ok := bytes.Cut(first, []byte(":"))
	return essence(media) == protocols.MediaArticle && ok && isFieldName(string(name))
}

// isFieldName reports whether s is a field name (RFC 5322, section 2.2).
func isFieldName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}
