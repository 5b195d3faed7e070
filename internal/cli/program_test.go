package cli

import (
	"io"
	"iter"
	"maps"

	"gofer/internal/app"
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
func (fakeWorld) NewsServer() string               { return "demo.gofer.test:119" }
func (fakeWorld) Close() error                     { return nil }
func (fakeWorld) ListenAddr(string) (string, bool) { return "", false }

var mustParse = fetchtest.Parse

// testProgram returns a program with a home directory. Its schemes store their Setup in setup.
func testProgram(home string, setup *app.Setup) *Program {
	return &Program{Start: app.Start{
		Schemes: func(s app.Setup) (protocols.Registry, func()) {
			*setup = s
			return protocols.Registry{}, func() {}
		},
		Err:        io.Discard,
		StartWorld: func(string) (app.World, error) { return fakeWorld{}, nil },
		Getenv: func(name string) string {
			if name == "HOME" {
				return home
			}
			return ""
		},
	}}
}
