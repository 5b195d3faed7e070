package nav

import (
	"iter"

	"gofer/protocols"
)

// chunk is how many lines one piece of a Lines holds.
const chunk = 1 << 10

// Lines is an append-only list of lines. It grows by pieces, so that a page of
// a million lines is never copied. The zero value is empty and ready. It is
// not safe for concurrent use.
type Lines struct {
	chunks [][]protocols.Line // each but the last is full
	n      int
	bytes  int64
}

// Len returns the number of lines.
func (l *Lines) Len() int { return l.n }

// At returns line i, 0 <= i < Len; it panics outside of that.
func (l *Lines) At(i int) protocols.Line { return l.chunks[i/chunk][i%chunk] }

// Bytes returns about how much memory the lines take.
func (l *Lines) Bytes() int64 { return l.bytes }

// Append adds lines at the end. It keeps none of the slice.
func (l *Lines) Append(lines ...protocols.Line) {
	for i := range lines {
		l.bytes += cost(&lines[i])
	}
	l.n += len(lines)
	for len(lines) > 0 {
		last := len(l.chunks) - 1
		if last < 0 || len(l.chunks[last]) == chunk {
			l.chunks = append(l.chunks, make([]protocols.Line, 0, l.room(len(lines))))
			last++
		}
		k := min(len(lines), chunk-len(l.chunks[last]))
		l.chunks[last] = append(l.chunks[last], lines[:k]...)
		lines = lines[k:]
	}
}

// room is the capacity of a new piece: small pages stay small.
func (l *Lines) room(want int) int {
	if len(l.chunks) > 0 {
		return chunk
	}
	return min(want, chunk)
}

// All returns the lines with their indexes, from line i on.
func (l *Lines) All(from int) iter.Seq2[int, protocols.Line] {
	return func(yield func(int, protocols.Line) bool) {
		for i := max(from, 0); i < l.n; i++ {
			if !yield(i, l.At(i)) {
				return
			}
		}
	}
}

// lineSize is what a line takes beside its text: the struct itself, and for
// a link or a note about what one of them points to.
const (
	lineSize = 56
	linkSize = 144
	noteSize = 96
)

// cost is about how much memory a line takes.
func cost(l *protocols.Line) int64 {
	n := int64(lineSize + len(l.Text))
	if l.Link != nil {
		n += linkSize
	}
	switch note := l.Note.(type) {
	case *protocols.FileNote:
		n += noteSize + int64(len(note.Target))
	case *protocols.GroupNote:
		n += noteSize + int64(len(note.Description))
	case *protocols.ArticleNote:
		n += 2*noteSize + int64(len(note.Subject)+len(note.From)+len(note.MessageID))
		for _, r := range note.References {
			n += int64(16 + len(r))
		}
	}
	return n
}
