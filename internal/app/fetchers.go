package app

import (
	"cmp"
	"context"
	"maps"
	"strings"

	"gofer/internal/pages/about"
	"gofer/internal/policy/gateway"
	"gofer/internal/policy/portguard"
	"gofer/internal/policy/restrict"
	"gofer/internal/program/opener"
	"gofer/internal/usenet/compose"
	"gofer/internal/usenet/posting"
	"gofer/internal/userfile/config"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// NewFetchers adds to the schemes what the settings say: other programs, gateways, the rules of the restricted mode, the
// question about ports, and gofer's own pages unless the schemes have others.
func NewFetchers(s Setup, schemes Schemes) (*protocols.Guarded, func()) {
	fetchers := new(protocols.Guarded)
	guard := &portguard.Guard{
		Ask: s.Config.AskPorts, Shared: wire.Remember(s.Memory, new(portguard.Consents)),
		Plan: func(u urlcore.URL) ([]protocols.Step, error) { return fetchers.Plan(u) },
	}
	s.Open, s.AskPort = fetchers, guard.DataPort
	table := make(protocols.Registry)
	known, closeIdle := schemes(s)
	maps.Copy(table, known)
	fetchers.Registry, fetchers.Guard = table, guard
	news, _ := table["news"].(newsClient)
	mail, _ := table["mailto"].(mailer)
	addPrograms(table, s)
	if s.Config.Restrict.Enabled {
		for scheme, f := range table {
			if _, ok := f.(*opener.Programs); ok {
				f = restrict.NoPrograms{}
			}
			table[scheme] = restrict.RestrictedFetcher{Fetcher: f}
		}
		fetchers.Guard = restrict.Guard{Rules: s.Config.Restrict, Next: guard}
	}
	if table["about"] != nil {
		return fetchers, closeIdle
	}
	pages := ownPages(s, fetchers)
	if news != nil {
		pages.News = func() []about.NewsServer { return newsServers(s, news) }
	}
	addPosting(pages, s, fetchers, news, mail)
	table["about"] = pages
	return fetchers, closeIdle
}

// addPrograms adds the schemes that other programs or gateways open.
func addPrograms(table protocols.Registry, s Setup) {
	if _, ok := s.Config.Open["mailto"]; ok {
		table["mailto"] = s.Programs
	}
	for _, scheme := range []string{"rlogin", "tn3270"} {
		if table[scheme] == nil {
			table[scheme] = s.Programs
		}
	}
	for _, scheme := range []string{"http", "https"} { // if Always is set, the user prefers a browser
		if s.Programs.Rules[scheme].Always {
			table[scheme] = s.Programs
		}
	}
	for scheme, template := range s.Config.Gateway {
		table[scheme] = &gateway.Client{Template: template, Registry: s.Open}
	}
}

// newsClient sends requests to news servers.
type newsClient interface {
	posting.Server
	newsCounter
}

// mailer is the client that sends mail.
type mailer interface {
	protocols.Fetcher
	// Compose returns the error that asks the user for the message t with the URL u.
	Compose(u urlcore.URL, t compose.Text, unchanged bool) error
}

// addPosting adds the pages for writing articles, except in restricted mode.
func addPosting(pages *about.Client, s Setup, fetchers *protocols.Guarded, news newsClient, mail mailer) {
	if s.Config.Restrict.Enabled {
		return
	}
	dirs, post := s.Dirs, s.Config.Post
	version, _, _ := strings.Cut(s.Version, ",")
	client := &posting.Client{
		Server: news, Open: fetchers.Fetch, MarkRead: s.MarkRead,
		Mail: func(ctx context.Context, u urlcore.URL, t compose.Text) error {
			if fetchers.Registry["mailto"] == protocols.Fetcher(mail) {
				return mail.Compose(u, t, false)
			}
			_, err := fetchers.Fetch(ctx, protocols.Request{URL: t.URL()}) // another program sends mail
			return err
		},
		Check: func(ctx context.Context, server urlcore.URL) error {
			if err := s.CheckPost(); err != nil {
				return err
			}
			return fetchers.Guard.Allow(ctx, protocols.Request{URL: server}, true)
		},
		Drafts: dirs.Drafts(), Secret: dirs.CancelSecret(), Agent: "gofer/" + version,
		From: cmp.Or(post.From, s.Config.Mail.From), Attribution: post.Attribution,
		Signature: config.HomePath(s.Getenv, post.Signature), Sent: config.HomePath(s.Getenv, post.Sent),
	}
	pages.Compose, pages.Post = client.Fetch, client.Put
}
