package download

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"path"
	"strings"

	"gofer/internal/text/clean"
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
		head, _, err := w.read(protocols.WithIdentity(ctx), l.url)
		if err != nil {
			head.Identity = ""
		}
		l.identity = &head.Identity
	}
	return *l.identity
}

// read fetches a whole directory or menu.
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

// linked resolves the target of a symbolic link. It returns false if the target is
// no directory of the tree.
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

// leaveDirectory records that file i is a directory: a note if the tree has that
// directory under its own name, else an omission.
func (s *treeSaver) leaveDirectory(i int) {
	f := &s.it.tree.Files[i]
	dir, ok := s.it.tree.linked(s.it.status.URL, f)
	switch {
	case ok:
		s.it.note("not saved twice: " + clean.Name(f.Path) + ": it is a link to the directory " + clean.Name(dir))
	case f.target != "":
		s.leave(i, errDirLink)
	default:
		s.leave(i, errUntold)
	}
}
