package nntp

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"gofer/internal/text/mimeheader"
	"gofer/internal/wire"
	"gofer/protocols"
)

const (
	maxReferences = 1000     // Message-IDs of one article
	maxOverview   = 64 << 20 // octets of one overview
	leastLine     = 16       // octets that even an empty line of it counts: the memory of a kept line
)

// parseOverview parses a line of OVER (RFC 3977, section 8.3): article number, Subject, From,
// Date, Message-ID, References, size in octets and number of lines, separated by tabs, then header
// fields with their names. The last fields may be missing.
func parseOverview(s string) (*protocols.ArticleNote, bool) {
	number, rest, ok := strings.Cut(s, "\t")
	n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 64)
	if !ok || err != nil {
		return nil, false
	}
	var f [7]string
	for i := range f {
		if f[i], rest, ok = strings.Cut(rest, "\t"); !ok {
			break
		}
	}
	a := &protocols.ArticleNote{
		Number: n, Subject: f[0], From: f[1],
		MessageID: trimMessageID(f[3]), References: parseReferences(f[4]),
		Bytes: parseCount(f[5]), Lines: parseCount(f[6]),
	}
	a.Date, a.DateText = mimeheader.Date(f[2])
	for ok {
		var field string
		field, rest, ok = strings.Cut(rest, "\t")
		if name, value, found := strings.Cut(field, ":"); found {
			setHeader(a, name, strings.TrimSpace(value))
		}
	}
	detach(a, len(s))
	return a, true
}

// detach copies the strings of note, which are parts of a text of size octets, if they are so short that
// they would keep much more memory in use than [protocols.ArticleNote.Memory] tells.
func detach(note *protocols.ArticleNote, size int) {
	if size <= 2*note.Memory() {
		return
	}
	for _, s := range [...]*string{&note.Subject, &note.From, &note.MessageID, &note.Xref} {
		*s = strings.Clone(*s)
	}
	for i, id := range note.References {
		note.References[i] = strings.Clone(id)
	}
}

// setHeader sets the field of note that holds the header field called name.
func setHeader(note *protocols.ArticleNote, name, value string) {
	switch strings.ToLower(name) {
	case "subject":
		note.Subject = value
	case "from":
		note.From = value
	case "date":
		note.Date, note.DateText = mimeheader.Date(value)
	case "message-id":
		note.MessageID = trimMessageID(value)
	case "references":
		note.References = parseReferences(value)
	case "in-reply-to":
		if ids := parseReferences(value); len(note.References) == 0 && len(ids) > 0 && strings.Contains(ids[len(ids)-1], "@") {
			note.References = ids[len(ids)-1:]
		}
	case "lines":
		note.Lines = parseCount(value)
	case "xref":
		note.Xref = value
	}
}

// parseCount parses a number. It returns -1 if s is not a valid number.
func parseCount(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// trimMessageID removes the < > around a Message-ID.
func trimMessageID(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 2 && s[0] == '<' && s[len(s)-1] == '>' {
		return s[1 : len(s)-1]
	}
	return s
}

// parseReferences parses a References header (RFC 5536, section 3.2.10). It skips text outside of < >,
// where old software wrote comments.
func parseReferences(s string) []string {
	n := strings.Count(s, "<")
	if n == 0 {
		return nil
	}
	ids := make([]string, 0, min(n, maxReferences))
	for more := true; more && len(ids) < maxReferences; {
		_, s, more = strings.Cut(s, "<")
		if i := strings.IndexAny(s, "<>"); i > 0 && s[i] == '>' {
			ids = append(ids, s[:i])
		}
	}
	return ids
}

// marks are the count of a group's articles, and the lowest and the highest article number.
type marks struct{ count, low, high uint64 }

// parseMarks parses the answer to GROUP: count, low, high, name (RFC 3977, section 6.1.1).
// It ignores the name, which some servers change.
func parseMarks(text string) (marks, bool) {
	f := strings.Fields(text)
	if len(f) < 3 {
		return marks{}, false
	}
	var n [3]uint64
	for i := range n {
		v, err := strconv.ParseUint(f[i], 10, 64)
		if err != nil {
			return marks{}, false
		}
		n[i] = v
	}
	return marks{count: n[0], low: max(n[1], 1), high: n[2]}, true
}

// isEmpty reports whether the group has no articles. Servers report an empty group in different ways.
func (m marks) isEmpty() bool { return m.count == 0 || m.high < m.low }

// span is a range of article numbers that includes both ends.
type span struct{ first, last uint64 }

func (s span) String() string { return fmt.Sprintf("%d-%d", s.first, s.last) }

// newest returns the last n article numbers of the group.
func (m marks) newest(n uint64) span {
	s := span{first: m.low, last: m.high}
	if m.high-m.low >= n {
		s.first = m.high - n + 1
	}
	return s
}

// numbersOf returns how many numbers n articles have on average, at least n: the numbers of a group may have holes.
func (m marks) numbersOf(n uint64) uint64 {
	if m.isEmpty() {
		return n
	}
	high, low := bits.Mul64(n, m.high-m.low)
	if high >= m.count {
		return math.MaxUint64
	}
	quotient, _ := bits.Div64(high, low, m.count)
	return max(n, quotient)
}

// spanBefore returns the n article numbers before s.
func (m marks) spanBefore(s span, n uint64) span {
	return marks{low: m.low, high: s.first - 1}.newest(n)
}

// readHeaders requests the headers of the articles in o.span from a server without OVER and XOVER. It
// sends one XHDR for each header field (RFC 2980, section 2.6). If the server does not support XHDR, it
// sends HEAD for each article.
func (o *overview) readHeaders() error {
	byNumber := make(map[uint64]*protocols.ArticleNote)
	for i, name := range [...]string{"Subject", "From", "Date", "Message-ID", "References"} {
		r, err := o.ses.runCommand("XHDR " + name + " " + o.span.String())
		if err != nil {
			return err
		}
		switch {
		case r.code == 420 || r.code == 423:
			return nil
		case r.isUnknown() && i == 0:
			return o.readHeads()
		case r.code != 221 && r.code != 225:
			return r.error("list the articles of " + o.ses.group)
		}
		if err := o.readText(func(line string) { o.setField(byNumber, name, line) }); err != nil {
			return err
		}
	}
	return nil
}

// setField parses a line of the answer to XHDR: an article number and the value of a header field.
// It sets the field, whose name is the parameter name, in the note of the article.
func (o *overview) setField(byNumber map[uint64]*protocols.ArticleNote, name, line string) {
	number, value, _ := strings.Cut(line, " ")
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		o.unparsedLines = append(o.unparsedLines, line)
		return
	}
	a := byNumber[n]
	if a == nil {
		a = &protocols.ArticleNote{Number: n, Bytes: -1, Lines: -1}
		byNumber[n] = a
		o.articles = append(o.articles, a)
	}
	if value != "(none)" {
		setHeader(a, name, value)
		detach(a, len(line))
	}
}

// readHeads sends HEAD for the newest maxHeads articles of o.span. It sends all the commands at
// once (RFC 3977, section 3.5) and then reads the answers.
func (o *overview) readHeads() error {
	numbers := o.existing
	if numbers == nil {
		s := marks{low: o.span.first, high: o.span.last}.newest(maxHeads)
		for i := range s.last - s.first + 1 {
			numbers = append(numbers, s.first+i)
		}
	}
	numbers = numbers[max(0, len(numbers)-maxHeads):]
	o.span.first, o.fewHeads = numbers[0], numbers[0] > o.marks.low
	var b strings.Builder
	for _, n := range numbers {
		fmt.Fprintf(&b, "HEAD %d\r\n", n)
	}
	if err := o.ses.send(b.String()); err != nil {
		return err
	}
	for _, n := range numbers {
		if err := o.readHead(n); err != nil {
			return err
		}
	}
	return nil
}

func (o *overview) readHead(number uint64) error {
	r, err := o.ses.readReply()
	if err != nil {
		return err
	}
	if r.code != 221 {
		if r.reason() == protocols.NotFound {
			return nil
		}
		return r.error("read the header of article " + strconv.FormatUint(number, 10))
	}
	a := &protocols.ArticleNote{Number: number, Bytes: -1, Lines: -1}
	name := ""
	before := o.size
	var value strings.Builder
	err = o.readText(func(line string) {
		if line != "" && (line[0] == ' ' || line[0] == '\t') {
			if value.Len() < wire.MaxLine {
				value.WriteString(" " + strings.TrimLeft(line, " \t"))
			}
			return
		}
		setHeader(a, name, value.String())
		value.Reset()
		var first string
		name, first, _ = strings.Cut(line, ":")
		value.WriteString(strings.TrimLeft(first, " \t"))
	})
	setHeader(a, name, value.String())
	detach(a, o.size-before)
	o.articles = append(o.articles, a)
	return err
}

// maxHeads is the maximal number of HEAD commands for a group.
const maxHeads = 100
