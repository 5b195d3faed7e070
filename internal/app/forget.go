package app

import (
	"context"
	"errors"
	"strings"

	"gofer/history"
	"gofer/internal/transfer/keep"
	"gofer/urlcore"

	"github.com/dustin/go-humanize/english"
)

// Forget removes visits from the history, the followed pages of a host, what is known of the servers, and kept copies. The
// message says what it removed.
func (st *State) Forget(ctx context.Context, sel history.Selection) (message string, err error) {
	forgotten, err := st.Visits.Forget(ctx, sel)
	if forgotten == (history.Forgotten{}) && err != nil {
		return "", err
	}
	copies, copiesErr := st.forgetCopies(sel)
	err = errors.Join(err, copiesErr)
	message = "nothing to forget: no such visit"
	var parts []string
	for _, p := range []struct {
		n    int
		noun string
	}{{forgotten.Visits, "page"}, {forgotten.Sources, "followed page"}} {
		if p.n > 0 {
			parts = append(parts, english.Plural(p.n, p.noun, ""))
		}
	}
	if copies > 0 {
		parts = append(parts, "kept copies")
	}
	if forgotten.Servers > 0 {
		parts = append(parts, "what was known of "+english.Plural(forgotten.Servers, "server", ""))
	}
	if len(parts) > 0 {
		message = "forgot " + english.WordSeries(parts, "and")
	}
	if damaged := st.Visits.DamagedFiles(); len(damaged) > 0 {
		message += "; damaged histories remain: " + strings.Join(damaged, ", ")
	}
	return message, err
}

// forgetCopies removes the copies of pages and articles from the host of sel, or all copies if sel names no host. If sel
// names a URL that is not a news URL, it removes only the copy of this page. It also removes what says that other pages have
// moved there. It returns the number of removed copies.
func (st *State) forgetCopies(sel history.Selection) (n int, err error) {
	host := sel.Host
	switch u := sel.URL.(type) {
	case nil:
	case urlcore.News, urlcore.NNTP:
		host = urlcore.Host(u)
	default:
		key, ok := keep.KeyOf(u)
		if !ok {
			return 0, nil
		}
		n, err = st.Copies.ClearCopy(st.Dirs.Copies(), key)
		moved, movedErr := st.Copies.ClearWhere(st.Dirs.Copies(), keep.IsMovedTo(func(to urlcore.URL) bool { return to == u }))
		return n + moved, errors.Join(err, movedErr)
	}
	n, err = st.Copies.Clear(st.Dirs.Copies(), host)
	moved, movedErr := st.Copies.ClearWhere(st.Dirs.Copies(), keep.IsMovedTo(func(to urlcore.URL) bool { return strings.EqualFold(urlcore.Host(to), host) }))
	return n + moved, errors.Join(err, movedErr)
}
