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
	"testing/fstest"

	"github.com/spf13/afero"

	"gofer/history"
	"gofer/internal/app"
	"gofer/internal/demo"
	"gofer/internal/policy/gateway"
	"gofer/internal/policy/restrict"
	"gofer/internal/program/opener"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/internal/userfile/config"
	"gofer/internal/wire"
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
		fetchtest.Equal(
			t, versionOf(tt.version, tt.commit, &debug.BuildInfo{Settings: tt.settings}), tt.want, "%q, %q, %v",
			tt.version, tt.commit, tt.settings,
		)
	}
}

// TestDefaultNewestArticles checks that config and nntp have the same default number of articles.
func TestDefaultNewestArticles(t *testing.T) {
	if got := config.Defaults(os.Getenv).NewestArticles; got != nntp.DefaultNewest {
		t.Errorf("the default in config is %d, in nntp %d", got, nntp.DefaultNewest)
	}
}

// newFetchersWith returns the fetchers for the settings c.
func newFetchersWith(c config.Config) (*protocols.Guarded, func()) {
	return newFetchersWithMemory(c, nil)
}

// newFetchersWithMemory is like newFetchersWith, with the logins and consents of the parameter memory.
func newFetchersWithMemory(c config.Config, memory *wire.Memory) (*protocols.Guarded, func()) {
	return app.NewFetchers(app.Setup{
		Config: c, Memory: memory, Getenv: func(string) string { return "" }, Programs: new(opener.Programs), Downloads: new(download.Manager),
		Visits: history.OpenStore(""), LastSession: func() (int, bool) { return 0, false },
	}, newSchemes)
}

// TestSchemesListed checks that about:schemes lists every scheme of the table. The key form is
// internal.
func TestSchemesListed(t *testing.T) {
	table, end := newFetchersWith(config.Defaults(os.Getenv))
	defer end()
	for _, s := range urlcore.Schemes() {
		delete(table.Registry, s.Name)
	}
	fetchtest.DeepEqual(t, slices.Sorted(maps.Keys(table.Registry)), []string{"form"}, "schemes that are not listed")
}

// TestSchemeNotGuessedAsHost checks that no known scheme is taken for a host if it is typed with
// one slash or without its colon.
func TestSchemeNotGuessedAsHost(t *testing.T) {
	table, end := newFetchersWith(config.Defaults(os.Getenv))
	defer end()
	names := slices.Collect(maps.Keys(table.Registry))
	for _, s := range urlcore.Schemes() {
		names = append(names, s.Name)
	}
	for _, name := range names {
		for _, typed := range []string{name + ":/x", name + "//h.example/x"} {
			if u, err := urlcore.Guess(typed); err == nil && urlcore.Host(u) == name {
				t.Errorf("Guess(%q) = %s, want no host with the name of a scheme", typed, u)
			}
		}
	}
}

// TestRestrictedFetches checks that neither URLs nor redirects nor pages made from documents lead to
// servers that the rules do not allow. Local files and URLs for other programs must be denied too.
func TestRestrictedFetches(t *testing.T) {
	contacted := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { contacted = true }))
	defer other.Close()
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	server := httptest.NewServer(http.RedirectHandler(elsewhere, http.StatusFound))
	defer server.Close()
	c := config.Defaults(os.Getenv)
	c.Restrict.Enabled = true
	c.Restrict.Allow = make([]restrict.ServerPattern, 1)
	fetchtest.NoError(t, c.Restrict.Allow[0].UnmarshalText([]byte("127.0.0.1")))
	c.NewsServer = strings.TrimPrefix(elsewhere, "http://")
	table, end := newFetchersWith(c)
	defer end()
	for _, s := range []string{
		server.URL, elsewhere, "news:a.b", "about:attachment/1/a?" + elsewhere, "form:" + elsewhere + "?%7B%7D",
		strings.Replace(elsewhere, "http", "gopher", 1) + "/0", strings.Replace(elsewhere, "http", "ftp", 1) + "/",
		strings.Replace(elsewhere, "http", "wais", 1) + "/a?b",
		strings.Replace(elsewhere, "http", "telnet", 1), strings.Replace(elsewhere, "http", "gemini", 1),
		strings.Replace(elsewhere, "http", "prospero", 1) + "/a",
		"file:///etc/passwd", "file:///", "mailto:a@b", "rlogin://127.0.0.1/", "tn3270://127.0.0.1/",
	} {
		u, err := urlcore.Parse(s)
		fetchtest.NoError(t, err)
		_, err = table.Fetch(t.Context(), protocols.Request{URL: u})
		fetchtest.Reason(t, err, protocols.Denied, "%s", s)
	}
	if contacted {
		t.Errorf("a URL in the list led to a request to %s", elsewhere)
	}
}

// TestRestrictedGateway checks that a URL is fetched through a gateway only if the rules allow both
// the gateway and the server of the URL.
func TestRestrictedGateway(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests++ }))
	defer server.Close()
	for _, tt := range []struct {
		allow, url string
		requests   int
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
			var s restrict.ServerPattern
			fetchtest.NoError(t, s.UnmarshalText([]byte(host)))
			c.Restrict.Allow = append(c.Restrict.Allow, s)
		}
		table, end := newFetchersWith(c)
		requests = 0
		u := fetchtest.Must(urlcore.Parse(tt.url))(t)
		if r, err := table.Fetch(t.Context(), protocols.Request{URL: u}); err == nil {
			_ = r.Close()
		}
		if end(); requests != tt.requests {
			t.Errorf("%s with %s allowed: the gateway got %d requests, want %d", tt.url, tt.allow, requests, tt.requests)
		}
	}
}

// TestSettingsKeepAnswers answers the questions of servers, and checks that the fetchers of changed
// settings do not repeat them.
func TestSettingsKeepAnswers(t *testing.T) {
	files := fetchtest.CloseAtEnd(demo.StartFTP(afero.NewMemMapFs()))(t)
	session := fetchtest.CloseAtEnd(demo.StartTelnet())(t)
	capsule := fetchtest.CloseAtEnd(demo.StartGemini(fstest.MapFS{}))(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); !ok {
			w.Header().Set("WWW-Authenticate", "Basic realm=x")
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer web.Close()
	addr := strings.TrimPrefix(web.URL, "http://")
	_, port, _ := strings.Cut(addr, ":")
	for _, tt := range []struct {
		url   string
		ports [2]string // the setting ask_ports before and after the change
		asked []string
		again []string // questions after the change
	}{
		{"ftp://gofer@" + files.Addr() + "/", [2]string{}, []string{"Send the password", "login"}, nil},
		{web.URL + "/", [2]string{}, []string{"login", "Send the password"}, nil},
		{"telnet://" + session.Addr(), [2]string{}, []string{"Open a telnet"}, nil},
		{"gemini://" + capsule.Addr() + "/secret", [2]string{}, []string{"input"}, nil},
		{"gopher://" + addr + "/0", [2]string{port, port}, []string{"Port " + port + " usually"}, nil},
		{"gopher://" + addr + "/0", [2]string{"", port}, nil, []string{"Port " + port + " usually"}},
	} {
		c, memory := config.Defaults(os.Getenv), new(wire.Memory)
		fetch := func(ports string) (asked []string) {
			fetchtest.NoError(t, c.AskPorts.UnmarshalText([]byte(ports)))
			table, end := newFetchersWithMemory(c, memory)
			defer end()
			return answerQuestions(t, table, fetchtest.Parse(t, tt.url))
		}
		fetchtest.EqualSlices(t, fetch(tt.ports[0]), tt.asked, "questions of %s", tt.url)
		c.FTPActive = true
		fetchtest.EqualSlices(t, fetch(tt.ports[1]), tt.again, "questions of %s after a change", tt.url)
		fetchtest.EqualSlices(t, fetch(tt.ports[1]), nil, "questions of %s after the answers", tt.url)
	}
}

// TestSettingsKeepNewsServer checks that, for a news: URL, new fetchers use the news server of an
// earlier request.
func TestSettingsKeepNewsServer(t *testing.T) {
	news := fetchtest.CloseAtEnd(demo.StartNNTP(fstest.MapFS{"news/a.b/1": {Data: []byte("Newsgroups: a.b\nSubject: x\n\nx\n")}}, nil))(t)
	memory := new(wire.Memory)
	for _, u := range []string{"nntp://" + news.Addr() + "/*", "news:*"} {
		table, end := newFetchersWithMemory(config.Defaults(func(string) string { return "" }), memory)
		defer end()
		fetchtest.EqualSlices(t, answerQuestions(t, table, fetchtest.Parse(t, u)), nil, "questions of %s", u)
	}
}

// answerQuestions fetches u and answers its questions. For each question it returns "login" or
// "input", or the first three words of a question about consent.
func answerQuestions(t *testing.T, table protocols.Fetcher, u urlcore.URL) (asked []string) {
	t.Helper()
	for range 5 {
		r, err := table.Fetch(t.Context(), protocols.Request{URL: u})
		switch q := protocols.QuestionOf(err).(type) {
		case *protocols.Login:
			asked = append(asked, "login")
			q.With(demo.FTPUser, demo.FTPPassword)
		case *protocols.Confirm:
			asked = append(asked, strings.Join(strings.Fields(q.Question)[:3], " "))
			q.GiveConsent()
		case *protocols.Ask:
			asked = append(asked, "input")
			u = fetchtest.Must(q.With([]string{"a secret"}))(t)
		default:
			fetchtest.NoError(t, err)
			fetchtest.NoError(t, r.Close())
			return asked
		}
	}
	t.Errorf("%s asks too many questions: %q", u, asked)
	return asked
}
