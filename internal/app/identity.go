package app

import (
	"context"
	"errors"

	"gofer/internal/pages/about"
	"gofer/internal/wire"
	"gofer/internal/wire/identities"
	"gofer/protocols"
	"gofer/urlcore"
)

// identityAsker is a link that asks for an identity if a server requires one and got none. If a server refuses the identity
// that it got, the error offers another choice: without this, a server could ask for ever.
type identityAsker struct {
	Fetcher
	store *identities.Store
}

func (a identityAsker) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	res, err := a.Fetcher.Fetch(ctx, req)
	refused, ok := errors.AsType[*wire.IdentityError](err)
	if !ok || a.store.Refuses {
		return res, err
	}
	if refused.Sent != "" {
		return res, withChoice(err, req.URL)
	}
	scope := identities.Scope{Addr: refused.Addr, Path: refused.Path}
	if asked, known := identities.ScopeOf(req.URL); known && req.URL.Scheme() == "https" {
		scope.Path = asked.Path
	}
	text := ""
	if e, ok := errors.AsType[*protocols.Error](err); ok {
		text = e.Text
	}
	ask, err := a.store.Ask(req.URL, scope, text)
	if err != nil {
		return nil, err
	}
	return nil, ask
}

// withChoice returns err with a line that chooses another identity for u.
func withChoice(err error, u urlcore.URL) error {
	e, ok := errors.AsType[*protocols.Error](err)
	if !ok {
		return err
	}
	offered := *e
	offered.Lines = append(offered.Lines[:len(offered.Lines):len(offered.Lines)],
		protocols.Line{Kind: protocols.HTML, Text: "Choose another identity", Link: about.IdentityURL(u)})
	return &offered
}
