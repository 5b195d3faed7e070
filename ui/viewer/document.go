package viewer

import (
	"gofer/protocols"
	"gofer/urlcore"
)

// Document is the item under the cursor, or the page.
func (v *Viewer) Document() urlcore.URL {
	u := v.Here()
	if line, ok := v.Pager.Current(); ok && !leadsToFile(&line) && v.Session.Page().Layout.Document() {
		u, _ = v.PageHere() // a link in a text leads to no file: the text is meant
	}
	return u
}

// leadsToFile reports whether a line of a document leads to what can be saved: an
// attachment, or a file by its URL.
func leadsToFile(line *protocols.Line) bool {
	if line.Kind == protocols.Header {
		return Savable(protocols.KindOf(line.Link))
	}
	return Savable(line.Kind)
}

// Savable reports whether what a line of kind k leads to can be saved.
func Savable(k protocols.Kind) bool {
	switch k {
	case protocols.Menu, protocols.Directory, protocols.Group, protocols.Search,
		protocols.Session, protocols.Mail, protocols.Phonebook, protocols.Other:
		return false
	}
	return true
}
