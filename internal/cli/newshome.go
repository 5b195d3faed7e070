package cli

import (
	"context"
	"iter"
	"slices"
	"time"

	"gofer/internal/pages/about"
	"gofer/protocols"
	"gofer/urlcore"
)

// NewsClient asks news servers.
type NewsClient interface {
	// Counts yields the numbers of groups, when the server has answered.
	Counts(ctx context.Context, server urlcore.URL, names []string) (iter.Seq2[protocols.Line, error], error)
	// NewGroups are those that have been made since then, and the server's time.
	NewGroups(ctx context.Context, server urlcore.URL, since time.Time) (groups []protocols.Line, now time.Time, err error)
	// KeptCounts returns the numbers of a group in its kept overview, or nil without one.
	KeptCounts(server urlcore.URL, name string) *protocols.GroupNote
}

// NewsServers returns the servers of news: URLs, of the settings, and of newsrc files.
func NewsServers(s Setup, client NewsClient) []about.NewsServer {
	servers := []about.NewsServer{{All: urlcore.News{Group: "*"}}}
	for _, name := range s.Config.News.All() {
		if all, ok := s.Config.News.Server(name); ok {
			servers = append(servers, about.NewsServer{Name: name, All: all})
		}
	}
	for _, all := range s.news.Servers() {
		if !slices.ContainsFunc(servers, func(s about.NewsServer) bool { return s.All.Addr() == all.Addr() }) {
			servers = append(servers, about.NewsServer{All: all, MaybeTLS: all.Port != 0 && !all.Secure})
		}
	}
	for i := range servers {
		servers[i].Groups = func(ctx context.Context, all urlcore.News) (iter.Seq2[protocols.Line, error], error) {
			return subscribed(ctx, s, client, all)
		}
		servers[i].New = func(ctx context.Context, all urlcore.News) ([]protocols.Line, time.Time, error) {
			return newGroups(ctx, s, client, all)
		}
	}
	return servers
}

// subscribed yields the subscribed groups of a news server, with the unread articles.
func subscribed(ctx context.Context, s Setup, client NewsClient, server urlcore.News) (iter.Seq2[protocols.Line, error], error) {
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
	lines, err := client.Counts(ctx, server, names)
	if err != nil {
		lines = func(yield func(protocols.Line, error) bool) { yield(protocols.Line{}, err) }
	}
	counted := func(line protocols.Line) protocols.Line {
		if note, ok := line.Note.(*protocols.GroupNote); ok && !note.Unknown {
			g, _ := file.Group(line.Text)
			note.Subscribed, note.Unread = true, g.Unread(note.Low, note.High)
		}
		return line
	}
	return func(yield func(protocols.Line, error) bool) {
		shown := 0
		for line, err := range lines {
			if err != nil {
				for _, name := range names[shown:] {
					line := unknownGroup(server, name)
					if note := client.KeptCounts(server, name); note != nil {
						line.Note = note
					}
					if !yield(counted(line), nil) {
						return
					}
				}
			}
			if !yield(counted(line), err) {
				return
			}
			shown++
		}
	}, nil
}

// unknownGroup is a group of a server that does not answer: it may have kept copies.
func unknownGroup(server urlcore.News, name string) protocols.Line {
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

// newGroups returns the groups made since the last run that are not in the newsrc file.
func newGroups(ctx context.Context, s Setup, client NewsClient, server urlcore.URL) ([]protocols.Line, time.Time, error) {
	since := s.news.Since(server)
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
	return groups, since, s.news.Asked(server, now)
}
