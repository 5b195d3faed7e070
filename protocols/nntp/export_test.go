package nntp

import (
	"context"

	"gofer/internal/wire"
)

// AwaitHabits loads the habits of the server at addr. Else a busy machine might make the server unknown.
func (c *Client) AwaitHabits(addr string, secure bool) {
	s := c.server(target{addr: addr, secure: secure})
	s.load(context.Background())
	<-s.memory.loading.Loaded()
}

// MemoryStore is a [wire.HabitStore] in memory.
type MemoryStore map[string]string

var _ wire.HabitStore = MemoryStore{}

func (m MemoryStore) Load(_ context.Context, addr string) string { return m[addr] }

func (m MemoryStore) Save(addr, text string) { m[addr] = text }
