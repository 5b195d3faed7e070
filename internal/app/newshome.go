package app

import (
	"context"
	"iter"
	"slices"
	"time"

	"gofer/internal/pages/about"
	"gofer/protocols"
	"gofer/urlcore"
)

// newsCounter counts the articles of groups.
type newsCounter interface {
	// Counts yields a line for each group, with its range of article numbers. It returns when the server has answered.
	Counts(ctx context.Context, server urlcore.URL, names []string) (iter.Seq2[protocols.Line, error], error)
	// NewGroups returns the groups created since a time, and the server's time.
	NewGroups(ctx context.Context, server urlcore.URL, since time.Time) (groups []protocols.Line, now time.Time, err error)
	// StoredCounts returns the range of article numbers in the stored overview of a group, or nil.
	StoredCounts(server urlcore.URL, name string) *protocols.GroupNote
}

// newsServers returns the default news server, the servers of the settings, and the servers whose
// newsrc files have a subscribed group.
func newsServers(s Setup, client newsCounter) []about.NewsServer {
	servers := []about.NewsServer{{All: urlcore.News{Group: "*"}}}
	for _, name := range s.Config.News.All() {
		if all, ok := s.Config.News.Server(name); ok {
			servers = append(servers, about.NewsServer{Name: name, All: all})
		}
	}
	for _, all := range s.news.subscribedServers() {
		if !slices.ContainsFunc(servers, func(s about.NewsServer) bool { return s.All.Addr() == all.Addr() }) {
			servers = append(servers, about.NewsServer{All: all, MaybeTLS: all.Port != 0 && !all.Secure})
		}
	}
	for i := range servers {
		servers[i].Groups = func(ctx context.Context, all urlcore.News) (iter.Seq2[protocols.Line, error], error) {
			return subscribedGroups(ctx, s, client, all)
		}
		servers[i].New = func(ctx context.Context, all urlcore.News) ([]protocols.Line, time.Time, error) {
			return newGroups(ctx, s, client, all)
		}
	}
	return servers
}

// subscribedGroups yields the subscribed groups of a news server, each with the count of its unread articles.
// If the server does not answer, subscribedGroups returns the error together with the groups, whose counts come from
// stored overviews; the error follows them, too. Otherwise subscribedGroups cuts the lines of groups that the server has
// numbered anew, and yields notes about them.
func subscribedGroups(ctx context.Context, s Setup, client newsCounter, server urlcore.News) (iter.Seq2[protocols.Line, error], error) {
	file, err := s.news.File(server)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, g := range file.Groups() {
		if g.Subscribed {
			names = append(names, g.Name)
		}
	}
	lines, failure := client.Counts(ctx, server, names)
	if failure != nil {
		lines = func(yield func(protocols.Line, error) bool) { yield(protocols.Line{}, failure) }
	}
	highs := make(map[string]uint64) // the high marks of groups that the server has numbered anew
	withUnread := func(line protocols.Line) protocols.Line {
		if note, ok := line.Note.(*protocols.GroupNote); ok && !note.Unknown {
			g, _ := file.Group(line.Text)
			if note.Count > 0 && note.High >= note.Low && g.Read.Last() > note.High {
				highs[line.Text] = note.High
			}
			note.Subscribed, note.Unread = true, g.Unread(note.Low, note.High, note.Count)
		}
		return line
	}
	return func(yield func(protocols.Line, error) bool) {
		answered := 0
		for line, err := range lines {
			if err != nil {
				for _, name := range names[answered:] {
					line := groupLine(server, name)
					if note := client.StoredCounts(server, name); note != nil {
						line.Note = note
					}
					if !yield(withUnread(line), nil) {
						return
					}
				}
			}
			if !yield(withUnread(line), err) || err != nil {
				return
			}
			answered++
		}
		if len(highs) == 0 {
			return
		}
		for _, note := range s.news.cut(server, highs) {
			if !yield(protocols.Line{Kind: protocols.Heading, Text: note}, nil) { // dump --unread leaves out lines of the kind Info
				return
			}
		}
	}, failure
}

// groupLine returns the line of a group whose article numbers are unknown. The line has a link, because articles
// of the group may be stored.
func groupLine(server urlcore.News, name string) protocols.Line {
	line := protocols.Line{Kind: protocols.Group, Text: name, Note: &protocols.GroupNote{Subscribed: true, Unknown: true}}
	var u urlcore.URL = urlcore.News{Group: name}
	if group := urlcore.NewsGroup(server); group.Host != "" {
		group.Group = name
		u = group
	}
	if u, err := urlcore.Canon(u); err == nil {
		line.Link = u
	}
	return line
}

// newGroups returns the groups that were created since the last request of an earlier run and are not in the
// newsrc file. It also returns the time of that request.
func newGroups(ctx context.Context, s Setup, client newsCounter, server urlcore.URL) ([]protocols.Line, time.Time, error) {
	since := s.news.lastRequest(server)
	groups, now, err := client.NewGroups(ctx, server, since)
	if err != nil {
		return nil, since, err
	}
	file, err := s.news.File(server)
	if err != nil {
		return nil, since, err
	}
	groups = slices.DeleteFunc(groups, func(line protocols.Line) bool {
		_, known := file.Group(line.Text)
		return known
	})
	return groups, since, s.news.recordRequest(server, now)
}
