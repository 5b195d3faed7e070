package app

import (
	"context"
	"math"
	"slices"

	"gofer/history"
	"gofer/internal/pages/about"
	"gofer/internal/pages/followed"
	"gofer/protocols"
	"gofer/ui/inbox"
	"gofer/urlcore"
)

// addFollowed adds the pages about followed pages.
func addFollowed(pages *about.Client, s Setup) {
	pages.Followed = func(ctx context.Context) ([]about.Source, error) {
		sources, err := s.Visits.Sources(ctx)
		disconnected := followed.IsDisconnected(sources)
		return MapSlice(sources, func(src history.Source) about.Source {
			page := followedPage(s, &src)
			page.NoNetwork = disconnected && followed.NoReply(&src)
			return page
		}), err
	}
	pages.Unread = func(ctx context.Context, limit int) ([]about.Entry, error) {
		entries, err := s.Visits.UnreadEntries(ctx, limit)
		return MapSlice(entries, func(e history.Entry) about.Entry {
			return about.Entry{Source: e.Source, ID: e.ID, URL: e.URL, Fragment: e.Fragment, Title: e.Title, Date: e.Date, Seen: e.Seen}
		}), err
	}
}

// followedPage returns a followed page for gofer's own pages.
func followedPage(s Setup, src *history.Source) about.Source {
	page := about.Source{
		URL: src.URL, Title: src.Title, Checked: src.Checked, Succeeded: src.Succeeded, Failure: src.Failure, Unread: src.Unread,
		Reason: followed.Reason(src),
	}
	if !followed.IsGroup(src.URL) {
		return page
	}
	if page.Group = s.groupNote(src); page.Group == nil {
		page.Group = &protocols.GroupNote{Unknown: true, Subscribed: true}
	}
	page.Unread = int(min(page.Group.Unread, math.MaxInt32))
	return page
}

// inboxStore returns the followed pages for the screen.
func (st *State) inboxStore() *inbox.Store {
	return &inbox.Store{
		Follows: func(ctx context.Context, u urlcore.URL) (bool, error) {
			sources, err := st.Visits.Sources(ctx)
			u = urlcore.Redact(u)
			return slices.ContainsFunc(sources, func(s history.Source) bool { return s.URL == u }), err
		},
		Follow: func(ctx context.Context, u urlcore.URL, title string) (added bool, err error) {
			return st.Follow(ctx, u, title, false) // it may be a link or a bookmark
		},
		Unfollow: st.Visits.Unfollow,
		MarkRead: st.Visits.MarkRead,
		Refresh: func(ctx context.Context, asked bool, only []urlcore.URL, report func(inbox.Result)) error {
			_, err := st.Refresh(ctx, followed.Options{Asked: asked, Only: only, Report: func(r followed.Result) {
				report(inbox.Result{Fresh: r.Fresh, Err: r.Err})
			}}, nil)
			return err
		},
	}
}
