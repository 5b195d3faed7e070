package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gofer/internal/pages/about"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/usenet/newsservers"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// newsFiles are the newsrc files of the user: ~/.newsrc for the set news server,
// ~/.newsrc-host for others, and files in memory for the demo.
type newsFiles struct {
	store  *newsrc.Store
	server string            // that is set, "host:port"
	named  newsservers.Names // the others
	home   string
	isDemo func(of urlcore.URL) bool   // reports whether the URL is one of the demo
	times  string                      // the file with the times of the requests for new groups; "": none
	silent func() bool                 // reports whether nothing is written there now; may be nil
	since  func() map[string]time.Time // returns the times of the last run

	readAll sync.Once // see readFor
	groups  sync.Map  // urlcore.URL by name: of newsrc files and of this run
	count   atomic.Int32
}

const inMemory = "demo:" // begins the names of servers that have no file

func newNewsFiles(home, locks, pending, server string, isDemo func(urlcore.URL) bool) *newsFiles {
	f := &newsFiles{store: new(newsrc.Store), home: home, isDemo: isDemo}
	f.since = sync.OnceValue(f.readTimes)
	if u, err := newsservers.Parse(server); err == nil {
		f.server = u.Addr()
	}
	f.store.Locks, f.store.Pending = locks, pending
	f.store.Path = func(server string) string {
		switch {
		case home == "" || strings.HasPrefix(server, inMemory):
			return ""
		case server == "":
			return filepath.Join(home, ".newsrc")
		}
		return filepath.Join(home, ".newsrc-"+strings.Map(func(r rune) rune {
			if strings.ContainsRune(`/\:[]<>"|?*`, r) {
				return '_'
			}
			return r
		}, strings.TrimSuffix(server, ":119")))
	}
	return f
}

// serverOf returns the name that the store uses for the server of a URL.
func (f *newsFiles) serverOf(u urlcore.URL) string {
	if name, ok := about.NewsName(u); ok { // the groups that are subscribed
		named, _ := f.named.Server(name)
		named.Group, u = "*", named
	}
	server, _ := urlcore.Addr(u)
	if server == f.server {
		server = ""
	}
	if f.isDemo(u) {
		return inMemory + server
	}
	return server
}

// File returns the newsrc file of the server that a URL names.
func (f *newsFiles) File(of urlcore.URL) (*newsrc.File, error) {
	return f.store.File(f.serverOf(of))
}

// know notes a group with a dot in its name, at most 50,000 groups. The set server wins over u.
func (f *newsFiles) know(u urlcore.URL, name string) {
	of := urlcore.NewsGroup(u)
	server := urlcore.News{HostPort: of.HostPort, Secure: of.Secure, Group: "*"}
	if server.Addr() == f.server {
		server = urlcore.News{Group: "*"}
	}
	_, known := f.groups.Load(name)
	if link := unknownGroup(server, name).Link; link != nil && strings.Contains(name, ".") && (known && server.Host == "" || !known && f.count.Add(1) <= 50_000) {
		f.groups.Store(name, link)
	}
}

// complete returns at most five known groups that typed begins, the shortest first.
func (f *newsFiles) complete(typed string) (rows []ask.Completion) {
	for name, u := range f.groups.Range {
		if len(typed) > 1 && strings.HasPrefix(name.(string), typed) {
			rows = append(rows, ask.Completion{Text: u.(urlcore.URL).String(), Title: "newsgroup"})
		}
	}
	slices.SortFunc(rows, func(a, b ask.Completion) int { return strings.Compare(a.Text, b.Text) })
	return rows[:min(len(rows), 5)]
}

// readFor reads the newsrc files, once, if typed may be the name of a group.
func (f *newsFiles) readFor(typed string) {
	if strings.ContainsAny(strings.TrimSpace(typed), "/:@ ") {
		return
	}
	f.readAll.Do(func() {
		for _, server := range append(f.known(), urlcore.News{Group: "*"}) {
			if file, err := f.File(server); err == nil && server.Host+f.server != "" { // the group shows an error when it is opened
				for _, g := range file.Groups() {
					f.know(server, g.Name)
				}
			}
		}
	})
}

// groupNoter is a Fetcher that notes the groups which are opened or listed.
type groupNoter struct {
	protocols.Fetcher
	news *newsFiles
}

func (f groupNoter) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	r, err := f.Fetcher.Fetch(ctx, u)
	if group := urlcore.NewsGroup(u).Group; err == nil && group != "" && group != "*" {
		f.news.know(u, group)
	} else if err == nil && group == "*" {
		lines := r.Lines
		r.Lines = func(yield func(protocols.Line, error) bool) {
			lines(func(line protocols.Line, err error) bool {
				if line.Kind == protocols.Group {
					f.news.know(u, line.Text)
				}
				return yield(line, err)
			})
		}
	}
	return r, err
}

func (f *newsFiles) Change(of urlcore.URL, edit func(*newsrc.File)) error {
	return f.store.Change(f.serverOf(of), edit)
}

const maxUnread = 5000 // bounds the articles of a group that are shown because they are unread

// from returns a function for [protocols.WithFirstArticle]: it returns the number of the first
// article of a group on the screen, or 0 if none or all are read. The parameter before is how
// many articles are shown ahead of the first unread one.
func (f *newsFiles) from(of urlcore.URL, before int) func(group string, low, high uint64) uint64 {
	return func(group string, low, high uint64) uint64 {
		file, err := f.File(of)
		if err != nil {
			return 0
		}
		g, _ := file.Group(group)
		first := g.Read.Missing(max(low, 1))
		if g.Read.Count(low, high) == 0 || first > high {
			return 0
		}
		return max(low, 1, first-min(first, uint64(before)), high-min(high, maxUnread))
	}
}

// articleOrder is how the articles of a group are sorted.
func articleOrder(c *config.Config) nav.Order {
	by, reversed := strings.CutPrefix(c.SortArticles, "-")
	switch by {
	case "age":
		by = nav.AsSent
	case "subject":
		by = nav.ByName
	}
	return nav.Order{By: by, Reversed: reversed, Flat: c.Threads == "flat"}
}
