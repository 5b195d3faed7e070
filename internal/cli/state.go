package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gofer/history"
	"gofer/history/bookmarks"
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

// state is what a command works with: the user's settings, what is remembered
// and the fetchers.
type state struct {
	config    config.Config
	notice    string // what the reader of the screen is to know of them; "": nothing
	bookmarks *bookmarks.Store
	visits    *history.Store // nil in restricted mode
	index     *history.Index
	charsets  *history.Charsets
	sessions  *sessions.Store // nil outside of the screen, and in a demo
	world     lazy[World]
	demo      atomic.Pointer[demoServers]
	programs  *opener.Programs
	fetchers  protocols.Registry
	downloads *download.Manager
	given     consents
	pins      *pins.Store
	news      *newsFiles
	private   atomic.Bool // nothing is kept on the disk
	unread    bool        // only unread articles are wanted
	scores    *scoreFile
	copies    cache.Store
	dirs      config.Dirs // of the user's files; empty in restricted mode
	err       io.Writer   // for what is noticed at the end

	closeFetchers func()
}

// lazy is a value that is made when it is first wanted.
type lazy[T any] struct {
	once  sync.Once
	value T
	err   error
}

func (l *lazy[T]) get(build func() (T, error)) (T, error) {
	l.once.Do(func() { l.value, l.err = build() })
	return l.value, l.err
}

// made returns the value if it was ever wanted; it is not made any more.
func (l *lazy[T]) made() T {
	l.once.Do(func() {})
	return l.value
}

// open reads the settings and builds the fetchers; an error in the settings is
// told, and ends nothing. Inside the world of a demo, which else is nil, news:
// URLs go to its server; the world stays the caller's.
func (p *Program) open(world World) *state {
	st := &state{pins: pins.Open(config.FindDirs(p.Getenv).Certificates()), err: p.Err}
	var configErr error
	st.config, configErr = p.settings()
	if configErr != nil {
		st.notice = "the settings have faults: gofer config shows them"
		if st.config.Restrict.Enabled { // the reader is not the owner of the file
			fmt.Fprintln(p.Err, "gofer: "+st.notice)
			configErr = nil
		} else {
			fmt.Fprintf(p.Err, "gofer: these settings have their defaults:\n%s", configText(configErr))
		}
	}
	p.passwordCommand = st.config.PasswordCommand
	p.restrict = st.config.Restrict.Enabled
	dirs := p.dirs(&st.config)
	st.dirs = dirs
	if p.restrict {
		st.config.ScoreFile = ""
		st.setPrivate(true)
	} else {
		st.visits = history.OpenStore(dirs.Visits())
	}
	if world != nil {
		st.config.NewsServer = world.NewsServer()
		st.demo.Store(demoServersOf(world, true))
	}
	st.news = newNewsFiles(dirs.Home, dirs.State, dirs.UnwrittenNews(), st.config.NewsServer, func(u urlcore.URL) bool { return st.demo.Load().includes(u) })
	st.news.named = st.config.News
	st.scores = &scoreFile{
		path:   config.HomePath(p.Getenv, st.config.ScoreFile),
		isDemo: st.news.isDemo, demo: []byte(demoScores),
	}
	st.copies.Volatile = func(addr string) bool { return st.demo.Load().at(addr) }
	st.news.times, st.news.silent = dirs.NewsTimes(), st.private.Load
	st.bookmarks = p.openBookmarks(&st.config)
	st.index = history.NewIndex(st.visits, st.bookmarks)
	st.charsets = history.OpenCharsets(dirs.Charsets())
	st.programs = &opener.Programs{Getenv: p.Getenv, Rules: make(map[string]opener.Rule)}
	for key, o := range st.config.Open {
		st.programs.Rules[strings.ToLower(key)] = opener.Rule(o)
	}
	st.downloads = &download.Manager{
		Folder: st.config.Downloads,
		List:   dirs.DownloadLists(),
		Keep:   func(u urlcore.URL) bool { return !st.demo.Load().includes(u) },
	}
	st.fetchers, st.closeFetchers = p.Fetchers(p.setup(st, world, configErr))
	st.downloads.Fetcher = loggingIn{st.fetchers, p.storedLogins(nil)}
	return st
}

func (p *Program) setup(st *state, world World, configErr error) Setup {
	return Setup{
		Downloads:   st.downloads,
		Version:     p.Version,
		Config:      st.config,
		ConfigError: configErr,
		Visits:      st.visits,
		Getenv:      p.Getenv,
		Dirs:        st.dirs,
		Pins:        lastingPins{st.pins, st},
		Programs:    st.programs,
		News:        st.news,
		Copies:      &st.copies,
		MarkRead:    st.news.markRead,
		CheckWrite:  st.checkPost,
		Bookmarks:   st.bookmarks,
		Restorable: func() (int, bool) {
			if st.sessions == nil {
				return 0, false
			}
			return st.sessions.Last()
		},
		Demo: func() ([]DemoPage, error) {
			w := world
			if w == nil {
				var err error
				if w, err = st.world.get(p.StartWorld); err != nil {
					return nil, fmt.Errorf("start the demo: %w", err)
				}
				st.demo.Store(demoServersOf(w, false))
			}
			return demoPages(w)
		},
	}
}

// errDemo tells why pages of the demo are not in the history.
var errDemo = errors.New("the demo keeps no history")

// note records a visit to the page that is shown. The error is what the reader
// is to know of the history.
func (st *state) note(ctx context.Context, u urlcore.URL, title string) error {
	if st.demo.Load().includes(u) {
		return errDemo
	}
	if err := st.visit(ctx, u, title, time.Now()); err != nil {
		return fmt.Errorf("the history is not being kept: %w", err)
	}
	return st.damage()
}

// damage tells that the history was damaged, if it was.
func (st *state) damage() error {
	if path := st.visits.Damaged(); path != "" {
		return fmt.Errorf("the history was damaged: a new one was begun, the old one is %s", path)
	}
	return nil
}

// visit records a visit, but not to a server that ends with the program.
func (st *state) visit(ctx context.Context, u urlcore.URL, title string, at time.Time) error {
	if st.demo.Load().includes(u) {
		st.index.Note(u, clean.Text(title), at)
		return nil
	}
	return st.visits.Visit(ctx, u, clean.Text(title), at)
}

// complete returns the search words that typed begins, what it stands for, URLs
// of the history and the bookmarks that it may be a part of, and gofer's own
// pages. Of a history that cannot be read there are none: other parts of the
// screen tell why.
func (st *state) complete(ctx context.Context, typed string, limit int) []ask.Completion {
	var rows []ask.Completion
	if u, ok := st.news.group(typed, true); ok {
		rows = append(rows, ask.Completion{Text: u.String(), Title: "newsgroup"})
	}
	for _, name := range st.config.Search.Names() {
		if strings.HasPrefix(name, typed) {
			rows = append(rows, ask.Completion{Text: name + " ", Title: "search " + st.config.Search[name]})
		}
	}
	if u, ok, err := st.config.Search.Expand(typed); ok && err == nil && strings.Contains(typed, " ") {
		rows = append(rows, ask.Completion{Text: u.String(), Title: "search"})
	}
	for _, name := range st.config.News.All() {
		if strings.HasPrefix(name, typed) {
			rows = append(rows, ask.Completion{Text: name, Title: "news server " + st.config.News[name]})
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
	st.news.group(arg, true)
	return st.guess(arg)
}

// guess is [urlcore.Guess] for who may also type a search word, a server of the
// settings, a group of the newsrc file, as far as that has been read, or what the
// URL bar shows for gofer's own pages.
func (st *state) guess(typed string) (urlcore.URL, error) {
	if u, ok, err := st.config.Search.Expand(typed); ok {
		return u, err
	}
	if u, ok, err := st.config.News.Expand(typed); ok {
		return u, err
	}
	if _, ok := st.config.News[strings.TrimSpace(typed)]; ok {
		return about.NewsOf(strings.TrimSpace(typed)), nil
	}
	if strings.EqualFold(typed, "news:") {
		return about.Page("news"), nil
	}
	if u, ok := about.Named(typed); ok {
		return u, nil
	}
	if u, ok := st.news.group(typed, false); ok {
		return u, nil
	}
	return urlcore.Guess(typed)
}

// recent returns the URLs visited last.
func (st *state) recent(ctx context.Context, limit int) []string {
	urls, _ := st.index.Recent(ctx, limit)
	return urls
}

// demoServers are the servers of a demo, whose addresses lead nowhere after it.
type demoServers struct {
	addrs map[string]bool // host:port
	news  bool            // the reader's own server is one of them
}

func demoServersOf(w World, news bool) *demoServers {
	d := &demoServers{addrs: map[string]bool{w.NewsServer(): true}, news: news}
	for s := range w.URLs() {
		if u, err := urlcore.Parse(s); err == nil {
			if addr, ok := urlcore.Addr(u); ok {
				d.addrs[addr] = true
			}
		}
	}
	return d
}

// includes reports whether u leads to one of the servers.
func (d *demoServers) includes(u urlcore.URL) bool {
	if d == nil {
		return false
	}
	addr, ok := urlcore.Addr(u)
	if addr == "" {
		return d.news && ok
	}
	return d.addrs[addr]
}

// at reports whether addr, "host:port", is one of the servers.
func (d *demoServers) at(addr string) bool { return d != nil && d.addrs[addr] }

// lastingPins remembers no certificate of a demo, whose servers have a new one
// each time, and none that was agreed to in private mode.
type lastingPins struct {
	wire.Pins
	st *state
}

func (p lastingPins) Remember(addr, fingerprint string) {
	if !p.st.private.Load() && !p.st.demo.Load().at(addr) {
		p.Pins.Remember(addr, fingerprint)
	}
}

// fetcher fetches in the name of the flags.
func (st *state) fetcher() protocols.Fetcher {
	if st.unread {
		return unreadOnly{consenting{st.fetchers, st.given}, st.news}
	}
	return consenting{st.fetchers, st.given}
}

func (st *state) close() {
	st.downloads.Close()
	st.closeFetchers()
	st.copies.Close()
	if st.visits != nil {
		if err := st.visits.Close(); err != nil {
			fmt.Fprintf(st.err, "gofer: %s\n", line(err))
		}
	}
	if err := st.pins.Close(); err != nil {
		fmt.Fprintf(st.err, "gofer: %s\n", line(err))
	}
	var busy *newsrc.BusyError
	if err := st.news.store.Close(); errors.As(err, &busy) {
		fmt.Fprintf(st.err, "gofer: %s\n", line(err))
	} else if err != nil {
		fmt.Fprintf(st.err, "gofer: what you have read was not written: %s\n", line(err))
	}
	if w := st.world.made(); w != nil {
		_ = w.Close()
	}
}

func demoPages(w World) ([]DemoPage, error) {
	var pages []DemoPage
	for s, title := range w.URLs() {
		u, err := urlcore.Parse(s)
		if err != nil {
			return nil, err
		}
		pages = append(pages, DemoPage{u, title})
	}
	return pages, nil
}

// serverCharsets are the charsets of servers. None is kept of those that end with the
// program.
type serverCharsets struct{ st *state }

func (c serverCharsets) All() (map[string]string, error) { return c.st.charsets.All() }

func (c serverCharsets) Set(u urlcore.URL, server, charset string) error {
	if c.st.demo.Load().includes(u) {
		return nil
	}
	return c.st.charsets.Set(server, charset)
}

// readingOf returns the Reading of the server of u: in the charset that was chosen on
// the screen or set for the server.
func (st *state) readingOf(u urlcore.URL) clean.Reading {
	addr, ok := urlcore.Addr(u)
	if !ok {
		return clean.Reading{}
	}
	chosen, _ := st.charsets.All() // without the file the settings apply
	c, _ := charset.Parse(cmp.Or(chosen[addr], st.host(addr).Charset))
	return clean.Reading{Charset: c}
}
