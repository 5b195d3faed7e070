package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gofer/history"
	"gofer/internal/pages/followed"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/keep"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

var (
	errPrivate   = errors.New("private mode: nothing is followed, recorded or marked")
	errTemporary = errors.New("the servers of about:demo end with this program: start gofer demo to follow its pages")
)

// ErrPageless refuses to follow a URL that leads to no page.
var ErrPageless = errors.New("such URLs lead to a program or a session, and have no page to compare")

// pageless are the schemes of URLs that never lead to a page.
var pageless = []string{"mailto", "mailserver", "telnet", "rlogin", "tn3270", "ssh", "irc", "ircs", "xmpp", "sip", "tel", "sms"}

// Follow follows a page, and reports whether it was not followed before. If typed is not set, checks of the page are refused
// where gofer would ask now whether to use its port: the URL may be from a file or a page of another.
func (st *State) Follow(ctx context.Context, u urlcore.URL, title string, typed bool) (added bool, err error) {
	switch {
	case st.Visits == nil:
		return false, protocols.ErrRestricted
	case st.private.Load():
		return false, errPrivate
	case st.demo.Load().isTemporary(u):
		return false, errTemporary
	case slices.Contains(pageless, u.Scheme()):
		return false, fmt.Errorf("%s: %w", u.Scheme(), ErrPageless)
	}
	typed = typed || st.fetchers.Guard.Allow(ctx, protocols.Request{URL: u}, false) == nil
	return st.Visits.AddSource(ctx, history.Source{URL: u, Title: clean.Text(title), Followed: time.Now(), State: followed.NewState(typed)})
}

// Subscribe subscribes to u if it is a newsgroup, which is followed by subscribing to it, or unsubscribes from it.
func (st *State) Subscribe(u urlcore.URL, on bool) error {
	if !followed.IsGroup(u) {
		return nil
	}
	return st.news.Change(u, func(f *newsrc.File) {
		g, known := f.Group(urlcore.NewsGroup(u).Group)
		if g.Subscribed = on; known || on {
			f.Set(g)
		}
	})
}

// Followed returns the followed pages, with the numbers of unread articles of newsgroups.
func (s Setup) Followed(ctx context.Context) ([]history.Source, error) {
	sources, err := s.Visits.Sources(ctx)
	for i := range sources {
		if note := s.groupNote(&sources[i]); note != nil {
			sources[i].Unread = int(min(note.Unread, 1<<31-1)) //nolint:gosec // bounded
		}
	}
	return sources, err
}

// groupNote returns the articles of a followed newsgroup, or nil for other pages. The unread ones are counted as on news:.
func (s Setup) groupNote(src *history.Source) *protocols.GroupNote {
	note := followed.Group(src)
	if note == nil {
		return nil
	}
	note.Subscribed = true
	file, err := s.news.File(src.URL)
	if err != nil {
		note.Unread = note.Count // the page of the group has the error
		return note
	}
	g, _ := file.Group(urlcore.NewsGroup(src.URL).Group)
	note.Unread = g.Unread(note.Low, note.High, note.Count)
	return note
}

// Refresh looks for new entries of followed pages. The caller sets Asked, Only and Report of o. While another process does so,
// Refresh waits, and calls the function waiting first, unless it is nil.
func (st *State) Refresh(ctx context.Context, o followed.Options, waiting func()) (followed.Summary, error) {
	switch {
	case st.Visits == nil:
		return followed.Summary{}, protocols.ErrRestricted
	case st.private.Load():
		return followed.Summary{}, errPrivate
	case st.Offline:
		return followed.Summary{}, &protocols.Error{Reason: protocols.Offline, Op: "look for new entries"}
	}
	unlock, err := st.lockRefresh(ctx, waiting)
	if err != nil {
		return followed.Summary{}, fmt.Errorf("look for new entries: %w", err)
	}
	defer unlock()
	o.Store, o.Now, o.ReadingOf, o.Count = st.Visits, time.Now, st.ReadingOf, st.countArticles
	o.MovedTo = func(u urlcore.URL) urlcore.URL { return keep.MovedTo(st.Copies, u) }
	o.IsDown = st.Network.IsDown
	o.Fetch = st.Fetchers(Way{Use: Check, Retry: StoredLogins{st, nil}.Retry})
	return followed.Refresh(ctx, o)
}

// lockRefresh waits until no other process looks for new entries, and keeps others from it until unlock is called.
func (st *State) lockRefresh(ctx context.Context, waiting func()) (unlock func(), err error) {
	if err := os.MkdirAll(st.Dirs.State, 0o700); err != nil {
		return nil, err
	}
	for {
		lock, err := userfile.Lock(ctx, filepath.Join(st.Dirs.State, "refresh"))
		switch {
		case err == nil:
			return func() { _ = lock.Unlock() }, nil
		case !errors.Is(err, userfile.ErrBusy):
			return nil, err
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
	}
}

// countArticles asks the server of a newsgroup for the numbers of its articles.
func (st *State) countArticles(ctx context.Context, u urlcore.URL) (note *protocols.GroupNote, err error) {
	client, ok := st.fetchers.Registry["news"].(newsCounter)
	if !ok {
		return nil, &protocols.Error{Reason: protocols.NoServer}
	}
	group := urlcore.NewsGroup(u)
	server := urlcore.News{HostPort: group.HostPort, Secure: group.Secure, Group: "*"}
	err = StoredLogins{st, nil}.Retry(ctx, func() error {
		lines, err := client.Counts(ctx, server, []string{group.Group})
		if err != nil {
			return err
		}
		for line, err := range lines {
			if err != nil {
				return err
			}
			if note, ok = line.Note.(*protocols.GroupNote); !ok {
				return &protocols.Error{Reason: protocols.NotFound, Text: line.Text}
			}
		}
		return nil
	})
	if err == nil && note == nil {
		err = &protocols.Error{Reason: protocols.Malformed}
	}
	return note, err
}
