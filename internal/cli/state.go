package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gofer/history"
	"gofer/internal/download"
	"gofer/internal/pages/about"
	"gofer/internal/program/opener"
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/userfile/cache"
	"gofer/internal/userfile/config"
	"gofer/internal/userfile/sessions"
	"gofer/internal/wire"
	"gofer/internal/wire/pins"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// state is the settings, stores and fetchers of a command.
type state struct {
	Setup
	notice   string // about the settings, for the screen; "": none
	index    *history.Index
	charsets *history.Charsets
	sessions *sessions.Store       // nil outside of the screen, and in a demo
	begin    func() (World, error) // starts the demo at the first call
	*running
	fetchers protocols.Registry
	given    consents
	pins     *pins.Store
	unread   bool // only unread articles are wanted
	scores   *scoreFile
	err      io.Writer // for errors at the end
}

// running changes while the program runs; its states, one for each change of the settings, share it.
type running struct {
	closed  atomic.Bool // the demo is not started any more
	demo    atomic.Pointer[demoServers]
	private atomic.Bool // nothing is kept on the disk
	latest  atomic.Pointer[state]

	changing      sync.Mutex // for one change at a time
	closeFetchers func()
}

// open reads the settings, whose faults it prints, and builds the fetchers. In the world
// of a demo, else nil, news: URLs go to its server; the caller closes it.
func (p *Program) open(world World) *state {
	p.demo = world != nil
	st := &state{running: new(running), pins: pins.Open(p.allDirs().Certificates()), err: p.Err}
	st.Version, st.Offline, st.Getenv, st.Pins, st.Memory, st.Copies = p.Version, p.offline, p.Getenv, st.pins, new(wire.Memory), new(cache.Store)
	st.Config, st.ConfigError = p.settings()
	if st.ConfigError != nil {
		st.notice = "the settings have faults: gofer config shows them"
		if st.Config.Restrict.Enabled { // the file belongs to somebody else
			fmt.Fprintln(p.Err, "gofer: "+st.notice)
			st.ConfigError = nil
		} else {
			fmt.Fprintf(p.Err, "gofer: these settings have their defaults:\n%s", configText(st.ConfigError))
		}
	}
	p.running, p.restrict = st.running, st.Config.Restrict.Enabled
	st.Dirs = p.dirs(&st.Config)
	if p.restrict {
		st.Config.ScoreFile = ""
		st.setPrivate(true)
	} else {
		st.Visits = history.OpenStore(st.Dirs.Visits())
	}
	if world != nil {
		useDemoSettings(&st.Config, world)
		st.demo.Store(&demoServers{World: world})
		st.InDemo = true
	}
	inDemo := func(addr string) bool { _, ours := st.Listening(addr); return ours }
	st.pins.Keep = func(addr string) bool { return !st.private.Load() && !inDemo(addr) }
	st.Locals = st
	st.useSettings()
	st.Copies.Volatile = inDemo
	st.Bookmarks = p.openBookmarks(&st.Config)
	st.index = history.NewIndex(st.Visits, st.Bookmarks)
	st.charsets = history.OpenCharsets(st.Dirs.Charsets())
	st.Downloads = &download.Manager{
		Folder: st.Config.Downloads,
		List:   st.Dirs.DownloadLists(),
		Keep:   func(u urlcore.URL) bool { return !st.demo.Load().passes(u) },
	}
	st.Restorable = func() (int, bool) {
		if st.sessions == nil {
			return 0, false
		}
		return st.sessions.Last()
	}
	st.begin = sync.OnceValues(func() (World, error) {
		if st.closed.Load() {
			return nil, context.Canceled
		}
		return p.StartWorld(demoHost)
	})
	st.Demo = func(context.Context) ([]about.Item, error) { return st.demoPages(world) }
	st.fetchers, st.closeFetchers = p.Fetchers(st.Setup)
	st.latest.Store(st)
	st.Downloads.Fetcher = treeServer{st, storedLogins{p, nil}.using}
	return st
}

// useSettings makes what depends on the settings, except for the fetchers.
func (st *state) useSettings() {
	isDemo := func(u urlcore.URL) bool { return st.demo.Load().includes(u) }
	passes := func(u urlcore.URL) bool { return st.demo.Load().passes(u) }
	st.news = newNewsFiles(st.Dirs.Home, st.Dirs.State, st.Dirs.UnwrittenNews(), st.Config.NewsServer, passes)
	st.news.named, st.news.times, st.news.silent = st.Config.News, st.Dirs.NewsTimes(), st.private.Load
	st.MarkRead, st.CheckWrite = st.news.markRead, st.checkPost
	st.scores = &scoreFile{path: config.HomePath(st.Getenv, st.Config.ScoreFile), isDemo: isDemo, demo: []byte(demoScores)}
	st.Programs = &opener.Programs{Getenv: st.Getenv, Rules: make(map[string]opener.Rule), Offline: st.Offline, Listening: st.Listening}
	for key, o := range st.Config.Open {
		st.Programs.Rules[strings.ToLower(key)] = o
	}
}

// Listening returns where the server of the demo with the address listens.
func (st *state) Listening(addr string) (listening string, ours bool) {
	if demo := st.demo.Load(); demo != nil {
		return demo.Listening(addr)
	}
	return "", false
}

// note records a visit. The error is a notice about the history.
func (st *state) note(ctx context.Context, u urlcore.URL, title string) error {
	if err := st.visit(ctx, u, title, time.Now()); err != nil {
		return fmt.Errorf("the history is not being kept: %w", err)
	}
	return st.damage()
}

func (st *state) damage() error {
	if path := st.Visits.Damaged(); path != "" {
		return fmt.Errorf("the history was damaged: a new one was begun, the old one is %s", path)
	}
	return nil
}

// visit records a visit, but not to a server that ends with the program.
func (st *state) visit(ctx context.Context, u urlcore.URL, title string, at time.Time) error {
	if st.demo.Load().passes(u) {
		st.index.Note(u, clean.Text(title), at)
		return nil
	}
	return st.Visits.Visit(ctx, u, clean.Text(title), at)
}

// complete returns search words, groups, news servers, other readings of a URL, URLs of
// the history and bookmarks, and own pages that typed may begin. It ignores errors of
// the history, which the screen reports elsewhere.
func (st *state) complete(ctx context.Context, typed string, limit int) []ask.Completion {
	st.news.readFor(typed)
	rows := st.news.complete(typed)
	for _, name := range st.Config.Search.Names() {
		if strings.HasPrefix(name, typed) {
			rows = append(rows, ask.Completion{Text: name + " ", Title: "search " + st.Config.Search[name]})
		}
	}
	if u, ok, err := st.Config.Search.Expand(typed); ok && err == nil && strings.Contains(typed, " ") {
		rows = append(rows, ask.Completion{Text: u.String(), Title: "search"})
	}
	for _, name := range st.Config.News.All() {
		if strings.HasPrefix(name, typed) {
			rows = append(rows, ask.Completion{Text: name, Title: "news server " + st.Config.News[name]})
		}
	}
	if u, err := urlcore.Parse(typed); err == nil && strings.Contains(typed, "://") {
		if g, ok := u.(urlcore.Generic); ok {
			for _, a := range urlcore.OtherGuesses(g) {
				rows = append(rows, ask.Completion{Text: a.URL.String(), Title: a.Text})
			}
		}
	}
	found, _ := st.index.Complete(ctx, typed, limit)
	for _, c := range found {
		rows = append(rows, ask.Completion{Text: c.URL, Title: c.Title})
	}
	for _, name := range st.ownPages().Names() {
		if u := about.Page(name).String(); len(typed) > 1 && (strings.HasPrefix(u, typed) || strings.HasPrefix(name, typed)) && u != typed {
			rows = append(rows, ask.Completion{Text: u})
		}
	}
	return rows[:min(len(rows), limit)]
}

func (st *state) ownPages() *about.Client {
	if own, ok := st.fetchers["about"].(*about.Client); ok {
		return own
	}
	return new(about.Client)
}

func (st *state) guessArgument(arg string) (urlcore.URL, error) {
	st.news.readFor(arg)
	return st.guess(arg)
}

// guess is [urlcore.Guess] that also knows search words, news servers, groups and own
// pages.
func (st *state) guess(typed string) (urlcore.URL, error) {
	if u, ok, err := st.Config.Search.Expand(typed); ok {
		return u, err
	}
	if u, ok, err := st.Config.News.Expand(typed); ok {
		return u, err
	}
	if _, ok := st.Config.News[strings.TrimSpace(typed)]; ok {
		return about.NewsOf(strings.TrimSpace(typed)), nil
	}
	if strings.EqualFold(typed, "news:") {
		return about.Page("news"), nil
	}
	if u, ok := about.Named(typed); ok {
		return u, nil
	}
	if u, ok := st.news.groups.Load(strings.TrimSpace(typed)); ok {
		return u.(urlcore.URL), nil
	}
	return urlcore.Guess(typed)
}

func (st *state) recent(ctx context.Context, limit int) []string {
	urls, _ := st.index.Recent(ctx, limit)
	return urls
}

// fetcher fetches in the name of the flags.
func (st *state) fetcher() protocols.Fetcher {
	if st.unread {
		return unreadFetcher{repeater{st.fetchers, st.given.repeat}, st.news}
	}
	return repeater{st.fetchers, st.given.repeat}
}

// warn prints an error that ends nothing, if it is one.
func (st *state) warn(err error) {
	if err != nil {
		fmt.Fprintf(st.err, "gofer: %s\n", line(err))
	}
}

func (st *state) close() {
	st.Downloads.Close()
	st.closeFetchers()
	st.Copies.Close()
	if st.Visits != nil {
		st.warn(st.Visits.Close())
	}
	st.warn(st.pins.Close())
	err := st.news.store.Close()
	if err != nil && !is[*newsrc.BusyError](err) {
		err = fmt.Errorf("what you have read was not written: %w", err)
	}
	st.warn(err)
	st.closed.Store(true)
	if world, err := st.begin(); err == nil {
		_ = world.Close()
	}
}

// demoPages returns the start pages of the demo, which it starts unless world runs.
func (st *state) demoPages(world World) (pages []about.Item, err error) {
	if world == nil {
		if world, err = st.begin(); err != nil {
			return nil, fmt.Errorf("start the demo: %w", err)
		}
		st.demo.Store(&demoServers{World: world, guest: true})
	}
	for s, title := range world.URLs() {
		u, err := urlcore.Parse(s)
		if err != nil {
			return nil, err
		}
		pages = append(pages, about.Item{URL: u, Title: title})
	}
	return pages, nil
}

type serverCharsets struct{ st *state }

func (c serverCharsets) All() (map[string]string, error) { return c.st.charsets.All() }

func (c serverCharsets) Set(u urlcore.URL, server, charset string) error {
	if c.st.demo.Load().passes(u) {
		return nil
	}
	return c.st.charsets.Set(server, charset)
}

// readingOf returns the Reading with the charset chosen or set for the server of u.
func (st *state) readingOf(u urlcore.URL) clean.Reading {
	addr, ok := urlcore.Addr(u)
	if !ok {
		return clean.Reading{}
	}
	chosen, _ := st.charsets.All() // without the file the settings apply
	c, _ := charset.Parse(cmp.Or(chosen[addr], st.host(addr).Charset))
	return clean.Reading{Charset: c}
}
