package nav

import (
	"slices"

	"gofer/internal/text/charset"
)

// DefaultMemory bounds the lines of all pages of a [Memory], in octets.
const DefaultMemory = 256 << 20

// Memory bounds the lines of all pages of some sessions together.
// Beyond it pages let their lines go: first those that a reader has to go back
// or forward to, the oldest first, then the current ones. The session used
// last is the last to lose a page, and keeps its current one. The zero value is
// ready. It is not safe for concurrent use.
type Memory struct {
	// Limit is in octets; 0: DefaultMemory.
	Limit int64

	sessions []*Session // the one used last at the end
	authors  map[author]charset.Charset
}

// Use makes s one of the sessions, and the one used last.
func (m *Memory) Use(s *Session) {
	m.Leave(s)
	s.memory = m
	m.sessions = append(m.sessions, s)
}

// Leave takes s, whose pages have been let go, out of the sessions.
func (m *Memory) Leave(s *Session) {
	m.sessions = slices.DeleteFunc(m.sessions, func(other *Session) bool { return other == s })
}

// trim lets lines go until the rest fits.
func (m *Memory) trim() {
	excess := -m.Limit
	if m.Limit <= 0 {
		excess = -DefaultMemory
	}
	for _, s := range m.sessions {
		for p := range s.stack.All() {
			excess += p.bytes()
		}
	}
	for _, s := range m.sessions {
		cur, _ := s.stack.Current()
		for p := range s.stack.All() {
			if excess <= 0 {
				return
			}
			if p != cur {
				excess -= p.drop()
			}
		}
	}
	for _, s := range m.sessions[:max(0, len(m.sessions)-1)] {
		if p, ok := s.stack.Current(); ok && excess > 0 && !p.Dropped {
			if p == s.page {
				s.Stop()
			}
			excess -= p.drop()
		}
	}
}
