package download

import (
	"context"
	"fmt"
	"hash/maphash"

	"gofer/protocols"
	"gofer/urlcore"
)

// parentDir is a directory above a listed directory, for findLoop.
type parentDir struct {
	url      urlcore.URL
	sum      uint64  // hash of the listing
	identity *string // Head.Identity of the directory; nil until the server is asked
}

// loopResult is the result of comparing a directory with its parents.
type loopResult uint8

const (
	noLoop    loopResult = iota // the directory is none of its parents
	isLoop                      // a link leads back to a parent
	maybeLoop                   // a parent has an equal listing, and the server does not identify directories
)

// findLoop checks whether f is a link that leads back to one of its parents. Unless the result is isLoop, findLoop
// appends f to f.parents. It asks the server to identify the directories only if their listings are equal and not
// empty.
func (w *walker) findLoop(ctx context.Context, f *queuedDir, page []protocols.Line) loopResult {
	current := &parentDir{url: f.url, sum: w.hashListing(page)}
	found := noLoop
	for _, above := range f.parents {
		switch {
		case above.url == current.url:
			return isLoop
		case len(page) == 0 || above.sum != current.sum:
			continue
		}
		switch a, b := w.fetchIdentity(ctx, above), w.fetchIdentity(ctx, current); {
		case a == "" || b == "":
			found = maybeLoop
		case a == b:
			return isLoop
		}
	}
	f.parents = append(f.parents[:len(f.parents):len(f.parents)], current)
	return found
}

// hashListing returns a hash of the names, sizes and dates in a listing.
func (w *walker) hashListing(page []protocols.Line) uint64 {
	var h maphash.Hash
	h.SetSeed(w.seed)
	for _, l := range page {
		_, _ = h.WriteString(l.Text + "\n")
		if n, ok := l.Note.(*protocols.FileNote); ok {
			_, _ = fmt.Fprintln(&h, n.Size, n.Modified.Unix())
		}
	}
	return h.Sum64()
}

// fetchIdentity returns the Head.Identity of l, or "" if it is unknown. It asks the server only once.
func (w *walker) fetchIdentity(ctx context.Context, l *parentDir) string {
	if l.identity == nil {
		head, _, err := w.startReading(ctx, protocols.Request{URL: l.url, Identity: true})()
		if err != nil {
			head.Identity = ""
		}
		l.identity = &head.Identity
	}
	return *l.identity
}
