// Package history remembers where the reader has been and what is worth
// returning to: the back and forward stack of one tab, the visits in a SQLite
// database that several running programs share, and the bookmarks in a text
// file that a person can edit.
package history

import (
	"iter"
	"slices"
)

// MaxDepth is how many entries a Stack keeps, the current one included; the
// oldest are dropped.
const MaxDepth = 512

// Stack is a back and forward list. The zero value is empty and ready to use.
// It is not safe for concurrent use.
type Stack[T any] struct {
	items []T
	at    int // number of entries up to and including the current one
}

// Push makes v the current entry, in front of the one that was current. What
// lay forward is dropped, and so is the oldest entry beyond MaxDepth.
func (s *Stack[T]) Push(v T) {
	clear(s.items[s.at:])
	s.items = append(s.items[:s.at], v)
	if len(s.items) > MaxDepth {
		n := copy(s.items, s.items[len(s.items)-MaxDepth:])
		clear(s.items[n:])
		s.items = s.items[:n]
	}
	s.at = len(s.items)
}

// Back steps to the entry before the current one and returns it. At the oldest
// entry, or when s is empty, it changes nothing and returns false.
func (s *Stack[T]) Back() (T, bool) {
	if !s.CanBack() {
		var zero T
		return zero, false
	}
	s.at--
	return s.Current()
}

// Forward steps to the entry after the current one and returns it. At the
// newest entry it changes nothing and returns false.
func (s *Stack[T]) Forward() (T, bool) {
	if !s.CanForward() {
		var zero T
		return zero, false
	}
	s.at++
	return s.Current()
}

// CanBack reports whether Back would move.
func (s *Stack[T]) CanBack() bool { return s.at > 1 }

// CanForward reports whether Forward would move.
func (s *Stack[T]) CanForward() bool { return s.at < len(s.items) }

// Current returns the current entry; false when s is empty.
func (s *Stack[T]) Current() (T, bool) {
	if s.at == 0 {
		var zero T
		return zero, false
	}
	return s.items[s.at-1], true
}

// Replace puts v in the place of the current entry and keeps what lies back
// and forward. On an empty stack it is Push.
func (s *Stack[T]) Replace(v T) {
	if s.at == 0 {
		s.Push(v)
		return
	}
	s.items[s.at-1] = v
}

// Len returns the number of entries, back, current and forward.
func (s *Stack[T]) Len() int { return len(s.items) }

// All returns the entries, the oldest first.
func (s *Stack[T]) All() iter.Seq[T] { return slices.Values(s.items) }
