//go:build unix

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// fileDraft is a draft in a file. Send stores its text in sent.
type fileDraft struct{ path, sent string }

func (d *fileDraft) File() (string, error) { return d.path, nil }

func (d *fileDraft) StartLine() int { return 0 }

func (d *fileDraft) Preview() (*protocols.Confirm, error) {
	text, err := os.ReadFile(d.path)
	return &protocols.Confirm{Question: "Post this\x1b", Reason: "To the world.", Details: strings.Split(string(text), "\n")}, err
}

func (d *fileDraft) Send(context.Context) error {
	text, err := os.ReadFile(d.path)
	d.sent = string(text)
	return err
}

func (d *fileDraft) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	return nil, &protocols.Compose{URL: req.URL, Title: "New article", Draft: d}
}

// Put implements [protocols.Putter].
func (d *fileDraft) Put(_ context.Context, u urlcore.URL, up *protocols.Upload) error {
	text, err := io.ReadAll(up.Body)
	d.sent = u.String() + "\n" + string(text)
	return err
}

// composeProgram returns gofer with d as the draft of all news articles.
func composeProgram(t *testing.T, d *fileDraft, editor string) *Program {
	p := testProgram(t.TempDir(), new(app.Setup))
	p.Schemes = func(app.Setup) (protocols.Registry, func()) {
		return protocols.Registry{"about": d, "news": d}, func() {}
	}
	env := p.Getenv
	p.Getenv = func(name string) string {
		if name == "EDITOR" {
			return editor
		}
		return env(name)
	}
	return p
}

// TestWriteMessage writes an article line by line or in an editor, and checks that it is sent only
// after the answer yes.
func TestWriteMessage(t *testing.T) {
	const old = "From: joe\nSubject: \nX-Long: a\n b\n\nOld text.\n"
	for _, tt := range []struct {
		name, editor string
		args         []string
		steps        [][2]string
		shown, sent  string
	}{
		{"typed", "", []string{"post", "news:a.b"}, [][2]string{
			{"New article\r\nFrom [joe]: ", ""},
			{"Subject: ", "Hello"},
			{"X-Long [a]: ", ""},
			{"> Old text.\r\nKeep this text? (Y/n) ", "n"},
			{"n\r\n", "New.\n."},
			{"To the world.\r\n  From: joe\r\n  Subject: Hello\r\n", ""},
		}, "Not sent: the draft is kept", ""},
		{"typed and sent", "", []string{"post", "news:a.b"}, [][2]string{
			{"From [joe]: ", "ann"}, {"Subject: ", ""}, {"X-Long", ""}, {"Keep this text? (Y/n) ", ""}, {"Post this␛? (y/N) ", "y"},
		}, "Sent.", "From: ann\nSubject: \nX-Long: a\n b\n\nOld text.\n"},
		{
			"edited", "echo More. >>",
			[]string{"post", "news:a.b"},
			[][2]string{{"  More.\r\n  \r\nPost this␛? (y/N) ", "y"}},
			"Sent.", old + "More.\n",
		},
		{"not edited", "false", []string{"post", "news:a.b"}, nil, "exit status 1", ""},
		{"--plain", "true", []string{"--plain", "news:a.b"}, [][2]string{{"(y/N) ", "y"}, {"Sent.\r\ngofer> ", "q"}}, "", old},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &fileDraft{path: filepath.Join(t.TempDir(), "draft")}
			fetchtest.NoError(t, os.WriteFile(d.path, []byte(old), 0o600))
			tm := newTerminal(t)
			p := composeProgram(t, d, tt.editor)
			p.In, p.Out, p.Err = tm.tty, tm.tty, tm.tty
			done := make(chan int, 1)
			go func() { done <- p.Run(t.Context(), tt.args) }()
			tm.answerAll(tt.steps)
			tm.waitFor(tt.shown)
			if code := tm.waitExit(done); (code == 0) != (tt.editor != "false") || d.sent != tt.sent {
				t.Errorf("exit %d, sent %q; want success: %v, %q", code, d.sent, tt.editor != "false", tt.sent)
			}
		})
	}
}

// TestPostStandardInput checks that gofer post posts standard input.
func TestPostStandardInput(t *testing.T) {
	for _, tt := range []struct {
		in   io.Reader
		code int
		sent string
	}{
		{strings.NewReader("Subject: x\n\ny\n"), 0, "about:compose/post?news%3Aa.b\nSubject: x\n\ny\n"},
		{strings.NewReader(strings.Repeat("x", maxArticle+1)), exitLocal, ""},
		{iotest.ErrReader(errors.New("broken")), exitLocal, ""},
	} {
		d := new(fileDraft)
		p := composeProgram(t, d, "")
		p.In = tt.in
		if code := p.Run(t.Context(), []string{"post", "news:a.b"}); code != tt.code || d.sent != tt.sent {
			t.Errorf("exit %d, sent %.80q; want %d, %q", code, d.sent, tt.code, tt.sent)
		}
	}
}
