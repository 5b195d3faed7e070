package app

import (
	"context"
	"time"

	"gofer/history"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// remembersText reports whether the text of pages that are read is remembered.
func remembersText(c *config.Config) bool {
	return c.RememberText != nil && *c.RememberText && !c.Restrict.Enabled
}

// CollectText returns the options of [nav.Open] for a page whose text may be given to KeepText.
func (st *State) CollectText() []nav.Option {
	if !remembersText(&st.Config) {
		return nil
	}
	return []nav.Option{nav.CollectText(history.MaxText)}
}

// KeepText stores the text of the page with this head, which was requested as asked, for about:search, unless the page is not
// to be remembered. The visit to the page is already recorded.
func (st *State) KeepText(ctx context.Context, asked urlcore.URL, head *protocols.Head, text string) error {
	u := urlcore.Redact(head.URL)
	if head.Personal || !st.mayKeepText(asked) || !st.mayKeepText(u) {
		return nil
	}
	return st.Visits.KeepText(ctx, u, text, time.Now())
}

// mayKeepText reports whether the text of the page u may be remembered, unless the answer was for the user alone: the page is
// on a server, and its URL has no words that the user may have typed. Files of this machine, which other programs search, are
// not remembered, and neither are pages that another server fetches.
func (st *State) mayKeepText(u urlcore.URL) bool {
	if !remembersText(&st.Config) || st.private.Load() || st.demo.Load().isTemporary(u) || urlcore.HasWords(u) {
		return false
	}
	if _, ok := st.Config.Gateway[u.Scheme()]; ok {
		return false
	}
	server, err := serverURL(&st.Config, u)
	if err != nil {
		return false
	}
	addr, ok := urlcore.Addr(server)
	return ok && addr != ""
}
