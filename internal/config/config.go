// Package config reads what the user has set: one TOML file and a few
// environment variables.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"gofer/internal/outside"
	"gofer/internal/searchword"
	"gofer/internal/userfile"
	"gofer/internal/wire"
)

// Config is what a user can set, see [Defaults].
type Config struct {
	// NewsServer is where news: URLs go: "host", "host:port" or "nntps://host/".
	NewsServer string `toml:"news_server"`
	// NewestArticles is how many articles of a group are shown at most, up to
	// [MaxArticles].
	NewestArticles int `toml:"newest_articles"`
	// PlainPasswords lets passwords be sent to servers without TLS unasked.
	PlainPasswords bool `toml:"plain_passwords"`
	// Downloads is the folder for saved files.
	Downloads string `toml:"downloads"`
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
	// Search are words of the URL bar that stand for a search.
	Search searchword.Words `toml:"search"`
	// Open are the programs for what is opened outside, by media type
	// ("image/png", "image/*") or scheme ("https").
	Open map[string]Open `toml:"open"`
}

// Defaults are the settings of who has set nothing. What is empty in them has no
// default.
func Defaults(env func(string) string) Config {
	return Config{
		NewestArticles: 500,
		Downloads:      FindDirs(env).Downloads,
		Theme:          "auto", Images: "auto", Hyperlinks: "auto", Restore: RestoreAsk,
		Timeouts: Timeouts{
			Connect: Duration{wire.DefaultConnect}, FirstByte: Duration{wire.DefaultFirstByte}, Idle: Duration{wire.DefaultIdle},
		},
	}
}

// checkWords refuses a word that is none of those that a setting may have.
func (c *Config) checkWords(path string, data []byte) error {
	for _, s := range []struct {
		key, value string
		words      []string
	}{
		{"theme", c.Theme, []string{"auto", "dark", "light", "terminal", "contrast", "colourblind"}},
		{"images", c.Images, []string{"auto", "kitty", "sixel", "blocks", "none"}},
		{"hyperlinks", c.Hyperlinks, []string{"auto", "always", "never"}},
		{"restore", c.Restore, []string{RestoreAsk, RestoreAlways, RestoreNever}},
	} {
		if !slices.Contains(s.words, s.value) {
			return fmt.Errorf("%s:%d: %s is %q, which is none of %s", path, rowOf(data, s.key), s.key, s.value, strings.Join(s.words, ", "))
		}
	}
	return nil
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

var colorPattern = regexp.MustCompile(`^(?:none|#[0-9a-fA-F]{6}|1?[0-9]?[0-9]|2[0-4][0-9]|25[0-5])$`)

// MarshalText writes it as UnmarshalText reads it.
func (c Color) MarshalText() ([]byte, error) { return []byte(c.Value), nil }

// UnmarshalText reads a colour.
func (c *Color) UnmarshalText(text []byte) error {
	if !colorPattern.Match(text) {
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

// MaxArticles is the largest NewestArticles that can be set.
const MaxArticles = 100_000

// maxFile bounds the settings file, in octets.
const maxFile = 1 << 20

// Load reads the file at path; that there is none is no error. The error of a
// file that cannot be understood names the line. The variable NNTPSERVER of
// env, where set, wins over the file's news_server.
func Load(path string, env func(string) string) (Config, error) {
	c := Defaults(env)
	data, err := userfile.Read(path, maxFile)
	if err != nil {
		return Config{}, err
	}
	data = bytes.TrimPrefix(data, []byte(userfile.BOM))
	if len(data) > 0 {
		dec := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
		if err := dec.Decode(&c); err != nil {
			return Config{}, explain(path, err)
		}
		if n := c.NewestArticles; n < 1 || n > MaxArticles {
			return Config{}, fmt.Errorf("%s:%d: newest_articles is %d, which is not from 1 to %d", path, rowOf(data, "newest_articles"), n, MaxArticles)
		}
		if err := c.checkWords(path, data); err != nil {
			return Config{}, err
		}
	}
	for _, name := range c.Search.Names() {
		if err := searchword.Check(name, c.Search[name]); err != nil {
			return Config{}, fmt.Errorf("%s:%d: search.%s: %w", path, rowOf(data, "search", name), name, err)
		}
	}
	for key, o := range c.Open {
		if _, err := outside.Words(o.Command); err != nil {
			return Config{}, fmt.Errorf("%s: open.%q: %w", path, key, err)
		}
	}
	if c.Downloads == "" {
		c.Downloads = Defaults(env).Downloads
	}
	if s := env("NNTPSERVER"); s != "" {
		c.NewsServer = s
	}
	return c, nil
}

func explain(path string, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		row, _ := unknown.Errors[0].Position()
		return fmt.Errorf("%s:%d: there is no setting %q", path, row, strings.Join(unknown.Errors[0].Key(), "."))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, column := decode.Position()
		if _, given, ok := strings.Cut(decode.Error(), "cannot decode TOML "); ok {
			given, _, _ = strings.Cut(given, " ")
			return fmt.Errorf("%s:%d:%d: %s cannot be of type %s (times and names stand in quotes: \"15s\")",
				path, row, column, strings.Join(decode.Key(), "."), given)
		}
		return fmt.Errorf("%s:%d:%d: %s", path, row, column, strings.TrimPrefix(err.Error(), "toml: "))
	}
	return fmt.Errorf("%s: %w", path, err)
}

// rowOf returns the line of a key, of which the last parts may stand in an inline
// table; 0 if there is none. The data has been decoded before.
func rowOf(data []byte, key ...string) int {
	var p unstable.Parser
	p.Reset(data)
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		var parts []string
		row := 0
		for k := e.Key(); k.Next(); {
			parts = append(parts, string(k.Node().Data))
			row = p.Shape(k.Node().Raw).Start.Line
		}
		if e.Kind != unstable.KeyValue {
			table = parts
			continue
		}
		if whole := append(slices.Clip(table), parts...); len(whole) <= len(key) && slices.Equal(whole, key[:len(whole)]) {
			return row
		}
	}
	return 0
}
