package protocols

import "gofer/urlcore"

// Step is one thing a fetch says to a server.
type Step struct {
	Peer string // host:port of the connection
	Send string // the exact octets, line end included
	Note string // what it is for, or when it is sent, in our own words
}

// Planner is a Fetcher that can tell beforehand what Fetch would say to the
// server, with the same code. Passwords are masked. The error is that of a
// URL which cannot be sent.
type Planner interface {
	Plan(u urlcore.URL) ([]Step, error)
}

// Plan asks the Fetcher of u's scheme for its plan; a scheme without one is an
// *[Error] with reason [Unsupported].
func (r Registry) Plan(u urlcore.URL) ([]Step, error) {
	if p, ok := r[u.Scheme()].(Planner); ok {
		return p.Plan(u)
	}
	return nil, &Error{Reason: Unsupported, Op: "open " + u.Scheme() + ": URL"}
}
