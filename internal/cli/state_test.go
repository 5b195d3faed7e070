package cli

import (
	"slices"
	"testing"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// fakeWorld is a demo without servers.
type fakeWorld struct{}

func (fakeWorld) Start() string { return "gopher://127.0.0.1:40001/1" }
func (w fakeWorld) URLs() []string {
	return []string{w.Start(), "ftp://127.0.0.1:40002/;type=d", "nntp://127.0.0.1:40003/a.b"}
}
func (fakeWorld) NewsServer() string { return "127.0.0.1:40003" }
func (fakeWorld) Close() error       { return nil }

func mustParse(t *testing.T, s string) urlcore.URL {
	t.Helper()
	u, err := urlcore.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// testProgram is a program whose home is home; asked gets what its fetchers
// are made of.
func testProgram(home string, asked *Setup) *Program {
	return &Program{
		Fetchers: func(s Setup) (protocols.Registry, func()) {
			*asked = s
			return protocols.Registry{}, func() {}
		},
		StartWorld: func() (World, error) { return fakeWorld{}, nil },
		Getenv: func(name string) string {
			if name == "HOME" {
				return home
			}
			return ""
		},
	}
}

// The servers of a demo are gone when it ends: its visits are not recorded,
// from when it runs.
func TestDemoVisits(t *testing.T) {
	inDemo := []string{
		"gopher://127.0.0.1:40001/0/a", "ftp://joe@127.0.0.1:40002/a", "nntp://127.0.0.1:40003/c.d/7", "http://127.0.0.1:40001/",
	}
	others := []string{
		"gopher://127.0.0.1/1", "gopher://h.example:40001/1", "ftp://127.0.0.1:40009/", "http://h.example/",
	}
	for _, tt := range []struct {
		name    string
		world   World
		started bool // by about:demo
		kept    []string
	}{
		{"no demo", nil, false, slices.Concat(inDemo, []string{"news:a.b"}, others)},
		{"about:demo", nil, true, slices.Concat([]string{"news:a.b"}, others)},
		{"gofer demo", fakeWorld{}, false, others},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var setup Setup
			st, err := testProgram(t.TempDir(), &setup).open(tt.world)
			if err != nil {
				t.Fatal(err)
			}
			defer st.close()
			if tt.started {
				if _, err := setup.Demo(); err != nil {
					t.Fatal(err)
				}
			}
			at := time.Now()
			for _, s := range slices.Concat(inDemo, []string{"news:a.b"}, others) {
				at = at.Add(-time.Second)
				if err := st.visit(t.Context(), mustParse(t, s), "", at); err != nil {
					t.Fatal(err)
				}
			}
			store, err := setup.Visits()
			if err != nil {
				t.Fatal(err)
			}
			visits, err := store.Recent(t.Context(), 100)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range visits {
				got = append(got, v.URL.String())
			}
			if !slices.Equal(got, tt.kept) {
				t.Errorf("kept %q, want %q", got, tt.kept)
			}
		})
	}
}
