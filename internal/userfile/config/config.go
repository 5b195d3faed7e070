// Package config reads the settings, which are in a TOML file and environment variables, and changes
// the file. It also finds the folders with the user's files.
package config

import (
	"cmp"
	"fmt"
	"net"
	"regexp"
	"sync"
	"time"

	"gofer/internal/policy/gateway"
	"gofer/internal/policy/portguard"
	"gofer/internal/policy/restrict"
	"gofer/internal/program/opener"
	"gofer/internal/usenet/newsservers"
	"gofer/internal/userfile/searchkeyword"
	"gofer/internal/wire"
)

// Config holds the settings. [Defaults] returns the default values, [Choices] the words for a setting
// with a fixed set of words, and [Scope] the tag scope of a setting.
type Config struct {
	NewsServer        string                  `toml:"news_server" scope:"fetchers"`        // for news: URLs: "host", "host:port" or "nntps://host/"
	NewestArticles    int                     `toml:"newest_articles" scope:"fetchers"`    // articles shown when a group opens, up to [MaxArticles]
	ReadBeforeUnread  int                     `toml:"read_before_unread" scope:"screen"`   // read articles shown before the first unread one
	KeptCopies        int                     `toml:"kept_copies" scope:"fetchers"`        // MB of articles and overviews kept on the disk
	SortArticles      string                  `toml:"sort_articles" scope:"screen"`        // the order of articles; a "-" at the beginning reverses the order
	Threads           string                  `toml:"threads" scope:"screen"`              // how a group shows threads
	Prefetch          bool                    `toml:"prefetch" scope:"screen"`             // fetch the next unread article while one is read
	ScoreFile         string                  `toml:"score_file" scope:"fetchers"`         // rules that kill and score articles, as in slrn; "": none
	PlainPasswords    bool                    `toml:"plain_passwords" scope:"fetchers"`    // send passwords without TLS, without a question
	AskPorts          portguard.Ports         `toml:"ask_ports" scope:"fetchers"`          // ask before sending to these ports, except to the default port of the scheme
	PasswordCommand   string                  `toml:"password_command" scope:"screen"`     // prints a password; split by [program.Words]
	ReadOnly          bool                    `toml:"read_only" scope:"start"`             // change nothing on servers
	FTPActive         bool                    `toml:"ftp_active" scope:"fetchers"`         // FTP servers make the data connections
	AnonymousPassword string                  `toml:"anonymous_password" scope:"fetchers"` // for FTP servers: an e-mail address, or "mail.from" for [Mail].From; "": gofer@
	Downloads         string                  `toml:"downloads" scope:"start"`             // the folder for saved files
	PreferHTML        bool                    `toml:"prefer_html" scope:"screen"`          // show the HTML of articles that have text and HTML
	ASCII             bool                    `toml:"ascii" scope:"screen"`                // draw the screen in ASCII
	Mouse             bool                    `toml:"mouse" scope:"screen"`                // the mouse scrolls and follows links; text is selected with Shift
	Theme             string                  `toml:"theme" scope:"screen"`                // the name of a set of colors
	Colors            Colors                  `toml:"colors" scope:"screen"`               // replace colors of the theme
	Images            string                  `toml:"images" scope:"screen"`               // how pictures are shown
	Hyperlinks        string                  `toml:"hyperlinks" scope:"screen"`           // when the URLs of links are sent to the terminal
	Restore           string                  `toml:"restore" scope:"screen"`              // whether the tabs of the last session are opened again
	Timeouts          Timeouts                `toml:"timeouts" scope:"fetchers"`           // time limits for servers
	News              newsservers.Names       `toml:"news" scope:"fetchers"`               // other news servers by name; NewsServer may be such a name
	Search            searchkeyword.Templates `toml:"search" scope:"fetchers"`             // URLs for searches, by the keyword typed in the URL bar
	Open              map[string]opener.Rule  `toml:"open" scope:"fetchers"`               // other programs, by media type ("image/*") or scheme
	Gateway           gateway.Templates       `toml:"gateway" scope:"fetchers"`            // URLs of gateways, by the scheme of the URLs that a gateway opens
	Mail              Mail                    `toml:"mail" scope:"fetchers"`               // how mail is sent
	Post              Post                    `toml:"post" scope:"fetchers"`               // how news articles are written
	Keys              Keys                    `toml:"keys" scope:"fetchers"`               // keys of actions
	Restrict          restrict.Rules          `toml:"restrict" scope:"start"`              // limits for users of a public terminal
	Host              map[string]Host         `toml:"host" scope:"fetchers"`               // settings by "host" or "host:port"
}

// Mail holds the settings for sending mail.
type Mail struct {
	From     string `toml:"from"`     // the author: "Joe <joe@example.org>"
	SMTP     string `toml:"smtp"`     // "smtp://user@host:587" or "smtps://user@host"; "": Sendmail
	Sendmail string `toml:"sendmail"` // the program and its arguments, as in [opener.Rule]
}

// Post holds the settings for writing news articles. Paths may begin with "~/".
type Post struct {
	From string `toml:"from"` // the author; "": as in [Mail]
	// Attribution is the line above a quote, with %n for the name of the author, %a the
	// address, %d the date, %i the Message-ID, %g the groups and %s the subject.
	Attribution string `toml:"attribution"`
	Signature   string `toml:"signature"` // the file of the signature; "": none
	Sent        string `toml:"sent"`      // the mbox file that gets posted articles; "": none
}

// Host holds the settings for one server. If a field is zero, the general setting applies.
type Host struct {
	Charset        string `toml:"charset"`
	Wrap           *bool  `toml:"wrap"` // whether long lines are wrapped
	NewestArticles int    `toml:"newest_articles"`
	TrustEnd       bool   `toml:"trust_end"` // connections by TLS may end without close_notify
}

// HostSetting returns the field that f selects in the settings for addr, the "host:port" of a server.
// If the field is zero, HostSetting returns the field in the settings for "host".
func HostSetting[T comparable](c *Config, addr string, f func(Host) T) T {
	name, _, _ := net.SplitHostPort(addr) // checkHosts refuses settings for ""
	return cmp.Or(f(c.Host[addr]), f(c.Host[name]))
}

// Defaults returns the settings that apply without a file. Settings that are empty in the result have no
// default. The function env returns environment variables.
func Defaults(env func(string) string) Config {
	return Config{
		NewestArticles: 500,
		KeptCopies:     64,
		SortArticles:   "age",
		Threads:        "unfolded",
		Prefetch:       true,
		ScoreFile:      "~/.score",
		AskPorts:       portguard.DefaultPorts(),
		Downloads:      downloadFolder(env),

		AnonymousPassword: "gofer@",
		Theme:             "auto", Images: "auto", Hyperlinks: "auto", Restore: RestoreAsk, ReadBeforeUnread: 5,
		Mail: Mail{Sendmail: "/usr/sbin/sendmail -i -t"},
		Keys: Keys{Preset: "gofer"},
		Post: Post{Attribution: "On %d, %n wrote:", Signature: "~/.signature"},
		Timeouts: Timeouts{
			Connect: Duration{wire.DefaultConnect}, FirstByte: Duration{wire.DefaultFirstByte}, Idle: Duration{wire.DefaultIdle}, LeastRate: wire.DefaultLeastRate,
		},
	}
}

// Colors replaces colors of a theme. An empty color keeps the theme's.
type Colors struct {
	Accent  Color `toml:"accent"`
	Dim     Color `toml:"dim"`
	Warning Color `toml:"warning"`
	Search  Color `toml:"search"`
}

// Color is "#rrggbb", the number of one of the terminal's colors from "0" to "255", or "none" for the
// terminal's default color.
type Color struct{ Value string }

var colorPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:none|#[0-9a-fA-F]{6}|1?[0-9]?[0-9]|2[0-4][0-9]|25[0-5])$`)
})

// MarshalText returns the text that UnmarshalText parses.
func (c Color) MarshalText() ([]byte, error) { return []byte(c.Value), nil }

// UnmarshalText reads a color.
func (c *Color) UnmarshalText(text []byte) error {
	if !colorPattern().Match(text) {
		return fmt.Errorf("%q is not a color: write \"#rrggbb\", \"0\" to \"255\" or \"none\"", text)
	}
	c.Value = string(text)
	return nil
}

// The values of [Config.Restore]. With each of them, gofer offers the tabs of a crashed session.
const (
	RestoreAsk    = "ask"
	RestoreAlways = "always"
	RestoreNever  = "never"
)

// Timeouts holds the time limits of [wire.Dialer], as TOML strings like "15s".
type Timeouts struct {
	Connect   Duration `toml:"connect"`
	FirstByte Duration `toml:"first_byte"`
	Idle      Duration `toml:"idle"`
	LeastRate int      `toml:"least_rate"` // octets a second of a page; 0 for any
}

// Dialer returns a [wire.Dialer] with these limits.
func (t Timeouts) Dialer() wire.Dialer {
	return wire.Dialer{Connect: t.Connect.Duration, FirstByte: t.FirstByte.Duration, Idle: t.Idle.Duration, LeastRate: cmp.Or(t.LeastRate, -1)}
}

// Duration is a time.Duration that is written as text such as "1m30s". A number without a unit is
// invalid.
type Duration struct{ time.Duration }

// MarshalText returns the text that UnmarshalText parses.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a positive duration.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration such as \"15s\" or \"1m30s\"", text)
	}
	if v <= 0 {
		return fmt.Errorf("%q is not a positive time", text)
	}
	d.Duration = v
	return nil
}

// The largest values of KeptCopies, a terabyte, of NewestArticles and of LeastRate.
const (
	maxLeastRate = 1_000_000
	maxCopies    = 1_000_000
	MaxArticles  = 100_000
)
