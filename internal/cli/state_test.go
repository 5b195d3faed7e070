package cli

import (
	"errors"
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

// fakeWorld is a demo without servers.
type fakeWorld struct{}

func (fakeWorld) Start() string { return "gopher://demo.gofer.test/1" }
func (w fakeWorld) URLs() iter.Seq2[string, string] {
	return maps.All(map[string]string{w.Start(): "Menu", "ftp://demo.gofer.test/;type=d": "Files", "nntp://demo.gofer.test/a.b": "a.b"})
}
func (fakeWorld) NewsServer() string { return "demo.gofer.test:119" }
func (fakeWorld) Close() error       { return nil }
func (fakeWorld) Listening(addr string) (string, bool) {
	return "127.0.0.1:40001", strings.HasPrefix(addr, "demo.gofer.test:")
}

var mustParse = fetchtest.Parse

// testProgram is a program whose home is home; asked gets what its fetchers
// are made of.
func testProgram(home string, asked *Setup) *Program {
	return &Program{
		Fetchers: func(s Setup) (protocols.Registry, func()) {
			*asked = s
			return protocols.Registry{"about": OwnPages(s, nil)}, func() {}
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

// TestDemoVisits checks that gofer demo keeps visits apart from those of the user, and that
// nothing is kept of the servers that about:demo starts, which other runs do not know.
func TestDemoVisits(t *testing.T) {
	inDemo := []string{
		"gopher://demo.gofer.test/0/a", "ftp://joe@demo.gofer.test/a", "nntp://demo.gofer.test/c.d/7", "http://demo.gofer.test:40001/",
	}
	others := []string{
		"gopher://127.0.0.1/1", "gopher://demo.gofer.test.example/1", "ftp://127.0.0.1:40001/", "http://h.example/", "news:a.b",
	}
	all := slices.Concat(inDemo, others)
	for _, tt := range []struct {
		name    string
		world   World
		started bool // by about:demo
		kept    []string
		folder  string
	}{
		{"no demo", nil, false, all, "gofer"},
		{"about:demo", nil, true, others, "gofer"},
		{"gofer demo", fakeWorld{}, false, all, "gofer-demo"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var setup Setup
			home := t.TempDir()
			st := testProgram(home, &setup).open(tt.world)
			defer st.close()
			if tt.started {
				fetchtest.Must(setup.Demo(t.Context()))(t)
			}
			at := time.Now()
			for _, s := range all {
				at = at.Add(-time.Second)
				fetchtest.NoError(t, st.visit(t.Context(), mustParse(t, s), "", at))
			}
			_, err := st.Bookmarks.Add(bookmarks.Bookmark{URL: mustParse(t, all[0])})
			fetchtest.NoError(t, err)
			visits := fetchtest.Must(setup.Visits.Search(t.Context(), "", 100))(t)
			var got []string
			for _, v := range visits {
				got = append(got, v.URL.String())
			}
			fetchtest.EqualSlices(t, got, tt.kept, "kept")
			folders := fetchtest.Must(filepath.Glob(filepath.Join(home, ".local/share/*")))(t)
			fetchtest.EqualSlices(t, folders, []string{filepath.Join(home, ".local/share", tt.folder)}, "folders")
			_, err = os.Stat(filepath.Join(home, ".config"))
			fetchtest.Equal(t, os.IsNotExist(err), tt.folder == "gofer-demo", "no folder of the user's bookmarks")
		})
	}
}

// gofer works with settings that it cannot have, and tells it.
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
		told       string // "" is nothing
		ascii      bool
	}{
		{"none", t.TempDir(), "", false},
		{"good", home("ascii = true"), "", true},
		{"wrong", home("ascii = true\nmouse = 3"), "config.toml:2:", true},
		{"unknown", home("ascii = true\n\nmaus = true"), `config.toml:3: there is no setting "maus"`, true},
		{"unreadable", folder, "config.toml: ", false},
		{"home is a file", "/dev/null", "", false},
		{"no home", "", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var setup Setup
			var told strings.Builder
			p := testProgram(tt.home, &setup)
			p.Err = &told
			getenv := p.Getenv
			p.Getenv = func(name string) string {
				if name == "NNTPSERVER" {
					return "news.example.org"
				}
				return getenv(name)
			}
			st := p.open(nil)
			defer st.close()
			if (setup.ConfigError != nil) != (tt.told != "") || tt.told != "" && !strings.Contains(setup.ConfigError.Error(), tt.told) {
				t.Errorf("the trouble is %v, want %q", setup.ConfigError, tt.told)
			}
			if (st.notice != "") != (tt.told != "") {
				t.Errorf("the screen says %q", st.notice)
			}
			if s := told.String(); (s != "") != (tt.told != "") || !strings.Contains(s, tt.told) || strings.Count(s, "\n") > 4 {
				t.Errorf("told %q, want %q", s, tt.told)
			}
			if c := setup.Config; c.ASCII != tt.ascii || c.NewsServer != "news.example.org" || c.Downloads == "" {
				t.Errorf("settings %+v", c)
			}
		})
	}
}

// TestDemoServers checks which URLs lead to the demo that a user visits from elsewhere, and
// which do in gofer demo, whose news server is that of the settings.
func TestDemoServers(t *testing.T) {
	for in, want := range map[string][2]bool{
		"news:a.b":                   {false, true},
		"news://demo.gofer.test/*":   {true, true},
		"nntp://demo.gofer.test/a.b": {true, true},
		"nntp://demo.gofer.test:7/a": {true, true},
		"news://h/*":                 {},
		"nntp://h/a.b":               {},
		"nntp://127.0.0.1:40001/a.b": {},
		"mailto:a@demo.gofer.test":   {},
	} {
		u := fetchtest.Parse(t, in)
		guest, own := &demoServers{World: fakeWorld{}, guest: true}, &demoServers{World: fakeWorld{}}
		fetchtest.Equal(t, [2]bool{guest.includes(u), own.includes(u)}, want, "includes(%s)", u)
		fetchtest.Equal(t, [2]bool{guest.passes(u), own.passes(u)}, [2]bool{want[0], false}, "passes(%s)", u)
	}
}

// Damage of the history is told; visits are recorded all the same.
func TestDamagedHistory(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, ".local/share/gofer/history.sqlite")
	fetchtest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	fetchtest.NoError(t, os.WriteFile(path, []byte(strings.Repeat("no database", 100)), 0o600))
	var setup Setup
	st := testProgram(home, &setup).open(nil)
	defer st.close()
	err := st.note(t.Context(), mustParse(t, "gopher://h.example/1"), "")
	if err == nil || !strings.HasSuffix(err.Error(), "the old one is "+path+".damaged") {
		t.Errorf("told %v, want where the damaged history is", err)
	}
	if visits, err := setup.Visits.Search(t.Context(), "", 10); len(visits) != 1 || err != nil {
		t.Errorf("visits %v, %v; want one", visits, err)
	}
}

// A demo that cannot be started is told where it is asked for, and is nothing to close.
func TestDemoFails(t *testing.T) {
	var setup Setup
	p := testProgram(t.TempDir(), &setup)
	noAddress := errors.New("no address is free")
	p.StartWorld = func(string) (World, error) { return (*fakeWorld)(nil), noAddress }
	st := p.open(nil)
	defer st.close()
	fetchtest.FailsWith(t, noAddress)(setup.Demo(t.Context()))
}
