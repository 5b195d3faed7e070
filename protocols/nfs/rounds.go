package nfs

import (
	"errors"
	"iter"
	"slices"
)

// maxRounds is the largest number of requests that a function of together waits for, one after the other.
const maxRounds = 10

// errRounds is the error of a request for which there is no round left.
var errRounds = errors.New("the server was asked too often for one line")

// rounds are the requests of functions that ask a server together.
type rounds struct {
	pause func(*call) bool // of the function that runs: it lets the others send their next requests
	asked map[string]*call // all requests
	last  bool             // no more are sent
}

// together runs functions that each send requests to NFS one after the other. Each round sends the next request of every function
// and then waits for the replies. Equal requests are sent once. After maxRounds, sendNFS returns errRounds.
func (s *session) together(functions []func()) {
	s.rounds = &rounds{asked: map[string]*call{}}
	defer func() { s.rounds = nil }()
	running := make([]func() (*call, bool), len(functions))
	for i, f := range functions {
		running[i], _ = iter.Pull(func(yield func(*call) bool) {
			s.rounds.pause = yield
			f()
		})
	}
	for round := 0; len(running) > 0; round++ {
		var sent []*call
		s.rounds.last = round == maxRounds
		running = slices.DeleteFunc(running, func(next func() (*call, bool)) bool {
			c, paused := next()
			if paused {
				sent = append(sent, c)
			}
			return !paused
		})
		for _, c := range sent {
			_, _ = s.wait(c) // its function gets the error
		}
	}
}

// waitNFS returns the results in the reply to c. Of functions that run together, the others go on first.
func (s *session) waitNFS(c *call) (*decoder, error) {
	if r := s.rounds; r != nil {
		pause := r.pause
		pause(c)
		r.pause = pause
	}
	return s.wait(c)
}

// sendNFS sends a request to the program NFS.
func (s *session) sendNFS(op string, procedure uint32, args ...any) (*call, error) {
	r := s.rounds
	if r == nil {
		return s.send(op, programNFS, procedure, args...)
	}
	if r.last {
		return nil, errRounds
	}
	key := string(appendXDR(appendXDR(nil, procedure), args...))
	if c := r.asked[key]; c != nil {
		return c, nil
	}
	c, err := s.send(op, programNFS, procedure, args...)
	if err == nil {
		r.asked[key] = c
	}
	return c, err
}
