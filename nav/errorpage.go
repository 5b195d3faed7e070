package nav

import (
	"gofer/protocols"
	"gofer/urlcore"
)

// ErrorPage tells what happened to u, why, and what can be done, in lines
// with links.
func ErrorPage(u urlcore.URL, err error) *Page {
	p := &Page{Head: protocols.Head{URL: u, Title: "Error", Media: protocols.MediaAbout, Size: -1}, Asked: u, Failed: err}
	p.Lines.Append(protocols.Line{Kind: protocols.Heading, Text: "This did not work"}, protocols.Line{Text: err.Error()})
	return p
}

// endLines tell at the end of a page why it is not whole.
func endLines(u urlcore.URL, err error) []protocols.Line {
	return []protocols.Line{{}, {Kind: protocols.Heading, Text: "The page ends here: " + err.Error()}}
}
