package mimeheader

import "strings"

// tokenKind is the kind of a token of a date.
type tokenKind byte

const (
	noToken tokenKind = iota // a blank, or the beginning of a comment
	number
	word
	sign // one octet
)

// dateScanner splits a date into tokens. It skips blanks, quotes and comments.
type dateScanner struct {
	text    string
	at      int
	kind    tokenKind
	part    string // the current token
	apart   bool   // a blank or a comment precedes the current token
	comment string // a comment that is the name of a zone
}

// next moves to the next token. It returns false at the end.
func (d *dateScanner) next() bool {
	for d.apart = d.at == 0; d.at < len(d.text) && kindOf(d.text[d.at]) == noToken; d.apart = true {
		if d.text[d.at] == '(' {
			d.skipComment()
		} else {
			d.at++
		}
	}
	start := d.at
	if start == len(d.text) {
		d.kind, d.part = noToken, ""
		return false
	}
	d.kind = kindOf(d.text[start])
	for d.at++; d.kind != sign && d.at < len(d.text) && kindOf(d.text[d.at]) == d.kind; {
		d.at++
	}
	d.part = d.text[start:d.at]
	return true
}

func kindOf(c byte) tokenKind {
	switch {
	case c >= '0' && c <= '9':
		return number
	case isLetter(c) || c >= 0x80:
		return word
	case c <= ' ' || c == '(' || c == '"' || c == 0x7f:
		return noToken
	}
	return sign
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// skipComment skips a comment, which may contain comments (RFC 5322, section 3.2.2).
func (d *dateScanner) skipComment() {
	start, depth := d.at+1, 0
	for ; d.at < len(d.text); d.at++ {
		switch d.text[d.at] {
		case '\\':
			d.at++
		case '(':
			depth++
		case ')':
			if depth--; depth > 0 {
				continue
			}
			if zone := strings.ToUpper(strings.TrimSpace(d.text[start:d.at])); isZone(zone) {
				d.comment = zone
			}
			d.at++
			return
		}
	}
	d.at = len(d.text)
}

// peek returns the next token, and whether no blank precedes it.
func (d *dateScanner) peek() (kind tokenKind, part string, adjacent bool) {
	after := *d
	after.next()
	return after.kind, after.part, !after.apart
}

// take moves to the next token if the token is the given sign.
func (d *dateScanner) take(s string) bool {
	_, part, _ := d.peek()
	return part == s && d.next()
}
