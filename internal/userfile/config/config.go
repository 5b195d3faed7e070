// Package config reads the settings, which are in a TOML file and environment variables, and changes
// the file. It also finds the folders with the user's files.
package config

import (
	"cmp"
	"fmt"
	"net"
	"reflect"
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

// Config holds the settings. Their meaning is explained in the [Example] only. The tags of a field are what the
// program knows about a setting:
//
//   - default: the value without a file; [Defaults] sets the values that depend on other packages or the environment
//   - words: all possible values, if the setting has a fixed set of words
//   - range: the least and the greatest number
//   - scope: the part of a running program that uses a changed value: "screen", or "fetchers" if the fetchers must
//     be replaced, or "start" if the value is used only when the program starts
//   - demo: "own" if the demo has its own value, "user" if the demo always uses the value in the user's file
//   - server: "news" if the value is a news server, which is tried before the screen stores it
//   - rank: the place of a setting that is among the first of about:settings
//   - short: of a table, its setting that a string in place of the table sets
//
// Fields of a table have the tags scope and demo of the table, unless they have their own.
type Config struct {
	NewsServer        string                  `toml:"news_server" scope:"fetchers" demo:"own" rank:"7" server:"news"`
	NewestArticles    int                     `toml:"newest_articles" default:"500" range:"1 100000" scope:"fetchers" rank:"8"`
	ReadBeforeUnread  int                     `toml:"read_before_unread" default:"5" range:"0 100000" scope:"screen" rank:"9"`
	KeptCopies        int                     `toml:"kept_copies" default:"64" range:"0 1000000" scope:"fetchers" rank:"14"` // in MB
	SortArticles      string                  `toml:"sort_articles" default:"age" words:"age activity date subject author number score lines -age -activity -date -subject -author -number -score -lines" scope:"screen" rank:"10"`
	Threads           string                  `toml:"threads" default:"unfolded" words:"unfolded folded flat" scope:"screen" rank:"11"`
	RememberText      *bool                   `toml:"remember_text" scope:"fetchers" rank:"17"` // nil: about:search asks
	Prefetch          bool                    `toml:"prefetch" default:"true" scope:"screen" rank:"12"`
	ScoreFile         string                  `toml:"score_file" default:"~/.score" scope:"fetchers" demo:"own" rank:"13"`
	PlainPasswords    bool                    `toml:"plain_passwords" scope:"fetchers" demo:"user"`
	AskPorts          portguard.Ports         `toml:"ask_ports" scope:"fetchers" demo:"user"`
	PasswordCommand   string                  `toml:"password_command" scope:"screen" demo:"user"` // split by [program.Words]
	ReadOnly          bool                    `toml:"read_only" scope:"start" demo:"user"`
	FTPActive         bool                    `toml:"ftp_active" scope:"fetchers"`
	AnonymousPassword string                  `toml:"anonymous_password" default:"gofer@" scope:"fetchers"`
	Downloads         Downloads               `toml:"downloads" short:"folder" rank:"15"`
	Notify            string                  `toml:"notify" default:"desktop" words:"desktop bell off" scope:"screen"`
	PreferHTML        bool                    `toml:"prefer_html" scope:"screen" rank:"6"`
	ASCII             bool                    `toml:"ascii" scope:"screen" rank:"5"`
	Mouse             bool                    `toml:"mouse" scope:"screen" rank:"2"`
	Theme             string                  `toml:"theme" default:"auto" words:"auto dark light terminal contrast colorblind" scope:"screen" rank:"1"`
	Colors            Colors                  `toml:"colors" scope:"screen"`
	Images            string                  `toml:"images" default:"auto" words:"auto kitty sixel blocks none" scope:"screen" rank:"3"`
	Hyperlinks        string                  `toml:"hyperlinks" default:"auto" words:"auto always never" scope:"screen" rank:"4"`
	Remote            string                  `toml:"remote" default:"auto" words:"auto always never" scope:"screen"`          // see [RemoteAlways]
	Refresh           Duration                `toml:"refresh" scope:"screen"`                                                  // 0: new entries of followed pages are looked for only when the user asks
	Restore           string                  `toml:"restore" default:"ask" words:"ask always never" scope:"screen" rank:"16"` // see [RestoreAlways]
	Timeouts          Timeouts                `toml:"timeouts" scope:"fetchers"`
	News              newsservers.Names       `toml:"news" scope:"fetchers" server:"news"` // NewsServer may be such a name
	Search            searchkeyword.Templates `toml:"search" scope:"fetchers"`
	Open              map[string]opener.Rule  `toml:"open" scope:"fetchers"`
	Gateway           gateway.Templates       `toml:"gateway" scope:"fetchers"`
	Mail              Mail                    `toml:"mail" scope:"fetchers"`
	Post              Post                    `toml:"post" scope:"fetchers"`
	Keys              Keys                    `toml:"keys" short:"preset" scope:"fetchers"`
	Restrict          restrict.Rules          `toml:"restrict" scope:"start" demo:"user"`
	Host              map[string]Host         `toml:"host" scope:"fetchers"` // by "host" or "host:port"
}

// Downloads holds the settings for saving files. In the settings file it is a table, or a string with the folder.
type Downloads struct {
	Folder    string `toml:"folder" scope:"start"`
	Detach    bool   `toml:"detach" default:"true" scope:"screen"`
	LimitRate Octets `toml:"limit_rate" scope:"screen"` // a second, of all programs together; 0: no limit
}

// UnmarshalText reads the folder.
func (d *Downloads) UnmarshalText(text []byte) error {
	d.Folder = string(text)
	return nil
}

// Mail holds the settings for sending mail.
type Mail struct {
	From     string `toml:"from"`
	SMTP     string `toml:"smtp"`                                        // "": Sendmail
	Sendmail string `toml:"sendmail" default:"/usr/sbin/sendmail -i -t"` // the program and its arguments, as in [opener.Rule]
}

// Post holds the settings for writing news articles. Paths may begin with "~/".
type Post struct {
	From        string `toml:"from"` // "": as in [Mail]
	Attribution string `toml:"attribution" default:"On %d, %n wrote:"`
	Signature   string `toml:"signature" default:"~/.signature"`
	Sent        string `toml:"sent" demo:"own"`
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

// HostCharset returns the charset in the settings for addr, or "".
func (c *Config) HostCharset(addr string) string {
	return HostSetting(c, addr, func(h Host) string { return h.Charset })
}

// Defaults returns the settings that apply without a file. Settings that are empty in the result have no
// default. The function env returns environment variables.
func Defaults(env func(string) string) Config {
	c := Config{
		AskPorts:  portguard.DefaultPorts(),
		Downloads: Downloads{Folder: downloadFolder(env)},
		Timeouts: Timeouts{
			Connect: Duration{wire.DefaultConnect}, FirstByte: Duration{wire.DefaultFirstByte}, Idle: Duration{wire.DefaultIdle}, LeastRate: wire.DefaultLeastRate,
		},
	}
	setDefaults(reflect.ValueOf(&c).Elem())
	return c
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

// Values of [Config.Restore]. With each value, gofer offers the tabs of a crashed session.
const (
	RestoreAlways = "always"
	RestoreNever  = "never"
)

// Values of [Config.Remote]. With the third one, "auto", gofer finds out whether the terminal is another machine's.
const (
	RemoteAlways = "always"
	RemoteNever  = "never"
)

// Timeouts holds the time limits of [wire.Dialer], as TOML strings like "15s".
type Timeouts struct {
	Connect   Duration `toml:"connect"`
	FirstByte Duration `toml:"first_byte"`
	Idle      Duration `toml:"idle"`
	LeastRate int      `toml:"least_rate" range:"0 1000000"` // octets a second of a page; 0 for any
}

// Dialer returns a [wire.Dialer] with these limits.
func (t Timeouts) Dialer() wire.Dialer {
	return wire.Dialer{Connect: t.Connect.Duration, FirstByte: t.FirstByte.Duration, Idle: t.Idle.Duration, LeastRate: cmp.Or(t.LeastRate, -1)}
}

// Duration is a time.Duration that is written as text such as "1m30s". A number without a unit is
// invalid.
type Duration struct{ time.Duration }

// MarshalText returns the text that UnmarshalText parses, and "" for 0.
func (d Duration) MarshalText() ([]byte, error) {
	if d.Duration == 0 {
		return nil, nil
	}
	return []byte(d.String()), nil
}

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
