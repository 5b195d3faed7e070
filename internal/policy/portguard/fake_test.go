package portguard

import (
	"context"

	"gofer/protocols"
	"gofer/urlcore"
)

// everything can do all that a Registry asks for. It follows a redirect.
type everything struct {
	to    urlcore.URL
	calls int
}

func (f *everything) Fetch(ctx context.Context, _ urlcore.URL) (*protocols.Resource, error) {
	f.calls++
	return nil, protocols.CheckRedirect(ctx, f.to)
}

func (f *everything) Resume(ctx context.Context, _ urlcore.URL, _ int64) (*protocols.Resource, error) {
	return f.Fetch(ctx, nil)
}

func (f *everything) Put(ctx context.Context, _ urlcore.URL, _ *protocols.Upload) error {
	_, err := f.Fetch(ctx, nil)
	return err
}

func (f *everything) Change(ctx context.Context, _ *protocols.Change) (urlcore.URL, error) {
	_, err := f.Fetch(ctx, nil)
	return nil, err
}
