package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gofer/internal/program/opener"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/internal/userfile/searchkeyword"
	"gofer/internal/wire"
)

func TestLoad(t *testing.T) {
	for _, tt := range []struct {
		name, file, nntpserver string
		want                   config.Config
		dialer                 wire.Dialer
		err                    string
	}{
		{name: "nothing"},
		{
			name: "all",
			file: "news_server = 'news.example.org'\nnewest_articles = 2_000\nascii = true\nplain_passwords = true\n" +
				"[timeouts]\nfirst_byte = '1m30s'\nleast_rate = 30\n",
			want: config.Config{
				NewsServer: "news.example.org", NewestArticles: 2000, ASCII: true, PlainPasswords: true,
				Timeouts: config.Timeouts{FirstByte: config.Duration{Duration: 90 * time.Second}, LeastRate: 30},
			},
			dialer: wire.Dialer{FirstByte: 90 * time.Second, LeastRate: 30},
		},
		{
			name: "the environment wins", file: "news_server = 'a:1'", nntpserver: "b:2",
			want: config.Config{NewsServer: "b:2"},
		},
		{
			name: "programs",
			file: "[open]\n\"image/*\" = { command = \"feh '%s'\", always = true }\nhttps.command = \"lynx\"\nhttps.terminal = true",
			want: config.Config{Open: map[string]opener.Rule{
				"image/*": {Command: "feh '%s'", Always: true}, "https": {Command: "lynx", Terminal: true},
			}},
		},
		{
			name: "a program without a command", file: "[open]\nhttps = { always = true }",
			err: `config.toml:2: open."https": the command is empty`,
		},
		{
			name: "a password command", file: "ftp_active = true\npassword_command = \"pass 'ftp/%h'\"",
			want: config.Config{FTPActive: true, PasswordCommand: "pass 'ftp/%h'"},
		},
		{name: "a password command with an open quote", file: "\npassword_command = \"pass 'x\"", err: "config.toml:2: password_command: "},
		{name: "a program with a wrong key", file: "[open]\nhttps = { comand = 'x' }", err: `config.toml:2: no setting "open.`},
		{name: "a byte order mark", file: "\uFEFFascii = true", want: config.Config{ASCII: true}},
		{name: "a wrong type after one", file: "\uFEFFascii = 3", err: "config.toml:1:9:"},
		{name: "an unknown key", file: "\nnews_sever = 'a'", err: `config.toml:2: no setting "news_sever"`},
		{name: "no TOML", file: "ascii = true\nwhat is this", err: "config.toml:2:"},
		{name: "a wrong type", file: "ascii = 3", err: "config.toml:1:"},
		{name: "a time without a unit", file: "[timeouts]\nconnect = 5", err: `"5" is not a duration such as "15s"`},
		{name: "a text that is none", file: "news_server = 5", err: "config.toml:1:15: news_server cannot be of type integer"},
		{name: "a rate that is none", file: "[timeouts]\nleast_rate = -1", err: "timeouts.least_rate"},
		{name: "a time that is none", file: "[timeouts]\nidle = '-1s'", err: "not a positive time"},
		{name: "remote", file: "remote = 'always'", want: config.Config{Remote: "always"}},
		{name: "hyperlinks", file: "hyperlinks = 'never'", want: config.Config{Hyperlinks: "never"}},
		{name: "hyperlinks of no kind", file: "hyperlinks = 'on'", err: `config.toml:1: hyperlinks is "on": use one of auto, always, never`},
		{name: "images", file: "images = 'blocks'", want: config.Config{Images: "blocks"}},
		{name: "tabs", file: "restore = 'always'", want: config.Config{Restore: config.RestoreAlways}},
		{name: "odd tabs", file: "\nrestore = 'sometimes'", err: `config.toml:2: restore is "sometimes": use one of ask, always, never`},
		{
			name: "images of no kind", file: "ascii = true\nimages = 'iterm'",
			err: `config.toml:2: images is "iterm": use one of auto, kitty, sixel, blocks, none`,
		},
		{name: "one article", file: "newest_articles = 1", want: config.Config{NewestArticles: 1}},
		{name: "the most articles", file: "newest_articles = 100000", want: config.Config{NewestArticles: 100_000}},
		{name: "no articles", file: "ascii = true\nnewest_articles = 0", err: `config.toml:2: newest_articles is 0: use 1 to 100000`},
		{
			name: "too many articles", file: "downloads = '''\nnewest_articles = 1'''\n\"newest_articles\" = 100001",
			err: "config.toml:3: newest_articles is 100001",
		},
		{name: "fewer than no articles", file: "newest_articles = -5", err: "config.toml:1: newest_articles is -5"},
		{name: "articles past all integers", file: "newest_articles = 99999999999999999999", err: "config.toml:1:"},
		{name: "half an article", file: "newest_articles = 0.5", err: "config.toml:1:"},
		{
			name: "colors", file: "theme = 'light'\n[colors]\naccent = '#0a0B0c'\ndim = 'none'\nsearch = '255'",
			want: config.Config{
				Theme:  "light",
				Colors: config.Colors{Accent: config.Color{Value: "#0a0B0c"}, Dim: config.Color{Value: "none"}, Search: config.Color{Value: "255"}},
			},
		},
		{name: "a theme that there is not", file: "ascii = true\ntheme = 'pink'", err: `config.toml:2: theme is "pink": use one of auto, dark,`},
		{name: "a color that is none", file: "[colors]\ndim = '256'", err: `config.toml:2:7: "256" is not a color: write "#rrggbb"`},
		{name: "articles in words", file: "newest_articles = 'many'", err: "config.toml:1:"},
		{
			name: "search words", file: "[search]\nv = 'gopher://h.example/7/x?{q}'\n'wörd' = 'news:comp.{q}'\n",
			want: config.Config{Search: searchkeyword.Templates{"v": "gopher://h.example/7/x?{q}", "wörd": "news:comp.{q}"}},
		},
		{
			name: "a search without words",
			file: "ascii = true\n[search]\na = 'news:{q}'\nv = 'gopher://h.example/7/x'\n",
			err:  `config.toml:4: search.v: "gopher://h.example/7/x" has no {q}`,
		},
		{name: "a search for a host", file: "search = { v = 'gopher://{q}/' }\n", err: "config.toml:1: search.v: {q} cannot be a part"},
		{name: "a search that is no URL", file: "search.v = 'gopher://h:99999/{q}'\n", err: "config.toml:1: search.v: "},
		{name: "articles in a table", file: "[timeouts]\nnewest_articles = 5", err: "config.toml:2: no setting"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.toml")
			if tt.file != "" {
				fetchtest.NoError(t, os.WriteFile(path, []byte(tt.file), 0o600))
			}
			env := func(name string) string {
				if name == "NNTPSERVER" {
					return tt.nntpserver
				}
				return ""
			}
			got, err := config.Load(path, env)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("Load: got the error %v, want %q in it", err, tt.err)
				}
				return
			}
			want := config.Defaults(env)
			copyNonZero(reflect.ValueOf(&want).Elem(), reflect.ValueOf(tt.want))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("Load = %+v, %v; want %+v", got, err, want)
			}
			dialer := wire.Dialer{
				Connect: wire.DefaultConnect, FirstByte: wire.DefaultFirstByte, Idle: wire.DefaultIdle,
				LeastRate: wire.DefaultLeastRate,
			}
			copyNonZero(reflect.ValueOf(&dialer.FirstByte).Elem(), reflect.ValueOf(tt.dialer.FirstByte))
			copyNonZero(reflect.ValueOf(&dialer.LeastRate).Elem(), reflect.ValueOf(tt.dialer.LeastRate))
			fetchtest.DeepEqual(t, got.Timeouts.Dialer(), dialer, "dialer")
		})
	}
}

// copyNonZero copies to dst the fields of src that are not zero.
func copyNonZero(dst, src reflect.Value) {
	switch {
	case src.Kind() == reflect.Struct:
		for i := range src.NumField() {
			copyNonZero(dst.Field(i), src.Field(i))
		}
	case !src.IsZero():
		dst.Set(src)
	}
}
