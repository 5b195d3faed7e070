package app

import (
	"cmp"
	"context"
	"errors"

	"gofer/history"
	"gofer/history/bookmarks"
	"gofer/internal/pages/about"
	"gofer/internal/pages/explain"
	"gofer/internal/program"
	"gofer/internal/usenet/compose"
	"gofer/internal/usenet/newsservers"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/ui"
	"gofer/urlcore"
)

// ownPages returns the program's own pages, without the pages of news.
func ownPages(s Setup, table *protocols.Guarded) *about.Client {
	pages := &about.Client{
		Open: s.openFunc(table),
		Keys: func(kind string) []about.Key {
			rows := ui.Help(kind, &s.Config)
			return MapSlice(rows, func(k ui.KeyHelp) about.Key { return about.Key{Group: k.Section, Keys: k.Keys, Help: k.Help} })
		},
		KeyPreset: s.Config.Keys.Preset,
		Search: MapSlice(s.Config.Search.Names(), func(name string) about.SearchWord {
			return about.SearchWord{Name: name, Template: s.Config.Search[name]}
		}),
		Explain:     func(u urlcore.URL) []protocols.Line { return explain.URL(u, table.Plan).Lines() },
		ConfigError: s.ConfigError,
		Version:     s.Version,
		SchemeState: table.State,
	}
	if s.Bookmarks != nil {
		addBookmarks(pages, s)
	}
	if s.Config.Restrict.Enabled {
		pages.MayOpen = func(u urlcore.URL) bool { return mayOpen(&s.Config, u) }
	} else {
		addUserData(pages, s)
	}
	return pages
}

// openFunc returns the function that fetches the archives and mailboxes whose parts are pages. It also keeps copies of them.
func (s *Setup) openFunc(table *protocols.Guarded) func(context.Context, protocols.Request) (*protocols.Resource, error) {
	if s.Copies == nil || s.Config.Restrict.Enabled {
		return table.Fetch
	}
	return s.keeper(table).Fetch
}

// mayOpen reports whether the rules of the restricted mode allow the server of u, or the news server of the settings.
func mayOpen(c *config.Config, u urlcore.URL) bool {
	server, err := serverURL(c, u)
	if err != nil {
		return c.Restrict.CheckServer("") == nil
	}
	return c.Restrict.CheckURL(server) == nil
}

// serverURL returns u, or the URL of the news server of the settings if u is a news: URL without a server.
func serverURL(c *config.Config, u urlcore.URL) (urlcore.URL, error) {
	if news, ok := u.(urlcore.News); ok && news.Host == "" {
		return newsservers.Parse(cmp.Or(c.News[c.NewsServer], c.NewsServer))
	}
	return u, nil
}

func addBookmarks(pages *about.Client, s Setup) {
	pages.BookmarkFile = s.Dirs.Bookmarks()
	pages.Bookmarks = func(context.Context) ([]about.Item, error) {
		marks, err := s.Bookmarks.List()
		return MapSlice(marks, func(b bookmarks.Bookmark) about.Item {
			return about.Item{URL: b.URL, Fragment: b.Fragment, Title: b.Text(), Folder: b.Folder}
		}), err
	}
	pages.SkippedLines = func() (about.SkippedLines, error) {
		lines, err := s.Bookmarks.SkippedLines()
		return about.SkippedLines(lines), err
	}
}

// addUserData adds pages with the user's visits, tabs, downloads, drafts and settings.
func addUserData(pages *about.Client, s Setup) {
	pages.Visits = func(ctx context.Context, words string, limit int) ([]about.Item, error) {
		visits, err := s.Visits.Search(ctx, words, limit)
		if errors.Is(err, history.ErrBusy) {
			err = about.ErrBusy
		}
		return MapSlice(visits, func(v history.Visit) about.Item {
			return about.Item{URL: v.URL, Title: v.Title, At: v.Last, Count: v.Count}
		}), err
	}
	pages.Texts = func(ctx context.Context, words string, limit int) ([]about.FoundText, error) {
		found, err := s.Visits.SearchText(ctx, words, limit)
		if errors.Is(err, history.ErrBusy) {
			err = about.ErrBusy
		}
		return MapSlice(found, func(f history.FoundText) about.FoundText {
			return about.FoundText{Item: about.Item{URL: f.URL, Title: f.Title, At: f.Last, Count: f.Count}, Line: f.Line}
		}), err
	}
	pages.RemembersText = remembersText(&s.Config)
	pages.DamagedHistory = s.Visits.DamagedFile
	pages.Verify = program.VerifySignature
	addFollowed(pages, s)
	pages.LastSession, pages.StartDemo = s.LastSession, s.StartDemo
	pages.Downloads, pages.LeftDownloads = s.Downloads.Lines, s.Downloads.Recover
	if s.Dirs.State != "" {
		pages.Later = s.laterItems
	}
	pages.Identities = s.Identities
	pages.SettingsFile = s.Dirs.Settings()
	pages.Settings = s.listSettings
	pages.Drafts = func() ([]about.Item, error) {
		drafts, err := compose.Drafts(s.Dirs.Drafts())
		return MapSlice(drafts, func(d compose.SavedDraft) about.Item {
			return about.Item{URL: d.URL, Title: d.Title(), At: d.Modified}
		}), err
	}
}

// MapSlice returns the results of convert for all items.
func MapSlice[From, To any](items []From, convert func(From) To) []To {
	list := make([]To, len(items))
	for i, v := range items {
		list[i] = convert(v)
	}
	return list
}
