package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// menuFetcher is a Fetcher that returns a menu for every URL, or the error err if it is not nil.
type menuFetcher struct{ err error }

func (m menuFetcher) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	if m.err != nil {
		return nil, m.err
	}
	return &protocols.Resource{
		Head: protocols.Head{URL: req.URL, Layout: protocols.LayoutMenu, Size: -1},
		Lines: func(yield func(protocols.Line, error) bool) {
			yield(protocols.Line{Text: "\u021b31m Größe \u65e5"}, nil)
		},
		Closer: io.NopCloser(nil),
	}, nil
}

// TestLocale runs dump in several locales, with standard output a terminal or a buffer.
func TestLocale(t *testing.T) {
	refused := &protocols.Error{Reason: protocols.NotFound, Op: "open it", Text: "\u021b31m Größe"}
	for _, tt := range []struct {
		locale   string
		terminal bool
		err      error
		out, log string
	}{
		{"C", true, nil, "           t31m Grose ??\r\n", ""},
		{"C", false, nil, "           \u021b31m Größe \u65e5\n", ""},
		{"C.UTF-8", true, nil, "           \u021b31m Größe \u65e5\r\n", ""},
		{"", true, nil, "           \u021b31m Größe \u65e5\r\n", ""},
		{"de_DE", false, refused, "", "t31m Grose"},
		{"de_DE.UTF-8", false, refused, "", "\u021b31m Größe"},
	} {
		p := testProgram(t.TempDir(), new(app.Setup))
		p.Schemes = func(app.Setup) (protocols.Registry, func()) {
			return protocols.Registry{"gopher": menuFetcher{tt.err}}, func() {}
		}
		env := p.Getenv
		p.Getenv = func(name string) string {
			if name == "LC_ALL" {
				return tt.locale
			}
			return env(name)
		}
		var out, log bytes.Buffer
		p.Out, p.Err = &out, &log
		finish := func() {}
		if tt.terminal {
			screen, tty, err := pty.Open()
			if err != nil {
				t.Skipf("no pseudo-terminal: %v", err)
			}
			p.Out = tty
			read := make(chan struct{})
			go func() {
				defer close(read)
				_, _ = io.Copy(&out, screen) // ends when tty is closed
			}()
			finish = func() {
				_ = tty.Close()
				<-read
				_ = screen.Close()
			}
		}
		p.Run(t.Context(), []string{"dump", "gopher://h/1"})
		finish()
		if out.String() != tt.out || !strings.Contains(log.String(), tt.log) {
			t.Errorf(
				"%q, terminal %v: got the output %q and the log %q, want %q and %q", tt.locale, tt.terminal,
				out.String(), log.String(), tt.out, tt.log,
			)
		}
	}
}

func TestASCIIWriterSplitCharacters(t *testing.T) {
	const s = "Größe \U0001f44d \u65e5!"
	for n := 1; n < 6; n++ {
		var b strings.Builder
		w := &asciiWriter{w: &b}
		for i := 0; i < len(s); i += n {
			fetchtest.Must(io.WriteString(w, s[i:min(len(s), i+n)]))(t)
		}
		fetchtest.Equal(t, b.String(), "Grose ?? ??!", "in pieces of %d octets", n)
	}
	if isTerminal(&asciiWriter{w: os.Stdin}) != isTerminal(os.Stdin) {
		t.Error("isTerminal differs for an asciiWriter")
	}
}
