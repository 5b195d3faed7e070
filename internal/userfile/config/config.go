// Package config reads what the user has set: one TOML file and a few
// environment variables.
package config

import (
	"fmt"
	"net"
	"regexp"
	"sync"
	"time"

	"gofer/internal/policy/gateway"
	"gofer/internal/policy/portguard"
	"gofer/internal/policy/restrict"
	"gofer/internal/usenet/newsservers"
	"gofer/internal/userfile/searchkeyword"
	"gofer/internal/wire"
)

// Config is what a user can set, see [Defaults].
type Config struct {
	// NewsServer is where news: URLs go: "host", "host:port" or "nntps://host/".
	NewsServer string `toml:"news_server"`
	// NewestArticles is how many articles of a group are shown at most, up to
	// [MaxArticles].
	NewestArticles int `toml:"newest_articles"`
	// ReadBeforeUnread is how many articles a group whose reader has left off in it
	// shows before the first that is unread.
	ReadBeforeUnread int `toml:"read_before_unread"`
	// KeptCopies is how many MB of articles and overviews are kept on the disk; 0:
	// none.
	KeptCopies int `toml:"kept_copies"`
	// SortArticles is what those of a group are sorted by, with "-" before it the
	// other way round: "activity", "date", "subject", "author", "number", "score"
	// or "lines".
	SortArticles string `toml:"sort_articles"`
	// Threads is how a group shows them: "unfolded", "folded" or "flat".
	Threads string `toml:"threads"`
	// Prefetch fetches the next unread article while one is being read.
	Prefetch bool `toml:"prefetch"`
	// ScoreFile has the rules by which articles are killed or scored, in slrn's
	// syntax; "": none.
	ScoreFile string `toml:"score_file"`
	// PlainPasswords lets passwords be sent to servers without TLS unasked.
	PlainPasswords bool `toml:"plain_passwords"`
	// AskPorts are the ports to which nothing is sent before the reader agrees,
	// but for a scheme's own.
	AskPorts portguard.Ports `toml:"ask_ports"`
	// PasswordCommand prints the password for a server, see the README; split at
	// blanks outside of quotes, no shell reads it.
	PasswordCommand string `toml:"password_command"`
	// ReadOnly keeps everything from being changed on servers.
	ReadOnly bool `toml:"read_only"`
	// FTPActive has FTP servers make the data connections.
	FTPActive bool `toml:"ftp_active"`
	// Downloads is the folder for saved files.
	Downloads string `toml:"downloads"`
	// PreferHTML shows the HTML of articles that come as text and as HTML.
	PreferHTML bool `toml:"prefer_html"`
	// ASCII draws the screen without characters outside ASCII.
	ASCII bool `toml:"ascii"`
	// Mouse lets the mouse scroll and follow; the terminal then selects text
	// only with Shift held.
	Mouse bool `toml:"mouse"`
	// Theme is the name of a set of colours: "auto", "dark", "light", "terminal",
	// "contrast" or "colourblind".
	Theme string `toml:"theme"`
	// Colors take the place of colours of the theme.
	Colors Colors `toml:"colors"`
	// Images is how pictures are shown: "auto", "kitty", "sixel", "blocks" or
	// "none".
	Images string `toml:"images"`
	// Hyperlinks tells when the terminal is told the URLs of links: "auto",
	// "always" or "never".
	Hyperlinks string `toml:"hyperlinks"`
	// Restore is what becomes of the tabs when the program is left.
	Restore string `toml:"restore"`
	// Timeouts are how long a server may take.
	Timeouts Timeouts `toml:"timeouts"`
	// News are other news servers by name, as NewsServer has them, which may be one
	// of the names itself.
	News newsservers.Names `toml:"news"`
	// Search are words of the URL bar that stand for a search.
	Search searchkeyword.Templates `toml:"search"`
	// Open are the programs for what is opened outside, by media type
	// ("image/png", "image/*") or scheme ("https").
	Open map[string]Open `toml:"open"`
	// Gateway are URLs through which those of a scheme are opened, by the scheme.
	Gateway gateway.Templates `toml:"gateway"`
	// Mail is how mail is sent.
	Mail Mail `toml:"mail"`
	// Post is how news articles are written.
	Post Post `toml:"post"`
	// Keys are those of actions, by what reads them and the action's name.
	Keys map[string]map[string][]string `toml:"keys"`
	// Restrict is what a reader at a public terminal may not do.
	Restrict restrict.Rules `toml:"restrict"`
	// Host are settings for servers, by "host" or "host:port".
	Host map[string]Host `toml:"host"`
}

// Mail is what is set for sending mail.
type Mail struct {
	// From is who writes: "Joe <joe@example.org>".
	From string `toml:"from"`
	// SMTP is the server, "smtp://user@host:587" or "smtps://user@host"; "":
	// Sendmail.
	SMTP string `toml:"smtp"`
	// Sendmail is the program and its arguments, as [Open.Command] has them.
	Sendmail string `toml:"sendmail"`
}

// Post is what is set for writing news articles. Paths may begin with "~/".
type Post struct {
	// From is who writes; "": as in [Mail].
	From string `toml:"from"`
	// Attribution is the line above a quote, with %n for the name of the author, %a the
	// address, %d the date, %i the Message-ID, %g the groups and %s the subject.
	Attribution string `toml:"attribution"`
	// Signature is the file of what ends an article; "": nothing does.
	Signature string `toml:"signature"`
	// Sent is the mbox file to which articles are added that were posted; "": none.
	Sent string `toml:"sent"`
}

// Host is what is set for one server.
type Host struct {
	// Charset is that in which its pages are read; "": by what is on them.
	Charset string `toml:"charset"`
	// Wrap wraps long lines of its pages, or does not; nil: as elsewhere.
	Wrap *bool `toml:"wrap"`
	// NewestArticles is as in [Config]; 0: as elsewhere.
	NewestArticles int `toml:"newest_articles"`
}

// HostSetting returns what f is for the server addr, a "host:port": of the first
// of that and "host" for which it is not zero.
func HostSetting[T comparable](c *Config, addr string, f func(Host) T) T {
	var zero T
	if v := f(c.Host[addr]); v != zero {
		return v
	}
	name, _, err := net.SplitHostPort(addr)
	if err != nil {
		return zero
	}
	return f(c.Host[name])
}

// Defaults are the settings of who has set nothing. What is empty in them has no
// default.
func Defaults(env func(string) string) Config {
	return Config{
		NewestArticles: 500,
		KeptCopies:     64,
		SortArticles:   "activity",
		Threads:        "unfolded",
		Prefetch:       true,
		ScoreFile:      "~/.score",
		AskPorts:       portguard.DefaultPorts(),
		Downloads:      downloads(env),
		Theme:          "auto", Images: "auto", Hyperlinks: "auto", Restore: RestoreAsk, ReadBeforeUnread: 5,
		Mail: Mail{Sendmail: "/usr/sbin/sendmail -i -t"},
		Post: Post{Attribution: "On %d, %n wrote:", Signature: "~/.signature"},
		Timeouts: Timeouts{
			Connect: Duration{wire.DefaultConnect}, FirstByte: Duration{wire.DefaultFirstByte}, Idle: Duration{wire.DefaultIdle},
		},
	}
}

// Open is a program of [Config.Open].
type Open struct {
	// Command is the program and its arguments, split at blanks outside of
	// quotes; no shell reads it. %s is the file or URL.
	Command string `toml:"command"`
	// Terminal says that it runs in the terminal, not in a window of its own.
	Terminal bool `toml:"terminal"`
	// Always runs it without a question.
	Always bool `toml:"always"`
}

// Colors are those that a theme has. An empty one is the theme's.
type Colors struct {
	Accent  Color `toml:"accent"`
	Dim     Color `toml:"dim"`
	Warning Color `toml:"warning"`
	Search  Color `toml:"search"`
}

// Color is "#rrggbb", a number from 0 to 255 of the terminal's colours, or
// "none" for the terminal's own.
type Color struct{ Value string }

var colorPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:none|#[0-9a-fA-F]{6}|1?[0-9]?[0-9]|2[0-4][0-9]|25[0-5])$`)
})

// MarshalText writes it as UnmarshalText reads it.
func (c Color) MarshalText() ([]byte, error) { return []byte(c.Value), nil }

// UnmarshalText reads a colour.
func (c *Color) UnmarshalText(text []byte) error {
	if !colorPattern().Match(text) {
		return fmt.Errorf("%q is no colour: one is \"#rrggbb\", \"0\" to \"255\" or \"none\"", text)
	}
	c.Value = string(text)
	return nil
}

// The values of [Config.Restore]: the tabs are offered, opened by themselves, or
// not kept. Those of a session that was lost are always offered.
const (
	RestoreAsk    = "ask"
	RestoreAlways = "always"
	RestoreNever  = "never"
)

// Timeouts are the limits of [wire.Dialer], as TOML strings like "15s".
type Timeouts struct {
	Connect   Duration `toml:"connect"`
	FirstByte Duration `toml:"first_byte"`
	Idle      Duration `toml:"idle"`
}

// Dialer returns connections with these limits.
func (t Timeouts) Dialer() wire.Dialer {
	return wire.Dialer{Connect: t.Connect.Duration, FirstByte: t.FirstByte.Duration, Idle: t.Idle.Duration}
}

// Duration is a time.Duration that reads Go's notation, "1m30s", and nothing
// else: a bare number has no unit.
type Duration struct{ time.Duration }

// MarshalText writes it as UnmarshalText reads it.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a positive duration.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no time: one is written like \"15s\" or \"1m30s\"", text)
	}
	if v <= 0 {
		return fmt.Errorf("%q is not a positive time", text)
	}
	d.Duration = v
	return nil
}

// MaxCopies is the largest KeptCopies that can be set, a terabyte.
const MaxCopies = 1_000_000

// MaxArticles is the largest NewestArticles that can be set.
const MaxArticles = 100_000
