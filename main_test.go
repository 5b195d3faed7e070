package main

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"gofer/history"
	"gofer/internal/cli"
	"gofer/internal/download"
	"gofer/internal/pages/about"
	"gofer/internal/policy/gateway"
	"gofer/internal/policy/restrict"
	"gofer/internal/program/opener"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/protocols/nntp"
	"gofer/urlcore"
)

func TestVersionOf(t *testing.T) {
	const full = "0123456789abcdef0123456789abcdef01234567"
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: full}, {Key: "vcs.modified", Value: modified}}
	}
	for _, tt := range []struct {
		version, commit string
		settings        []debug.BuildSetting
		want            string
	}{
		{"", "", nil, "development, commit unknown"}, // -buildvcs=false
		{"", "", vcs("false"), "development, commit 0123456789ab"},
		{"", "", vcs("true"), "development, commit 0123456789ab with changes"},
		{"v1.2.3", full, nil, "v1.2.3, commit 0123456789ab"},
		{"v1.2.3", "fedcba", vcs("false"), "v1.2.3, commit fedcba"},
	} {
		fetchtest.Equal(t, versionOf(tt.version, tt.commit, &debug.BuildInfo{Settings: tt.settings}), tt.want, "%q, %q, %v", tt.version, tt.commit, tt.settings)
	}
}

// TestDefaultArticles: gofer config tells the number that the client takes.
func TestDefaultArticles(t *testing.T) {
	if got := config.Defaults(os.Getenv).NewestArticles; got != nntp.DefaultNewest {
		t.Errorf("config has %d, nntp %d", got, nntp.DefaultNewest)
	}
}

// fetchersWith returns the scheme table under the settings c.
func fetchersWith(c config.Config) (protocols.Registry, func()) {
	return fetchers(cli.Setup{
		Config: c, Getenv: func(string) string { return "" }, Programs: new(opener.Programs), Downloads: new(download.Manager),
		Visits: history.OpenStore(""), Restorable: func() (int, bool) { return 0, false },
	})
}

// about:schemes lists every scheme of the table but form, whose URLs gofer makes itself
// of forms that are sent.
func TestSchemesAreListed(t *testing.T) {
	table, end := fetchersWith(config.Defaults(os.Getenv))
	defer end()
	for _, s := range about.Schemes() {
		delete(table, s.Name)
	}
	fetchtest.DeepEqual(t, slices.Sorted(maps.Keys(table)), []string{protocols.Guard, "form"}, "schemes that are not listed")
}

// No scheme that gofer opens or lists is taken for a host where it is typed with one
// slash or without its colon.
func TestSchemesAreNoHosts(t *testing.T) {
	table, end := fetchersWith(config.Defaults(os.Getenv))
	defer end()
	names := slices.Collect(maps.Keys(table))
	for _, s := range about.Schemes() {
		names = append(names, s.Name)
	}
	for _, name := range names {
		for _, typed := range []string{name + ":/x", name + "//h.example/x"} {
			if u, err := urlcore.Guess(typed); err == nil && name != protocols.Guard && urlcore.Host(u) == name {
				t.Errorf("%s is read as %s", typed, u)
			}
		}
	}
}

// Neither a redirect nor a page within a document gets to another server.
func TestRestrictedFetches(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	server := httptest.NewServer(http.RedirectHandler(elsewhere, http.StatusFound))
	defer server.Close()
	c := config.Defaults(os.Getenv)
	c.Restrict.Enabled = true
	c.Restrict.Allow = make([]restrict.Servers, 1)
	fetchtest.NoError(t, c.Restrict.Allow[0].UnmarshalText([]byte("127.0.0.1")))
	c.NewsServer = strings.TrimPrefix(elsewhere, "http://")
	table, end := fetchersWith(c)
	defer end()
	for _, s := range []string{
		server.URL, elsewhere, "news:a.b", "about:attachment/1/a?" + elsewhere, "form:" + elsewhere + "?%7B%7D",
		strings.Replace(elsewhere, "http", "gopher", 1) + "/0", strings.Replace(elsewhere, "http", "ftp", 1) + "/", strings.Replace(elsewhere, "http", "wais", 1) + "/a?b",
		strings.Replace(elsewhere, "http", "telnet", 1), strings.Replace(elsewhere, "http", "gemini", 1), strings.Replace(elsewhere, "http", "prospero", 1) + "/a",
		"file:///etc/passwd", "file:///", "mailto:a@b", "rlogin://127.0.0.1/", "tn3270://127.0.0.1/",
	} {
		u, err := urlcore.Parse(s)
		fetchtest.NoError(t, err)
		_, err = table.Fetch(t.Context(), u)
		fetchtest.Reason(t, err, protocols.Denied, "%s", s)
	}
	if asked {
		t.Error("another server was asked")
	}
}

// Through a gateway only what both the rules for its server and those for the URL's own
// allow is fetched.
func TestRestrictedGateway(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer server.Close()
	for _, tt := range []struct {
		allow, url string
		asked      int
	}{
		{"127.0.0.1 *.example", "wais://a.example/d", 1},
		{"127.0.0.1 *.example", "afs://a.example/d", 1},
		{"127.0.0.1", "wais://a.example/d", 0},
		{"127.0.0.1", "afs://a.example/d", 0},
		{"*.example", "wais://a.example/d", 0},
	} {
		c := config.Defaults(os.Getenv)
		c.Restrict.Enabled = true
		c.Gateway = gateway.Templates{"wais": server.URL + "/?%s", "afs": server.URL + "/?%s", "mid": server.URL + "/?%s"}
		for host := range strings.FieldsSeq(tt.allow) {
			var s restrict.Servers
			fetchtest.NoError(t, s.UnmarshalText([]byte(host)))
			c.Restrict.Allow = append(c.Restrict.Allow, s)
		}
		table, end := fetchersWith(c)
		asked = 0
		u := fetchtest.Must(urlcore.Parse(tt.url))(t)
		if r, err := table.Fetch(t.Context(), u); err == nil {
			_ = r.Close()
		}
		if end(); asked != tt.asked {
			t.Errorf("%s with %s allowed: the gateway was asked %d times, want %d", tt.url, tt.allow, asked, tt.asked)
		}
	}
}
