package document

import (
	"cmp"
	"iter"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

const mediaGemtext = "text/gemini"

// gemtextLines returns the lines of a text/gemini document ("Gemini hypertext format",
// version 0.24.1).
func gemtextLines(d *Document) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		verbatim := false
		for l, err := range textLines(d) {
			if err == nil {
				switch {
				case strings.HasPrefix(l.Text, "```"):
					verbatim = !verbatim
					continue
				case !verbatim:
					l = parseGemtextLine(d.URL, l.Text)
				case l.Text != "":
					l.Note = &protocols.Hypertext{Verbatim: true}
				}
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

// parseGemtextLine parses a line of gemtext that is not preformatted.
func parseGemtextLine(base urlcore.URL, s string) protocols.Line {
	switch {
	case strings.HasPrefix(s, "=>"), strings.HasPrefix(s, "=:") && base != nil && base.Scheme() == "spartan":
		return parseGemtextLink(base, s[:2] == "=:", strings.TrimLeft(s[2:], " \t"))
	case strings.HasPrefix(s, "#"):
		title := strings.TrimLeft(s, "#")
		level := min(len(s)-len(title), 3)
		return protocols.Line{Kind: protocols.Heading, Text: strings.TrimSpace(s[level:]), Note: &protocols.Hypertext{Level: level}}
	case strings.HasPrefix(s, "* "):
		return protocols.Line{Text: "  " + s, Note: &protocols.Hypertext{Hang: len("  * ")}}
	case strings.HasPrefix(s, ">"):
		return protocols.Line{Kind: protocols.Quote, Text: "> " + strings.TrimSpace(s[1:]), Note: &protocols.Hypertext{Hang: len("> ")}}
	}
	return protocols.Line{Text: s}
}

// parseGemtextLink parses a link line. If its URL is invalid, the link leads to the page that says why.
func parseGemtextLink(base urlcore.URL, upload bool, s string) protocols.Line {
	ref, name := s, ""
	if i := strings.IndexAny(s, " \t"); i >= 0 {
		ref, name = s[:i], strings.TrimSpace(s[i:])
	}
	if ref == "" {
		return protocols.Line{Text: "=> "}
	}
	u, fragment := resolve(base, strings.Clone(ref)) // a copy, because the note keeps the URL
	name = cmp.Or(name, urlcore.MaskPassword(ref))
	if u == nil {
		u, fragment = protocols.UnopenedLink(unopenedReference(base, ref)), ""
	}
	mark := "=> "
	if to, ok := u.(urlcore.HTTP); ok && upload { // an empty query makes gofer ask for the text to send
		to.Query, to.HasQuery = "", true
		u, mark = to, "=: "
	}
	return protocols.Line{Text: mark + name, Note: &protocols.Hypertext{
		Links: []protocols.Hyperlink{{URL: u, Fragment: fragment, From: len(mark), To: len(mark) + len(name)}}, Hang: len(mark),
	}}
}
