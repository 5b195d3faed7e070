package app

import (
	"context"

	"gofer/history"
)

// ServerHabits keeps what clients have learned of servers in the database of the history, if there is one: a command, which
// records no visits, must not create it. The zero value keeps nothing.
type ServerHabits struct {
	visits    *history.Store
	mayRecord func(addr string) bool
}

// Load returns what was saved for the server at addr (host:port), or "". It returns nothing if the database cannot be
// read in a short time.
func (h ServerHabits) Load(ctx context.Context, addr string) string {
	if h.visits == nil || !h.visits.Exists() {
		return ""
	}
	text, _ := h.visits.Habits(ctx, addr) // without them the server is unknown
	return text
}

// Save saves a text for the server at addr. It does not wait for the disk.
func (h ServerHabits) Save(addr, text string) {
	if h.visits != nil && h.mayRecord(addr) && h.visits.Exists() {
		h.visits.KeepHabits(addr, text)
	}
}
