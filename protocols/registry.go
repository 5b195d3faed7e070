package protocols

import (
	"context"
	"io"
	"time"

	"gofer/urlcore"
)

// Fetcher fetches what a URL names.
//
// Fetch returns when the server has answered: a menu's lines or a document's
// octets may still be on their way. The caller closes the Resource. When ctx
// ends, Fetch and every read of the Resource return within 100 ms with
// [context.Cause] of ctx, and no goroutine or socket remains.
//
// Beside an ordinary failure (*[Error]) the error may be an *[Ask] (the URL
// needs words from the user), a *[Login] (the server wants credentials), a
// *[Confirm] (the user's yes is needed) or a *[Handoff] (another program's job).
// A Fetcher is safe for concurrent use.
type Fetcher interface {
	Fetch(ctx context.Context, u urlcore.URL) (*Resource, error)
}

// Registry maps a scheme to its Fetcher and is itself a Fetcher.
type Registry map[string]Fetcher

// Fetch asks the Fetcher of u's scheme; a scheme without one is an *[Error]
// with reason [Unsupported].
func (r Registry) Fetch(ctx context.Context, u urlcore.URL) (*Resource, error) {
	if f, ok := r[u.Scheme()]; ok {
		ctx, err := r.guard(ctx, u)
		if err != nil {
			return nil, err
		}
		return f.Fetch(ctx, u)
	}
	return nil, &Error{Reason: Unsupported, Op: "open " + u.Scheme() + ": URL"}
}

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

// Changer is a Fetcher that can also change the directories of a server.
type Changer interface {
	// Change returns when the server has done it. Beside an *[Error] it may return
	// the questions of Fetch; a *[Confirm] also where something has the new name
	// already. The URL is that of what has the new name.
	Change(ctx context.Context, c *Change) (urlcore.URL, error)
}

// Change is what is to be done to an item of a directory.
type Change struct {
	Kind ChangeKind
	URL  urlcore.URL // the item; of MakeDirectory the directory that is to hold the new one
	Name string      // the new name of the item in its directory, in native octets
	// Replace lets the item take the place of what has the name.
	Replace bool
}

// ChangeKind is a kind of [Change].
type ChangeKind uint8

// The kinds of change.
const (
	Remove ChangeKind = iota // a file, or a directory that is empty
	Rename
	MakeDirectory
)

// String says what is done, as an error does.
func (k ChangeKind) String() string {
	return [...]string{Remove: "remove", Rename: "rename", MakeDirectory: "make the directory"}[k]
}

// Change asks the Fetcher of the URL's scheme; a scheme that has no such thing is
// an *[Error] with reason [Unsupported].
func (r Registry) Change(ctx context.Context, c *Change) (urlcore.URL, error) {
	if f, ok := r[c.URL.Scheme()].(Changer); ok {
		ctx, err := r.guard(ctx, c.URL)
		if err != nil {
			return nil, err
		}
		return f.Change(ctx, c)
	}
	return nil, &Error{Reason: Unsupported, Op: c.Kind.String() + ": a " + c.URL.Scheme() + ": URL"}
}
