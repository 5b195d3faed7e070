//go:build unix

package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// formFetcher is a Fetcher that asks for a form, or a consent, before it returns a document.
type formFetcher struct {
	answers   []string
	confirmed bool
}

func (s *formFetcher) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	g, _ := req.URL.(urlcore.Gopher)
	if g.Selector == "/confirm" && !s.confirmed {
		return nil, &protocols.Confirm{
			Question: "Send this form", Reason: "It is in the URL.", Details: []string{"a\x1b"},
			GiveConsent: func() { s.confirmed = true },
		}
	}
	if g.Selector == "/sent" || s.confirmed {
		head := protocols.Head{URL: req.URL, Media: "text/plain", Size: -1}
		return &protocols.Resource{Head: head, Body: strings.NewReader("thank you\n"), Closer: io.NopCloser(nil)}, nil
	}
	return nil, &protocols.Ask{
		URL: req.URL, Title: "Form of gopher.example", Server: "gopher.example:70", ServerTitle: "A survey\x1b[2J",
		Fields: []protocols.Field{
			{ServerLabel: "For gophers.", Input: protocols.InputNote},
			{ServerLabel: "Name", Value: "ann"},
			{ServerLabel: "Password:", Input: protocols.InputSecret},
			{ServerLabel: "Words", Input: protocols.InputText, Value: "one\ntwo"},
			{ServerLabel: "Mail", Input: protocols.InputCheck, Value: "1"},
			{ServerLabel: "Color", Input: protocols.InputChoice, Choices: []string{"red", "gr\xfcn"}, Value: "red"},
			{ServerLabel: "File", Input: protocols.InputFile},
		},
		With: func(answers []string) (urlcore.URL, error) {
			s.answers = answers
			g.Selector = "/sent"
			return g, nil
		},
	}
}

// answerAll waits for the first text of each pair and types the second.
func (tm *terminal) answerAll(all [][2]string) {
	tm.t.Helper()
	for _, s := range all {
		tm.waitFor(s[0])
		tm.enter(s[1])
	}
}

func formProgram(t *testing.T, s *formFetcher) (*Program, *terminal) {
	tm := newTerminal(t)
	p := loginProgram(t, &loginServer{}, "", 0)
	p.Schemes = func(app.Setup) (protocols.Registry, func()) {
		return protocols.Registry{"gopher": s}, func() {}
	}
	p.In, p.Out, p.Err = tm.tty, tm.tty, tm.tty
	return p, tm
}

// TestFillForm checks that dump asks for each field of a form, and whether to send it.
func TestFillForm(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	fetchtest.NoError(t, os.WriteFile(file, make([]byte, 2000), 0o600))
	s := &formFetcher{}
	p, tm := formProgram(t, s)
	done := make(chan int, 1)
	go func() { done <- p.Run(t.Context(), []string{"dump", "gopher://gopher.example/0/survey"}) }()
	tm.answerAll([][2]string{
		{
			"Form of gopher.example\r\ngopher.example says: \"A survey␛[2J\"\r\ngopher.example says: \"For gophers.\"\r\n" +
				"gopher.example says: \"Name\"\r\nAnswer [\"ann\"]: ", "",
		},
		{"gopher.example says: \"Password:\"\r\nSecret answer (not shown): ", "sesame"},
		{"> one\r\n> two\r\nKeep this text? (Y/n) ", "n"},
		{"n\r\n", "  three\nfour\n."},
		{"says: \"Mail\"\r\nSelect this? (Y/n) ", "n"},
		{"2  \"gr\u00fcn\"\r\n1 to 2 [1]: ", "3"},
		{"\"3\" is not a choice: type a number.\r\n1 to 2 [1]: ", "Gr\u00dcn"},
		{"File (path of a file to send; empty for none): ", "/nonesuch"},
		{"/nonesuch: no such file or directory\r\nFile (", file},
		{`a.txt" (2.0 kB)? (y/N) `, "y"},
		{"Send the form to gopher.example:70? (Y/n) ", ""},
	})
	tm.waitFor("thank you")
	fetchtest.Equal(t, tm.waitExit(done), 0, "exit")
	fetchtest.EqualSlices(t, s.answers, []string{"", "ann", "sesame", "  three\nfour", "0", "gr\xfcn", file}, "answers")
}

// TestConfirmForm checks that dump asks before it sends a form that a URL contains, and wraps the
// question at words.
func TestConfirmForm(t *testing.T) {
	for answer, want := range map[string]int{"y": exitOK, "": exitRefused} {
		s := &formFetcher{}
		p, tm := formProgram(t, s)
		fetchtest.NoError(t, pty.Setsize(tm.tty, &pty.Winsize{Rows: 24, Cols: 14}))
		done := make(chan int, 1)
		go func() { done <- p.Run(t.Context(), []string{"dump", "gopher://gopher.example/0/confirm"}) }()
		tm.answerAll([][2]string{{"Send this\r\nform?\r\nIt is in the\r\nURL.\r\n  a␛\r\nAgree? (y/N) ", answer}})
		if code := tm.waitExit(done); code != want || s.confirmed != (answer == "y") {
			t.Errorf("after the answer %q: exit %d, sent: %v; want %d, %v", answer, code, s.confirmed, want, answer == "y")
		}
	}
}

// TestFormNotSent checks that a form is not sent after the answer no.
func TestFormNotSent(t *testing.T) {
	s := &formFetcher{}
	p, tm := formProgram(t, s)
	done := make(chan int, 1)
	go func() { done <- p.Run(t.Context(), []string{"dump", "gopher://gopher.example/0/survey"}) }()
	tm.answerAll([][2]string{
		{"Name", ""},
		{"not shown", ""},
		{"Keep", ""},
		{"Select this?", ""},
		{"1 to 2", ""},
		{"File", ""},
		{"Send the form", "n"},
	})
	tm.waitFor("the form was not sent")
	if code := tm.waitExit(done); code == 0 || s.answers != nil {
		t.Errorf("after the answer no: exit %d, sent %q; want an error and no form", code, s.answers)
	}
}
