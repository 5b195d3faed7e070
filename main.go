// Gofer is a terminal browser for Gopher, FTP and Usenet news. This file joins
// the packages: it is the only one that knows them all.
package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"gofer/history"
	"gofer/internal/about"
	"gofer/internal/cli"
	"gofer/internal/compose"
	"gofer/internal/config"
	"gofer/internal/document"
	"gofer/internal/explain"
	"gofer/internal/gateway"
	"gofer/internal/loopback"
	"gofer/internal/outside"
	"gofer/internal/ports"
	"gofer/internal/posting"
	"gofer/internal/restrict"
	"gofer/internal/tmuxenv"
	"gofer/internal/watch"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/cso"
	"gofer/protocols/dict"
	"gofer/protocols/file"
	"gofer/protocols/finger"
	"gofer/protocols/ftp"
	"gofer/protocols/gemini"
	"gofer/protocols/gopher"
	"gofer/protocols/mailto"
	"gofer/protocols/mid"
	"gofer/protocols/named"
	"gofer/protocols/nntp"
	"gofer/protocols/prospero"
	"gofer/protocols/telnet"
	"gofer/protocols/wais"
	"gofer/protocols/web"
	"gofer/protocols/whois"
	"gofer/ui"
	"gofer/urlcore"
)

// The linker sets these in a release.
var version, commit string

// versionOf says what has been built: the version and commit of a release, or
// else what Go has noted of the working tree.
func versionOf(version, commit string, info *debug.BuildInfo) string {
	if version == "" {
		version = "development"
	}
	changed := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && commit == "":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " with changes"
		}
	}
	if commit == "" {
		commit = "unknown"
	}
	return version + ", commit " + commit[:min(len(commit), 12)] + changed
}

func main() { os.Exit(run(fetchers)) }

// run is gofer with a scheme table.
func run(table func(cli.Setup) (protocols.Registry, func())) int {
	tmuxenv.Restore()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	p := &cli.Program{
		Version:    versionOf(version, commit, info),
		Fetchers:   table,
		StartWorld: func() (cli.World, error) { return loopback.StartWorld() },
		In:         os.Stdin,
		Out:        os.Stdout,
		Err:        os.Stderr,
		Getenv:     os.Getenv,
	}
	return p.Run(context.Background(), os.Args[1:])
}

// fetchers is the scheme table.
func fetchers(s cli.Setup) (protocols.Registry, func()) {
	dialer := s.Config.Timeouts.Dialer()
	dialer.TLS.Pins = s.Pins
	if s.Config.Restrict.Enabled {
		dialer.Allow = &s.Config.Restrict
	}
	direct := dialer
	dialer.Proxies = wire.ProxiesOf(s.Getenv, "all")
	by := func(scheme string) wire.Dialer {
		d := dialer
		d.Proxies = wire.ProxiesOf(s.Getenv, scheme)
		return d
	}
	menus := &gopher.Client{Dialer: by("gopher"), Phonebook: &cso.Client{Dialer: by("cso")}}
	files := &ftp.Client{Dialer: by("ftp"), PlainPasswords: s.Config.PlainPasswords, Active: s.Config.FTPActive}
	news := &nntp.Client{Dialer: by("nntp"), Server: s.Config.NewsServer, Newest: s.Config.NewestArticles, Copies: s.Copies, PlainPasswords: s.Config.PlainPasswords, NewestOf: func(addr string) int {
		return config.HostSetting(&s.Config, addr, func(h config.Host) int { return h.NewestArticles })
	}}
	databases := &wais.Client{Dialer: by("wais")}
	pages := &web.Client{Dialer: direct, PlainPasswords: s.Config.PlainPasswords}
	capsules := &gemini.Client{Dialer: by("gemini")}
	table := protocols.Registry{
		"gemini":  capsules,
		"spartan": capsules,
		"http":    pages,
		"https":   pages,
		"form":    pages,
		"gopher":  menus,
		"gophers": menus,
		"ftp":     files,
		"ftps":    files,
		"news":    news,
		"snews":   news,
		"nntp":    news,
		"nntps":   news,
		"telnet":  &telnet.Client{Dialer: by("telnet")},
		"wais":    databases,
		"file":    &file.Client{Restricted: s.Config.Restrict.Enabled},

		"prospero": &prospero.Client{Dialer: dialer},
		"finger":   &finger.Client{Dialer: by("finger")},
		"whois":    &whois.Client{Dialer: by("whois")},
		"dict":     &dict.Client{Dialer: by("dict")},
	}
	mail := addOthers(table, s, by("smtp"))
	ids := &mid.Client{News: news, Open: table.Fetch, Part: document.ContentURL}
	table["mid"], table["cid"] = ids, ids
	table[protocols.Guard] = &ports.Guard{Ask: s.Config.AskPorts, Plan: table.Plan}
	if s.Config.Restrict.Enabled {
		restrictTo(table, s.Config.Restrict)
	}
	own := ownPages(s, table)
	own.News = func() []about.NewsServer { return cli.NewsServers(s, news) }
	addPosting(own, s, table, news, mail)
	table["about"] = own
	return table, func() {
		_ = files.Close()
		_ = news.Close()
		_ = databases.Close()
	}
}

// addOthers adds what is sent, explained, or opened by other programs and servers.
// It returns the mailer.
func addOthers(table protocols.Registry, s cli.Setup, smtp wire.Dialer) *mailto.Client {
	sendmail, _ := outside.Words(s.Config.Mail.Sendmail)
	mail := &mailto.Client{
		Dialer: smtp, Drafts: config.FindDirs(s.Getenv).Drafts(),
		From: s.Config.Mail.From, SMTP: s.Config.Mail.SMTP, Sendmail: sendmail,
	}
	table["mailto"], table["mailserver"] = mail, mail
	if _, ok := s.Config.Open["mailto"]; ok {
		table["mailto"] = s.Programs
	}
	for _, scheme := range named.Schemes() {
		c := &named.Client{Files: table["file"]}
		if _, ok := s.Config.Open[scheme.Name]; ok {
			c.Programs = s.Programs
		}
		table[scheme.Name] = c
	}
	for _, scheme := range []string{"rlogin", "tn3270"} {
		if table[scheme] == nil {
			table[scheme] = s.Programs
		}
	}
	for _, scheme := range []string{"http", "https"} { // the user would rather have a browser, unasked
		if s.Programs.Rules[scheme].Always {
			table[scheme] = s.Programs
		}
	}
	for scheme, template := range s.Config.Gateway {
		table[scheme] = &gateway.Client{Template: template, Registry: table}
	}
	return mail
}

// addPosting adds the pages by which articles are written, but for restricted readers.
func addPosting(own *about.Client, s cli.Setup, table protocols.Registry, news *nntp.Client, mail *mailto.Client) {
	if s.Config.Restrict.Enabled {
		return
	}
	dirs, post := config.FindDirs(s.Getenv), s.Config.Post
	version, _, _ := strings.Cut(s.Version, ",")
	c := &posting.Client{
		Server: news, Open: table.Fetch, Read: s.MarkRead,
		Mail: func(ctx context.Context, u urlcore.URL, t compose.Text) error {
			if table["mailto"] == protocols.Fetcher(mail) {
				return mail.Compose(u, t, false)
			}
			_, err := table.Fetch(ctx, mailto.URL(t)) // the user has a program for it
			return err
		},
		Check: func(ctx context.Context, server urlcore.URL) error {
			if err := s.CheckWrite(); err != nil {
				return err
			}
			_, err := table[protocols.Guard].Fetch(ctx, server)
			return err
		},
		Drafts: dirs.Drafts(), Secret: dirs.CancelSecret(), Agent: "gofer/" + version,
		From: cmp.Or(post.From, s.Config.Mail.From), Attribution: post.Attribution,
		Signature: config.HomePath(s.Getenv, post.Signature), Sent: config.HomePath(s.Getenv, post.Sent),
	}
	own.Compose, own.Post = c.Fetch, c.Put
	own.Drafts = func() ([]about.Item, error) {
		drafts, err := compose.Drafts(c.Drafts)
		return items(drafts, func(d compose.Kept) about.Item {
			return about.Item{URL: d.URL, Title: d.Title(), At: d.Modified}
		}), err
	}
}

// restrictTo lets readers fetch what the rules allow, and nothing else.
func restrictTo(table protocols.Registry, rules restrict.Rules) {
	guard := table[protocols.Guard]
	for scheme, f := range table {
		switch f.(type) {
		case *outside.Programs, *named.Client, *mailto.Client:
			f = restrict.NoPrograms{}
		}
		table[scheme] = restrict.Reader{Fetcher: f}
	}
	table[protocols.Guard] = restrict.Guard{Rules: rules, Next: guard}
}

// ownPages are the program's own pages: what they tell comes from the history,
// the bookmarks, the table of keys and the plans of the fetchers.
func ownPages(s cli.Setup, table protocols.Registry) *about.Client {
	pages := &about.Client{
		Visits: func(ctx context.Context, words string, limit int) ([]about.Item, error) {
			visits, err := s.Visits.Search(ctx, words, limit)
			if errors.Is(err, history.ErrBusy) {
				err = about.ErrBusy
			}
			return items(visits, func(v history.Visit) about.Item {
				return about.Item{URL: v.URL, Title: v.Title, At: v.Last, Count: v.Count}
			}), err
		},
		Damaged: s.Visits.Damaged,
		Open:    table.Fetch,
		Changes: func(ctx context.Context) (about.Changes, error) { return changes(ctx, s, table) },
		Bookmarks: func(context.Context) ([]about.Item, error) {
			marks, err := s.Bookmarks.List()
			return items(marks, func(b history.Bookmark) about.Item {
				return about.Item{URL: b.URL, Title: b.Text(), Folder: b.Folder}
			}), err
		},
		File: s.BookmarksFile,
		SkippedLines: func() (about.SkippedLines, error) {
			lines, err := s.Bookmarks.SkippedLines()
			return about.SkippedLines(lines), err
		},
		Demo: func(context.Context) ([]about.Item, error) {
			pages, err := s.Demo()
			return items(pages, func(p cli.DemoPage) about.Item { return about.Item{URL: p.URL, Title: p.Title} }), err
		},
		SchemeState:   func(u urlcore.URL) string { return schemeState(s, table, u) },
		Restorable:    s.Restorable,
		Keys:          keys(s.Config.Keys, s.Config.Restrict.Enabled),
		Downloads:     s.Downloads.Lines,
		LeftDownloads: s.Downloads.Recover,
		Search: items(s.Config.Search.Names(), func(name string) about.SearchWord {
			return about.SearchWord{Name: name, Template: s.Config.Search[name]}
		}),
		Explain:     func(u urlcore.URL) []protocols.Line { return explain.URL(u, table.Plan).Lines() },
		ConfigError: s.ConfigError,
		Version:     s.Version,
	}
	if s.Config.Restrict.Enabled {
		pages.Downloads, pages.LeftDownloads = nil, nil
	}
	return pages
}

// schemeState tells what opens u.
func schemeState(s cli.Setup, table protocols.Registry, u urlcore.URL) string {
	switch f := table[u.Scheme()].(type) {
	case nil:
		return "nothing"
	case *gateway.Client:
		return "the gateway " + f.Host()
	case *named.Client:
		if f.Programs != nil {
			return programState(s, u)
		}
		if _, err := f.Plan(u); err != nil {
			return "explained only"
		}
	case *outside.Programs:
		return programState(s, u)
	}
	return "built in"
}

// programState tells which program opens u.
func programState(s cli.Setup, u urlcore.URL) string {
	h, err := s.Programs.URL(u)
	if err != nil {
		return "no program found"
	}
	return "the program " + filepath.Base(h.Argv[0])
}

// changes compares the bookmarked pages, each once, with the last visits.
func changes(ctx context.Context, s cli.Setup, table protocols.Registry) (about.Changes, error) {
	marks, err := s.Bookmarks.List()
	if err != nil {
		return about.Changes{}, err
	}
	var known []about.Item
	var urls []urlcore.URL
	seen := make(map[urlcore.URL]bool)
	for _, b := range marks {
		if seen[b.URL] {
			continue
		}
		seen[b.URL] = true
		_, ok, err := s.Visits.CountNew(ctx, b.URL, nil)
		if err != nil {
			return about.Changes{}, err
		}
		if ok {
			known, urls = append(known, about.Item{URL: b.URL, Title: b.Title}), append(urls, b.URL)
		}
	}
	count := func(ctx context.Context, u urlcore.URL, links []uint64) (int, error) {
		n, _, err := s.Visits.CountNew(ctx, u, links)
		return n, err
	}
	return about.Changes{Known: len(known), Unknown: len(seen) - len(known), All: func(yield func(about.Change) bool) {
		for r := range watch.Look(ctx, table, urls, count) {
			if !yield(about.Change{Item: known[r.Index], New: r.New, Err: r.Err}) {
				return
			}
		}
	}}, nil
}

// keys is the table of keys for the help page.
func keys(bindings ui.Bindings, restricted bool) []about.Key {
	section := ""
	all := slices.DeleteFunc(ui.Keys(bindings), func(k ui.KeyHelp) bool { return restricted && k.Restricted() })
	return items(all, func(k ui.KeyHelp) about.Key {
		key := about.Key{Keys: strings.Join(k.Keys, " "), Help: k.Help}
		if k.Section != section {
			section, key.Group = k.Section, k.Section
		}
		return key
	})
}

// items maps a list.
func items[From, To any](from []From, to func(From) To) []To {
	list := make([]To, len(from))
	for i, v := range from {
		list[i] = to(v)
	}
	return list
}
