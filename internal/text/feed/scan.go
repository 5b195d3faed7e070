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
	problemParts  = "The feed has too many elements: entries may be missing."
	problemBase   = "The feed has a base URL that is too long: its links may lead to other pages."
)

var (
	problemMany  = "The feed has more entries: only the first " + strconv.Itoa(MaxEntries) + " are shown."
	problemFiles = "An entry has more files: only the first " + strconv.Itoa(maxLinks) + " are shown."
)

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
	text       int // octets of its text before the next part of it
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
	count int  // complete entries
	parts int  // elements with their attributes
	added int  // octets that package gofeed copies to add a part of a text to the ones before it
	long  bool // a base is too long
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
		case xml.CharData:
			s.addText(len(t))
		}
		if s.root != "" && len(s.stack) == 0 {
			break
		}
	}
	if s.problem == "" && s.long {
		s.problem = problemBase
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
	if s.parts += 1 + len(t.Attr)/attributesOfPart; s.parts > maxParts {
		s.problem = problemParts
		return
	}
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
			if base := strings.TrimSpace(a.Value); len(base) <= maxBase {
				e.bases = append(slices.Clip(e.bases), base)
			} else {
				s.long = true
			}
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

const (
	maxBases         = 8        // nested bases
	maxBase          = 4 << 10  // octets of a base
	attributesOfPart = 4        // attributes that count as an element
	minAdded         = 16 << 20 // octets
	addedPerOctet    = 64       // of the feed
)

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

// addText adds a part of the text of the innermost element. Package gofeed takes quadratic time for the text of an
// extension in many parts.
func (s *scanner) addText(size int) {
	depth := len(s.stack) - 1
	if depth < 1 || depth == 1 && s.root != "feed" && s.stack[depth].local == "channel" {
		return
	}
	s.added += s.stack[depth].text
	s.stack[depth].text += size
	if s.added > max(minAdded, addedPerOctet*len(s.in)) {
		s.problem = problemParts
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
