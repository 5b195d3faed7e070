package nav

import (
	"slices"

	"gofer/internal/text/charset"
)

// DefaultMemory bounds the lines of all pages of a [Memory], in octets.
const DefaultMemory = 256 << 20

// Memory bounds the memory of the lines of all pages of its sessions. Above the limit, pages drop
// their lines: first the pages of the histories, then the current pages, each in the order of the
// last use of their sessions. The current page of the session used last is never dropped. The zero value is
// ready to use. Memory is not safe for concurrent use.
type Memory struct {
	// Limit is the limit in octets; 0 means DefaultMemory.
	Limit int64

	sessions []*Session // the session used last is at the end
	authors  map[author]charset.Charset
}

// Use adds s to the sessions if necessary, and records that it was used last.
func (m *Memory) Use(s *Session) {
	m.Remove(s)
	s.memory = m
	m.sessions = append(m.sessions, s)
}

// Remove removes s from the sessions. The pages of s no longer count.
func (m *Memory) Remove(s *Session) {
	m.sessions = slices.DeleteFunc(m.sessions, func(other *Session) bool { return other == s })
}

// trim drops the lines of pages until the other pages fit.
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
