package room

import (
	"errors"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Undo reverts a change that the user has made.
type Undo struct {
	Text  string    // what was changed, as in the notice "undone: TEXT"
	Until time.Time // the change cannot be reverted at this time or later; zero: no limit
	Size  int       // size of the data that Revert needs, in octets
	// Revert reverts the change, outside of the event loop. The function next, which may be nil, is then called in the
	// event loop. If another program has changed the same thing since, Revert changes nothing and returns an error that
	// wraps ErrChangedSince.
	Revert func() (next func() tea.Cmd, err error)
}

// ErrChangedSince reports that a change cannot be reverted without losing a later change.
var ErrChangedSince = errors.New("it was changed again since")

// The largest number of changes that can be reverted, and the size of their data in octets.
const maxUndos, maxUndoSize = 20, 32 << 20

// UndoStack holds the last changes that can be reverted, of all features in the order in which they were made. It is
// safe for concurrent use.
type UndoStack struct {
	mu    sync.Mutex
	undos []*Undo // the newest is at the end
}

// Push adds the newest change. It ignores nil.
func (s *UndoStack) Push(u *Undo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u == nil {
		return
	}
	s.undos = append(s.undos, u)
	size := 0
	for i, old := range slices.Backward(s.undos) {
		size += old.Size
		if len(s.undos)-i > maxUndos || size > maxUndoSize && old != u {
			s.undos = slices.Delete(s.undos, 0, i+1)
			break
		}
	}
}

// Drop removes a change, which then cannot be reverted.
func (s *UndoStack) Drop(u *Undo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.undos = slices.DeleteFunc(s.undos, func(old *Undo) bool { return old == u })
}

// Next returns the newest change that can be reverted at the given time, or nil.
func (s *UndoStack) Next(now time.Time) *Undo {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.undos = slices.DeleteFunc(s.undos, func(u *Undo) bool { return !u.Until.IsZero() && !now.Before(u.Until) })
	if len(s.undos) == 0 {
		return nil
	}
	return s.undos[len(s.undos)-1]
}

// RevertLast reverts the newest change and shows a notice that names it.
func RevertLast(p Program) tea.Cmd {
	now, undos := p.Now(), p.Undos()
	return p.Change(func() (*Undo, func() tea.Cmd) {
		u := undos.Next(now)
		if u == nil {
			return nil, func() tea.Cmd { return p.Notify("nothing to undo") }
		}
		next, err := u.Revert()
		text := "undone: " + u.Text
		if err != nil {
			text = "not undone: " + u.Text + ": " + err.Error()
		}
		if err == nil || errors.Is(err, ErrChangedSince) {
			undos.Drop(u)
		}
		return nil, func() tea.Cmd {
			cmd := tea.Cmd(nil)
			if next != nil {
				cmd = next()
			}
			return tea.Batch(cmd, p.Notify(text))
		}
	})
}
