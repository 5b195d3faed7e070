package protocols

import (
	"context"
	"io"
	"time"

	"gofer/urlcore"
)

// Putter is a Fetcher that can also store documents.
type Putter interface {
	// Put stores a document under u and returns when the server has all of it.
	// Beside an *[Error] it may return the questions of Fetch; a *[Confirm] also
	// where something is there already. Nothing of Body has been read then.
	// When Body or ctx ends early, what the server has is not the document: the
	// error says so, and the server is not told that it is whole.
	Put(ctx context.Context, u urlcore.URL, up *Upload) error
}

// Upload is a document to be stored.
type Upload struct {
	Body io.Reader // its octets; only an io.Seeker can be resumed
	Size int64     // how many; -1: until Body ends
	// Modified is when they were changed last, if that is known: a part that is older
	// is not resumed.
	Modified time.Time
	// Replace lets it take the place of what is there.
	Replace bool
	// Resume sends only what is missing at the end of what is there.
	Resume bool
	// Found is how many octets Put has found there, when it asks; 0: none, or an
	// unknown number.
	Found int64
}

// Put asks the Fetcher of u's scheme to store a document; a scheme that has no
// such thing is an *[Error] with reason [Unsupported].
func (r Registry) Put(ctx context.Context, u urlcore.URL, up *Upload) error {
	if f, ok := r[u.Scheme()].(Putter); ok {
		ctx, err := r.guard(ctx, u)
		if err != nil {
			return err
		}
		return f.Put(ctx, u, up)
	}
	return &Error{Reason: Unsupported, Op: "put a file to a " + u.Scheme() + ": URL"}
}
