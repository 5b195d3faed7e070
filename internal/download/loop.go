package download

import (
	"context"
	"fmt"
	"hash/maphash"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// listed is a parent directory of a folder.
type listed struct {
	url      urlcore.URL
	sum      uint64  // hash of its listing
	identity *string // its Head.Identity; nil before the server was asked
}

// verdict is the result of comparing a directory with its parents.
type verdict uint8

const (
	distinct verdict = iota // a directory not seen on this path
	looped                  // a parent, reached by a link
	unclear                 // equal listings of a directory and a parent, which the server does not identify
)

// compare looks for a loop: a link that leads back to a parent directory. It asks
// the server for identities only if two listings are equal.
func (w *walker) compare(ctx context.Context, f *folder, page *nav.Lines) verdict {
	here := &listed{url: f.url, sum: w.sum(page)}
	found := distinct
	for _, above := range f.above {
		switch {
		case above.url == here.url:
			return looped
		case page.Len() == 0 || above.sum != here.sum:
			continue
		}
		switch a, b := w.identity(ctx, above), w.identity(ctx, here); {
		case a == "" || b == "":
			found = unclear
		case a == b:
			return looped
		}
	}
	f.above = append(f.above[:len(f.above):len(f.above)], here)
	return found
}

// sum returns a hash of the names, sizes and dates in a listing.
func (w *walker) sum(page *nav.Lines) uint64 {
	var h maphash.Hash
	h.SetSeed(w.seed)
	for i := range page.Len() {
		l := page.WithoutLink(i)
		_, _ = h.WriteString(l.Text + "\n")
		if n, ok := l.Note.(*protocols.FileNote); ok {
			_, _ = fmt.Fprintln(&h, n.Size, n.Modified.Unix())
		}
	}
	return h.Sum64()
}

// identity returns the Head.Identity of l, or "" if unknown. It asks the server once.
func (w *walker) identity(ctx context.Context, l *listed) string {
	if l.identity == nil {
		head, _, err := w.read(protocols.WithIdentity(ctx), l.url)()
		if err != nil {
			head.Identity = ""
		}
		l.identity = &head.Identity
	}
	return *l.identity
}
