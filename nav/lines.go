package nav

import (
	"iter"
	"reflect"
	"sort"

	"gofer/protocols"
	"gofer/urlcore"
)

// Lines is an append-only list of lines. It stores the text and the canonical URL of each line as
// octets; [Lines.At] makes a [protocols.Line] from the octets. A page of a million lines therefore takes
// little more memory than its text and has few pointers. The zero value is empty and ready. It is
// not safe for concurrent use.
type Lines struct {
	chunks  []*chunk
	starts  []int // index of the first line of each chunk
	n       int
	bytes   int64
	parsed  roundTrips
	replace bool
	order   []uint32 // lines that are not hidden, by their indexes in the order of arrival; nil if no line is hidden or moved
	depths  []uint16 // depths of articles, by index of the shown line; nil if the depths in the notes are right
	scored  bool     // some lines have a score
}

// roundTrips checks that Parse returns links unchanged. It stops after maxChecks correct links of one
// type, because in a large menu the same code makes a million links.
type roundTrips struct {
	kind reflect.Type
	n    int // number of correct links of this type
}

const maxChecks = 4096

// check reports whether Parse returns u for its text s. After maxChecks correct links of one type in
// succession, it returns true for the next links of this type without parsing them.
func (r *roundTrips) check(u urlcore.URL, s string) bool {
	if t := reflect.TypeOf(u); t != r.kind {
		*r = roundTrips{kind: t}
	} else if r.n >= maxChecks {
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

// State is a set of bits: what gofer knows about a line.
type State uint8

// The bits of a State.
const (
	Unread State = 1 << iota
	New          // was not listed at the last visit
	Visited
	Tagged // tagged by the user, see [Page.Tag]
	Folded // begins a thread that is folded

	linked // has a Link

	// The last two bits are one value: how the item of a directory differs from the item of this name in a directory with which
	// it was compared. Compared has both bits.
	Alone    State = 1 << 6 // the other directory has no such item
	Differs  State = 2 << 6
	Newer    State = 3 << 6 // differs, and is the newer of the two
	Compared       = Newer

	// Undecided marks an item of a compared directory of which it is not known whether it differs. It is the bit of Folded, which
	// such an item never has, because there is no other bit.
	Undecided = Folded
)

// Len returns the number of lines without hidden lines.
func (l *Lines) Len() int {
	if l.order != nil {
		return len(l.order)
	}
	return l.n
}

// Bytes returns the memory that the lines take, in octets.
func (l *Lines) Bytes() int64 { return l.bytes }

// At returns line i. It panics unless 0 <= i < Len.
func (l *Lines) At(i int) protocols.Line {
	c, k := l.findLine(i)
	line := c.withoutLink(k)
	line.Link = c.url(k)
	return line
}

// WithoutLink returns line i without its Link, which At has to parse.
func (l *Lines) WithoutLink(i int) protocols.Line {
	c, k := l.findLine(i)
	return c.withoutLink(k)
}

// HasLink reports whether line i has a Link.
func (l *Lines) HasLink(i int) bool {
	c, k := l.findLine(i)
	return c.rows[k].state&linked != 0
}

// Kinds returns the kinds of the lines from line i on, in the order of arrival.
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

// State returns the state of line i, 0 at first.
func (l *Lines) State(i int) State {
	c, k := l.findLine(i)
	return c.rows[k].state &^ linked
}

// SetState sets the state of line i to s.
func (l *Lines) SetState(i int, s State) {
	c, k := l.findLine(i)
	c.rows[k].state = c.rows[k].state&linked | s&^linked
}

// ReplacesPreview reports whether these lines of a [Load] replace all earlier lines, which were a preview.
func (l *Lines) ReplacesPreview() bool { return l.replace }

// InArrivalOrder returns all lines in the order of arrival.
func (l Lines) InArrivalOrder() Lines {
	l.order, l.depths = nil, nil
	return l
}

// All returns the lines with their indexes, from line start on.
func (l *Lines) All(start int) iter.Seq2[int, protocols.Line] {
	return func(yield func(int, protocols.Line) bool) {
		for i := max(start, 0); i < l.Len(); i++ {
			if !yield(i, l.At(i)) {
				return
			}
		}
	}
}

// IndexLink returns the first line, from line start on, that leads to u, or -1.
func (l *Lines) IndexLink(u urlcore.URL, start int) int {
	s := u.String()
	for i := max(start, 0); i < l.Len(); i++ {
		c, k := l.findLine(i)
		if c.rows[k].state&linked != 0 && c.leadsTo(k, s) && c.url(k) == u {
			return i
		}
	}
	return -1
}

// Append adds copies of lines at the end.
func (l *Lines) Append(lines ...protocols.Line) {
	for i := range lines {
		line := &lines[i]
		if line.Link == nil {
			l.add(line, "", nil)
			continue
		}
		s := line.Link.String()
		var u urlcore.URL
		if !l.parsed.check(line.Link, s) {
			u = line.Link
		}
		l.add(line, s, u)
	}
}

// AppendLines adds the lines in the parameter more at the end. Both lists may share memory afterwards.
func (l *Lines) AppendLines(more *Lines) {
	l.scored = l.scored || more.scored
	for _, c := range more.chunks {
		if len(l.chunks) == 0 || c.isFull() || l.last().isFull() {
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

// add adds a line whose link has the canonical text s. The parameter u is the URL of the link if
// Parse would not return that URL for s.
func (l *Lines) add(line *protocols.Line, s string, u urlcore.URL) {
	if len(l.chunks) == 0 || l.last().isFull() {
		l.addChunk(new(chunk))
	}
	c := l.last()
	l.bytes += c.add(line, s, u)
	l.showMore(1)
	if c.isFull() {
		c.shrink()
	}
}

func (l *Lines) addChunk(c *chunk) {
	l.chunks = append(l.chunks, c)
	l.starts = append(l.starts, l.n)
	l.showMore(len(c.rows))
	l.bytes += c.bytes()
}

// showMore shows n more lines below all others.
func (l *Lines) showMore(n int) {
	if l.order != nil {
		for i := range n {
			l.order = append(l.order, uint32(l.n+i))
		}
	}
	l.n += n
}

func (l *Lines) last() *chunk { return l.chunks[len(l.chunks)-1] }

// findLine returns the chunk of line i and the index of the line in the chunk.
func (l *Lines) findLine(i int) (*chunk, int) {
	if i < 0 || i >= l.Len() {
		panic("nav: there is no such line")
	}
	if l.order != nil {
		i = int(l.order[i])
	}
	k := sort.SearchInts(l.starts, i+1) - 1
	return l.chunks[k], i - l.starts[k]
}
