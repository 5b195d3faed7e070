package protocols

import (
	"context"

	"gofer/urlcore"
)

// Resumer is a Fetcher that can fetch the rest of a document of which the
// beginning has come before.
type Resumer interface {
	// Resume is Fetch, but Body begins at the offset, in octets, and Size is
	// that of the rest. It is for the caller to know that the document is
	// still the same. It is an error if the server cannot do it, or if u names
	// no document that is sent in exact octets; and if Body ends in one that is
	// not of the network, what came is not to be used.
	Resume(ctx context.Context, u urlcore.URL, offset int64) (*Resource, error)
}

// Resume asks the Fetcher of u's scheme for the rest; a scheme that has no
// such thing is an *[Error] with reason [Unsupported].
func (r Registry) Resume(ctx context.Context, u urlcore.URL, offset int64) (*Resource, error) {
	if f, ok := r[u.Scheme()].(Resumer); ok {
		ctx, err := r.guard(ctx, u)
		if err != nil {
			return nil, err
		}
		return f.Resume(ctx, u, offset)
	}
	return nil, &Error{Reason: Unsupported, Op: "resume a " + u.Scheme() + ": URL"}
}

// Resumes reports whether there is a [Resumer] for u's scheme.
func (r Registry) Resumes(u urlcore.URL) bool {
	_, ok := r[u.Scheme()].(Resumer)
	return ok
}
