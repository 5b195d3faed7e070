package protocols

import (
	"context"

	"gofer/urlcore"
)

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
