package app

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestServerHabits checks in which runs clients find again what they have saved.
func TestServerHabits(t *testing.T) {
	createHistory := func(_ *Start, st *State) {
		_, err := st.Visits.Search(t.Context(), "", 1)
		fetchtest.NoError(t, err)
	}
	for _, tt := range []struct {
		name   string
		change func(s *Start, st *State)
		world  World
		addr   string
		want   string
	}{
		{"another run", createHistory, nil, "a.example:21", "text"},
		{"no history", func(*Start, *State) {}, nil, "a.example:21", ""},
		{"private mode", func(s *Start, st *State) { createHistory(s, st); st.SetPrivate(true) }, nil, "a.example:21", ""},
		{"the demo", createHistory, fakeWorld{}, "demo.gofer.test:21", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var setup Setup
			s := testStart(t.TempDir(), &setup)
			st := s.Open(tt.world)
			tt.change(s, st)
			setup.Habits.Save(tt.addr, "text")
			st.Close()
			st = s.Open(tt.world)
			defer st.Close()
			fetchtest.Equal(t, setup.Habits.Load(t.Context(), tt.addr), tt.want, "loaded")
		})
	}
	var setup Setup
	s := testStart(t.TempDir(), &setup)
	s.Restrict = true
	defer s.Open(nil).Close()
	setup.Habits.Save("a.example:21", "text")
	fetchtest.Equal(t, setup.Habits.Load(t.Context(), "a.example:21"), "", "loaded in restricted mode")
}
