package protocols

import (
	"context"
	"io"
	"time"

	"gofer/urlcore"
)

// Fetcher fetches the items of URLs.
//
// Fetch returns when the server has answered; lines or octets may still arrive. The
// caller closes the Resource. When ctx ends, Fetch and every read of the Resource
// return [context.Cause] of ctx within 100 ms, and no goroutine or socket remains.
//
// Besides an *[Error], the error may be a [Question]. A Fetcher is safe for concurrent
// use.
type Fetcher interface {
	Fetch(ctx context.Context, u urlcore.URL) (*Resource, error)
}

// Registry maps a scheme to its Fetcher and is itself a Fetcher, Planner, Resumer,
// Putter and Changer. Its methods return an *[Error] with reason [Unsupported] if the
// Fetcher of the scheme lacks the method.
type Registry map[string]Fetcher

// Guard is the name of the [Fetcher] that a [Registry] calls before any other. If its Fetch returns
// an error, such as a *[Confirm], the Registry returns this error and sends nothing. Its Fetch never
// returns a Resource.
const Guard = ""

// guardedFetcher returns the Fetcher for the scheme of u as a T and a context for [CheckRedirect]. It first
// asks the Guard whether u may be sent to its server.
func guardedFetcher[T any](ctx context.Context, r Registry, u urlcore.URL, op string) (T, context.Context, error) {
	f, ok := r[u.Scheme()].(T)
	if !ok {
		return f, ctx, &Error{Reason: Unsupported, Op: op + u.Scheme() + ": URL"}
	}
	g, ok := r[Guard]
	if !ok {
		return f, ctx, nil
	}
	ctx = context.WithValue(ctx, requestGuard, g)
	return f, ctx, CheckRedirect(ctx, u)
}

// CheckRedirect asks the Guard whether u, the target of a redirect in a fetch with ctx, may be sent to its
// server. A Fetcher calls CheckRedirect before it follows a redirect, and returns the error unchanged.
func CheckRedirect(ctx context.Context, u urlcore.URL) error {
	if g := requestValue[Fetcher](ctx, requestGuard); g != nil {
		_, err := g.Fetch(ctx, u)
		return err
	}
	return nil
}

// Fetch implements [Fetcher].
func (r Registry) Fetch(ctx context.Context, u urlcore.URL) (*Resource, error) {
	f, ctx, err := guardedFetcher[Fetcher](ctx, r, u, "open ")
	if err != nil {
		return nil, err
	}
	return f.Fetch(ctx, u)
}

// Step is one message that a fetch sends to a server.
type Step struct {
	Peer string // host:port of the connection
	Send string // the exact octets, line end included
	Note string // its purpose, or when it is sent, in gofer's words
}

// Planner is a Fetcher that can list what Fetch would send, without sending it.
// Passwords are masked. The error says why the URL cannot be sent.
type Planner interface {
	Plan(u urlcore.URL) ([]Step, error)
}

// Plan implements [Planner].
func (r Registry) Plan(u urlcore.URL) ([]Step, error) {
	if p, ok := r[u.Scheme()].(Planner); ok {
		return p.Plan(u)
	}
	return nil, &Error{Reason: Unsupported, Op: "open the " + u.Scheme() + ": URL"}
}

// Resumer is a Fetcher that can fetch the rest of a document.
type Resumer interface {
	// Resume does the same as Fetch, but Body begins at the offset, in octets, and Size is the size
	// of the rest. The caller checks that the document is still the same. Resume fails
	// if the server cannot resume, or if u does not name a document that is sent in exact
	// octets. If Body ends in an error that is not a network error, its octets must not
	// be used.
	Resume(ctx context.Context, u urlcore.URL, offset int64) (*Resource, error)
}

// Resume implements [Resumer].
func (r Registry) Resume(ctx context.Context, u urlcore.URL, offset int64) (*Resource, error) {
	f, ctx, err := guardedFetcher[Resumer](ctx, r, u, "resume a ")
	if err != nil {
		return nil, err
	}
	return f.Resume(ctx, u, offset)
}

// CanResume reports whether the Fetcher of u's scheme is a [Resumer].
func (r Registry) CanResume(u urlcore.URL) bool {
	_, ok := r[u.Scheme()].(Resumer)
	return ok
}

// Putter is a Fetcher that can also store documents.
type Putter interface {
	// Put stores a document under u and returns when the server has the whole document. The
	// error may be a [Question] like those of Fetch, or a *[Confirm] if the file exists; Body
	// has not been read in these cases. If Body or ctx ends early, the error says that the document
	// on the server is incomplete, and the server does not take the document for complete.
	Put(ctx context.Context, u urlcore.URL, up *Upload) error
}

// Upload is a document to be stored.
type Upload struct {
	Body io.Reader // its octets; only an io.Seeker can be resumed
	Size int64     // in octets, or -1 if it is unknown before Body ends
	// Modified is the time of the last change, zero if unknown. The stored file gets this date if the server
	// allows it. A part on the server that is not newer is not resumed.
	Modified time.Time
	Mode     string // the octal permissions that the stored file gets; "": the server's default
	Replace  bool   // an existing file is replaced
	Resume   bool   // only what is missing at the end of an existing file is sent
	// SizeBefore is the size of the existing file before the first attempt, or 0. A file of that
	// size is not resumed: it may still be the old one.
	SizeBefore int64
	// Unchecked means that Put does not check the size of the stored file: the caller does it later.
	Unchecked bool
	// Listed means that the caller knows the directory from a listing. With Replace and without Resume, Put
	// then does not ask the server whether the file exists.
	Listed bool

	// Put sets the fields below.

	// ExistingSize is the size of the existing file when Put asks whether to replace it; 0 if
	// there is no file or its size is unknown.
	ExistingSize int64
	// Sent is the offset in the file up to which Body was read. An attempt that did not read Body does not
	// change it. If Sent is not 0, an existing file that is longer than Sent is not resumed.
	Sent               int64
	DateKept, ModeKept bool // whether the server has set Modified, and whether it has set Mode
}

// Put implements [Putter].
func (r Registry) Put(ctx context.Context, u urlcore.URL, up *Upload) error {
	f, ctx, err := guardedFetcher[Putter](ctx, r, u, "upload a file to a ")
	if err != nil {
		return err
	}
	return f.Put(ctx, u, up)
}

// Changer is a Fetcher that can also change the directories of a server.
type Changer interface {
	// Change returns when the server has made the change. The result is the URL of the item under
	// its new name. The error may be a [Question], as with Fetch, or a *[Confirm] if the new
	// name is taken.
	Change(ctx context.Context, c *Change) (urlcore.URL, error)
}

// Change is a change to an item of a directory.
type Change struct {
	Kind    ChangeKind
	URL     urlcore.URL // the item; for MakeDirectory the parent directory
	Name    string      // the new name of the item, in native octets
	Dir     urlcore.URL // for Rename: the directory of the same server to move the item to, or nil
	Replace bool        // an item that has the new name is replaced
	Mode    string      // for Chmod: the new permissions in octal digits
	// Modified is the new date, for SetDate. If the server cannot set dates, the error has the
	// reason [NotSupported].
	Modified time.Time
}

// ChangeKind is a kind of [Change].
type ChangeKind uint8

// The kinds of change.
const (
	Remove ChangeKind = iota // a file or an empty directory
	Rename                   // a rename, or a move if Dir is set; an empty Name then keeps the old name
	MakeDirectory
	Chmod
	SetDate
)

// String returns the kind as a verb for errors.
func (k ChangeKind) String() string {
	return [...]string{Remove: "remove", Rename: "rename", MakeDirectory: "make the directory", Chmod: "change the mode of", SetDate: "set the date of"}[k]
}

// Change implements [Changer].
func (r Registry) Change(ctx context.Context, c *Change) (urlcore.URL, error) {
	f, ctx, err := guardedFetcher[Changer](ctx, r, c.URL, c.Kind.String()+": a ")
	if err != nil {
		return nil, err
	}
	return f.Change(ctx, c)
}
