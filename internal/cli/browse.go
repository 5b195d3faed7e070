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
	"gofer/internal/picture"
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

const home = "about:home" // the page that gofer shows when no URL is given

type browseFlags struct {
	ascii, mouse, plain, private, readOnly, restore bool
}

func (f *browseFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.ascii, "ascii", false, "draw the screen without characters outside ASCII")
	cmd.Flags().BoolVar(&f.private, "private", false, "keep no history: no visits, no marks, no search terms")
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "change nothing on servers: no uploads, renames and removals")
	cmd.Flags().BoolVar(&f.plain, "plain", false, "show pages as lines of text, with numbered links and a prompt: for screen readers and slow lines")
	cmd.Flags().BoolVar(&f.mouse, "mouse", false, "let the mouse scroll and follow links")
}

// browse opens the screen at start, or prints the page if stdout is no terminal.
func (p *Program) browse(ctx context.Context, start string, world World, flags browseFlags) error {
	st := p.open(world)
	defer st.close()
	st.Config.ReadOnly = st.Config.ReadOnly || flags.readOnly
	flags.plain = flags.plain || isTerminal(p.Out) && p.Getenv("TERM") == "dumb" // a line-oriented terminal, as Emacs's M-x shell
	screen := isTerminal(p.Out) && !flags.plain
	if st.Config.Restrict.Enabled {
		ignoreSuspend()
		flags.private = true
	} else if screen && (world == nil || isWritable(st.Dirs.State)) {
		st.sessions = sessions.Open(st.Dirs.Sessions())
		st.sessions.Keep = func(u urlcore.URL) bool { return !st.demo.Load().passes(u) } // servers of the demo end with it
		st.sessions.Drop = func() bool { return st.latest.Load().Config.Restore == config.RestoreNever }
	}
	if screen {
		p.signals.endWithTerminal()
	}
	restore := flags.restore
	if start == "" && st.Config.Restore == config.RestoreAlways {
		tabs, _ := st.Restorable()
		restore = restore || tabs > 0
	}
	if start == "" && !(screen && restore) {
		start = home
	}
	st.keepCopies(flags)
	if !screen && !flags.plain {
		return p.dump(ctx, st, start, dump.Text, charset.Auto)
	}
	if start != "" {
		if _, err := st.guessArgument(start); err != nil {
			return err
		}
	}
	if flags.plain {
		return p.plain(ctx, st, start, flags)
	}
	// The first page is drawn before anything else takes the processor.
	started, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if p.Getenv("GOGC") == "" {
		// All of a page of a million lines is live memory; with the default the process
		// would grow to twice its size. Near the limit of all pages, the collector works
		// harder still.
		context.AfterFunc(started, func() {
			debug.SetGCPercent(50)
			debug.SetMemoryLimit(nav.DefaultMemory + 64<<20)
		})
	}
	context.AfterFunc(started, program.RemoveLeftFolders)
	context.AfterFunc(started, func() { _ = st.news.store.Recover(st.Dirs.Home) }) // what fails is kept
	o := p.screenOptions(ctx, st, flags, started.Done())
	o.Start, o.Restore = start, restore && st.sessions != nil
	return ui.Run(ctx, o)
}

// keepCopies begins to keep copies; on the disk only if the reader keeps a history.
func (st *state) keepCopies(flags browseFlags) {
	st.Copies.Keep(st.Dirs.Copies(), int64(st.Config.KeptCopies)<<20)
	st.setPrivate(flags.private)
}

// setPrivate begins or ends private mode, which writes nothing to the disk.
func (st *state) setPrivate(on bool) {
	st.Copies.Private(on)
	st.private.Store(on)
}

// screenOptions returns the options of the screen; started is closed when the first page was
// drawn or 100 ms have passed.
func (p *Program) screenOptions(ctx context.Context, st *state, flags browseFlags, started <-chan struct{}) ui.Options {
	decode := nav.Decode(pictureview.Decode)
	if st.Config.Images == "none" {
		decode = nav.Decode(nil)
	}
	fetcher := &prefetcher{Fetcher: st.ownPages().KeepMailboxes(groupNoter{loginFetcher{st.fetchers, storedLogins{p, nil}}, st.news})}
	colors := st.Config.Colors
	o := ui.Options{
		Open: func(ctx context.Context, u urlcore.URL) *nav.Load {
			ctx = protocols.WithFirstArticle(ctx, st.news.from(u, st.Config.ReadBeforeUnread))
			return nav.Open(ctx, fetcher, u, nav.Preview(), decode)
		},
		Guess:            st.guess,
		Complete:         st.complete,
		Recent:           st.recent,
		Notice:           st.notice,
		Sessions:         st.sessions,
		News:             st.news,
		ReadBeforeUnread: st.Config.ReadBeforeUnread,
		Private:          flags.private,
		SetPrivate:       st.setPrivate,
		Articles:         articleOrder(&st.Config),
		Scores:           st.scores,
		FoldThreads:      st.Config.Threads == "folded",
		Restricted:       st.Config.Restrict.Enabled,
		Editor:           p.editor,
		Downloads:        st.Downloads,
		Charsets:         serverCharsets{st},
		Host:             st.host,
		Preset:           st.Config.Keys.OfPreset(),
		Keys:             st.Config.Keys.Own(),
		ASCII:            flags.ascii || st.Config.ASCII,
		ASCIIOnly:        clean.ASCIILocale(p.Getenv),
		NoColor:          p.Getenv("NO_COLOR") != "",
		Theme:            st.Config.Theme,
		PreferHTML:       st.Config.PreferHTML,
		Colors:           ui.Palette{Accent: colors.Accent.Value, Dim: colors.Dim.Value, Warning: colors.Warning.Value, Search: colors.Search.Value},
		Env:              p.Getenv,
		Graphics:         picture.GraphicsOf(st.Config.Images, p.Getenv),
		Programs:         st.Programs,
		Folder:           st.Downloads.Folder,
		Lend:             p.signals.Lend,
		Report:           p.report,
		SetReset:         p.signals.setReset,
		Mouse:            flags.mouse || st.Config.Mouse,
		Remote:           p.Getenv("SSH_CONNECTION")+p.Getenv("SSH_TTY") != "",
		Hyperlinks:       st.Config.Hyperlinks,
	}
	if st.Config.Prefetch {
		o.Prefetch = fetcher.prefetch
	}
	p.allowChanges(ctx, &o, st, flags, started)
	return o
}

// allowChanges lets the screen keep files and change settings, and servers unless it is read-only.
func (p *Program) allowChanges(ctx context.Context, o *ui.Options, st *state, flags browseFlags, started <-chan struct{}) {
	if st.Config.Restrict.Enabled {
		return
	}
	m := marks{st, started}
	o.Visit, o.Marks, o.Bookmarks = m.note, m, st.Bookmarks
	o.Forget = func(sel ui.Selection) (string, error) { return st.forget(ctx, history.Selection(sel)) }
	o.RemoveDraft = func(u urlcore.URL) error { return compose.Remove(st.Dirs.Drafts(), u) }
	o.FetchNews = newsFetch{st: st, try: storedLogins{p, nil}.using}.run
	o.Settings, o.SettingsFile = st.ownPages().Settings, st.ownPages().SettingsFile
	o.SetSetting = func(e about.SettingEdit) (ui.Options, error) { return p.changeSetting(ctx, st, flags, started, e) }
	if st.Config.ReadOnly {
		if st.scores.locked == nil { // else another state uses it
			st.scores.locked = errors.New("read-only: no rules are written")
		}
		return
	}
	if !st.Offline {
		o.SendPosts = (&postSender{state: st, logins: storedLogins{p, nil}}).send
	}
	server := treeServer{st, storedLogins{p, nil}.using}
	o.Change, o.Server, o.Upload = server.Change, server, server.upload
}

func (st *state) host(addr string) ui.HostSettings {
	return ui.HostSettings{
		Charset: config.HostSetting(&st.Config, addr, func(h config.Host) string { return h.Charset }),
		Wrap:    config.HostSetting(&st.Config, addr, func(h config.Host) *bool { return h.Wrap }),
	}
}

// report writes a report of a panic to the state folder.
func (p *Program) report(fault *nav.Panic, width, height int) (path string, err error) {
	r := crash.Report{
		Version: p.Version, Value: fault.Value, Stack: fault.Stack,
		Width: width, Height: height, Getenv: p.Getenv, Time: time.Now(),
	}
	return r.Write(config.FindDirs(p.Getenv).State)
}

// lastMoment is the time for recording a last visit after the end of ctx. On a busy machine opening the
// history takes a part of it; if another process has locked the history, it delays the exit.
const lastMoment = 2 * time.Second

// withGracePeriod returns a context that ends d after ctx, and a function that frees it.
func withGracePeriod(ctx context.Context, d time.Duration) (context.Context, func()) {
	late, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(d, func() { cancel(history.ErrBusy) }) })
	return late, func() {
		stop()
		cancel(nil)
	}
}
