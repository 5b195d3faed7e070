package app

import (
	"context"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// personalMarker is a link that completes [protocols.Head].Personal, by which gofer decides what it keeps of an answer: the
// answer of a server that knows the user is also for the user alone.
type personalMarker struct {
	Fetcher
	setup *Setup
}

// Fetch returns the answer of the next link. The login or the redirect to another server may have been part of this fetch.
func (m personalMarker) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	res, err := m.Fetcher.Fetch(ctx, req)
	if err == nil && res != nil {
		res.Personal = res.Personal || m.setup.isKnownTo(req.URL) || m.setup.isKnownTo(res.URL)
	}
	return res, err
}

// isKnownTo reports whether the server of u, which may be nil, knows who the user is.
func (s *Setup) isKnownTo(u urlcore.URL) bool {
	server, err := serverURL(&s.Config, u)
	if err != nil {
		return false
	}
	addr, ok := urlcore.Addr(server)
	return ok && wire.Remember(s.Memory, new(wire.Logins)).KnowsUser(addr)
}
