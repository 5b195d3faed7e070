package portguard

import (
	"context"

	"gofer/protocols"
	"gofer/urlcore"
)

// fullFetcher is a Fetcher, Resumer, Putter and Changer. Each call is redirected to the URL in the field to.
type fullFetcher struct {
	to    urlcore.URL
	calls int
}

func (f *fullFetcher) Fetch(ctx context.Context, _ protocols.Request) (*protocols.Resource, error) {
	f.calls++
	return nil, protocols.CheckRedirect(ctx, f.to)
}

func (f *fullFetcher) Resume(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	return f.Fetch(ctx, protocols.Request{URL: nil})
}

func (f *fullFetcher) Put(ctx context.Context, _ urlcore.URL, _ *protocols.Upload) error {
	_, err := f.Fetch(ctx, protocols.Request{URL: nil})
	return err
}

func (f *fullFetcher) Change(ctx context.Context, _ *protocols.Change) (urlcore.URL, error) {
	_, err := f.Fetch(ctx, protocols.Request{URL: nil})
	return nil, err
}
