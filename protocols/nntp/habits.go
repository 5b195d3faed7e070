package nntp

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"gofer/internal/wire"
)

// habits are what is known of a server from earlier runs. They decide what is sent before the server has answered. A wrong
// habit costs time, but must not make a fetch fail. Therefore they do not say that a server takes commands together or early,
// because a failure is recognized only while it is unknown, nor that the refusal 480 asks for a login.
type habits struct {
	Learned  time.Time `json:",omitzero"`  // when the first of them was learned; see [wire.HabitAge]
	Greeting string    `json:",omitempty"` // see [wire.HashGreeting]; with another greeting the habits are forgotten

	NoOver          bool `json:",omitempty"`
	NoListGroup     bool `json:",omitempty"`
	NeedsModeReader bool `json:",omitempty"`
	NoCapabilities  bool `json:",omitempty"`
	NotEarly        bool `json:",omitempty"` // takesEarly fails
	NoBatches       bool `json:",omitempty"` // takesBatches fails
}

// memory connects a server with its stored habits.
type memory struct {
	loading wire.HabitLoad

	mu       sync.Mutex
	stored   habits // as saved
	greeting string // the hash of the last greeting, or "" before it
}

// load begins to load the habits of the server, at its first call. The function wait waits for them, but only a short time.
func (s *server) load(ctx context.Context) (wait func()) {
	return s.memory.loading.Begin(ctx, s.client.Habits, s.Addr, s.adopt)
}

// adopt takes habits in the form of JSON over, unless the server has greeted meanwhile.
func (s *server) adopt(text string) {
	var h habits
	if json.Unmarshal([]byte(text), &h) != nil || h.Greeting == "" {
		return
	}
	if age := time.Since(h.Learned); age < 0 || age > wire.HabitAge {
		return
	}
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	if s.memory.greeting != "" {
		return
	}
	s.memory.stored, s.memory.greeting = h, h.Greeting
	s.hasGreeted.Store(true)
	s.set(h)
}

// set sets what is known of the server.
func (s *server) set(h habits) {
	s.noOver.Store(h.NoOver)
	s.noListGroup.Store(h.NoListGroup)
	s.needsModeReader.Store(h.NeedsModeReader)
	s.noCapabilities.Store(h.NoCapabilities)
	for a, fails := range map[*ability]bool{&s.takesEarly: h.NotEarly, &s.takesBatches: h.NoBatches} {
		if a.Store(0); fails {
			a.Store(abilityFails)
		}
	}
}

// meet records the greeting of a new connection. It forgets the habits of a server with another greeting, and returns whether
// it did so.
func (s *server) meet(greeting string) (changed bool) {
	s.hasGreeted.Store(true)
	hash := wire.HashGreeting(greeting)
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	if changed = s.memory.greeting != "" && s.memory.greeting != hash; changed {
		s.isReader.Store(false)
		s.set(habits{})
		s.memory.stored = habits{}
	}
	s.memory.greeting = hash
	return changed
}

// save saves the habits if they have changed.
func (s *server) save() {
	if s.client.Habits == nil {
		return
	}
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	h := habits{
		Learned: s.memory.stored.Learned, Greeting: s.memory.greeting,
		NoOver: s.noOver.Load(), NoListGroup: s.noListGroup.Load(), NeedsModeReader: s.needsModeReader.Load(),
		NoCapabilities: s.noCapabilities.Load(), NotEarly: s.takesEarly.fails(), NoBatches: s.takesBatches.fails(),
	}
	if h == s.memory.stored || h.Greeting == "" {
		return
	}
	if h.Learned.IsZero() {
		h.Learned = time.Now().UTC().Truncate(time.Second)
	}
	s.memory.stored = h
	if text, err := json.Marshal(h); err == nil {
		s.client.Habits.Save(s.Addr, string(text))
	}
}
