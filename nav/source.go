package nav

import (
	"io"

	"gofer/internal/text/document"
)

// KeepSource keeps the octets of a hypertext for its article view, up to [document.MaxArticle].
func KeepSource() Option { return func(l *Load) { l.keep = true } }

// sourceCopy is a copy of the octets of a document. It is not used after a drop.
type sourceCopy struct {
	octets  []byte
	dropped bool // too many octets, or not a hypertext
}

// copySource returns a reader of body that copies the octets to l.source if l keeps them.
func (l *Load) copySource(body io.Reader) io.Reader {
	if !l.keep {
		return body
	}
	l.source = new(sourceCopy)
	return io.TeeReader(body, l.source)
}

func (s *sourceCopy) Write(p []byte) (int, error) {
	if len(s.octets)+len(p) > document.MaxArticle {
		s.drop()
	}
	if !s.dropped {
		s.octets = append(s.octets, p...)
	}
	return len(p), nil
}

func (s *sourceCopy) drop() { s.octets, s.dropped = nil, true }

// bytes returns the octets of a document that has been read to its end, or nil.
func (s *sourceCopy) bytes() []byte {
	if s == nil {
		return nil
	}
	return s.octets
}
