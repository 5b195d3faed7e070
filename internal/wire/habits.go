package wire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"time"
)

// HabitStore stores what clients have learned of servers, the habits of the servers, for later runs of the program. It is
// safe for concurrent use.
type HabitStore interface {
	// Load returns the text that was saved for the server at addr (host:port), or "" if there is none or ctx
	// ends first.
	Load(ctx context.Context, addr string) (text string)
	// Save saves a text of at most a few hundred octets for the server at addr. It does not wait for the disk.
	Save(addr, text string)
}

const (
	// HabitAge is the time after which habits are forgotten, so that a wrong one does not last.
	HabitAge = 7 * 24 * time.Hour
	// habitWait is how long a new connection waits for stored habits after it is made. Without them the server
	// is treated as unknown.
	habitWait = 50 * time.Millisecond
	// habitLimit is the time limit for loading stored habits.
	habitLimit = 10 * time.Second
)

// HabitLoad loads the habits of a server once. The zero value is ready.
type HabitLoad struct {
	once   sync.Once
	loaded chan struct{}
}

// Begin begins to load at its first call, and calls adopt with the text. The store may be nil. The function wait waits until
// adopt has returned, but only a short time. The end of ctx does not end the load, because other fetches need the habits, too.
func (l *HabitLoad) Begin(ctx context.Context, store HabitStore, addr string, adopt func(text string)) (wait func()) {
	l.once.Do(func() {
		l.loaded = make(chan struct{})
		go func() {
			defer close(l.loaded)
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), habitLimit)
			defer cancel()
			if store != nil {
				adopt(store.Load(ctx, addr))
			}
		}()
	})
	return func() {
		select {
		case <-l.loaded:
		case <-time.After(habitWait):
		}
	}
}

// Loaded is closed when the habits are loaded. Begin must have been called.
func (l *HabitLoad) Loaded() <-chan struct{} { return l.loaded }

// HashGreeting returns a hash of the words of a greeting, by which a server is recognized. It leaves out numbers, times and
// dates, which may differ in each greeting, but not the number of a version, which has a dot.
func HashGreeting(greeting string) string {
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
