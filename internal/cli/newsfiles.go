package cli

import (
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gofer/internal/pages/about"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/usenet/newsservers"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/urlcore"
)

// newsFiles are the newsrc files of the user: ~/.newsrc for the set news server,
// ~/.newsrc-host for others, and files in memory for the demo.
type newsFiles struct {
	store  newsrc.Store
	server string            // that is set, "host:port"
	named  newsservers.Names // the others
	home   string
	isDemo func(of urlcore.URL) bool   // reports whether the URL is one of the demo
	times  string                      // the file that tells when servers were asked for new groups; "": none
	silent func() bool                 // reports whether nothing is written there now; may be nil
	own    atomic.Pointer[newsrc.File] // of the server that is set, as it was last read; nil until then
	since  func() map[string]time.Time // returns the times of the last run
}

const inMemory = "demo:" // begins the names of servers that have no file

func newNewsFiles(home, locks, pending, server string, isDemo func(urlcore.URL) bool) *newsFiles {
	f := &newsFiles{home: home, isDemo: isDemo}
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

// serverOf is the name by which the store knows the server that a URL names.
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

// File is what is remembered of the server that a URL names.
func (f *newsFiles) File(of urlcore.URL) (*newsrc.File, error) {
	server := f.serverOf(of)
	file, err := f.store.File(server)
	if err == nil && server == f.serverOf(urlcore.News{Group: "*"}) {
		f.own.Store(file)
	}
	return file, err
}

// group returns the URL of a group in the newsrc file of the set server. If mayRead is
// set, a file that was not read yet is read.
func (f *newsFiles) group(name string, mayRead bool) (u urlcore.News, ok bool) {
	name = strings.TrimSpace(name)
	if f.server == "" || !strings.Contains(name, ".") || strings.ContainsAny(name, "/:@ ") {
		return u, false
	}
	own := f.own.Load()
	if own == nil && mayRead {
		own, _ = f.File(urlcore.News{Group: "*"}) // what is wrong is told when the group is opened
	}
	if own != nil {
		_, ok = own.Group(name)
	}
	return urlcore.News{Group: name}, ok
}

func (f *newsFiles) Change(of urlcore.URL, edit func(*newsrc.File)) error {
	return f.store.Change(f.serverOf(of), edit)
}

const maxUnread = 5000 // bounds the articles of a group that are shown because they are unread

// from returns a function for [protocols.WithFrom]: it returns the number of the first
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
