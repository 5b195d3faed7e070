package ui

import (
	"context"
	"io"
	"os"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/program/opener"
	"gofer/protocols"
	"gofer/urlcore"
)

// stalledBody is a document that stalls after its first octets.
type stalledBody struct {
	ctx   context.Context
	begun chan struct{}
	n     int
}

func (b *stalledBody) Read(p []byte) (int, error) {
	if b.n++; b.n == 1 {
		return copy(p, "begun"), nil
	}
	if b.n == 2 {
		close(b.begun)
	}
	<-b.ctx.Done()
	return 0, context.Cause(b.ctx)
}

// stalledWeb returns a menu with one file that stalls. The channel begun is closed when the file
// stalls.
func stalledWeb() (w web, u urlcore.URL, begun chan struct{}) {
	w, u, begun = library(), item('9', "/endless.bin"), make(chan struct{})
	w.addPage(item('1', "/"), protocols.LayoutMenu, "M", link(protocols.Binary, "endless", u))
	w[u] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		head := protocols.Head{URL: u, Layout: protocols.LayoutBinary, Media: "application/octet-stream", Size: -1}
		return &protocols.Resource{Head: head, Body: &stalledBody{ctx: ctx, begun: begun}, Closer: io.NopCloser(nil)}, nil
	}
	return w, u, begun
}

// startCommands runs cmd, or the commands of its batch in parallel. The channel receives the
// messages.
func startCommands(cmd tea.Cmd) <-chan tea.Msg {
	msgs := make(chan tea.Msg, 8)
	go func() {
		msg := cmd()
		batch, ok := msg.(tea.BatchMsg)
		if !ok {
			msgs <- msg
		}
		for _, c := range batch {
			go func() { msgs <- c() }()
		}
	}()
	return msgs
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the directory has the files %v, %v, want none", left, err)
	}
}

// TestStopFetchForProgram checks that Esc cancels the fetch of a document for another program, and
// that no temporary file is left.
func TestStopFetchForProgram(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	w, _, begun := stalledWeb()
	d := drive(t, w, Options{Programs: &opener.Programs{Getenv: func(string) string { return "" }}}, 80, 24)
	_, cmd := d.Update(keyPress("o"))
	msgs := startCommands(cmd)
	<-begun
	d.press("esc")
	d.send(<-msgs).wantShown("not opened: stopped")
	wantEmpty(t, dir)
	if _, n := d.downloads.Active(); n > 0 {
		t.Error("the fetch is still running")
	}
}

// TestFileOfNoProgram checks that the temporary file is removed if no program opens it, or if the user
// answers no.
func TestFileOfNoProgram(t *testing.T) {
	w := library()
	u := item('0', "/a")
	w.addPage(item('1', "/"), protocols.LayoutMenu, "M", link(protocols.Text, "a", u))
	w.addText(u, "A", "a\n")
	for _, tt := range []struct {
		name  string
		rules map[string]opener.Rule
		keys  []string
		want  string
	}{
		{"a bad command", map[string]opener.Rule{"text/plain": {Command: "'"}}, []string{"o"}, "not opened"},
		{"no", map[string]opener.Rule{"text/plain": {Command: "true"}}, []string{"o", "n"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir)
			d := drive(t, w, Options{Programs: &opener.Programs{Rules: tt.rules, Getenv: func(string) string { return "" }}}, 80, 24)
			d.press(tt.keys...).wantShown(tt.want)
			wantEmpty(t, dir)
		})
	}
}
