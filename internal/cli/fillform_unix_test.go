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

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// survey asks for a form and answers with what was typed.
type survey struct {
	got    []string
	agreed bool
}

func (s *survey) Fetch(_ context.Context, u urlcore.URL) (*protocols.Resource, error) {
	g, _ := u.(urlcore.Gopher)
	if g.Selector == "/confirm" && !s.agreed {
		return nil, &protocols.Confirm{Question: "Send this form", Reason: "It is in the URL.", Details: []string{"a\x1b"}, Yes: func() { s.agreed = true }}
	}
	if g.Selector == "/sent" || s.agreed {
		head := protocols.Head{URL: u, Media: "text/plain", Size: -1}
		return &protocols.Resource{Head: head, Body: strings.NewReader("thank you\n"), Closer: io.NopCloser(nil)}, nil
	}
	return nil, &protocols.Ask{URL: u, Title: "Form of gopher.example", Server: "gopher.example:70", Said: "A survey\x1b[2J", Fields: []protocols.Field{
		{Said: "For gophers.", Input: protocols.InputNote},
		{Said: "Name", Value: "ann"},
		{Said: "Password:", Input: protocols.InputSecret},
		{Said: "Words", Input: protocols.InputText, Value: "one\ntwo"},
		{Said: "Mail", Input: protocols.InputCheck, Value: "1"},
		{Said: "Colour", Input: protocols.InputChoice, Choices: []string{"red", "gr\xfcn"}, Value: "red"},
		{Said: "File", Input: protocols.InputFile},
	}, With: func(answers []string) (urlcore.URL, error) {
		s.got = answers
		g.Selector = "/sent"
		return g, nil
	}}
}

// steps waits for each text and answers it.
func (tm *terminal) steps(all [][2]string) {
	tm.t.Helper()
	for _, s := range all {
		tm.wait(s[0])
		tm.enter(s[1])
	}
}

func surveyProgram(t *testing.T, s *survey) (*Program, *terminal) {
	tm := newTerminal(t)
	p := lockedProgram(t, &locked{}, "", 0)
	p.Fetchers = func(Setup) (protocols.Registry, func()) {
		return protocols.Registry{"gopher": s}, func() {}
	}
	p.In, p.Out, p.Err = tm.tty, tm.tty, tm.tty
	return p, tm
}

// TestFormOnTheTerminal: dump asks for each field, and once more before the form
// is sent.
func TestFormOnTheTerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	fetchtest.NoError(t, os.WriteFile(file, make([]byte, 2000), 0o600))
	s := &survey{}
	p, tm := surveyProgram(t, s)
	done := make(chan int, 1)
	go func() { done <- p.Run(t.Context(), []string{"dump", "gopher://gopher.example/0/survey"}) }()
	tm.steps([][2]string{
		{
			"Form of gopher.example\r\ngopher.example says: \"A survey␛[2J\"\r\ngopher.example says: \"For gophers.\"\r\n" +
				"gopher.example says: \"Name\"\r\nAnswer [\"ann\"]: ", "",
		},
		{"gopher.example says: \"Password:\"\r\nSecret answer (not shown): ", "sesame"},
		{"> one\r\n> two\r\nKeep this text? (Y/n) ", "n"},
		{"n\r\n", "  three\nfour\n."},
		{"says: \"Mail\"\r\nYes to this? (Y/n) ", "n"},
		{"2  \"gr\u00fcn\"\r\n1 to 2 [1]: ", "3"},
		{"\"3\" is none of these: type a number.\r\n1 to 2 [1]: ", "Gr\u00dcn"},
		{"File (a file of yours to send; empty: none): ", "/nonesuch"},
		{"/nonesuch: no such file or directory\r\nFile (", file},
		{`a.txt" (2.0 kB)? (y/N) `, "y"},
		{"Send the form to gopher.example:70? (Y/n) ", ""},
	})
	tm.wait("thank you")
	fetchtest.Equal(t, tm.code(done), 0, "exit")
	fetchtest.EqualSlices(t, s.got, []string{"", "ann", "sesame", "  three\nfour", "0", "gr\xfcn", file}, "answers")
}

// TestConfirmOnTheTerminal asks before a form that a URL carries is sent, in words
// that the terminal does not break.
func TestConfirmOnTheTerminal(t *testing.T) {
	for answer, want := range map[string]int{"y": exitDone, "": exitRefused} {
		s := &survey{}
		p, tm := surveyProgram(t, s)
		fetchtest.NoError(t, pty.Setsize(tm.tty, &pty.Winsize{Rows: 24, Cols: 14}))
		done := make(chan int, 1)
		go func() { done <- p.Run(t.Context(), []string{"dump", "gopher://gopher.example/0/confirm"}) }()
		tm.steps([][2]string{{"Send this\r\nform?\r\nIt is in the\r\nURL.\r\n  a␛\r\nAgree? (y/N) ", answer}})
		if code := tm.code(done); code != want || s.agreed != (answer == "y") {
			t.Errorf("%q: exit %d, want %d", answer, code, want)
		}
	}
}

// TestFormNotSent: no at the end sends nothing.
func TestFormNotSent(t *testing.T) {
	s := &survey{}
	p, tm := surveyProgram(t, s)
	done := make(chan int, 1)
	go func() { done <- p.Run(t.Context(), []string{"dump", "gopher://gopher.example/0/survey"}) }()
	tm.steps([][2]string{{"Name", ""}, {"not shown", ""}, {"Keep", ""}, {"Yes to this?", ""}, {"1 to 2", ""}, {"File", ""}, {"Send the form", "n"}})
	tm.wait("the form was not sent")
	if code := tm.code(done); code == 0 || s.got != nil {
		t.Errorf("exit %d, sent %q", code, s.got)
	}
}
