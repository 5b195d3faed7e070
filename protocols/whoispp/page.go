package whoispp

import (
	"errors"
	"io"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// page reads an answer and makes the lines of a page of it. An answer has system messages, and records between a
// headline and an end (RFC 1835, section 2.4.3):
//
//	# FULL template server-handle handle
//	 field: value
//	-second line of the value
//	+rest of a line that was too long
//	# END
type page struct {
	url     urlcore.Lookup
	lines   *wire.LineReader
	charset string // the charset of the answer according to the server, or ""

	empty   bool     // the answer is complete, and has no records
	first   string   // the first line that is not a system message
	remarks []string // the system messages before it that are shown
	kind    string   // the kind of the record that is read: "FULL"; "" between records
	last    string   // the kind of the record that began last
	value   []byte   // the line of the page that may be continued
	pending bool     // value has not been yielded
	server  referral // the server that the record names
	older   bool     // the answer has no system messages and no end (RFC 1835, section 2.5)
}

// maxRemarks is the maximum number of lines that are read before the page is shown.
const maxRemarks = 100

// start reads the system messages before the first record. It returns an error if the server refuses the query, or
// does not have the record that the query names.
func (p *page) start() error {
	hasCode := false
	for n := 0; ; n++ {
		line, err := p.lines.ReadLine()
		switch {
		case err == io.EOF && hasCode:
			return p.endError()
		case err == io.EOF:
			return p.emptyError("the answer is empty")
		case err != nil:
			return err
		case n < maxRemarks && strings.TrimSpace(line) == "":
			continue
		case n < maxRemarks && line[0] == '%':
			m := parseMessage(line)
			if err := m.failure(p.url.Addr()); err != nil {
				return err
			}
			if m.isRemark() {
				p.remarks = append(p.remarks, m.text)
			}
			if m.code == codeCharset {
				p.charset = m.text
			}
			if m.isEnd() {
				if p.empty = !strings.HasPrefix(strings.ToLower(p.url.Query()), "handle="); p.empty {
					return nil
				}
				return p.emptyError("there is no such record")
			}
			hasCode = hasCode || m.code != 0
			continue
		}
		p.first, p.older = line, !hasCode && !strings.HasPrefix(line, "#")
		return nil
	}
}

// emptyError is the error for an answer without records that has no end, or whose query names a record.
func (p *page) emptyError(cause string) error {
	return &protocols.Error{
		Reason: protocols.NotFound, Op: "ask the directory at " + p.url.Addr(), Text: strings.Join(p.remarks, "\n"),
		Err: errors.New(cause),
	}
}

// endError is the error for an answer whose end is missing.
func (p *page) endError() error {
	return protocols.NewError(protocols.Broken, "read the answer of "+p.url.Addr(), "its end is missing")
}

type yield func(protocols.Line, error) bool

// yieldLines yields the lines of the page.
func (p *page) yieldLines(yield func(protocols.Line, error) bool) {
	if p.empty {
		for _, l := range protocols.NothingFound(p.url.WithQuery(""), append(p.remarks, "Nothing matches.")...) {
			if !yield(l, nil) {
				return
			}
		}
		return
	}
	for _, text := range p.remarks {
		if !yield(protocols.Line{Text: text}, nil) {
			return
		}
	}
	line, err := p.first, error(nil)
	for err == nil {
		var more bool
		if more, err = p.take(line, yield); !more && err == nil {
			return
		}
		if err == nil {
			line, err = p.lines.ReadLine()
		}
	}
	if !p.flush(yield) {
		return
	}
	switch {
	case err == io.EOF && p.older:
		return
	case err == io.EOF:
		err = p.endError()
	}
	yield(protocols.Line{}, err)
}

// take adds a line of the answer to the page. The result more is false after the end of the answer and after yield
// has returned false.
func (p *page) take(line string, yield yield) (more bool, err error) {
	if p.kind != "" && strings.HasPrefix(line, "+") && p.pending && len(p.value)+len(line) <= wire.MaxLine {
		p.value = append(p.value, line[1:]...)
		return true, nil
	}
	if !p.flush(yield) {
		return false, nil
	}
	switch {
	case strings.HasPrefix(line, "%"):
		m := parseMessage(line)
		if err := m.failure(p.url.Addr()); err != nil {
			return false, err
		}
		if m.isEnd() {
			return false, p.checkEnd()
		}
		return !m.isRemark() || yield(protocols.Line{Text: m.text}, nil), nil
	case strings.HasPrefix(line, "#"):
		return p.takeHeadline(strings.Fields(line[1:]), line, yield), nil
	case strings.TrimSpace(line) == "":
		return true, nil
	case p.kind != "" && p.server.take(line) && p.kind == referralKind:
		return true, nil
	}
	p.value, p.pending = append(p.value[:0], fieldText(line)...), true
	return true, nil
}

// checkEnd returns an error if the answer ends in a record.
func (p *page) checkEnd() error {
	if p.kind != "" {
		return p.endError()
	}
	return nil
}

// flush yields the line that can no longer be continued.
func (p *page) flush(yield yield) bool {
	if !p.pending {
		return true
	}
	p.pending = false
	text := string(p.value)
	name, value, hasName := strings.Cut(text, ": ")
	if !hasName { // a further line of a value, or a line of an abridged record
		value = name
	}
	return yield(protocols.Line{Text: text}.WithLink(strings.TrimSpace(value)), nil)
}

// fieldText returns the text of a line of a record. The further lines of a value are below the first.
func fieldText(line string) string {
	switch line[0] {
	case ' ':
		return line[1:]
	case '-', '+':
		return "    " + line[1:]
	}
	return line
}

// The kinds of records that are not like "FULL".
const (
	referralKind = "SERVER-TO-ASK"
	summaryKind  = "SUMMARY"
	handleKind   = "HANDLE"
)

// takeHeadline begins or ends a record. The parameter words has the words of the line after "#".
func (p *page) takeHeadline(words []string, line string, yield yield) bool {
	if len(words) == 0 {
		return yield(protocols.Line{Text: line}, nil)
	}
	kind := strings.ToUpper(words[0])
	if kind == "SERVERS-TO-ASK" { // the name in the contents of RFC 1835
		kind = referralKind
	}
	switch kind {
	case "FULL", "ABRIDGED", handleKind, summaryKind, referralKind, "END":
	default:
		return yield(protocols.Line{Text: line}, nil)
	}
	if !p.endRecord(yield) {
		return false
	}
	if kind == "END" {
		return true
	}
	if isList := kind == handleKind || kind == referralKind; p.last != "" && !(isList && kind == p.last) && !yield(protocols.Line{}, nil) {
		return false
	}
	p.last, p.kind = kind, kind
	switch kind {
	case referralKind:
		return true
	case handleKind: // the line is the whole record
		p.kind = ""
	}
	return p.yieldHeading(words, yield)
}

// yieldHeading yields the line above a record. It leads to the record if the page has another query.
func (p *page) yieldHeading(words []string, yield yield) bool {
	if len(words) < 4 {
		return yield(protocols.Line{Kind: protocols.Heading, Text: strings.Join(words[1:], " ")}, nil)
	}
	handle := strings.Join(words[3:], " ")
	l := protocols.Line{Kind: protocols.Heading, Text: handle + "  (" + words[1] + ", " + words[2] + ")"}
	u, err := urlcore.Canon(p.url.WithQuery("handle=" + quote(handle)))
	if err == nil && u != urlcore.URL(p.url) {
		l.Kind, l.Link = protocols.Menu, u
	}
	return yield(l, nil)
}

// quote returns a word of a query whose special characters are data (RFC 1835, section 2.2.2.2 and appendix F).
func quote(word string) string {
	var b strings.Builder
	for i := range len(word) {
		if strings.IndexByte(" \t=,:;\\*.()[]^$!?", word[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(word[i])
	}
	return b.String()
}

// endRecord ends the record that is read, and yields what follows it.
func (p *page) endRecord(yield yield) bool {
	kind, server := p.kind, p.server
	p.kind, p.server = "", referral{}
	switch {
	case kind == referralKind:
		return yield(server.line(p.url), nil)
	case server.host != "":
		return yield(server.line(p.url.WithQuery("")), nil)
	case kind == summaryKind:
		return yield(p.listLine(), nil)
	}
	return true
}

// listLine returns a link to the matches whose number a summary tells: the FORMAT constraint (RFC 1835, section 2.3.2.2)
// asks for their handles.
func (p *page) listLine() protocols.Line {
	query := p.url.Query()
	separator := ":"
	if strings.Contains(strings.NewReplacer(`\\`, "", `\:`, "").Replace(query), ":") {
		separator = ";"
	}
	u, err := urlcore.Canon(p.url.WithQuery(query + separator + "format=handle"))
	if err != nil {
		return protocols.Line{}
	}
	return protocols.Line{Kind: protocols.Menu, Text: "List the matches", Link: u}
}
