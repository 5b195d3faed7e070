package ui

import (
	"unicode/utf8"

	"gofer/internal/clean"
	"gofer/internal/document"
)

// headerText decodes a header field for one row of a page that is read so.
func headerText(r clean.Reading, s string) string {
	if !document.IsEncoded(s) {
		return r.Text(s)
	}
	return clean.Text(document.DecodeHeader(s))
}

// author is the name in a From field, or the address where there is none.
func author(r clean.Reading, from string) string {
	return document.MailboxName(headerText(r, from[:min(len(from), 4*maxShort)]))
}

// maxShort bounds, in octets, what is shown on one row at most: a title, a
// label, a description.
const maxShort = 1 << 10

// short is s, clean, without what no screen has room for.
func short(s string) string { return shortIn(clean.Reading{}, s) }

// shortIn is short for octets of a page.
func shortIn(r clean.Reading, s string) string {
	if len(s) <= maxShort {
		return r.Text(s)
	}
	end := maxShort
	for end > maxShort-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return r.Text(s[:end])
}
