package download

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"path"
	"strings"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// listed is a directory that was listed on the way to one below it.
type listed struct {
	url      urlcore.URL
	sum      uint64  // of what was in it
	identity *string // what the server says of it; nil if it was not asked
}

// verdict is what a directory is to those above it.
type verdict uint8

const (
	distinct verdict = iota // none of them
	looped                  // one of them, by a link
	unclear                 // like one of them; the server does not tell more
)

// compare tells whether a directory is one of those above it, to which a link
// leads back. Only where its list is the same as theirs is the server asked.
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

// sum is a hash of the names, sizes and dates in a directory.
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

// identity asks once which directory l is. It is "" if the server does not tell.
func (w *walker) identity(ctx context.Context, l *listed) string {
	if l.identity == nil {
		head, _, err := w.read(protocols.WithIdentity(ctx), l.url)
		if err != nil {
			head.Identity = ""
		}
		l.identity = &head.Identity
	}
	return *l.identity
}

// read fetches a directory or menu, all of it.
func (w *walker) read(ctx context.Context, u urlcore.URL) (protocols.Head, *nav.Lines, error) {
	l := nav.Open(protocols.WithHidden(ctx), w.fetcher, u)
	defer l.Cancel()
	head, err := l.Wait()
	if err != nil {
		return head, nil, err
	}
	page := new(nav.Lines)
	for {
		lines, err := l.Next()
		if errors.Is(err, io.EOF) {
			return head, page, nil
		}
		if err != nil {
			return head, nil, err
		}
		page.AppendLines(&lines)
	}
}

// linked returns the path of the saved directory to which a symbolic link leads;
// false if it leads elsewhere, as far as its target tells.
func (t *Tree) linked(root urlcore.URL, f *TreeFile) (dir string, ok bool) {
	u, isFTP := f.URL.(urlcore.FTP)
	if !isFTP || f.target == "" || strings.HasPrefix(f.target, "/") {
		return "", false
	}
	to := path.Join(strings.Join(u.CWDs(), "/"), f.target)
	for _, d := range append(t.Dirs[:len(t.Dirs):len(t.Dirs)], TreeFile{URL: root, Path: "."}) {
		if u, ok := d.URL.(urlcore.FTP); ok && path.Join(strings.Join(u.CWDs(), "/"), u.Name()) == to {
			return d.Path, true
		}
	}
	return "", false
}
