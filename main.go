// Gofer is a terminal browser for Gopher, FTP and Usenet news. This file builds the table of
// schemes. It is the only file that imports the packages of all schemes.
package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"runtime/debug"

	"gofer/internal/app"
	"gofer/internal/cli"
	"gofer/internal/cli/hideterm"
	"gofer/internal/demo"
	"gofer/internal/policy/restrict"
	"gofer/internal/program"
	"gofer/internal/text/document"
	"gofer/internal/userfile/config"
	"gofer/internal/wire"
	"gofer/internal/wire/pins"
	"gofer/protocols"
	"gofer/protocols/cso"
	"gofer/protocols/dict"
	"gofer/protocols/external"
	"gofer/protocols/file"
	"gofer/protocols/finger"
	"gofer/protocols/ftp"
	"gofer/protocols/gemini"
	"gofer/protocols/gopher"
	"gofer/protocols/ldap"
	"gofer/protocols/mailto"
	"gofer/protocols/messageid"
	"gofer/protocols/nfs"
	"gofer/protocols/nntp"
	"gofer/protocols/prospero"
	"gofer/protocols/sftp"
	"gofer/protocols/telnet"
	"gofer/protocols/wais"
	"gofer/protocols/web"
	"gofer/protocols/whois"
	"gofer/protocols/whoispp"
	"gofer/protocols/z3950"
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

func main() { os.Exit(run(newSchemes)) }

func run(schemes app.Schemes) int {
	hideterm.Restore()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	p := &cli.Program{Start: app.Start{
		Version:    versionOf(version, commit, info),
		Schemes:    schemes,
		StartWorld: func(host string) (app.World, error) { return demo.StartWorldAs(host) },
		Err:        os.Stderr,
		Getenv:     os.Getenv,
	}, In: os.Stdin, Out: os.Stdout}
	return p.Run(context.Background(), os.Args[1:])
}

// newSchemes returns the fetchers of all schemes, and a function that closes idle connections.
func newSchemes(s app.Setup) (protocols.Registry, func()) {
	dialer := s.Config.Timeouts.Dialer()
	dialer.TLS.Pins, dialer.Offline, dialer.Locals, dialer.Memory = s.Pins, s.Offline, s.Locals, s.Memory
	dialer.TLS.Ends, dialer.TLS.Identities = &s, s.Identities
	if s.Config.Restrict.Enabled {
		dialer.Allow = &s.Config.Restrict
	}
	dialer.TLS.Scheme = "https"
	webClient := &web.Client{Dialer: dialer, PlainPasswords: s.Config.PlainPasswords} // web.Client chooses its proxies itself
	dialer.Proxies = wire.ProxiesOf(s.Getenv, "all")
	dialerFor := func(scheme string) wire.Dialer {
		d := dialer
		d.Proxies, d.TLS.Scheme = wire.ProxiesOf(s.Getenv, scheme), scheme
		return d
	}
	gopherClient := &gopher.Client{Dialer: dialerFor("gopher"), Phonebook: &cso.Client{Dialer: dialerFor("cso")}, PlainPasswords: s.Config.PlainPasswords}
	ftpClient := &ftp.Client{Dialer: dialerFor("ftp"), PlainPasswords: s.Config.PlainPasswords, PreferActive: s.Config.FTPActive, AnonymousPassword: s.AnonymousPassword, AskPort: s.AskPort, Habits: s.Habits}
	newsClient := &nntp.Client{Dialer: dialerFor("nntp"), Server: s.Config.NewsServer, NewestArticles: s.Config.NewestArticles, Copies: s.Copies, PlainPasswords: s.Config.PlainPasswords, Habits: s.Habits, NewestArticlesOf: func(addr string) int {
		return config.HostSetting(&s.Config, addr, func(h config.Host) int { return h.NewestArticles })
	}}
	z3950Client := &z3950.Client{Dialer: dialerFor("z39.50"), PlainPasswords: s.Config.PlainPasswords}
	ldapClient := &ldap.Client{Dialer: dialerFor("ldap"), PlainPasswords: s.Config.PlainPasswords, Getenv: s.Getenv}
	geminiClient := &gemini.Client{Dialer: dialerFor("gemini"), Drafts: s.Dirs.Drafts(), CheckUpload: s.CheckPost}
	table := protocols.Registry{
		"gemini": geminiClient, "titan": geminiClient, "spartan": geminiClient,
		"http": webClient, "https": webClient, "form": webClient,
		"gopher": gopherClient, "gophers": gopherClient,
		"ftp": ftpClient, "ftps": ftpClient,
		"sftp": newSFTPClient(s, dialerFor("sftp")),
		"nfs":  &nfs.Client{Dialer: dialerFor("nfs"), Anonymous: s.IsAnonymous},
		"news": newsClient, "snews": newsClient, "nntp": newsClient, "nntps": newsClient,
		"telnet": &telnet.Client{Dialer: dialerFor("telnet")},
		"wais":   &wais.Client{Dialer: dialerFor("wais")},
		"z39.50": z3950Client, "z39.50r": z3950Client, "z39.50s": z3950Client,
		"file":     &file.Client{Restricted: s.Config.Restrict.Enabled, Types: s.FileTypes},
		"prospero": &prospero.Client{Dialer: dialer},
		"finger":   &finger.Client{Dialer: dialerFor("finger")},
		"whois":    &whois.Client{Dialer: dialerFor("whois")},
		"whois++":  &whoispp.Client{Dialer: dialerFor("whois++")},
		"dict":     &dict.Client{Dialer: dialerFor("dict")},
		"ldap":     ldapClient, "ldaps": ldapClient,
	}
	messageIDs := &messageid.Client{News: newsClient, Open: s.Open.Fetch, Part: document.ContentURL}
	table["mid"], table["cid"] = messageIDs, messageIDs
	addExternalSchemes(table, s, dialerFor("smtp"))
	return table, func() {
		for _, f := range table {
			if c, ok := f.(io.Closer); ok {
				_ = c.Close() // a client of several schemes is closed several times
			}
		}
	}
}

// newSFTPClient returns the client of sftp URLs. In restricted mode, it uses no files of the user. Keys of servers are written to
// ~/.ssh/known_hosts only when certificates of servers are recorded, too.
func newSFTPClient(s app.Setup, dialer wire.Dialer) *sftp.Client {
	c := &sftp.Client{Dialer: dialer}
	if !s.Config.Restrict.Enabled {
		c.Getenv = s.Getenv
	}
	if store, ok := s.Pins.(*pins.Store); ok {
		c.MayRecord = store.Keep
	}
	return c
}

// addExternalSchemes adds mail, and the schemes that are only explained unless the user has set a program.
func addExternalSchemes(table protocols.Registry, s app.Setup, smtp wire.Dialer) {
	if s.Config.Restrict.Enabled {
		for _, scheme := range external.Schemes() {
			table[scheme.Name] = restrict.NoPrograms{}
		}
		table["mailto"], table["mailserver"] = restrict.NoPrograms{}, restrict.NoPrograms{}
		return
	}
	sendmail, _ := program.Words(s.Config.Mail.Sendmail)
	mailer := &mailto.Client{
		Dialer: smtp, Drafts: s.Dirs.Drafts(),
		From: s.Config.Mail.From, SMTP: s.Config.Mail.SMTP, Sendmail: sendmail,
	}
	table["mailto"], table["mailserver"] = mailer, mailer
	for _, scheme := range external.Schemes() {
		c := &external.Client{Files: table["file"]}
		if _, ok := s.Config.Open[scheme.Name]; ok {
			c.Programs = s.Programs
		}
		table[scheme.Name] = c
	}
}
