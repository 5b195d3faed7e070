package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
)

func noEnv(string) string { return "" }

func load(t *testing.T, file string, checks ...config.Check) (config.Config, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	fetchtest.NoError(t, os.WriteFile(path, []byte(file), 0o600))
	c, err := config.Load(path, noEnv, checks...)
	if err == nil {
		return c, ""
	}
	return c, strings.ReplaceAll(err.Error(), path+":", "")
}

// TestInvalidSettings checks that the settings around an invalid one are used, and that each
// fault is reported with its line.
func TestInvalidSettings(t *testing.T) {
	const around = "mouse = true\n%\nnewest_articles = 100\n[timeouts]\nidle = '90s'\n[host.'bbs.example.org']\nwrap = false\n"
	for _, tt := range []struct{ name, fault, want string }{
		{"none", "", ""},
		{"a wrong type", "news_server = 5", `2:15: news_server cannot be of type integer (write times and names in quotes: "15s")`},
		{
			"a string in place of a number", "kept_copies = 'x'",
			`2:15: kept_copies cannot be of type string (write numbers, lists and true without quotes)`,
		},
		{"a wrong word", "theme = 'pink'", "2: theme is \"pink\": use one of auto, dark, light, terminal, contrast, colorblind"},
		{"a news server that is none", "news_server = 'no host'", `2: news_server: "no host" is not a host, host:port or nntps://host/`},
		{"no TOML", "what is this", "2:6: expected '=' after key"},
		{"a value that is none", "ascii = what", "2:9: unexpected character U+0077 'w' at start of value"},
		{"an unknown name", "maus = true", `2: no setting "maus"`},
		{"two", "maus = true\nfly = 1", "2: no setting \"maus\"\n3: no setting \"fly\""},
		{
			"over several rows", "downloads = [\n 'a',\n 'b',\n]",
			`2:13: downloads cannot be of type array (write times and names in quotes: "15s")`,
		},
		{"given twice", "mouse = false", "2:1: key mouse is already defined"},
		{"in a table", "[timeouts]\nfirst_byte = 5\n[search]\nv = 'x'\n[open]\n'a/b' = {}\n[colors]\nnone = 1\n", "9"},
	} {
		c, problems := load(t, strings.Replace(around, "%", tt.fault, 1))
		if tt.name == "in a table" { // the file then has [timeouts] twice and newest_articles in [colors], so it has more problems
			if n := strings.Count(problems, "\n"); n < 4 || !c.Mouse {
				t.Errorf("%s: got %+v and the problems %s; want mouse = true and five problems or more", tt.name, c, problems)
			}
			continue
		}
		fetchtest.Equal(t, problems, tt.want, "%s", tt.name)
		if wrap := c.Host["bbs.example.org"].Wrap; !c.Mouse || c.NewestArticles != 100 || c.Timeouts.Idle.Seconds() != 90 ||
			wrap == nil || *wrap {
			t.Errorf("%s: got %+v, want the settings around the fault", tt.name, c)
		}
	}
}

// TestProblemsHidePasswords checks that a problem never shows the password of a URL, even of an
// invalid one.
func TestProblemsHidePasswords(t *testing.T) {
	for row, want := range map[string]string{
		`bogus = "ftp://joe:sesame@h/"`:                                 `bogus = "ftp://joe:******@h/"`,
		`news_server = ftp://joe:sesame@h/`:                             `ftp:************@h/`,
		`news_server = "nntps://joe:sesame@h`:                           `nntps:************@h`,
		"[news]\nwork = 'nntps://joe:sesame@h h/'":                      `"nntps://joe:******@h h/" is not a host`,
		"[search]\ng = 'gopher://joe:ses%me@h/7/x'":                     `gopher://joe:******@h/7/x`,
		"[gateway]\nwais = 'ftp://joe:sesame@h/%s%s'":                   `"ftp://joe:******@h/%s%s" must have one %s`,
		"theme = 'joe:sesame%40h'":                                      `"joe:******%40h": use one of`,
		`mouse = "a" # 'gopher://joe:sesame@h/', joe:sesame@h "or not"`: `mouse cannot be of type string`,
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		fetchtest.NoError(t, os.WriteFile(path, []byte(row), 0o600))
		_, err := config.Load(path, noEnv)
		var p *config.Problem
		if !errors.As(err, &p) {
			t.Errorf("%s: got the error %v, want a *Problem", row, err)
			continue
		}
		got := p.Line + "\n" + err.Error()
		if !strings.Contains(got, want) || strings.Contains(got, "sesame") || strings.Contains(got, "ses%me") {
			t.Errorf("%s: got\n%s\nwant no password, and in it %s", row, got, want)
		}
	}
}

// TestTooManySettings checks that a file with far too many settings is refused at once, because
// reporting each unknown one takes quadratic time. If the file mentions restricted mode, restricted mode
// is on.
func TestTooManySettings(t *testing.T) {
	for _, word := range []string{"x", "restrict"} {
		c, problems := load(t, "mouse = true\n"+strings.Repeat(word+" = 1\n", 40000))
		if c.Mouse || strings.Count(problems, "\n") != 0 || !strings.Contains(problems, "more than 5000 settings") ||
			c.Restrict.Enabled != (word == "restrict") {
			t.Errorf("%s: got mouse = %t, %+v and the problems %s; want the defaults and one error", word, c.Mouse, c.Restrict, problems)
		}
	}
}

func TestHostSettings(t *testing.T) {
	c, problems := load(t, "[host.'a.example']\ncharset = 'koi8-r'\nnewest_articles = 7\n[host.'a.example:70']\ncharset = 'cp437'\n"+
		"[host.'B.example']\nwrap = true\n[host.c]\ncharset = 'klingon'\n[host.d]\nnewest_articles = -1\n[host.'']\nwrap = false\n")
	wrap := func(h config.Host) *bool { return h.Wrap }
	charset := func(h config.Host) string { return h.Charset }
	if wrap := c.Host["a.example:70"].Wrap; wrap != nil {
		t.Errorf("a.example:70 has the setting wrap = %t of a table that was refused", *wrap)
	}
	newest := func(h config.Host) int { return h.NewestArticles }
	for addr, want := range map[string]string{
		"a.example:70": "cp437", "a.example:7070": "koi8-r", "x:70": "", "a.example": "koi8-r", "c:70": "",
	} {
		fetchtest.Equal(t, config.HostSetting(&c, addr, charset), want, "%s: charset", addr)
	}
	fetchtest.Equal(t, config.HostSetting(&c, "a.example:70", newest), 7, "articles")
	if got := config.HostSetting(&c, "no port", wrap); got != nil {
		t.Errorf("a server without a port: wrap is %t, want no setting", *got)
	}
	const want = "6: host.\"B.example\": write the name in lower case\n9: host.\"c\": \"klingon\" is not a charset that gofer knows\n" +
		"11: host.\"d\": newest_articles is -1: use 1 to 100000\n" +
		"12: host.\"\": write \"host\" or \"host:port\" in the quotes"
	fetchtest.Equal(t, problems, want)
}

// FuzzLoad checks that loading any file ends and gives valid settings.
func FuzzLoad(f *testing.F) {
	f.Add(config.Example)
	f.Add("a = 1\nb = \n[c\nd = '''\n")
	f.Add("[keys.page]\nopen = ['x', 3]\n[[host]]\nx = {a = {b = 1}}\n")
	f.Add("newest_articles = -1\nnewest_articles = 0\ntimeouts = {connect = 5}\ntimeouts.idle = 3")
	f.Add(strings.Repeat("x = 1\n", 200))
	f.Fuzz(func(t *testing.T, file string) {
		c, _ := load(t, file)
		if n := c.NewestArticles; n < 1 || n > 100_000 || c.Theme == "" || c.Timeouts.Idle.Duration <= 0 || c.Downloads.Folder == "" {
			t.Errorf("Load gave an invalid setting: %+v", c)
		}
	})
}

// TestNewsServers checks that news_server may be a name of [news], and that a name cannot be a
// search word too.
func TestNewsServers(t *testing.T) {
	c, problems := load(
		t,
		"news_server = 'work'\n[news]\nwork = 'nntps://n.example/'\n'a b' = 'h'\nbad = 'no host'\nv = 'h'\n[search]\nv = 'gopher://h/7/x?{q}'\n",
	)
	if c.NewsServer != "nntps://n.example/" || c.News["work"] == "" || len(c.News) != 1 {
		t.Errorf("got the server %q of %v, want nntps://n.example/ and only work", c.NewsServer, c.News)
	}
	for _, want := range []string{"4: news.a b: a name has only", "5: news.bad: ", "6: news.v: there is a search word"} {
		fetchtest.Contains(t, problems, want)
	}
}
