package cli

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"gofer/history"
	"gofer/internal/cli/crash"
	"gofer/internal/pages/about"
	"gofer/internal/pages/dump"
	"gofer/internal/program"
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/usenet/compose"
	"gofer/internal/userfile/config"
	"gofer/internal/userfile/sessions"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui"
	"gofer/ui/pictureview"
	"gofer/urlcore"
)

const homePage = "about:home" // the page that gofer shows when no URL is given

type browseFlags struct {
	ascii, mouse, plain, private, readOnly, restore bool
}

func (f *browseFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.ascii, "ascii", false, "draw the screen with ASCII characters only")
	cmd.Flags().BoolVar(&f.private, "private", false, "keep no history: no visits, no marks, no search terms")
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "change nothing on servers: no uploads, changes or posts")
	cmd.Flags().BoolVar(&f.plain, "plain", false, "show pages as lines of text, with numbered links and a prompt: for screen readers and slow connections")
	cmd.Flags().BoolVar(&f.mouse, "mouse", false, "let the mouse scroll and open links")
}

// override sets the settings that the flags set.
func (f *browseFlags) override(c *config.Config) {
	c.ASCII, c.Mouse, c.ReadOnly = c.ASCII || f.ascii, c.Mouse || f.mouse, c.ReadOnly || f.readOnly
}

// browse opens the URL start on the screen, or with flags.plain as lines with a prompt. If standard output is not
// a terminal and flags.plain is false, browse prints the page instead.
func (p *Program) browse(ctx context.Context, start string, world World, flags browseFlags) error {
	st := p.openState(world)
	defer st.close()
	flags.ascii = flags.ascii || clean.ASCIILocale(p.Getenv)
	flags.override(&st.Config)
	flags.plain = flags.plain || isTerminal(p.Out) && p.Getenv("TERM") == "dumb" // a line-oriented terminal, such as Emacs's M-x shell
	onScreen := isTerminal(p.Out) && !flags.plain
	if st.Config.Restrict.Enabled {
		ignoreSuspend()
		flags.private = true
	} else if onScreen && (world == nil || canCreateFiles(st.Dirs.State)) {
		st.sessions = sessions.Open(st.Dirs.Sessions())
		st.sessions.Keep = func(u urlcore.URL) bool { return !st.demo.Load().isTemporary(u) } // the servers of about:demo stop when the program ends
		st.sessions.Drop = func() bool { return st.latest.Load().Config.Restore == config.RestoreNever }
	}
	if onScreen {
		p.signals.endOnHangup()
	}
	restore := flags.restore
	if start == "" && st.Config.Restore == config.RestoreAlways {
		tabs, _ := st.LastSession()
		restore = restore || tabs > 0
	}
	if start == "" && !(onScreen && restore) {
		start = homePage
	}
	st.keepCopies(flags)
	if !onScreen && !flags.plain {
		return p.dump(ctx, st, start, dump.Text, charset.Auto, false)
	}
	if start != "" {
		if _, err := st.guessArgument(start); err != nil {
			return err
		}
	}
	if flags.plain {
		return p.runPlain(ctx, st, start, flags)
	}
	// Background work starts after 100 ms, so that it does not delay the first page.
	started, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if p.Getenv("GOGC") == "" {
		// The default of GOGC lets the heap grow to twice its live memory, which is too much for a page of a
		// million lines. Near nav.DefaultMemory, the limit of all pages, the collector runs more often.
		context.AfterFunc(started, func() {
			debug.SetGCPercent(50)
			debug.SetMemoryLimit(nav.DefaultMemory + 64<<20)
		})
	}
	context.AfterFunc(started, program.RemoveStaleFolders)
	// After an error, changes that are not in the newsrc file yet stay in the folder of pending changes.
	context.AfterFunc(started, func() { _ = st.news.store.Recover(st.Dirs.Home) })
	o := p.screenOptions(ctx, st, flags, started.Done())
	o.Start, o.Restore = start, restore && st.sessions != nil
	return ui.Run(ctx, o)
}

// keepCopies starts keeping copies of articles: on the disk, or in memory in private mode.
func (st *state) keepCopies(flags browseFlags) {
	st.Copies.Keep(st.Dirs.Copies(), int64(st.Config.KeptCopies)<<20)
	st.setPrivate(flags.private)
}

// setPrivate turns private mode on or off. In private mode no visits, tabs, certificates or copies are written to
// the disk.
func (st *state) setPrivate(private bool) {
	st.Copies.Private(private)
	st.private.Store(private)
}

// screenOptions returns the options of the screen. The channel started is closed when background work may begin.
func (p *Program) screenOptions(ctx context.Context, st *state, flags browseFlags, started <-chan struct{}) ui.Options {
	decode := nav.Decode(pictureview.Decode)
	if st.Config.Images == "none" {
		decode = nav.Decode(nil)
	}
	fetcher := &prefetcher{Fetcher: st.aboutPages().KeepMailboxes(groupRecorder{loginFetcher{st.fetchers, storedLogins{p, nil}}, st.news})}
	o := ui.Options{
		Config: st.Config,
		Open: func(ctx context.Context, req protocols.Request, show nav.Show) *nav.Load {
			req.FirstArticle = st.news.firstArticleFunc(req.URL, st.Config.ReadBeforeUnread)
			return nav.Open(ctx, fetcher, req, nav.Preview(), nav.Shown(show), decode)
		},
		Guess:        st.guess,
		Complete:     st.complete,
		Recent:       st.recentURLs,
		Notice:       st.notice,
		Sessions:     st.sessions,
		News:         st.news,
		Prefetch:     fetcher.prefetch,
		Private:      flags.private,
		SetPrivate:   st.setPrivate,
		ForgetLogins: func() ui.Options { return p.forgetLogins(ctx, st, flags, started) },
		Scores:       st.scores,
		Editor:       p.editorCommand,
		Downloads:    st.Downloads,
		Charsets:     serverCharsets{st},
		NoColor:      p.Getenv("NO_COLOR") != "",
		Env:          p.Getenv,
		Programs:     st.Programs,
		Lend:         p.signals.Lend,
		Report:       p.writeCrashReport,
		SetReset:     p.signals.setReset,
		Remote:       p.Getenv("SSH_CONNECTION")+p.Getenv("SSH_TTY") != "",
	}
	p.allowChanges(ctx, &o, st, flags, started)
	return o
}

// allowChanges sets the options that record visits, change settings and change files on servers.
func (p *Program) allowChanges(ctx context.Context, o *ui.Options, st *state, flags browseFlags, started <-chan struct{}) {
	if st.Config.Restrict.Enabled {
		return
	}
	links := linkHistory{st, started}
	o.Visit, o.Marks, o.Bookmarks = links.recordVisit, links, st.Bookmarks
	o.Forget = func(sel ui.Selection) (string, error) { return st.forget(ctx, history.Selection(sel)) }
	o.RemoveDraft = func(u urlcore.URL) error { return compose.Remove(st.Dirs.Drafts(), u) }
	o.FetchNews = newsFetcher{st: st, retry: storedLogins{p, nil}.retryWithLogin}.run
	o.Settings, o.SettingsFile = st.aboutPages().Settings, st.aboutPages().SettingsFile
	o.SetSetting = func(e about.SettingEdit) (ui.Options, error) { return p.changeSetting(ctx, st, flags, started, e) }
	if st.Config.ReadOnly {
		if st.scores.changeErr == nil { // set only once, because all states share scores
			st.scores.changeErr = errors.New("read-only mode is on: score rules cannot be changed")
		}
		return
	}
	if !st.Offline {
		o.SendPosts = (&postSender{state: st, logins: storedLogins{p, nil}}).sendQueued
	}
	server := treeServer{st, storedLogins{p, nil}.retryWithLogin}
	o.Change, o.Server, o.Upload = server.Change, server, server.upload
}

// writeCrashReport writes a report of a panic to the state folder and returns its path.
func (p *Program) writeCrashReport(fault *nav.Panic, width, height int) (path string, err error) {
	r := crash.Report{
		Version: p.Version, Value: fault.Value, Stack: fault.Stack,
		Width: width, Height: height, Getenv: p.Getenv, Time: time.Now(),
	}
	return r.Write(config.FindFolders(p.Getenv).State)
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
