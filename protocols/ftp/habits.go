package ftp

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
)

// habits are what is known of a server from earlier sessions. They decide what is sent before the server has
// answered. A wrong habit costs time, but must not make a fetch fail, and never decides whether a password is
// sent in the clear.
type habits struct {
	Learned  time.Time `json:",omitzero"`  // when the first of them was learned; see [wire.HabitAge]
	Greeting string    `json:",omitempty"` // see [wire.HashGreeting]; with another greeting the habits are forgotten

	Pipelining     pipelining  `json:",omitempty"`
	AwaitsGreeting bool        `json:",omitempty"` // nothing may be sent before the greeting was read
	NoTLS          bool        `json:",omitempty"` // TLS was refused or could not begin; for the anonymous login only
	NoEPSV         bool        `json:",omitempty"` // EPSV is refused, or no connection to its ports can be made
	DialsFirst     bool        `json:",omitempty"` // a transfer is requested only after its data connection is made
	Turns          turns       `json:",omitempty"`
	NoSTAT         bool        `json:",omitempty"` // STAT does not list the directory, or is not answered
	NoDates        bool        `json:",omitempty"` // a command that sets the date of a file is not answered
	NoModes        bool        `json:",omitempty"` // a command that sets the mode of a file is not answered
	RESTAlone      bool        `json:",omitempty"` // REST may be refused, so that its reply is awaited
	Curve          tls.CurveID `json:",omitempty"` // the key exchange of TLS that the server chooses
	VMS            bool        `json:",omitempty"` // the paths are those of VMS
	Extensions     extensions  `json:",omitzero"`  // FEAT is not sent if they are known: its long reply can take a round trip more

	ClockKnown bool      `json:",omitempty"` // the clock was compared with the local clock
	Clock      time.Time `json:",omitzero"`  // the time of a server whose clock differs from the local clock
}

// server holds the habits of a server. All sessions with the server share it.
type server struct {
	mu      sync.Mutex
	habits  habits
	stored  habits // as saved
	wasUsed bool   // a login has succeeded

	loading wire.HabitLoad
}

// serverAt returns the server at addr (host:port).
func (c *Client) serverAt(addr string) *server {
	known, _ := c.servers.LoadOrStore(addr, new(server))
	return known.(*server)
}

// load begins to load the habits, at its first call. The function wait waits for them, but only a short time.
func (k *server) load(ctx context.Context, store wire.HabitStore, addr string) (wait func()) {
	return k.loading.Begin(ctx, store, addr, k.adopt)
}

// adopt takes habits in the form of JSON over, unless others have been learned meanwhile.
func (k *server) adopt(text string) {
	var h habits
	if json.Unmarshal([]byte(text), &h) != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.habits == (habits{}) {
		k.habits, k.stored = h, h
	}
}

// current returns the habits, or the zero value if they are too old.
func (k *server) current() habits {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.habits.unlessOld()
}

func (h habits) unlessOld() habits {
	if age := time.Since(h.Learned); age < 0 || age > wire.HabitAge {
		return habits{}
	}
	return h
}

// learn changes the habits.
func (k *server) learn(change func(*habits)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.habits.unlessOld()
	if h == (habits{}) {
		h.Learned = time.Now().UTC().Truncate(time.Second)
	}
	change(&h)
	k.habits = h
}

// isSilence reports whether err means that the server has not answered in time.
func isSilence(err error) bool {
	r := protocols.ReasonOf(err)
	return r == protocols.FirstByteTimeout || r == protocols.IdleTimeout
}

// learnSilence records that a command that is not essential was not answered, if err says so: waiting for it again would take
// as long.
func (k *server) learnSilence(line string, err error) {
	if !isSilence(err) {
		return
	}
	verb, _, _ := strings.Cut(line, " ")
	k.learn(func(h *habits) {
		switch verb {
		case "STAT":
			h.NoSTAT = true
		case "MFMT", "MDTM":
			h.NoDates = true
		case "SITE", "MFF":
			h.NoModes = true
		}
	})
}

// use records that a login has succeeded. Before, save saves nothing: a server that cannot be used would only teach
// its failures.
func (k *server) use() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.wasUsed = true
}

// save saves the habits if they have changed.
func (k *server) save(store wire.HabitStore, addr string) {
	if store == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock() // two saves at once must not end with the older one
	if !k.wasUsed || k.habits == k.stored {
		return
	}
	if text, err := json.Marshal(k.habits); err == nil {
		k.stored = k.habits
		store.Save(addr, string(text))
	}
}

// meet records the greeting of a new connection. It forgets the habits of a server with another greeting.
func (k *server) meet(greeting string) {
	hash := wire.HashGreeting(greeting)
	k.learn(func(h *habits) {
		if h.Greeting != "" && h.Greeting != hash {
			*h = habits{Learned: time.Now().UTC().Truncate(time.Second)}
		}
		h.Greeting = hash
		if refusesPipelining(greeting) {
			h.Pipelining = pipelineFails
		}
		if h.Turns == turnsUntested && keepsTurns(greeting) {
			h.Turns = turnsKept
		}
	})
}

// useHabits sets the fields of a new session that habits decide.
func (s *session) useHabits() {
	h := s.server.current()
	s.noEPSV = h.NoEPSV
	s.useExtensions()
	s.dialer.TLS.Curve = h.Curve // the server would ask for it in one more round trip
	if s.tlsErr == nil && h.NoTLS && s.key.Login.IsAnonymous() {
		s.tlsErr, s.skippedTLS = errStaleHabit, true
	}
}

// useExtensions takes over the extensions that an earlier session has learned.
func (s *session) useExtensions() {
	s.extensions = s.server.current().Extensions
	s.remembersExtensions = s.Known
}

// forgetExtensions makes the next session send FEAT.
func (k *server) forgetExtensions() {
	k.learn(func(h *habits) { h.Extensions = extensions{} })
}

// errStaleHabit reports that a habit has led to a refusal. [Client.withSession] then tries another connection.
var errStaleHabit = errors.New("the server has changed since the last session")
