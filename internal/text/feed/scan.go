package feed

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// Problems of a feed.
const (
	problemBroken = "The feed is incomplete or broken: entries may be missing."
	problemDeep   = "The feed is nested too deeply: entries may be missing."
)

var problemMany = "The feed has more entries: only the first " + strconv.Itoa(MaxEntries) + " are shown."

// outline is what a scan of RSS or Atom finds. Package gofeed does not return it.
type outline struct {
	text    string // well-formed: the feed up to the last complete element within the bounds
	problem string
	root    string // name of the root element in small letters, without its prefix
	bases   []string
	title   textOutline
	entries []entryOutline
}

type entryOutline struct {
	bases                   []string
	title, summary, content textOutline
}

// textOutline describes the text of an element.
type textOutline struct {
	plain   bool     // plain text, not HTML
	escaped bool     // package gofeed returns the text with its entities
	bases   []string // nil: those of the entry
}

// decode returns the text that package gofeed has read as s.
func (o textOutline) decode(s string) string {
	if o.escaped {
		return html.UnescapeString(s)
	}
	return s
}

// element is an open element.
type element struct {
	raw, local string // as in the feed; in small letters without a prefix
	prefix     string // of the namespace, or ""
	bases      []string
}

// scanner scans RSS or Atom.
type scanner struct {
	outline
	d     *xml.Decoder
	in    []byte // the feed
	stack []element
	entry int // depth of the open entry, or 0
	safe  int // end of the last complete element that is not in an entry
	open  []element
	count int // complete entries
}

// scanXML goes through RSS or Atom up to a syntax error or a bound. It disables xml:base, which package gofeed
// resolves in another way than XML Base, section 4, does: for a directory.
func scanXML(text string) outline {
	s := &scanner{in: []byte(text)}
	s.d = xml.NewDecoder(bytes.NewReader(slices.Clone(s.in)))
	s.d.Strict = false
	for s.problem == "" {
		from := s.d.InputOffset()
		t, err := s.d.RawToken()
		if err == io.EOF && len(s.stack) == 0 && s.root != "" {
			break
		} else if err != nil {
			s.problem = problemBroken
			break
		}
		switch t := t.(type) {
		case xml.StartElement:
			s.start(t, int(from))
		case xml.EndElement:
			s.end(strings.ToLower(t.Name.Local))
		}
		if s.root != "" && len(s.stack) == 0 {
			break
		}
	}
	var b strings.Builder
	b.Write(s.in[:s.safe])
	for _, e := range slices.Backward(s.open) {
		b.WriteString("</" + e.raw + ">")
	}
	s.text, s.outline.entries = b.String(), s.outline.entries[:s.count]
	return s.outline
}

func (s *scanner) start(t xml.StartElement, from int) {
	e := element{raw: t.Name.Local, local: strings.ToLower(t.Name.Local), prefix: t.Name.Space}
	if t.Name.Space != "" {
		e.raw = t.Name.Space + ":" + t.Name.Local
	}
	if n := len(s.stack); n > 0 {
		e.bases = s.stack[n-1].bases
	}
	kind, mode := "", "" // Atom 1.0, section 3.1, and Atom 0.3, section 3.1.2: plain text
	for _, a := range t.Attr {
		switch {
		case a.Name.Space == "xml" && a.Name.Local == "base" && len(e.bases) < maxBases:
			e.bases = append(slices.Clip(e.bases), strings.TrimSpace(a.Value))
		case a.Name.Space == "" && a.Name.Local == "type":
			kind = strings.ToLower(strings.TrimSpace(a.Value))
		case a.Name.Space == "" && a.Name.Local == "mode":
			mode = strings.ToLower(strings.TrimSpace(a.Value))
		}
	}
	if tag := s.in[from:s.d.InputOffset()]; bytes.Contains(tag, []byte("xml:base")) {
		copy(tag, bytes.ReplaceAll(tag, []byte("xml:base"), []byte("xml-base")))
	}
	depth := len(s.stack)
	switch {
	case depth == 0:
		s.root, s.bases = e.local, e.bases
	case depth == maxDepth:
		s.problem = problemDeep
		return
	case s.entry == 0 && depth <= 2 && (e.local == "item" || e.local == "entry"):
		if s.count == MaxEntries {
			s.problem = problemMany
			return
		}
		s.entry, s.entries = depth, append(s.entries, entryOutline{bases: e.bases})
	case s.root == "feed" && e.prefix == s.stack[0].prefix: // not media:title
		s.describeText(e, depth, textOutline{kind == "" || kind == "text" || kind == "text/plain", kind == "" && mode == "escaped", e.bases})
	case s.root != "feed":
		s.describeText(e, depth, textOutline{bases: e.bases})
	}
	s.stack = append(s.stack, e)
	if s.entry == 0 {
		s.markSafe()
	}
}

// maxBases is the largest number of nested bases.
const maxBases = 8

// describeText records the outline of a text of the feed or of its open entry.
func (s *scanner) describeText(e element, depth int, o textOutline) {
	switch {
	case s.entry == 0:
		if depth == 1 && e.local == "title" {
			s.title = o
		}
		return
	case depth != s.entry+1:
		return
	}
	entry := &s.entries[len(s.entries)-1]
	switch e.local {
	case "title":
		entry.title = o
	case "summary", "description":
		entry.summary = o
	case "content", "encoded":
		entry.content = o
	}
}

// end ends the innermost element with this name, and the elements in it. It ignores an end without a start.
func (s *scanner) end(local string) {
	for i := len(s.stack) - 1; i >= 0; i-- {
		if s.stack[i].local != local {
			continue
		}
		s.stack = s.stack[:i]
		if s.entry > 0 && i <= s.entry {
			s.entry, s.count = 0, s.count+1
		}
		if s.entry == 0 {
			s.markSafe()
		}
		return
	}
}

// markSafe records that the feed can be cut here.
func (s *scanner) markSafe() {
	s.safe = int(s.d.InputOffset())
	s.open = append(s.open[:0], s.stack...)
}
