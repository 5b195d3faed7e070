package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gofer/history"
	"gofer/urlcore"

	"github.com/dustin/go-humanize/english"
)

// Forget removes visits from the history, the followed pages of a host, and copies of articles. The message says what it removed.
func (st *State) Forget(ctx context.Context, sel history.Selection) (message string, err error) {
	forgotten, err := st.Visits.Forget(ctx, sel)
	if forgotten == (history.Forgotten{}) && err != nil {
		return "", err
	}
	copies, copiesErr := st.forgetCopies(sel)
	err = errors.Join(err, copiesErr)
	message = "nothing to forget: no such visit"
	if forgotten != (history.Forgotten{}) || copies > 0 {
		message = "forgot " + english.Plural(forgotten.Visits, "page", "")
	}
	if forgotten.Sources > 0 {
		message += fmt.Sprintf(", unfollowed %d", forgotten.Sources)
	}
	if copies > 0 {
		message += " and copies of articles"
	}
	if damaged := st.Visits.DamagedFiles(); len(damaged) > 0 {
		message += "; damaged histories remain: " + strings.Join(damaged, ", ")
	}
	return message, err
}

// forgetCopies removes the copies of articles from the host of sel, or all copies if sel names no host. If sel
// names a URL that is not a news URL, it removes none. It returns the number of removed copies.
func (st *State) forgetCopies(sel history.Selection) (int, error) {
	host := sel.Host
	switch u := sel.URL.(type) {
	case nil:
	case urlcore.News, urlcore.NNTP:
		host = urlcore.Host(u)
	default:
		return 0, nil
	}
	return st.Copies.Clear(st.Dirs.Copies(), host)
}
