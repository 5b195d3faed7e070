package protocols

import (
	"context"

	"gofer/urlcore"
)

// Guard is the name of the entry of a [Registry] that is asked before any other,
// if there is one: an error of its Fetch, such as a *[Confirm], is that of the
// Registry, and nothing is sent. It returns no Resource.
const Guard = ""

// guard asks whether u may be sent to its server. The context it returns is for
// [CheckRedirect].
func (r Registry) guard(ctx context.Context, u urlcore.URL) (context.Context, error) {
	g, ok := r[Guard]
	if !ok {
		return ctx, nil
	}
	ctx = context.WithValue(ctx, requestGuard, g)
	return ctx, CheckRedirect(ctx, u)
}

// CheckRedirect asks whether u, to which a server has redirected a fetch with
// ctx, may be sent to its own server. A Fetcher that follows a redirect returns
// the error.
func CheckRedirect(ctx context.Context, u urlcore.URL) error {
	if g := requested[Fetcher](ctx, requestGuard); g != nil {
		_, err := g.Fetch(ctx, u)
		return err
	}
	return nil
}
