package nntp

import (
	"fmt"
	"strconv"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// readHeaders replaces the overview by one XHDR for each header (RFC 2980, section 2.6),
// or else HEAD for each article.
func (o *overview) readHeaders() error {
	byNumber := make(map[uint64]*protocols.ArticleNote)
	for i, name := range [...]string{"Subject", "From", "Date", "Message-ID", "References"} {
		r, err := o.ses.ask("XHDR " + name + " " + o.span.String())
		if err != nil {
			return err
		}
		switch {
		case r.code == 420 || r.code == 423:
			return nil
		case r.unknown() && i == 0:
			return o.readHeads()
		case r.code != 221 && r.code != 225:
			return r.error("list the articles of " + o.ses.group)
		}
		if err := o.text(func(line string) { o.field(byNumber, name, line) }); err != nil {
			return err
		}
	}
	return nil
}

// field adds a line of XHDR: number, value.
func (o *overview) field(byNumber map[uint64]*protocols.ArticleNote, name, line string) {
	number, value, _ := strings.Cut(line, " ")
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		o.odd = append(o.odd, line)
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
	}
}

// readHeads sends HEAD for the newest numbers, all at once (RFC 3977, section
// 3.5), and reads the answers.
func (o *overview) readHeads() error {
	span := o.marks.newest(uint64(min(o.newest, maxHeads)))
	o.fewHeads = span.first > o.marks.low
	var b strings.Builder
	for i := range span.last - span.first + 1 {
		fmt.Fprintf(&b, "HEAD %d\r\n", span.first+i)
	}
	if err := o.ses.send(b.String()); err != nil {
		return err
	}
	o.span = span
	for i := range span.last - span.first + 1 {
		if err := o.readHead(span.first + i); err != nil {
			return err
		}
	}
	return nil
}

func (o *overview) readHead(number uint64) error {
	r, err := o.ses.reply()
	if err != nil {
		return err
	}
	if r.code != 221 {
		if r.reason() == protocols.NotThere {
			return nil
		}
		return r.error("read the header of article " + strconv.FormatUint(number, 10))
	}
	a := &protocols.ArticleNote{Number: number, Bytes: -1, Lines: -1}
	name := ""
	var value strings.Builder
	err = o.text(func(line string) {
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
	o.articles = append(o.articles, a)
	return err
}

// maxHeads is the maximal number of HEAD commands for a group.
const maxHeads = 100
