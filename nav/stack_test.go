package nav

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestStackZeroValue(t *testing.T) {
	var s stack[string]
	if s.GoBack() {
		t.Error("GoBack on an empty stack moved")
	}
	if s.GoForward() {
		t.Error("GoForward on an empty stack moved")
	}
	if v, ok := s.Current(); ok {
		t.Errorf("Current on an empty stack = %q, true", v)
	}
	s.Replace("a")
	if v, ok := s.Current(); v != "a" || !ok || s.Len() != 1 {
		t.Errorf("after Replace on an empty stack: got %q, %v, Len %d; want \"a\", true, Len 1", v, ok, s.Len())
	}
}

func TestStackBounded(t *testing.T) {
	var s stack[int]
	for i := range 3 * maxDepth {
		s.Push(i)
	}
	if s.Len() != maxDepth {
		t.Fatalf("Len = %d, want %d", s.Len(), maxDepth)
	}
	fetchtest.Equal(t, s.items[:maxDepth+1][maxDepth], 0, "the entry beyond the end")
	for s.GoBack() {
	}
	if last, _ := s.Current(); last != 2*maxDepth {
		t.Errorf("oldest entry = %d, want %d", last, 2*maxDepth)
	}
}

func TestStackForgetsDropped(t *testing.T) {
	var s stack[*int]
	for range 4 {
		s.Push(new(int))
	}
	s.GoBack()
	s.GoBack()
	s.Push(new(int))
	for i, p := range s.items[:cap(s.items)][s.Len():] {
		if p != nil {
			t.Errorf("index %d beyond the end still has a dropped entry", i)
		}
	}
}
