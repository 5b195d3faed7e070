package room_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/ui/room/roomtest"
)

// TestRevertLast checks that the last twenty changes are reverted, the newest first and each with its name. A change that
// was changed again since is skipped by the next undo, and a failed one is tried again.
func TestRevertLast(t *testing.T) {
	p := roomtest.New(1, protocols.Head{})
	now, full := time.Unix(1e9, 0), errors.New("disk full")
	p.Clock = func() time.Time { return now }
	reverted := ""
	push := func(name string, errs ...error) *room.Undo {
		u := &room.Undo{Text: name}
		u.Revert = func() (func() tea.Cmd, error) {
			if len(errs) > 0 {
				err := errs[0]
				errs = errs[1:]
				return nil, err
			}
			return func() tea.Cmd { reverted += " " + name; return nil }, nil
		}
		p.Run(p.Change(func() (*room.Undo, func() tea.Cmd) { return u, nil }))
		return u
	}
	undo := func(want string) {
		t.Helper()
		p.Run(room.RevertLast(p))
		fetchtest.Equal(t, p.Notices[len(p.Notices)-1], want, "notice")
	}
	push("lost")
	for i := range 20 {
		push(fmt.Sprint(i))
	}
	for i := range 20 {
		undo(fmt.Sprint("undone: ", 19-i))
	}
	undo("nothing to undo")
	fetchtest.Equal(t, reverted, " 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0")

	push("first")
	push("second", fmt.Errorf("marks: %w", room.ErrChangedSince))
	push("third", full)
	undo("not undone: third: disk full")
	undo("undone: third")
	undo("not undone: second: marks: it was changed again since")
	push("short").Until = now.Add(time.Second)
	p.Stack.Drop(push("dropped"))
	now = now.Add(time.Second)
	undo("undone: first")

	for _, u := range []*room.Undo{push("small"), push("large")} {
		p.Stack.Drop(u)
		u.Size = 1 << 30
		p.Stack.Push(u)
	}
	undo("undone: large")
	undo("nothing to undo")
}
