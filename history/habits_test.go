package history

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
)

// keepHabits records habits in a Store of its own, so that they are written when it returns.
func keepHabits(t *testing.T, path string, habits map[string]string) {
	t.Helper()
	s := OpenStore(path)
	for addr, text := range habits {
		s.KeepHabits(addr, text)
	}
	fetchtest.NoError(t, s.Close())
}

func TestHabits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.sqlite")
	keepHabits(t, path, map[string]string{"a.example:21": "old", "b.example:21": "b", "c.example:21": strings.Repeat("x", maxHabitOctets+1)})
	keepHabits(t, path, map[string]string{"a.example:21": "new"})
	s := open(t, path)
	for addr, want := range map[string]string{"a.example:21": "new", "b.example:21": "b", "c.example:21": "", "a.example:2121": ""} {
		fetchtest.Returns(t, want, addr)(s.Habits(t.Context(), addr))
	}
}

// TestMaxHabits checks that the servers recorded longest ago are dropped.
func TestMaxHabits(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	fetchtest.Returns(t, "", "before")(s.Habits(t.Context(), "a")) // opens the database
	insert := func(at time.Time, habits map[string]string) {
		tx := fetchtest.Must(s.db.Begin())(t)
		fetchtest.NoError(t, insertHabits(t.Context(), tx, habits, at))
		fetchtest.NoError(t, tx.Commit())
	}
	insert(time.Unix(1, 0), map[string]string{"old": "o"})
	many := make(map[string]string)
	for i := range maxHabits - 1 {
		many[fmt.Sprint(i)] = "x"
	}
	insert(time.Unix(2, 0), many)
	fetchtest.Returns(t, "o", "with as many as there may be")(s.Habits(t.Context(), "old"))
	insert(time.Unix(3, 0), map[string]string{"new": "n"})
	fetchtest.Returns(t, "", "with one more")(s.Habits(t.Context(), "old"))
	fetchtest.Returns(t, "n", "the last")(s.Habits(t.Context(), "new"))
}

// TestForgetHabits checks that the habits of a server are forgotten with the last visit of its host.
func TestForgetHabits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.sqlite")
	all := []string{"a.example:21", "b.example:21", "[::1]:21", "unvisited.example:21"}
	for _, tt := range []struct {
		name string
		sel  Selection
		left []string
	}{
		{"nothing", Selection{}, all},
		{"one of two visits", Selection{URL: mustParse(t, "ftp://a.example/x")}, all[:3]},
		{"a host", Selection{Host: "A.example"}, all[1:3]},
		{"an address", Selection{Host: "::1"}, all[:2]},
		{"all", Selection{All: true}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := path + tt.name
			habits := make(map[string]string)
			for _, addr := range all {
				habits[addr] = addr
			}
			keepHabits(t, path, habits)
			s := open(t, path)
			for _, u := range []string{"ftp://a.example/x", "ftp://a.example/y", "gopher://b.example/1", "ftp://[::1]/"} {
				visit(t, s, u, "", 1)
			}
			forgotten := fetchtest.Must(s.Forget(t.Context(), tt.sel))(t)
			fetchtest.Equal(t, forgotten.Servers, len(all)-len(tt.left), "servers that are forgotten")
			var left []string
			for _, addr := range all {
				if text, err := s.Habits(t.Context(), addr); err == nil && text == addr {
					left = append(left, addr)
				}
			}
			fetchtest.DeepEqual(t, left, tt.left, "servers with habits")
		})
	}
}

// TestForgottenHabitsAreOverwritten checks that forgetting overwrites the names of hosts without visits.
func TestForgottenHabitsAreOverwritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "h.sqlite")
	keepHabits(t, path, map[string]string{"private.example:21": "x"})
	if grep(t, dir, "private.example") == 0 {
		t.Error("the host is not on disk: the test looks in the wrong place")
	}
	forgetVisits(t, open(t, path), Selection{All: true}, 0)
	fetchtest.Equal(t, grep(t, dir, "private.example"), 0, "copies of the host on disk")
}
