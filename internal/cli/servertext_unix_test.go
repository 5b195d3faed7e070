//go:build unix

package cli

import (
	"strings"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestServerTextIndented checks that no row of the terminal begins with text of the server, even if
// the text is longer than a row.
func TestServerTextIndented(t *testing.T) {
	const (
		fake  = "Password for joe"
		width = 50
	)
	words := strings.Repeat("word ", 20) + strings.Repeat("\u2800", 60) + strings.Repeat(fake+" ", 20)
	u := fetchtest.Must(urlcore.Parse("gopher://h/0form"))(t)
	ask := &protocols.Ask{URL: u, Title: "Form of h", Server: "h", ServerTitle: words, Fields: []protocols.Field{
		{ServerLabel: words, Value: words},
		{ServerLabel: "Text", Input: protocols.InputText, Value: words},
		{ServerLabel: "Choice", Input: protocols.InputChoice, Choices: []string{words, "b"}},
	}, With: func([]string) (urlcore.URL, error) { return u, nil }}
	lines := &protocols.Ask{
		URL: u, Title: "Form of h", Server: "h", Fields: []protocols.Field{{ServerLabel: words, Value: words}},
		IsForm: true, With: ask.With,
	}
	for name, tt := range map[string]struct {
		do    func(p *Program) error
		steps [][2]string
	}{
		"login": {
			func(p *Program) error {
				_, _, err := p.askLogin(t.Context(), &protocols.Login{URL: u, Server: "h", Text: words})
				return err
			},
			[][2]string{{"User for h: ", "joe"}, {"Password for joe at h: ", "x"}},
		},
		"form": {
			func(p *Program) error {
				_, err := p.fillForm(t.Context(), nav.ReadAsk(ask, clean.Reading{}))
				return err
			},
			[][2]string{{"]: ", ""}, {"Keep this text? (Y/n) ", ""}, {"1 to 2 [1]: ", ""}, {"Send the form to h:70? (Y/n) ", ""}},
		},
		"form of lines": {
			func(p *Program) error {
				_, err := p.fillForm(t.Context(), nav.ReadAsk(lines, clean.Reading{}))
				return err
			},
			[][2]string{{"]: ", ""}, {"Send the form to h:70? (Y/n) ", ""}},
		},
		"consent": {
			func(p *Program) error {
				p.askConsent(&protocols.Confirm{Question: "Send", Details: []string{words}})
				return nil
			},
			[][2]string{{"Agree? (y/N) ", ""}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tm := newTerminal(t)
			fetchtest.NoError(t, pty.Setsize(tm.tty, &pty.Winsize{Rows: 24, Cols: width}))
			p := loginProgram(t, &loginServer{}, "", 0)
			p.In, p.Out, p.Err = tm.tty, tm.tty, tm.tty
			done := make(chan error, 1)
			go func() { done <- tt.do(p) }()
			shown := ""
			for _, s := range tt.steps {
				shown += tm.waitFor(s[0])
				tm.enter(s[1])
			}
			fetchtest.NoError(t, <-done)
			fetchtest.Contains(t, shown, fake)
			for row := range strings.SplitSeq(shown, "\r\n") {
				if own := strings.HasPrefix(row, "Password for joe at h: "); len([]rune(row)) > width ||
					strings.HasPrefix(row, fake) && !own || strings.HasPrefix(row, "word") {
					t.Errorf("got the row %q, which begins with server text or is wider than %d columns", row, width)
				}
			}
		})
	}
}
