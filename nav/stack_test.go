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

func TestStackWalk(t *testing.T) {
	var s stack[string]
	steps := []struct {
		do   string
		arg  string
		want string // the current entry
		ok   bool
		len  int
	}{
		{"push", "a", "a", true, 1},
		{"back", "", "a", false, 1},
		{"push", "b", "b", true, 2},
		{"push", "c", "c", true, 3},
		{"back", "", "b", true, 3},
		{"replace", "B", "B", true, 3},
		{"forward", "", "c", true, 3},
		{"forward", "", "c", false, 3},
		{"back", "", "B", true, 3},
		{"back", "", "a", true, 3},
		{"back", "", "a", false, 3},
		{"push", "d", "d", true, 2},
		{"forward", "", "d", false, 2},
		{"back", "", "a", true, 2},
	}
	for i, st := range steps {
		ok := true
		switch st.do {
		case "push":
			s.Push(st.arg)
		case "replace":
			s.Replace(st.arg)
		case "back":
			ok = s.GoBack()
		case "forward":
			ok = s.GoForward()
		}
		got, _ := s.Current()
		if got != st.want || ok != st.ok || s.Len() != st.len {
			t.Fatalf("step %d %s %s: got %q, %v, Len %d; want %q, %v, Len %d", i, st.do, st.arg, got, ok, s.Len(), st.want, st.ok, st.len)
		}
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
