package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gofer/history"
	"gofer/internal/pages/about"
	"gofer/internal/program/opener"
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/across"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/keep"
	"gofer/internal/userfile/cache"
	"gofer/internal/userfile/config"
	"gofer/internal/userfile/sessions"
	"gofer/internal/wire"
	"gofer/internal/wire/identities"
	"gofer/internal/wire/pins"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// State has the settings, stores and fetchers of a command.
type State struct {
	Setup
	Notice string // a note that the settings have errors, or ""

	Sessions *sessions.Store // see [State.KeepTabs]; nil if no tabs are kept

	start     *Start
	index     *history.Index
	charsets  *history.Choices
	orders    *history.Choices
	startDemo func() (World, error) // starts the servers of about:demo at the first call
	*sharedState
	fetchers *protocols.Guarded
	pins     *pins.Store
	scores   *scoreFile
}

// sharedState has the values that change while the program runs. Each change of the settings makes
// a new state; all states share one sharedState.
type sharedState struct {
	closed  atomic.Bool // the demo cannot be started any more
	demo    atomic.Pointer[demoServers]
	private atomic.Bool // write no visits, tabs, certificates or copies to the disk
	latest  atomic.Pointer[State]

	settingsMu    sync.Mutex // held while a setting is changed
	closeFetchers func()
}

// Open reads the settings and builds the fetchers. If world is not nil, it is the world of gofer demo, and news: URLs use
// its server. The caller closes world. The field ConfigError has the errors in the settings, except in restricted mode, in
// which they belong to another person.
func (s *Start) Open(world World) *State {
	s.Demo = world != nil
	st := &State{sharedState: new(sharedState), pins: pins.Open(s.AllFolders().Certificates()), start: s}
	st.Version, st.Offline, st.TrustEnd, st.Getenv, st.Pins, st.Memory, st.Copies = s.Version, s.Offline, s.TrustEnd, s.Getenv, st.pins, new(wire.Memory), new(cache.Store)
	st.Network = new(keep.Network)
	st.Identities = identities.Open(s.AllFolders().Identities())
	st.IsPrivate = st.private.Load
	st.Identities.IsPrivate = st.IsPrivate
	st.Config, st.ConfigError = s.LoadSettings()
	s.Restrict = st.Config.Restrict.Enabled
	if st.ConfigError != nil {
		st.Notice = "errors in the settings: run gofer config"
		if s.Restrict {
			st.ConfigError = nil
		}
	}
	st.Identities.Refuses = s.Restrict
	st.FileTypes = s.FileTypes
	st.Dirs = s.UserFolders(&st.Config)
	if s.Restrict {
		st.Config.ScoreFile = ""
		st.SetPrivate(true)
	} else {
		st.Visits = history.OpenStore(st.Dirs.Visits())
	}
	if world != nil {
		useDemoSettings(&st.Config, world)
		st.demo.Store(&demoServers{World: world})
		st.InDemo = true
	}
	inDemo := func(addr string) bool { _, ours := st.ListenAddr(addr); return ours }
	mayRecord := func(addr string) bool { return !st.private.Load() && !inDemo(addr) }
	st.pins.Keep, st.Habits = mayRecord, ServerHabits{st.Visits, mayRecord}
	st.Locals = st
	st.useSettings()
	st.Copies.IsInMemory = inDemo
	st.Bookmarks = s.OpenBookmarks(&st.Config)
	st.index = history.NewIndex(st.Visits, st.Bookmarks)
	st.charsets, st.orders = history.OpenCharsets(st.Dirs.Charsets()), history.OpenOrders(st.Dirs.Orders())
	st.Downloads = &download.Manager{
		Folder:       st.Config.Downloads.Folder,
		ListFolder:   st.Dirs.DownloadLists(),
		RecordFolder: st.Dirs.DownloadRecords(),
		Rate:         st.Config.Downloads.LimitRate.N,
		ShouldList:   func(u urlcore.URL) bool { return !st.demo.Load().isTemporary(u) },
		ReadingOf:    st.ReadingOf,
	}
	st.LastSession = func() (int, bool) {
		if st.Sessions == nil {
			return 0, false
		}
		return st.Sessions.Last()
	}
	st.startDemo = sync.OnceValues(func() (World, error) {
		if st.closed.Load() {
			return nil, context.Canceled
		}
		return s.StartWorld(DemoHost)
	})
	st.StartDemo = func(context.Context) (about.Demo, error) { return st.demoPages(world) }
	st.fetchers, st.closeFetchers = NewFetchers(st.Setup, s.Schemes)
	st.latest.Store(st)
	server := st.Fetchers(Way{Use: Transfer, Retry: StoredLogins{st, nil}.Retry})
	st.Downloads.Fetcher = server
	st.Downloads.Restore = func(from urlcore.URL, data json.RawMessage) download.Task { return across.Restore(server, from, data) }
	return st
}

// Home returns the URL of the start page.
func (st *State) Home() urlcore.URL {
	if u, err := st.Config.Restrict.StartURL(); u != nil && err == nil {
		return u
	}
	return about.Page("home")
}

// useSettings sets the fields that depend on the settings, except the fetchers.
func (st *State) useSettings() {
	isDemo := func(u urlcore.URL) bool { return st.demo.Load().includes(u) }
	isTemporary := func(u urlcore.URL) bool { return st.demo.Load().isTemporary(u) }
	st.news = newNewsFiles(st.Dirs.Home, st.Dirs.State, st.Dirs.UnwrittenNews(), st.Config.NewsServer, isTemporary)
	st.news.store.Replaced = st.Dirs.ReplacedNews()
	st.news.serverNames, st.news.timesFile, st.news.isPrivate = st.Config.News, st.Dirs.NewsTimes(), st.private.Load
	st.MarkRead, st.CheckPost = st.news.markRead, st.checkPost
	st.scores = &scoreFile{path: config.HomePath(st.Getenv, st.Config.ScoreFile), isDemo: isDemo, demoRules: []byte(demoScores)}
	st.Programs = &opener.Programs{Getenv: st.Getenv, Rules: make(map[string]opener.Rule), Offline: st.Offline, ListenAddr: st.ListenAddr}
	for key, o := range st.Config.Open {
		st.Programs.Rules[strings.ToLower(key)] = o
	}
}

// ListenAddr returns the real address of the demo server with the address addr.
func (st *State) ListenAddr(addr string) (listening string, isDemo bool) {
	if demo := st.demo.Load(); demo != nil {
		return demo.ListenAddr(addr)
	}
	return "", false
}

// RecordVisit records a visit of u, which was requested as asked. It returns an error if the visit was not recorded, or if the history was
// damaged and a new one was created.
func (st *State) RecordVisit(ctx context.Context, asked, u urlcore.URL, title string) error {
	if err := st.storeVisit(ctx, asked, u, title, time.Now()); err != nil {
		return fmt.Errorf("cannot record the visit: %w", err)
	}
	return st.DamageError()
}

// DamageError returns an error if the history was damaged and a new one was created.
func (st *State) DamageError() error {
	if path := st.Visits.DamagedFile(); path != "" {
		return fmt.Errorf("the history was damaged: a new one was created, the old one is %s", path)
	}
	return nil
}

// storeVisit records a visit. Visits to a temporary demo are kept in memory only.
func (st *State) storeVisit(ctx context.Context, asked, u urlcore.URL, title string, visitTime time.Time) error {
	if st.demo.Load().isTemporary(u) {
		st.index.AddVisit(u, clean.Text(title), visitTime)
		return nil
	}
	return st.Visits.Visit(ctx, u, clean.Text(title), visitTime, asked)
}

// complete returns completions of the typed text: search words, groups, news servers, corrected schemes,
// URLs of the history and the bookmarks, gofer's own pages, and searches for words that are no URL. It
// ignores errors of the history, which the screen reports when it records a visit.
func (st *State) complete(ctx context.Context, typed string, limit int) []ask.Completion {
	st.news.readGroupsFor(typed)
	rows := st.news.completeGroup(typed)
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
			for _, a := range urlcore.OtherGuesses(g, false) {
				rows = append(rows, ask.Completion{Text: a.URL.String(), Title: a.Text})
			}
		}
	}
	found, _ := st.index.Complete(ctx, typed, 4*limit)
	words := strings.Join(strings.Fields(typed), " ")
	isOther := func(c history.Completion) bool { return !strings.EqualFold(c.Title, words) }
	titled := slices.DeleteFunc(slices.Clone(found), isOther)
	found = slices.DeleteFunc(found, func(c history.Completion) bool { return !isOther(c) })
	for _, c := range slices.Concat(titled, found[:min(len(found), limit)]) {
		rows = append(rows, ask.Completion{Text: c.URL, Title: c.Title})
	}
	for _, name := range st.aboutPages().Names() {
		if u := about.Page(name).String(); len(typed) > 1 && (strings.HasPrefix(u, typed) || strings.HasPrefix(name, typed)) && u != typed {
			rows = append(rows, ask.Completion{Text: u})
		}
	}
	searches := st.searches(typed)
	searches = searches[:min(len(searches), limit*5/8)]
	return append(rows[:min(len(rows), limit-len(searches))], searches...)
}

// searches returns the searches for typed words that are no URL: through the history, what was read and
// the bookmarks, and those of the settings. A word without punctuation is a host, but may also be meant as a
// word to search for.
func (st *State) searches(typed string) (rows []ask.Completion) {
	words := strings.Join(strings.Fields(typed), " ")
	if strings.Contains(words, "://") {
		return nil
	}
	if _, err := st.guess(words); strings.Contains(words, " ") && err == nil || !strings.Contains(words, " ") && (len(words) < 3 || strings.ContainsAny(words, ".:/@[~")) {
		return nil
	}
	add := func(name, title string, exists bool) {
		if exists { // in restricted mode they belong to another person
			rows = append(rows, ask.Completion{Text: name + ": " + words, Title: title})
		}
	}
	mayRemember := st.Config.RememberText == nil || *st.Config.RememberText // if it is not set, the page asks
	add("history", "search the history", st.Visits != nil)
	add("search", "search in what I have read", st.Visits != nil && mayRemember)
	add("bookmarks", "search the bookmarks", st.Bookmarks != nil)
	for _, name := range st.Config.Search.Names() {
		rows = append(rows, ask.Completion{Text: name + " " + words, Title: "search " + st.Config.Search[name]})
	}
	return rows
}

func (st *State) aboutPages() *about.Client {
	if own, ok := st.fetchers.Registry["about"].(*about.Client); ok {
		return own
	}
	return new(about.Client)
}

// GuessArgument returns the URL of an argument of the command line.
func (st *State) GuessArgument(arg string) (urlcore.URL, error) {
	st.news.readGroupsFor(arg)
	return st.guess(arg)
}

// guess is like [urlcore.Guess], but also knows search words, news servers, groups and gofer's own pages.
func (st *State) guess(typed string) (urlcore.URL, error) {
	if u, ok, err := st.Config.Search.Expand(typed); ok {
		return u, err
	}
	if u, ok, err := st.Config.News.Expand(typed); ok {
		return u, err
	}
	if _, ok := st.Config.News[strings.TrimSpace(typed)]; ok {
		return about.NewsURL(strings.TrimSpace(typed)), nil
	}
	if strings.EqualFold(typed, "news:") {
		return about.Page("news"), nil
	}
	if u, ok := about.PageOfWords(typed); ok {
		return u, nil
	}
	if u, ok := st.news.groups.Load(strings.TrimSpace(typed)); ok {
		return u.(urlcore.URL), nil
	}
	return urlcore.Guess(typed)
}

func (st *State) recentURLs(ctx context.Context, limit int) []string {
	urls, _ := st.index.Recent(ctx, limit)
	return urls
}

// Warn prints err, unless it is nil. The command continues.
func (st *State) Warn(err error) {
	if err != nil {
		fmt.Fprintf(st.start.Err, "gofer: %s\n", st.start.ErrorLine(err))
	}
}

// Close closes the stores, the idle connections and the demo.
func (st *State) Close() {
	st.Downloads.Close()
	st.closeFetchers()
	st.Copies.Close()
	if st.Visits != nil {
		st.Warn(st.Visits.Close())
	}
	st.Warn(st.pins.Close())
	err := st.news.store.Close()
	if err != nil && !isBusy(err) {
		err = fmt.Errorf("read articles were not recorded: %w", err)
	}
	st.Warn(err)
	st.closed.Store(true)
	if world, err := st.startDemo(); err == nil {
		_ = world.Close()
	}
}

// demoPages returns the pages of the demo. If world is nil, it starts the demo.
func (st *State) demoPages(world World) (d about.Demo, err error) {
	if world == nil {
		if world, err = st.startDemo(); err != nil {
			return d, fmt.Errorf("start the demo: %w", err)
		}
		st.demo.Store(&demoServers{World: world, temporary: true})
	}
	if d.Tour, err = urlcore.Parse(world.TourURL()); err != nil {
		return d, err
	}
	for s, title := range world.URLs() {
		u, err := urlcore.Parse(s)
		if err != nil {
			return d, err
		}
		d.Pages = append(d.Pages, about.Item{URL: u, Title: title})
	}
	return d, nil
}

type serverCharsets struct{ st *State }

func (c serverCharsets) All() (map[string]string, error) { return c.st.charsets.All() }

func (c serverCharsets) Set(u urlcore.URL, server, charset string) error {
	if c.st.demo.Load().isTemporary(u) {
		return nil
	}
	return c.st.charsets.Set(server, charset)
}

// ReadingOf returns the Reading for the server of u, with the charset chosen by the user or the settings.
func (st *State) ReadingOf(u urlcore.URL) clean.Reading {
	addr, ok := urlcore.Addr(u)
	if !ok {
		return clean.Reading{}
	}
	addr = cmp.Or(addr, u.Scheme())
	chosen, _ := st.charsets.All() // after an error the settings apply
	c, _ := charset.Parse(cmp.Or(chosen[addr], st.Config.HostCharset(addr)))
	return clean.Reading{Charset: c}
}
