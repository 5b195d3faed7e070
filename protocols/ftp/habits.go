package ftp

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"
)

// HabitStore stores the habits of servers for later runs of the program. It is safe for concurrent use.
type HabitStore interface {
	// Load returns the text that was saved for the server at addr (host:port), or "" if there is none or ctx
	// ends first.
	Load(ctx context.Context, addr string) (text string)
	// Save saves a text of at most a few hundred octets for the server at addr. It does not wait for the disk.
	Save(addr, text string)
}

const (
	// habitAge is the time after which habits are forgotten, so that a wrong one does not last.
	habitAge = 7 * 24 * time.Hour
	// habitWait is how long a new connection waits for stored habits after it is made. Without them the server
	// is treated as unknown.
	habitWait = 50 * time.Millisecond
	// habitLimit is the time limit for loading stored habits.
	habitLimit = 10 * time.Second
)

// habits are what is known of a server from earlier sessions. They decide what is sent before the server has
// answered. A wrong habit costs time, but must not make a fetch fail, and never decides whether a password is
// sent in the clear.
type habits struct {
	Learned  time.Time `json:",omitzero"`  // when the first of them was learned; see habitAge
	Greeting string    `json:",omitempty"` // see hashGreeting; with another greeting the habits are forgotten

	Pipelining     pipelining  `json:",omitempty"`
	AwaitsGreeting bool        `json:",omitempty"` // nothing may be sent before the greeting was read
	NoTLS          bool        `json:",omitempty"` // TLS was refused or could not begin; for the anonymous login only
	NoEPSV         bool        `json:",omitempty"` // EPSV is refused, or no connection to its ports can be made
	DialsFirst     bool        `json:",omitempty"` // a transfer is requested only after its data connection is made
	Turns          turns       `json:",omitempty"`
	NoSTAT         bool        `json:",omitempty"` // STAT does not list the directory
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

	loading sync.Once
	loaded  chan struct{}
}

// serverAt returns the server at addr (host:port).
func (c *Client) serverAt(addr string) *server {
	known, _ := c.servers.LoadOrStore(addr, new(server))
	return known.(*server)
}

// load begins to load the habits, at its first call. The function wait waits for them, but only a short time. The end of
// ctx does not end the load, because other fetches need the habits, too.
func (k *server) load(ctx context.Context, store HabitStore, addr string) (wait func()) {
	k.loading.Do(func() {
		k.loaded = make(chan struct{})
		go func() {
			defer close(k.loaded)
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), habitLimit)
			defer cancel()
			if store != nil {
				k.adopt(store.Load(ctx, addr))
			}
		}()
	})
	return func() {
		select {
		case <-k.loaded:
		case <-time.After(habitWait):
		}
	}
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
	if age := time.Since(h.Learned); age < 0 || age > habitAge {
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

// use records that a login has succeeded. Before, save saves nothing: a server that cannot be used would only teach
// its failures.
func (k *server) use() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.wasUsed = true
}

// save saves the habits if they have changed.
func (k *server) save(store HabitStore, addr string) {
	if store == nil {
		return
	}
	k.mu.Lock()
	h := k.habits
	changed := k.wasUsed && h != k.stored
	if changed {
		k.stored = h
	}
	k.mu.Unlock()
	if text, err := json.Marshal(h); err == nil && changed {
		store.Save(addr, string(text))
	}
}

// meet records the greeting of a new connection. It forgets the habits of a server with another greeting.
func (k *server) meet(greeting string) {
	hash := hashGreeting(greeting)
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

// hashGreeting returns a hash of the words of a greeting. It leaves out numbers, times and dates, which may
// differ in each greeting, but not the number of a version, which has a dot.
func hashGreeting(greeting string) string {
	const calendar = " mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep oct nov dec "
	digest := sha256.New()
	for word := range strings.FieldsSeq(strings.ToLower(greeting)) {
		word = strings.Trim(word, ".,;()[]")
		if strings.Trim(word, "0123456789:/-+") != "" && !strings.Contains(calendar, " "+word+" ") {
			_, _ = digest.Write([]byte(word + " "))
		}
	}
	return hex.EncodeToString(digest.Sum(nil)[:8])
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
