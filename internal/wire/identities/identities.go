// Package identities keeps the user's identities: certificates with their keys, by which servers know the user.
//
// Each identity is a PEM file in a folder that only the user may read. The text before the certificate has the scopes for which
// the user has accepted the identity, so that a file says all about its identity. A scope is a server and, in schemes with
// paths, a path with all below it (Gemini network protocol, section "Status codes", 60). Nothing is sent outside of them.
//
// As with certificates of servers, an answer of the user is recorded in memory first. The next connection writes it to the
// file, because answers are given where no I/O is done. In private mode, nothing is written and only the answers of this run
// count.
package identities

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
)

// Store is a folder of identities. Processes may share the folder. A Store is safe for concurrent use.
type Store struct {
	// IsPrivate reports whether only answers of this run count and nothing is written; nil: no.
	IsPrivate func() bool
	// Refuses is set if there are no identities at all.
	Refuses bool

	dir string

	mu      sync.Mutex
	waiting []func() error           // changes of files that the user has asked for
	session map[Scope]*wire.Identity // the answers of this run
	expired map[string]bool          // fingerprints of expired identities that the user sends anyway
}

// Open returns the store in the folder dir, which is not read yet and need not exist. If dir is "", identities are in memory
// only.
func Open(dir string) *Store {
	return &Store{dir: dir, session: make(map[Scope]*wire.Identity), expired: make(map[string]bool)}
}

func (s *Store) isPrivate() bool { return s.IsPrivate != nil && s.IsPrivate() }

// keepsFiles reports whether identities may be written.
func (s *Store) keepsFiles() bool { return s.dir != "" && !s.Refuses && !s.isPrivate() }

// Forget removes the answers that are not in files, and the identities of this run.
func (s *Store) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.session)
	clear(s.expired)
	s.waiting = nil
}

// Settle writes the answers that wait. It returns all errors, and no answer waits any longer.
func (s *Store) Settle() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settle()
}

func (s *Store) settle() error {
	var errs []error
	for _, change := range s.waiting {
		errs = append(errs, change())
	}
	s.waiting = nil
	return errors.Join(errs...)
}

// Choose implements [wire.Identities]; a nil Store has none. The identity with the longest scope is chosen. For an expired identity, the user is
// asked before it is sent.
func (s *Store) Choose(addr, path string) (*wire.Identity, error) {
	if s == nil || s.Refuses {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.settle(); err != nil {
		return nil, err
	}
	chosen, scope, found := (*wire.Identity)(nil), Scope{}, false
	consider := func(of Scope, id *wire.Identity) {
		if of.Includes(addr, path) && (!found || len(of.Path) > len(scope.Path)) {
			chosen, scope, found = id, of, true
		}
	}
	for of, id := range s.session {
		consider(of, id)
	}
	if s.dir != "" && !s.isPrivate() {
		files, _ := s.files() // a fault concerns only servers in the scope of a file
		for _, f := range files {
			for _, of := range f.Scopes {
				if f.Fault != nil && of.Includes(addr, path) {
					return nil, f.Fault
				}
				consider(of, f.identity)
			}
		}
	}
	if chosen == nil {
		return nil, nil
	}
	return s.checked(chosen, addr), nil
}

// checked returns the identity, which a server gets only after a question if it has expired.
func (s *Store) checked(id *wire.Identity, addr string) *wire.Identity {
	end := id.Certificate.Leaf.NotAfter
	if time.Now().Before(end) || s.expired[id.Fingerprint] {
		return id
	}
	asked := *id
	asked.Unsent = &protocols.Confirm{
		Question:    "Send the expired identity " + id.Name + " to " + addr,
		Reason:      "It expired on " + end.UTC().Format(time.DateOnly) + ": many servers refuse it. A yes holds until gofer ends.",
		GiveConsent: func() { s.sendExpired(id.Fingerprint) },
	}
	return &asked
}

func (s *Store) sendExpired(fingerprint string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expired[fingerprint] = true
}

// Accept accepts the identity with a name for a scope, in this run and in its file. It does no I/O; [Store.Settle] and the next
// connection do.
func (s *Store) Accept(scope Scope, name string) {
	s.wait(func() error { return s.accept(scope, name) })
}

// AcceptNew is like Accept for an identity that is then made.
func (s *Store) AcceptNew(scope Scope, name string, years int) {
	s.wait(func() error {
		if err := s.create(name, years); err != nil {
			return err
		}
		return s.accept(scope, name)
	})
}

func (s *Store) accept(scope Scope, name string) error {
	id, err := s.load(name)
	if err != nil {
		return err
	}
	s.session[scope] = id
	if s.isPrivate() {
		return nil
	}
	return s.setScope(scope, name)
}

// wait records a change of files that the user has asked for.
func (s *Store) wait(change func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, change)
}

// AcceptOnce accepts a new identity for a scope until the program ends. No file has it.
func (s *Store) AcceptOnce(scope Scope, name string) {
	s.wait(func() error {
		made, err := generate(name, time.Now().Add(24*time.Hour))
		if err == nil {
			s.session[scope], err = identityOf(name+" (this run only)", made)
		}
		return err
	})
}

// SendNone accepts no identity for any part of a scope any more: neither for a path in it nor for a larger one.
func (s *Store) SendNone(scope Scope) {
	s.wait(func() error {
		maps.DeleteFunc(s.session, func(of Scope, _ *wire.Identity) bool { return of.overlaps(scope) })
		if !s.keepsFiles() {
			return nil
		}
		return s.removeScopes(scope)
	})
}

// New makes an identity later, as Accept does.
func (s *Store) New(name string, years int) { s.wait(func() error { return s.create(name, years) }) }

// Add imports an identity later, as Accept does.
func (s *Store) Add(name, path string) { s.wait(func() error { return s.importFile(name, path) }) }

// inUse returns the name of the identity that is accepted for a scope in this run, or by a file.
func (s *Store) inUse(scope Scope) string {
	if id, err := s.Choose(scope.Addr, scope.Path); err == nil && id != nil {
		return id.Name
	}
	return ""
}

// maxName is the longest name of an identity, in octets.
const maxName = 64

// CheckName returns an error if an identity cannot have the name. The name is part of the certificate, which servers see, and
// of the name of its file.
func CheckName(name string) error {
	isOdd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" -_.@+", r))
	}
	switch {
	case name == "":
		return errors.New("an identity needs a name")
	case len(name) > maxName:
		return fmt.Errorf("the name is longer than %d letters", maxName)
	case strings.ContainsFunc(name, isOdd):
		return errors.New("a name has only the letters a to z, digits, blanks and - _ . @ +")
	case strings.HasPrefix(name, ".") || strings.TrimSpace(name) != name:
		return errors.New("a name begins with a letter or a digit and does not end in a blank")
	case slices.Contains([]string{"con", "prn", "aux", "nul", choiceNew, choiceOnce, choiceNone}, strings.ToLower(name)):
		return errors.New("an identity cannot have this name: choose another one")
	}
	return nil
}
