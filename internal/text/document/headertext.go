package document

import "gofer/internal/text/clean"

// HeaderText returns a header field as text for one row of a page that is read like r.
func HeaderText(r clean.Reading, s string) string {
	if !IsEncoded(s) {
		return r.Text(s)
	}
	return clean.Text(DecodeHeader(s))
}

// Author returns the name in a From field, or the address where there is no name.
func Author(r clean.Reading, from string) string {
	return MailboxName(HeaderText(r, from[:min(len(from), 4*clean.MaxShort)]))
}
