package app

import (
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gofer/history/bookmarks"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// fakeWorld is a World without servers.
type fakeWorld struct{}

func (fakeWorld) StartURL() string { return "gopher://demo.gofer.test/1" }
func (fakeWorld) TourURL() string  { return "gopher://demo.gofer.test/1/tour" }
func (w fakeWorld) URLs() iter.Seq2[string, string] {
	return maps.All(map[string]string{w.StartURL(): "Menu", "ftp://demo.gofer.test/;type=d": "Files", "nntp://demo.gofer.test/a.b": "a.b"})
}
func (fakeWorld) NewsServer() string { return "demo.gofer.test:119" }
func (fakeWorld) Close() error       { return nil }
func (fakeWorld) ListenAddr(addr string) (string, bool) {
	return "127.0.0.1:40001", strings.HasPrefix(addr, "demo.gofer.test:")
}

var mustParse = fetchtest.Parse

// serving returns the fetchers of a run in which f serves all URLs of the tests.
func serving(f protocols.Fetcher) *protocols.Guarded {
	return &protocols.Guarded{Registry: protocols.Registry{"news": f, "nntp": f, "nntps": f, "gopher": f, "about": f}}
}

// testStart returns the beginning of a run with a home directory. Its fetchers store their Setup in setup.
func testStart(home string, setup *Setup) *Start {
	return &Start{
		Schemes: func(s Setup) (protocols.Registry, func()) {
			*setup = s
			return protocols.Registry{}, func() {}
		},
		Err:        io.Discard,
		StartWorld: func(string) (World, error) { return fakeWorld{}, nil },
		Getenv: func(name string) string {
			if name == "HOME" {
				return home
			}
			return ""
		},
	}
}

// TestDemoVisits checks that gofer demo has its own history, and that visits to the servers of
// about:demo are not recorded.
// TestCanDetach checks in which runs downloads must not go on in another process, which does not know how this run began.
func TestCanDetach(t *testing.T) {
	for _, tt := range []struct {
		change func(s *Start)
		world  World
		want   bool
	}{
		{func(*Start) {}, nil, true},
		{func(s *Start) { s.TrustEnd = true }, nil, true}, // handed over
		{func(s *Start) { s.Offline = true }, nil, false},
		{func(s *Start) { s.Restrict = true }, nil, false},
		{func(*Start) {}, fakeWorld{}, false},
	} {
		s := testStart(t.TempDir(), new(Setup))
		tt.change(s)
		st := s.Open(tt.world)
		fetchtest.Equal(t, st.CanDetach(), tt.want, "CanDetach with offline %v, restricted %v, a demo %v", s.Offline, s.Restrict, tt.world != nil)
		st.SetPrivate(true)
		fetchtest.Equal(t, st.CanDetach(), false, "CanDetach in private mode")
		st.Close()
	}
}

func TestDemoVisits(t *testing.T) {
	inDemo := []string{
		"gopher://demo.gofer.test/0/a", "ftp://joe@demo.gofer.test/a", "nntp://demo.gofer.test/c.d/7", "http://demo.gofer.test:40001/",
	}
	others := []string{
		"gopher://127.0.0.1/1", "gopher://demo.gofer.test.example/1", "ftp://127.0.0.1:40001/", "http://h.example/", "news:a.b",
	}
	all := slices.Concat(inDemo, others)
	for _, tt := range []struct {
		name     string
		world    World
		started  bool // whether about:demo has started the demo
		recorded []string
		folder   string
	}{
		{"no demo", nil, false, all, "gofer"},
		{"about:demo", nil, true, others, "gofer"},
		{"gofer demo", fakeWorld{}, false, all, "gofer-demo"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var setup Setup
			home := t.TempDir()
			st := testStart(home, &setup).Open(tt.world)
			defer st.Close()
			if tt.started {
				fetchtest.Must(setup.StartDemo(t.Context()))(t)
			}
			at := time.Now()
			for _, s := range all {
				at = at.Add(-time.Second)
				fetchtest.NoError(t, st.storeVisit(t.Context(), mustParse(t, s), mustParse(t, s), "", at))
			}
			_, err := st.Bookmarks.Add(bookmarks.Bookmark{URL: mustParse(t, all[0])})
			fetchtest.NoError(t, err)
			visits := fetchtest.Must(setup.Visits.Search(t.Context(), "", 100))(t)
			var got []string
			for _, v := range visits {
				got = append(got, v.URL.String())
			}
			fetchtest.EqualSlices(t, got, tt.recorded, "recorded")
			folders := fetchtest.Must(filepath.Glob(filepath.Join(home, ".local/share/*")))(t)
			fetchtest.EqualSlices(t, folders, []string{filepath.Join(home, ".local/share", tt.folder)}, "folders")
			_, err = os.Stat(filepath.Join(home, ".config"))
			fetchtest.Equal(t, os.IsNotExist(err), tt.folder == "gofer-demo", "no folder of the user's bookmarks")
		})
	}
}

// TestConfigError checks that gofer starts with invalid settings and reports the errors.
func TestConfigError(t *testing.T) {
	home := func(settings string) string {
		dir := t.TempDir()
		name := filepath.Join(dir, ".config", "gofer", "config.toml")
		fetchtest.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		fetchtest.NoError(t, os.WriteFile(name, []byte(settings), 0o600))
		return dir
	}
	folder := t.TempDir()
	fetchtest.NoError(t, os.MkdirAll(filepath.Join(folder, ".config", "gofer", "config.toml"), 0o700))
	for _, tt := range []struct {
		name, home string
		fault      string // part of the message, or ""
		ascii      bool
	}{
		{"none", t.TempDir(), "", false},
		{"good", home("ascii = true"), "", true},
		{"wrong", home("ascii = true\nmouse = 3"), "config.toml:2:", true},
		{"unknown", home("ascii = true\n\nmaus = true"), `config.toml:3: no setting "maus"`, true},
		{"unreadable", folder, "config.toml: ", false},
		{"home is a file", "/dev/null", "", false},
		{"no home", "", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var setup Setup
			p := testStart(tt.home, &setup)
			getenv := p.Getenv
			p.Getenv = func(name string) string {
				if name == "NNTPSERVER" {
					return "news.example.org"
				}
				return getenv(name)
			}
			st := p.Open(nil)
			defer st.Close()
			if (setup.ConfigError != nil) != (tt.fault != "") || tt.fault != "" && !strings.Contains(setup.ConfigError.Error(), tt.fault) {
				t.Errorf("ConfigError is %v, want %q", setup.ConfigError, tt.fault)
			}
			if (st.Notice != "") != (tt.fault != "") {
				t.Errorf("got the notice %q for the error %q", st.Notice, tt.fault)
			}
			if c := setup.Config; c.ASCII != tt.ascii || c.NewsServer != "news.example.org" || c.Downloads.Folder == "" {
				t.Errorf("got the settings %+v, want ascii %v, news.example.org and a folder for downloads", c, tt.ascii)
			}
		})
	}
}

// TestDamagedHistory checks that damage of the history is reported and that visits are still recorded.
func TestDamagedHistory(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, ".local/share/gofer/history.sqlite")
	fetchtest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	fetchtest.NoError(t, os.WriteFile(path, []byte(strings.Repeat("no database", 100)), 0o600))
	var setup Setup
	st := testStart(home, &setup).Open(nil)
	defer st.Close()
	u := mustParse(t, "gopher://h.example/1")
	err := st.RecordVisit(t.Context(), u, u, "")
	if err == nil || !strings.HasSuffix(err.Error(), "the old one is "+path+".damaged") {
		t.Errorf("recordVisit = %v, want the path of the damaged history", err)
	}
	if visits, err := setup.Visits.Search(t.Context(), "", 10); len(visits) != 1 || err != nil {
		t.Errorf("Search after recordVisit = %v, %v; want one visit", visits, err)
	}
}
