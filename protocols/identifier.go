package protocols

import (
	"context"

	"gofer/urlcore"
)

// Identifier is a Fetcher that can tell whether two URLs lead to the same item. Links and other spellings of a path may hide
// that they do.
type Identifier interface {
	// SameItem reports whether a and b lead to the same file or directory, after all links to directories are followed. It
	// changes nothing. The result known is false if the server does not tell, or if one of the items cannot be found.
	//
	// Before a file is removed after a copy, a caller who gets known == false must make sure in another way that the target is
	// not the file itself: by the listings, where the two have another size or date, or where the target had no such name.
	SameItem(ctx context.Context, a, b urlcore.URL) (same, known bool, err error)
}

// SameItem implements [Identifier]. Items of two schemes are not known to be different: two servers may share a folder.
func (r Registry) SameItem(ctx context.Context, a, b urlcore.URL) (same, known bool, err error) {
	return (&Guarded{Registry: r}).SameItem(ctx, a, b)
}

// SameItem implements [Identifier].
func (g *Guarded) SameItem(ctx context.Context, a, b urlcore.URL) (same, known bool, err error) {
	if urlcore.Redact(a) == urlcore.Redact(b) {
		return true, true, nil
	}
	if _, ok := g.Registry[a.Scheme()].(Identifier); !ok || a.Scheme() != b.Scheme() {
		return false, false, nil
	}
	f, ctx, err := guardedFetcher[Identifier](ctx, g, Request{URL: a}, false, "identify ")
	if err != nil {
		return false, false, err
	}
	return f.SameItem(ctx, a, b)
}
