package app

import (
	"context"
	"errors"
	"time"

	"gofer/history"
	"gofer/internal/usenet/compose"
	"gofer/internal/userfile/cache"
	"gofer/internal/userfile/config"
	"gofer/internal/userfile/sessions"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui"
	"gofer/ui/offline"
	"gofer/ui/pictureview"
	"gofer/ui/term"
	"gofer/urlcore"
)

// KeepCopies starts keeping copies of pages and articles: on the disk, or in memory in private mode.
func (st *State) KeepCopies(private bool) {
	st.Copies.Keep(st.Dirs.Copies(), int64(st.Config.KeptCopies)<<20)
	st.SetPrivate(private)
}

// ShowCopies shows copies of pages that are kept, as [State.KeepCopies] does, but keeps no new ones.
func (st *State) ShowCopies() {
	st.OldCopies = &cache.Store{ReadOnly: true}
	st.OldCopies.Keep(st.Dirs.Copies(), int64(st.Config.KeptCopies)<<20)
}

// SetPrivate turns private mode on or off. In private mode no visits, tabs, certificates or copies are written to
// the disk.
func (st *State) SetPrivate(private bool) {
	st.Copies.Private(private)
	st.private.Store(private)
}

// KeepTabs starts keeping the tabs of the screen for the next run, except in restricted mode and in a demo that cannot
// create files.
func (st *State) KeepTabs() {
	if st.Config.Restrict.Enabled || st.InDemo && !canCreateFiles(st.Dirs.State) {
		return
	}
	st.Sessions = sessions.Open(st.Dirs.Sessions())
	st.Sessions.Keep = func(u urlcore.URL) bool { return !st.demo.Load().isTemporary(u) } // the servers of about:demo stop when the program ends
	st.Sessions.Drop = func() bool { return st.latest.Load().Config.Restore == config.RestoreNever }
}

// RecoverNews writes changes of an earlier run to the newsrc files. After an error, changes that are not in the newsrc
// file yet stay in the folder of pending changes.
func (st *State) RecoverNews() { _ = st.news.store.Recover(st.Dirs.Home) }

// Screen is what the screen needs from the command line.
type Screen struct {
	Started  <-chan struct{}      // closed when background work may begin
	Private  bool                 // record nothing
	Override func(*config.Config) // sets the settings that flags set, also after a change
	Terminal func(*ui.Options)    // sets the options about the terminal
	// LostTerminal reports whether a screen that ended because of an error has lost its terminal.
	LostTerminal func(cause error) bool
}

// ScreenOptions returns the options of the screen.
func (st *State) ScreenOptions(ctx context.Context, screen Screen) ui.Options {
	decode := nav.Decode(pictureview.Decode)
	if st.Config.Images == "none" {
		decode = nav.Decode(nil)
	}
	logins, prefetcher := StoredLogins{st, nil}, new(Prefetcher)
	fetcher := st.Fetchers(Way{Use: Page, Retry: logins.Retry, Prefetcher: prefetcher})
	o := ui.Options{
		Config: st.Config,
		Open: func(ctx context.Context, req protocols.Request, show nav.Show) *nav.Load {
			req.FirstArticle = st.FirstArticle(req.URL)
			return nav.Open(ctx, fetcher, req, append(st.CollectText(), nav.Preview(), nav.KeepSource(), nav.Shown(show), decode)...)
		},
		Guess:        st.guess,
		Complete:     st.complete,
		Recent:       st.recentURLs,
		Home:         st.Home(),
		Notice:       st.Notice,
		Sessions:     st.Sessions,
		News:         st.news,
		Prefetch:     prefetcher.prefetch,
		Private:      screen.Private,
		SetPrivate:   st.SetPrivate,
		ForgetLogins: func() ui.Options { return st.forgetLogins(ctx, screen) },
		Scores:       st.scores,
		Downloads:    st.Downloads,
		Charsets:     serverCharsets{st},
		KeepOrder:    st.orders.Set,
		NoColor:      st.Getenv("NO_COLOR") != "",
		Env:          st.Getenv,
		Programs:     st.Programs,
		Remote:       term.IsRemote(st.Getenv),
	}
	o.Orders, _ = st.orders.All() // without the file lists have their default orders
	if st.Sessions != nil {
		o.ListenForTabs = st.Sessions.Listen
	}
	if !st.Config.Restrict.Enabled {
		o.FindClient = func(ctx context.Context) term.Client { return term.FindClient(ctx, st.Getenv) }
	}
	st.allowChanges(ctx, &o, screen)
	o.CanDetach = st.CanDetach
	o.Detach = func(cause error) error { return st.detach(cause, screen.LostTerminal) }
	screen.Terminal(&o)
	return o
}

// allowChanges sets the options that record visits, change settings and change files on servers.
func (st *State) allowChanges(ctx context.Context, o *ui.Options, screen Screen) {
	if st.Config.Restrict.Enabled {
		return
	}
	logins := StoredLogins{st, nil}
	links := linkHistory{st, screen.Started}
	o.Inbox = st.inboxStore()
	o.Visit, o.Marks, o.Bookmarks = links.recordVisit, links, st.Bookmarks
	if remembersText(&st.Config) {
		o.KeepText = links.keepText
	}
	o.Forget = func(sel ui.Selection) (string, error) { return st.Forget(ctx, history.Selection(sel)) }
	o.RemoveDraft = func(u urlcore.URL) error { return compose.Remove(st.Dirs.Drafts(), u) }
	o.RemoveIdentity = st.Identities.Remove
	o.SaveBundle = st.saveScreenBundle
	o.Offline = &offline.Stores{FetchNews: NewsFetcher{State: st, Retry: logins.Retry}.run, KeepPages: st.keepPages}
	if st.Dirs.State != "" {
		o.Offline.Later = st.Later()
	}
	if st.Dirs.State != "" && !st.Offline {
		o.Offline.FetchLater, o.Offline.NetworkIsDown = st.fetchLater, st.Network.IsDown
	}
	o.Settings, o.SettingsFile = st.aboutPages().Settings, st.aboutPages().SettingsFile
	if !st.Offline {
		o.TryNewsServer = st.tryNewsServer
	}
	o.SetSetting = func(e config.Edit) (ui.Options, error) { return st.changeSetting(ctx, screen, e) }
	if st.Config.ReadOnly {
		if st.scores.changeErr == nil { // set only once, because all states share scores
			st.scores.changeErr = errors.New("read-only mode is on: score rules cannot be changed")
		}
		return
	}
	if !st.Offline {
		o.SendPosts = (&postSender{State: st, logins: logins}).sendQueued
	}
	server := st.Fetchers(Way{Use: Transfer, Retry: logins.Retry})
	o.Change, o.Server = server.Change, server
	o.Upload = func(ctx context.Context, path string, u urlcore.URL, up *protocols.Upload, report func(done, size int64)) error {
		return UploadFile(ctx, server, path, u, up, report)
	}
}

// visitGracePeriod is the time limit for recording the last visit when gofer exits. It leaves time to open the
// history on a busy machine. If another process has locked the history, gofer exits only after this time.
const visitGracePeriod = 2 * time.Second

// withGracePeriod returns a context that ends when the duration d has passed since the end of ctx, and a
// function that releases the context.
func withGracePeriod(ctx context.Context, d time.Duration) (context.Context, func()) {
	extended, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(d, func() { cancel(history.ErrBusy) }) })
	return extended, func() {
		stop()
		cancel(nil)
	}
}
