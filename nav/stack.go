package nav

import (
	"iter"
	"slices"
)

// maxDepth is the largest number of entries of a stack. The oldest are dropped.
const maxDepth = 512

// stack is a back and forward list. The zero value is empty and ready to use.
// It is not safe for concurrent use.
type stack[T any] struct {
	items []T
	at    int // number of entries up to and including the current one
}

// Push adds v after the current entry and makes it the current one. It drops the entries that came
// after the old current one, and the oldest entry beyond maxDepth.
func (s *stack[T]) Push(v T) {
	clear(s.items[s.at:])
	s.items = append(s.items[:s.at], v)
	if len(s.items) > maxDepth {
		n := copy(s.items, s.items[len(s.items)-maxDepth:])
		clear(s.items[n:])
		s.items = s.items[:n]
	}
	s.at = len(s.items)
}

// GoBack moves to the entry before the current one. It returns false at the oldest entry, or when s is
// empty.
func (s *stack[T]) GoBack() bool {
	if s.CanGoBack() {
		s.at--
		return true
	}
	return false
}

// GoForward moves to the entry after the current one. It returns false at the newest entry.
func (s *stack[T]) GoForward() bool {
	if s.CanGoForward() {
		s.at++
		return true
	}
	return false
}

// CanGoBack reports whether GoBack would move.
func (s *stack[T]) CanGoBack() bool { return s.at > 1 }

// CanGoForward reports whether GoForward would move.
func (s *stack[T]) CanGoForward() bool { return s.at < len(s.items) }

// Current returns the current entry, and false when s is empty.
func (s *stack[T]) Current() (T, bool) {
	if s.at == 0 {
		var zero T
		return zero, false
	}
	return s.items[s.at-1], true
}

// Replace replaces the current entry by v. On an empty stack it does the same as Push.
func (s *stack[T]) Replace(v T) {
	if s.at == 0 {
		s.Push(v)
		return
	}
	s.items[s.at-1] = v
}

// Len returns the number of entries, back, current and forward.
func (s *stack[T]) Len() int { return len(s.items) }

// All returns the entries, the oldest first.
func (s *stack[T]) All() iter.Seq[T] { return slices.Values(s.items) }
