package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gofer/internal/pages/about"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/usenet/newsservers"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// newsFiles are the user's newsrc files: ~/.newsrc for the default news server, ~/.newsrc-HOST for
// other servers, and files in memory for about:demo.
type newsFiles struct {
	store       *newsrc.Store
	server      string            // the default news server, "host:port"
	serverNames newsservers.Names // the servers of the settings by name
	home        string
	isDemo      func(u urlcore.URL) bool    // reports whether u leads to the servers of about:demo
	timesFile   string                      // the file with the times of requests for new groups, or ""
	isPrivate   func() bool                 // reports whether timesFile must not be written; may be nil
	lastTimes   func() map[string]time.Time // returns the times that earlier runs wrote to timesFile

	readGroups sync.Once // see readGroupsFor
	groups     sync.Map  // urlcore.URL by name: groups in newsrc files, and groups seen in this run
	groupCount atomic.Int32
}

const memoryPrefix = "demo:" // the prefix of the names of servers without a file

func newNewsFiles(home, locks, pending, server string, isDemo func(urlcore.URL) bool) *newsFiles {
	f := &newsFiles{store: new(newsrc.Store), home: home, isDemo: isDemo}
	f.lastTimes = sync.OnceValue(f.readTimes)
	if u, err := newsservers.Parse(server); err == nil {
		f.server = u.Addr()
	}
	f.store.Locks, f.store.Pending = locks, pending
	f.store.Path = func(server string) string {
		switch {
		case home == "" || strings.HasPrefix(server, memoryPrefix):
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

// serverOf returns the name of u's server in f.store: "host:port", or "" for the default server. The name of a
// server without a file begins with memoryPrefix.
func (f *newsFiles) serverOf(u urlcore.URL) string {
	if name, ok := about.NewsName(u); ok { // the page of a server's subscribed groups
		newsServer, _ := f.serverNames.Server(name)
		newsServer.Group, u = "*", newsServer
	}
	server, _ := urlcore.Addr(u)
	if server == f.server {
		server = ""
	}
	if f.isDemo(u) {
		return memoryPrefix + server
	}
	return server
}

// File returns the newsrc file for the server of u.
func (f *newsFiles) File(u urlcore.URL) (*newsrc.File, error) {
	return f.store.File(f.serverOf(u))
}

// FirstArticle returns the function that finds the first unread article of a group, see [protocols.Request.FirstArticle].
func (st *State) FirstArticle(group urlcore.URL) protocols.FirstArticleFunc {
	return st.news.firstArticleFunc(group, st.Config.ReadBeforeUnread)
}

func isBusy(err error) bool {
	_, ok := errors.AsType[*newsrc.BusyError](err)
	return ok
}

// addGroup records the group with the given name if the name has a dot. It records at most 50,000
// groups. If several servers have the group, the default server takes precedence.
func (f *newsFiles) addGroup(u urlcore.URL, name string) {
	group := urlcore.NewsGroup(u)
	server := urlcore.News{HostPort: group.HostPort, Secure: group.Secure, Group: "*"}
	if server.Addr() == f.server {
		server = urlcore.News{Group: "*"}
	}
	_, known := f.groups.Load(name)
	if link := groupLine(server, name).Link; link != nil && strings.Contains(name, ".") && (known && server.Host == "" || !known && f.groupCount.Add(1) <= 50_000) {
		f.groups.Store(name, link)
	}
}

// completeGroup returns at most five known groups whose names begin with the typed text, sorted by URL. The text
// must have at least two octets.
func (f *newsFiles) completeGroup(typed string) (rows []ask.Completion) {
	for name, u := range f.groups.Range {
		if len(typed) > 1 && strings.HasPrefix(name.(string), typed) {
			rows = append(rows, ask.Completion{Text: u.(urlcore.URL).String(), Title: "newsgroup"})
		}
	}
	slices.SortFunc(rows, func(a, b ask.Completion) int { return strings.Compare(a.Text, b.Text) })
	return rows[:min(len(rows), 5)]
}

// readGroupsFor reads all newsrc files if the typed text may be the name of a group. It reads them only once.
func (f *newsFiles) readGroupsFor(typed string) {
	if strings.ContainsAny(strings.TrimSpace(typed), "/:@ ") {
		return
	}
	f.readGroups.Do(func() {
		for _, server := range append(f.serversWithFile(), urlcore.News{Group: "*"}) {
			if file, err := f.File(server); err == nil && server.Host+f.server != "" { // errors are reported when a group is opened
				for _, g := range file.Groups() {
					f.addGroup(server, g.Name)
				}
			}
		}
	})
}

// groupRecorder is a Fetcher that records the groups that are opened or listed.
type groupRecorder struct {
	Fetcher
	news *newsFiles
}

func (f groupRecorder) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	r, err := f.Fetcher.Fetch(ctx, req)
	if group := urlcore.NewsGroup(req.URL).Group; err == nil && group != "" && group != "*" {
		f.news.addGroup(req.URL, group)
	} else if err == nil && group == "*" {
		lines := r.Lines
		r.Lines = func(yield func(protocols.Line, error) bool) {
			lines(func(line protocols.Line, err error) bool {
				if line.Kind == protocols.Group {
					f.news.addGroup(req.URL, line.Text)
				}
				return yield(line, err)
			})
		}
	}
	return r, err
}

func (f *newsFiles) Change(u urlcore.URL, edit func(*newsrc.File)) error {
	return f.store.Change(f.serverOf(u), edit)
}

// firstArticleFunc returns a function for [protocols.Request.FirstArticle]. The function returns the article number
// of the first unread article after the first read one, minus lead. The articles before any read one do not count: the user
// may have begun with the newest articles of the group. It returns 0 if there is no such article, or if the newsrc file
// cannot be read. It cuts the line of a group that the server has numbered anew.
func (f *newsFiles) firstArticleFunc(server urlcore.URL, lead int) protocols.FirstArticleFunc {
	return func(group string, low, high uint64) (first uint64, note string) {
		file, err := f.File(server)
		if err != nil {
			return 0, ""
		}
		g, _ := file.Group(group)
		if g.Read.Last() > high {
			note = strings.Join(f.cut(server, map[string]uint64{group: high}), "; ")
		}
		low = max(low, 1)
		if first = g.Read.Missing(g.Read.Next(low)); g.Read.Count(low, high) == 0 || first > high {
			return 0, note
		}
		return max(low, first-min(first, uint64(lead))), note
	}
}

// cut removes the numbers above the high marks of the server from the read articles of groups, see [newsrc.Store.Cut].
// It returns notes for the user. In private mode it does nothing.
func (f *newsFiles) cut(server urlcore.URL, highs map[string]uint64) (notes []string) {
	if f.isPrivate != nil && f.isPrivate() {
		return nil
	}
	name := f.serverOf(server)
	groups, err := f.store.Cut(name, highs)
	for _, group := range groups {
		notes = append(notes, fmt.Sprintf("%s ends at %d now: the higher marks of read articles were removed", group, highs[group]))
	}
	if path := f.store.ReplacedFile(name); path != "" && len(notes) > 0 {
		notes[len(notes)-1] += " (kept in " + path + ")"
	}
	if err != nil && !isBusy(err) {
		notes = append(notes, "read articles not saved: "+err.Error())
	}
	return notes
}

// checkPost returns an error if articles must not be posted.
func (st *State) checkPost() error {
	if !st.Config.ReadOnly {
		return nil
	}
	return &protocols.Error{Op: "post", Err: ErrReadOnly.Err}
}

func (f *newsFiles) markRead(server urlcore.URL, numbers []protocols.Crosspost) error {
	return f.Change(server, func(file *newsrc.File) {
		for _, n := range numbers {
			g, _ := file.Group(n.Group)
			g.Read = g.Read.Union(newsrc.Numbers{{First: n.Number, Last: n.Number}})
			file.Set(g)
		}
	})
}
