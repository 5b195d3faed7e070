package nav

import (
	"iter"
	"math"
	"reflect"
	"slices"
	"sort"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// A chunk is closed when it has so many lines or octets.
const (
	chunkLines  = 1 << 10
	chunkOctets = 256 << 10
)

// Lines is an append-only list of lines. It holds octets, not objects: the
// text and the canonical URL of each line, copied from what the server sent,
// and makes a [protocols.Line] when one is asked for. A page of a million
// lines is never copied, takes little more memory than its text, and has next
// to no pointers. The zero value is empty and ready. It is not safe for
// concurrent use.
type Lines struct {
	chunks  []*chunk
	starts  []int // the index of the first line of each chunk
	n       int
	bytes   int64
	parsed  roundTrips
	replace bool
	order   []uint32 // the lines that are shown, in their order; nil: all, as they came
	depths  []uint16 // of a list of articles, by shown line: where they are not those of the notes
	scored  bool     // some lines have a score
}

// roundTrips checks that Parse gives links back. After trusted links of one type
// in a row it takes that for granted: the million links of a large menu are
// made in one place.
type roundTrips struct {
	of reflect.Type
	n  int
}

const trusted = 4096

// check reports whether Parse gives u back from its text s.
func (r *roundTrips) check(u urlcore.URL, s string) bool {
	if t := reflect.TypeOf(u); t != r.of {
		*r = roundTrips{of: t}
	} else if r.n >= trusted {
		return true
	}
	r.n++
	parsed, err := urlcore.Parse(s)
	if err != nil || parsed != u {
		r.n = 0
		return false
	}
	return true
}

// chunk is the lines of a part of the list.
type chunk struct {
	rows   []row
	octets strings.Builder
	notes  []protocols.Note    // by line; nil if no line has one
	scores []int32             // by line; nil: all are 0
	links  map[int]urlcore.URL // by line; links that Parse would not give back
	base   struct{ from, to uint32 }
	odd    bool // not all texts are plain ASCII
	looked int  // octets that have been looked at for that
}

// row is one line: its text stands in the chunk's octets after the link of the
// line before, its link after that. The beginning of a link that is that of
// the chunk's first link, its base, is not repeated.
type row struct {
	text, link uint32 // where they end
	shared     uint16 // octets of the base before the link's own
	kind       protocols.Kind
	state      State
}

// State is what is known of a line that no server has told: a set of bits.
type State uint8

// The bits of a State.
const (
	Unread State = 1 << iota
	New          // was not there the last time
	Visited
	Marked // by the reader
	Folded // begins a thread that is folded

	linked // has a Link
)

// rowSize is the memory that a line takes beside its octets and its note.
const rowSize = 12

// Len returns the number of lines.
func (l *Lines) Len() int {
	if l.order != nil {
		return len(l.order)
	}
	return l.n
}

// Bytes returns the memory that the lines take, in octets.
func (l *Lines) Bytes() int64 { return l.bytes }

// At returns line i, 0 <= i < Len; it panics outside of that.
func (l *Lines) At(i int) protocols.Line {
	c, k := l.find(i)
	line := c.withoutLink(k)
	line.Link = c.url(k)
	return line
}

// WithoutLink returns line i without its Link, which At has to parse.
func (l *Lines) WithoutLink(i int) protocols.Line {
	c, k := l.find(i)
	return c.withoutLink(k)
}

// Linked reports whether line i has a Link.
func (l *Lines) Linked(i int) bool {
	c, k := l.find(i)
	return c.rows[k].state&linked != 0
}

// Kinds returns the kinds of the lines, in the order in which they came, from line
// i on.
func (l *Lines) Kinds(i int) iter.Seq2[int, protocols.Kind] {
	return func(yield func(int, protocols.Kind) bool) {
		for k := max(0, sort.SearchInts(l.starts, i+1)-1); k < len(l.chunks); k++ {
			for n := max(0, i-l.starts[k]); n < len(l.chunks[k].rows); n++ {
				if !yield(l.starts[k]+n, l.chunks[k].rows[n].kind) {
					return
				}
			}
		}
	}
}

// State returns the state of line i, which is none at first.
func (l *Lines) State(i int) State {
	c, k := l.find(i)
	return c.rows[k].state &^ linked
}

// SetState makes s the state of line i.
func (l *Lines) SetState(i int, s State) {
	c, k := l.find(i)
	c.rows[k].state = c.rows[k].state&linked | s&^linked
}

// Score returns the score of line i, 0 at first.
func (l *Lines) Score(i int) int {
	c, k := l.find(i)
	return int(c.score(k))
}

func (c *chunk) score(k int) int32 {
	if c.scores == nil {
		return 0
	}
	return c.scores[k]
}

// Scores are those of lines, in chunks as the lines are.
type Scores [][]int32

// Scores returns what of gives for the note of each line. It does not change the
// lines; those of a page that is whole may be shown meanwhile.
func (l Lines) Scores(of func(protocols.Note) int) Scores {
	scores := make(Scores, len(l.chunks))
	for i, c := range l.chunks {
		for k, note := range c.notes {
			n := 0
			if note != nil {
				n = of(note)
			}
			if n != 0 && scores[i] == nil {
				scores[i] = make([]int32, len(c.rows))
			}
			if n != 0 {
				scores[i][k] = int32(min(max(n, math.MinInt32), math.MaxInt32))
			}
		}
	}
	return scores
}

// SetScores takes over scores of these lines.
func (l *Lines) SetScores(scores Scores) {
	l.scored = false
	for i, c := range l.chunks[:min(len(l.chunks), len(scores))] {
		if c.scores = scores[i]; c.scores != nil {
			l.scored = true
			c.scores = append(c.scores, make([]int32, len(c.rows)-len(c.scores))...) // lines that have come since
		}
	}
}

func (c *chunk) setScore(k int, n int32) {
	if c.scores == nil && n == 0 {
		return
	}
	for len(c.scores) < len(c.rows) {
		c.scores = append(c.scores, 0)
	}
	c.scores[k] = n
}

// Replace reports whether these lines of a [Load] take the place of all that
// came before, which was a preview.
func (l *Lines) Replace() bool { return l.replace }

// AsSent are all lines, in the order in which they came.
func (l Lines) AsSent() Lines {
	l.order, l.depths = nil, nil
	return l
}

// All returns the lines with their indexes, from line i on.
func (l *Lines) All(from int) iter.Seq2[int, protocols.Line] {
	return func(yield func(int, protocols.Line) bool) {
		for i := max(from, 0); i < l.Len(); i++ {
			if !yield(i, l.At(i)) {
				return
			}
		}
	}
}

// IndexLink returns the first line, from line i on, that leads to u, or -1.
func (l *Lines) IndexLink(u urlcore.URL, from int) int {
	s := u.String()
	for i := max(from, 0); i < l.Len(); i++ {
		c, k := l.find(i)
		if c.rows[k].state&linked != 0 && c.leadsTo(k, s) && c.url(k) == u {
			return i
		}
	}
	return -1
}

// Append adds lines at the end. It keeps none of their octets, only copies.
func (l *Lines) Append(lines ...protocols.Line) {
	for i := range lines {
		line := &lines[i]
		if line.Link == nil {
			l.add(line, "", nil)
			continue
		}
		s := line.Link.String()
		var kept urlcore.URL
		if !l.parsed.check(line.Link, s) {
			kept = line.Link
		}
		l.add(line, s, kept)
	}
}

// AppendLines adds more at the end; it may keep its memory.
func (l *Lines) AppendLines(more *Lines) {
	l.scored = l.scored || more.scored
	for _, c := range more.chunks {
		if len(l.chunks) == 0 || c.full() || l.last().full() {
			l.addChunk(c)
			continue
		}
		for k := range c.rows {
			l.appendRow(c, k)
		}
	}
}

func (l *Lines) appendRow(c *chunk, k int) {
	line := c.withoutLink(k)
	l.add(&line, c.link(k), c.links[k])
	last := l.last()
	last.rows[len(last.rows)-1].state = c.rows[k].state
	last.setScore(len(last.rows)-1, c.score(k))
}

// add adds a line whose link has the canonical text s; kept is the link if
// Parse would not give it back.
func (l *Lines) add(line *protocols.Line, s string, kept urlcore.URL) {
	if len(l.chunks) == 0 || l.last().full() {
		l.addChunk(new(chunk))
	}
	c := l.last()
	l.bytes += c.add(line, s, kept)
	l.grow(1)
	if c.full() {
		c.shrink()
	}
}

func (l *Lines) addChunk(c *chunk) {
	l.chunks = append(l.chunks, c)
	l.starts = append(l.starts, l.n)
	l.grow(len(c.rows))
	l.bytes += c.bytes()
}

// grow counts n more lines, which are shown below all others.
func (l *Lines) grow(n int) {
	if l.order != nil {
		for i := range n {
			l.order = append(l.order, uint32(l.n+i))
		}
	}
	l.n += n
}

func (l *Lines) last() *chunk { return l.chunks[len(l.chunks)-1] }

// find returns the chunk of line i and its index there.
func (l *Lines) find(i int) (*chunk, int) {
	if i < 0 || i >= l.Len() {
		panic("nav: there is no such line")
	}
	if l.order != nil {
		i = int(l.order[i])
	}
	k := sort.SearchInts(l.starts, i+1) - 1
	return l.chunks[k], i - l.starts[k]
}

func (c *chunk) full() bool { return len(c.rows) >= chunkLines || c.octets.Len() >= chunkOctets }

// shrink gives back the memory that was kept for more lines.
func (c *chunk) shrink() {
	s := c.octets.String()
	c.octets = strings.Builder{}
	c.octets.Grow(len(s))
	c.octets.WriteString(s)
	c.rows = slices.Clone(c.rows)
}

// add adds a line and returns the memory that it takes.
func (c *chunk) add(line *protocols.Line, link string, kept urlcore.URL) int64 {
	before := c.octets.Len()
	c.octets.WriteString(line.Text)
	r := row{text: uint32(c.octets.Len()), kind: line.Kind}
	if link != "" || kept != nil {
		r.state = linked
	}
	if base := c.octets.String()[c.base.from:c.base.to]; base != "" {
		r.shared = uint16(commonPrefix(base, link))
	}
	c.octets.WriteString(link[r.shared:])
	r.link = uint32(c.octets.Len())
	if c.base.to == 0 && link != "" {
		c.base.from, c.base.to = r.text, r.link
	}
	k := len(c.rows)
	c.rows = append(c.rows, r)
	if c.scores != nil {
		c.scores = append(c.scores, 0)
	}
	c.odd = c.odd || !plainNote(line.Note)
	if line.Note != nil && c.notes == nil {
		c.notes = make([]protocols.Note, k, chunkLines)
	}
	if c.notes != nil {
		c.notes = append(c.notes, line.Note)
	}
	if kept != nil {
		if c.links == nil {
			c.links = make(map[int]urlcore.URL)
		}
		c.links[k] = kept
	}
	return int64(rowSize+c.octets.Len()-before) + noteSize(line.Note) + keptSize(kept, link)
}

func (c *chunk) bytes() int64 {
	n := int64(rowSize*len(c.rows) + c.octets.Len())
	for _, note := range c.notes {
		n += noteSize(note)
	}
	for k, u := range c.links {
		n += keptSize(u, c.link(k))
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

// own is what of the link of line k is not the base's.
func (c *chunk) own(k int) string { return c.octets.String()[c.rows[k].text:c.rows[k].link] }

// link returns the text of the link of line k.
func (c *chunk) link(k int) string {
	return c.octets.String()[c.base.from:c.base.from+uint32(c.rows[k].shared)] + c.own(k)
}

// leadsTo reports whether s is the text of the link of line k.
func (c *chunk) leadsTo(k int, s string) bool {
	shared, own := int(c.rows[k].shared), c.own(k)
	return len(s) == shared+len(own) && s[shared:] == own && s[:shared] == c.octets.String()[c.base.from:int(c.base.from)+shared]
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
	if err != nil { // a link that is not canonical, see trusted
		scheme, rest, _ := strings.Cut(s, ":")
		return urlcore.Generic{Name: scheme, Rest: rest}
	}
	return u
}

// commonPrefix is how many octets a and b begin with alike, as far as a row
// can tell.
func commonPrefix(a, b string) int {
	alike, n := 0, min(len(a), len(b), 1<<16-1)
	for alike < n { // by halves: comparing strings is fast
		mid := (alike + n + 1) / 2
		if a[alike:mid] == b[alike:mid] {
			alike = mid
		} else {
			n = mid - 1
		}
	}
	return alike
}

// keptSize is about the memory of a link that is kept as it is.
func keptSize(u urlcore.URL, text string) int64 {
	if u == nil {
		return 0
	}
	return int64(200 + len(text))
}

// noteSize is about the memory of a note.
func noteSize(note protocols.Note) int64 {
	if note == nil {
		return 0
	}
	return int64(note.Memory())
}
