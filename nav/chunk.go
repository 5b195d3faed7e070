package nav

import (
	"slices"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// The bounds of a chunk. A full chunk gets no more lines.
const (
	chunkLines  = 1 << 10
	chunkOctets = 256 << 10
)

// chunk holds consecutive lines of a [Lines].
type chunk struct {
	rows     []row
	octets   strings.Builder
	notes    []protocols.Note    // notes by line; nil if there are none
	scores   []int32             // scores by line; nil if all are 0
	links    map[int]urlcore.URL // by line; only links whose text Parse would turn into another URL
	base     struct{ start, end uint32 }
	nonASCII bool // not all texts are plain ASCII
	examined int  // number of octets examined for nonASCII
}

// row is one line. The octets of the chunk contain the text of each line and then its link. The base
// is the first link of the chunk. The prefix that a link shares with the base is not stored.
type row struct {
	text, link uint32 // ends of the text and of the link
	shared     uint16 // length of the prefix shared with the base
	kind       protocols.Kind
	state      State
}

// rowSize is the memory of a line without its octets and its note.
const rowSize = 12

func (c *chunk) isFull() bool { return len(c.rows) >= chunkLines || c.octets.Len() >= chunkOctets }

// shrink frees the memory reserved for more lines.
func (c *chunk) shrink() {
	s := c.octets.String()
	c.octets = strings.Builder{}
	c.octets.Grow(len(s))
	c.octets.WriteString(s)
	c.rows = slices.Clone(c.rows)
}

// readState returns the state of a line whose item is read or unread.
func readState(note protocols.Readable) (s State) {
	unread, read := note.ReadMarks()
	if unread {
		s |= Unread
	}
	if read {
		s |= Visited
	}
	return s
}

// add adds a line and returns the memory that the line takes. The parameter link is the text of its
// link. The parameter u is the URL of the link if Parse would not return that URL for the text.
func (c *chunk) add(line *protocols.Line, link string, u urlcore.URL) int64 {
	before := c.octets.Len()
	c.octets.WriteString(line.Text)
	r := row{text: uint32(c.octets.Len()), kind: line.Kind}
	if link != "" || u != nil {
		r.state = linked
	}
	if base := c.octets.String()[c.base.start:c.base.end]; base != "" {
		r.shared = uint16(commonPrefix(base, link))
	}
	c.octets.WriteString(link[r.shared:])
	r.link = uint32(c.octets.Len())
	if note, ok := line.Note.(protocols.Readable); ok {
		r.state |= readState(note)
	}
	if c.base.end == 0 && link != "" {
		c.base.start, c.base.end = r.text, r.link
	}
	k := len(c.rows)
	c.rows = append(c.rows, r)
	if c.scores != nil {
		c.scores = append(c.scores, 0)
	}
	c.nonASCII = c.nonASCII || !isPlainNote(line.Note)
	if line.Note != nil && c.notes == nil {
		c.notes = make([]protocols.Note, k, chunkLines)
	}
	if c.notes != nil {
		c.notes = append(c.notes, line.Note)
	}
	if u != nil {
		if c.links == nil {
			c.links = make(map[int]urlcore.URL)
		}
		c.links[k] = u
	}
	return int64(rowSize+c.octets.Len()-before) + noteSize(line.Note) + linkSize(u, link)
}

func (c *chunk) bytes() int64 {
	n := int64(rowSize*len(c.rows) + c.octets.Len())
	for _, note := range c.notes {
		n += noteSize(note)
	}
	for k, u := range c.links {
		n += linkSize(u, c.link(k))
	}
	return n
}

func (c *chunk) withoutLink(k int) protocols.Line {
	from := uint32(0)
	if k > 0 {
		from = c.rows[k-1].link
	}
	line := protocols.Line{Kind: c.rows[k].kind, Text: c.octets.String()[from:c.rows[k].text]}
	if c.notes != nil {
		line.Note = c.notes[k]
	}
	return line
}

// linkSuffix returns the link of line k without the prefix shared with the base.
func (c *chunk) linkSuffix(k int) string { return c.octets.String()[c.rows[k].text:c.rows[k].link] }

// link returns the text of the link of line k.
func (c *chunk) link(k int) string {
	return c.octets.String()[c.base.start:c.base.start+uint32(c.rows[k].shared)] + c.linkSuffix(k)
}

// leadsTo reports whether s is the text of the link of line k.
func (c *chunk) leadsTo(k int, s string) bool {
	shared, own := int(c.rows[k].shared), c.linkSuffix(k)
	return len(s) == shared+len(own) && s[shared:] == own && s[:shared] == c.octets.String()[c.base.start:int(c.base.start)+shared]
}

func (c *chunk) url(k int) urlcore.URL {
	if c.rows[k].state&linked == 0 {
		return nil
	}
	if u, ok := c.links[k]; ok {
		return u
	}
	s := c.link(k)
	u, err := urlcore.Parse(s)
	if err != nil { // a link that is not canonical, see roundTrips
		scheme, rest, _ := strings.Cut(s, ":")
		return urlcore.Generic{Name: scheme, Rest: rest}
	}
	return u
}

// commonPrefix returns the length of the common prefix of a and b, up to the largest length that a
// row can record.
func commonPrefix(a, b string) int {
	same, n := 0, min(len(a), len(b), 1<<16-1)
	for same < n { // a binary search: comparing strings is faster than a loop over octets
		mid := (same + n + 1) / 2
		if a[same:mid] == b[same:mid] {
			same = mid
		} else {
			n = mid - 1
		}
	}
	return same
}

// linkSize estimates the memory of a link that is stored as a URL.
func linkSize(u urlcore.URL, text string) int64 {
	if u == nil {
		return 0
	}
	return int64(200 + len(text))
}

// noteSize estimates the memory of a note.
func noteSize(note protocols.Note) int64 {
	if note == nil {
		return 0
	}
	return int64(note.Memory())
}
