package transfer

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestEditFile stores an edited file after a yes only, and never over another version.
func TestEditFile(t *testing.T) {
	const question = `Store the changed "a.txt" at ftp.example.org?`
	for _, tt := range []struct {
		name   string
		edited string // the content after the editor
		there  string // what the server has then
		failed error  // of the editor, or of the upload
		answer string // "": there is no question
		busy   bool   // another change is running then
		stored string
		said   string // FOLDER is that of saved texts
		kept   string // the content of FOLDER/a.txt
	}{
		{name: "yes", edited: "new", there: "old", answer: "yes", stored: "new", said: "uploaded a.txt"},
		{name: "no", edited: "new", there: "old", answer: "no", said: "not uploaded, kept as FOLDER/a.txt", kept: "new"},
		{name: "not changed", edited: "old", there: "old", said: "not changed: a.txt"},
		{name: "changed there", edited: "new", there: "newer", answer: "yes", said: "not uploaded, kept as FOLDER/a.txt: the file on the server has changed meanwhile", kept: "new"},
		{name: "gone there", edited: "new", answer: "yes", said: "not uploaded, kept as FOLDER/a.txt: not found", kept: "new"},
		{name: "refused", edited: "new", there: "old", answer: "yes", failed: &protocols.Error{Code: 553, Text: "no"}, said: "not uploaded, kept as FOLDER/a.txt: the server said 553 no", kept: "new"},
		{name: "lost", edited: "new", there: "old", answer: "yes", failed: &protocols.Error{Reason: protocols.Broken}, said: "not uploaded, kept as FOLDER/a.txt: connection lost", kept: "new"},
		{name: "busy", edited: "new", there: "old", answer: "yes", busy: true, said: "not uploaded, kept as FOLDER/a.txt", kept: "new"},
		{name: "no editor", edited: "old", there: "old", failed: errors.New("exit status 127"), said: "not edited: exit status 127"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChanging(t)
			folder, stored := filepath.Join(t.TempDir(), "texts"), ""
			c.changes.Folder = folder
			c.changes.Server = &fileServer{c, tt.there}
			c.changes.Upload = func(_ context.Context, path string, _ urlcore.URL, up *protocols.Upload, report func(done, size int64)) error {
				report(1, 3)
				if !up.Replace {
					t.Error("the server would be asked")
				}
				stored = string(fetchtest.Must(os.ReadFile(path))(t))
				if tt.failed != nil {
					stored = ""
				}
				return tt.failed
			}
			temp := filepath.Join(t.TempDir(), "temp")
			c.changes.FetchFile = func(_ urlcore.URL, then func(string, error) func() tea.Cmd) tea.Cmd {
				return c.Async(func() func() tea.Cmd {
					path := filepath.Join(temp, "a.txt")
					return then(path, errors.Join(os.Mkdir(temp, 0o700), os.WriteFile(path, []byte("old"), 0o600)))
				})
			}
			c.changes.Editor = func(path string, begin func() error, ended func(error) tea.Cmd) tea.Cmd {
				fetchtest.NoError(t, errors.Join(begin(), os.WriteFile(path, []byte(tt.edited), 0o600)))
				if tt.edited == "old" {
					return ended(tt.failed)
				}
				return ended(nil)
			}
			c.Run(c.changes.EditFile())
			if tt.answer != "" {
				fetchtest.Equal(t, c.Question(), question)
				if tt.busy {
					c.changes.current = new(change)
				}
				c.Press(tt.answer)
				fetchtest.Equal(t, c.Tab().Prompt, nil, "a question after it")
			}
			fetchtest.Equal(t, stored, tt.stored, "stored")
			fetchtest.Equal(t, strings.ReplaceAll(strings.Join(c.Said, "; "), folder, "FOLDER"), tt.said, "said")
			kept, _ := os.ReadFile(filepath.Join(folder, "a.txt"))
			fetchtest.Equal(t, string(kept), tt.kept, "kept")
			if _, err := os.Stat(temp); !errors.Is(err, os.ErrNotExist) && tt.failed == nil {
				t.Errorf("the temporary file: %v", err)
			}
		})
	}
}

// fileServer has a file with a content, or none.
type fileServer struct {
	*changing
	content string
}

func (s *fileServer) Fetch(_ context.Context, u urlcore.URL) (*protocols.Resource, error) {
	if s.content == "" {
		return nil, protocols.NewError(protocols.NotThere, "fetch", "not found")
	}
	return &protocols.Resource{Head: protocols.Head{URL: u}, Body: strings.NewReader(s.content), Closer: io.NopCloser(nil)}, nil
}

func (s *fileServer) Put(context.Context, urlcore.URL, *protocols.Upload) error { return nil }

func (s *fileServer) Change(context.Context, *protocols.Change) (urlcore.URL, error) { return nil, nil }
