// Gofer is a terminal browser for Gopher, FTP and Usenet news. This file builds the table of
// schemes. It is the only file that imports the packages of all schemes.
package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"gofer/internal/cli"
	"gofer/internal/cli/hideterm"
	"gofer/internal/demo"
	"gofer/internal/pages/about"
	"gofer/internal/policy/gateway"
	"gofer/internal/policy/portguard"
	"gofer/internal/policy/restrict"
	"gofer/internal/program"
	"gofer/internal/program/opener"
	"gofer/internal/text/document"
	"gofer/internal/usenet/compose"
	"gofer/internal/usenet/posting"
	"gofer/internal/userfile/config"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/cso"
	"gofer/protocols/dict"
	"gofer/protocols/external"
	"gofer/protocols/file"
	"gofer/protocols/finger"
	"gofer/protocols/ftp"
	"gofer/protocols/gemini"
	"gofer/protocols/gopher"
	"gofer/protocols/mailto"
	"gofer/protocols/messageid"
	"gofer/protocols/nntp"
	"gofer/protocols/prospero"
	"gofer/protocols/telnet"
	"gofer/protocols/wais"
	"gofer/protocols/web"
	"gofer/protocols/whois"
	"gofer/urlcore"
)

// The linker sets version and commit in a release.
var version, commit string

// versionOf returns a text with the version and the commit. If version is "", the text says
// "development". If commit is "", the commit comes from info, Go's build information.
func versionOf(version, commit string, info *debug.BuildInfo) string {
	version = cmp.Or(version, "development")
	suffix := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && commit == "":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			suffix = " with changes"
		}
	}
	commit = cmp.Or(commit, "unknown")
	return version + ", commit " + commit[:min(len(commit), 12)] + suffix
}

func main() { os.Exit(run(newFetchers)) }

func run(newFetchers func(cli.Setup) (protocols.Registry, func())) int {
	hideterm.Restore()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	p := &cli.Program{
		Version:    versionOf(version, commit, info),
		Fetchers:   newFetchers,
		StartWorld: func(host string) (cli.World, error) { return demo.StartWorldAs(host) },
		In:         os.Stdin,
		Out:        os.Stdout,
		Err:        os.Stderr,
		Getenv:     os.Getenv,
	}
	return p.Run(context.Background(), os.Args[1:])
}

// newFetchers returns the table of schemes, and a function that closes idle connections.
func newFetchers(s cli.Setup) (protocols.Registry, func()) {
	dialer := s.Config.Timeouts.Dialer()
	dialer.TLS.Pins, dialer.Offline, dialer.Locals, dialer.Memory = s.Pins, s.Offline, s.Locals, s.Memory
	dialer.TLS.Ends = &s
	if s.Config.Restrict.Enabled {
		dialer.Allow = &s.Config.Restrict
	}
	webClient := &web.Client{Dialer: dialer, PlainPasswords: s.Config.PlainPasswords} // web.Client chooses its proxies itself
	dialer.Proxies = wire.ProxiesOf(s.Getenv, "all")
	dialerFor := func(scheme string) wire.Dialer {
		d := dialer
		d.Proxies = wire.ProxiesOf(s.Getenv, scheme)
		return d
	}
	gopherClient := &gopher.Client{Dialer: dialerFor("gopher"), Phonebook: &cso.Client{Dialer: dialerFor("cso")}, PlainPasswords: s.Config.PlainPasswords}
	ftpClient := &ftp.Client{Dialer: dialerFor("ftp"), PlainPasswords: s.Config.PlainPasswords, PreferActive: s.Config.FTPActive, AnonymousPassword: s.AnonymousPassword}
	newsClient := &nntp.Client{Dialer: dialerFor("nntp"), Server: s.Config.NewsServer, NewestArticles: s.Config.NewestArticles, Copies: s.Copies, PlainPasswords: s.Config.PlainPasswords, NewestArticlesOf: func(addr string) int {
		return config.HostSetting(&s.Config, addr, func(h config.Host) int { return h.NewestArticles })
	}}
	waisClient := &wais.Client{Dialer: dialerFor("wais")}
	geminiClient := &gemini.Client{Dialer: dialerFor("gemini")}
	table := protocols.Registry{
		"gemini": geminiClient, "spartan": geminiClient,
		"http": webClient, "https": webClient, "form": webClient,
		"gopher": gopherClient, "gophers": gopherClient,
		"ftp": ftpClient, "ftps": ftpClient,
		"news": newsClient, "snews": newsClient, "nntp": newsClient, "nntps": newsClient,
		"telnet":   &telnet.Client{Dialer: dialerFor("telnet")},
		"wais":     waisClient,
		"file":     &file.Client{Restricted: s.Config.Restrict.Enabled, Types: s.FileTypes},
		"prospero": &prospero.Client{Dialer: dialer},
		"finger":   &finger.Client{Dialer: dialerFor("finger")},
		"whois":    &whois.Client{Dialer: dialerFor("whois")},
		"dict":     &dict.Client{Dialer: dialerFor("dict")},
	}
	mailer := addExternalSchemes(table, s, dialerFor("smtp"))
	messageIDs := &messageid.Client{News: newsClient, Open: table.Fetch, Part: document.ContentURL}
	table["mid"], table["cid"] = messageIDs, messageIDs
	guard := &portguard.Guard{Ask: s.Config.AskPorts, Plan: table.Plan, Shared: wire.Remember(s.Memory, new(portguard.Consents))}
	table[protocols.Guard], ftpClient.AskPort = guard, guard.DataPort
	if s.Config.Restrict.Enabled {
		restrictFetchers(table, s.Config.Restrict)
	}
	ownPages := cli.OwnPages(s, table)
	ownPages.SchemeState = func(u urlcore.URL) string { return schemeState(s, table, u) }
	ownPages.News = func() []about.NewsServer { return cli.NewsServers(s, newsClient) }
	addPosting(ownPages, s, table, newsClient, mailer)
	table["about"] = ownPages
	return table, func() {
		_ = ftpClient.Close()
		_ = newsClient.Close()
		_ = waisClient.Close()
	}
}

// addExternalSchemes adds mail, the schemes that other programs or gateways open, and schemes that
// are only explained. It returns the mailer.
func addExternalSchemes(table protocols.Registry, s cli.Setup, smtp wire.Dialer) *mailto.Client {
	sendmail, _ := program.Words(s.Config.Mail.Sendmail)
	mailer := &mailto.Client{
		Dialer: smtp, Drafts: s.Dirs.Drafts(),
		From: s.Config.Mail.From, SMTP: s.Config.Mail.SMTP, Sendmail: sendmail,
	}
	table["mailto"], table["mailserver"] = mailer, mailer
	if _, ok := s.Config.Open["mailto"]; ok {
		table["mailto"] = s.Programs
	}
	for _, scheme := range external.Schemes() {
		c := &external.Client{Files: table["file"]}
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
	for _, scheme := range []string{"http", "https"} { // if Always is set, the user prefers a browser
		if s.Programs.Rules[scheme].Always {
			table[scheme] = s.Programs
		}
	}
	for scheme, template := range s.Config.Gateway {
		table[scheme] = &gateway.Client{Template: template, Registry: table}
	}
	return mailer
}

// addPosting adds the pages for writing articles, except in restricted mode.
func addPosting(ownPages *about.Client, s cli.Setup, table protocols.Registry, newsClient *nntp.Client, mailer *mailto.Client) {
	if s.Config.Restrict.Enabled {
		return
	}
	dirs, post := s.Dirs, s.Config.Post
	version, _, _ := strings.Cut(s.Version, ",")
	client := &posting.Client{
		Server: newsClient, Open: table.Fetch, MarkRead: s.MarkRead,
		Mail: func(ctx context.Context, u urlcore.URL, t compose.Text) error {
			if table["mailto"] == protocols.Fetcher(mailer) {
				return mailer.Compose(u, t, false)
			}
			_, err := table.Fetch(ctx, protocols.Request{URL: mailto.URL(t)}) // another program sends mail
			return err
		},
		Check: func(ctx context.Context, server urlcore.URL) error {
			if err := s.CheckPost(); err != nil {
				return err
			}
			_, err := table[protocols.Guard].Fetch(protocols.WithChange(ctx), protocols.Request{URL: server})
			return err
		},
		Drafts: dirs.Drafts(), Secret: dirs.CancelSecret(), Agent: "gofer/" + version,
		From: cmp.Or(post.From, s.Config.Mail.From), Attribution: post.Attribution,
		Signature: config.HomePath(s.Getenv, post.Signature), Sent: config.HomePath(s.Getenv, post.Sent),
	}
	ownPages.Compose, ownPages.Post = client.Fetch, client.Put
}

// restrictFetchers limits the fetchers to URLs that the rules allow.
func restrictFetchers(table protocols.Registry, rules restrict.Rules) {
	guard := table[protocols.Guard]
	for scheme, f := range table {
		switch f.(type) {
		case *opener.Programs, *external.Client, *mailto.Client:
			f = restrict.NoPrograms{}
		}
		table[scheme] = restrict.RestrictedFetcher{Fetcher: f}
	}
	table[protocols.Guard] = restrict.Guard{Rules: rules, Next: guard}
}

func schemeState(s cli.Setup, table protocols.Registry, u urlcore.URL) string {
	fetcher := table[u.Scheme()]
	if restricted, ok := fetcher.(restrict.RestrictedFetcher); ok {
		fetcher = restricted.Fetcher
	}
	switch f := fetcher.(type) {
	case nil:
		return "nothing"
	case restrict.NoPrograms:
		return "not opened here"
	case *file.Client:
		if f.Restricted {
			return "not opened here"
		}
	case *gateway.Client:
		return "the gateway " + f.Host()
	case *external.Client:
		if f.Programs != nil {
			return programState(s, u)
		}
		if _, err := f.Plan(u); err != nil {
			return "explained only"
		}
	case *opener.Programs:
		return programState(s, u)
	}
	return "built in"
}

func programState(s cli.Setup, u urlcore.URL) string {
	h, err := s.Programs.HandoffForURL(u)
	if err != nil {
		return "no program found"
	}
	return "the program " + filepath.Base(h.Argv[0])
}
