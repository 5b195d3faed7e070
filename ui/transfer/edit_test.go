package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestEditFile stores an edited file after a yes only, and never over another version.
func TestEditFile(t *testing.T) {
	plain := &protocols.Confirm{Question: "Send the password in the clear", Consent: protocols.ConsentPlainPassword, Yes: func() {}}
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
		asked  error  // the question of the server during the first upload
		second string // the answer to it
		closed bool   // the tab is closed then
		fetch  error  // the question of the server before the file comes
	}{
		{name: "yes", edited: "new", there: "old", answer: "yes", stored: "new", said: "uploaded a.txt"},
		{name: "no", edited: "new", there: "old", answer: "no", said: "not uploaded, kept as FOLDER/a.txt", kept: "new"},
		{name: "not changed", edited: "old", there: "old", said: "not changed: a.txt"},
		{name: "changed there", edited: "new", there: "newer", answer: "yes", said: "not uploaded, kept as FOLDER/a.txt: the file on the server has changed meanwhile", kept: "new"},
		{name: "gone there", edited: "new", answer: "yes", said: "not uploaded, kept as FOLDER/a.txt: not found", kept: "new"},
		{name: "refused", edited: "new", there: "old", answer: "yes", failed: &protocols.Error{Code: 553, Text: "no"}, said: "not uploaded, kept as FOLDER/a.txt: the server said 553 no", kept: "new"},
		{name: "lost", edited: "new", there: "old", answer: "yes", failed: &protocols.Error{Reason: protocols.Broken}, said: "not uploaded, kept as FOLDER/a.txt: connection lost", kept: "new"},
		{name: "busy", edited: "new", there: "old", answer: "yes", busy: true, said: "not uploaded, kept as FOLDER/a.txt: other is not done", kept: "new"},
		{name: "confirmed before", edited: "new", there: "old", answer: "yes", fetch: plain, stored: "new", said: "uploaded a.txt"},
		{name: "confirmed", edited: "new", there: "old", answer: "yes", asked: plain, second: "yes", stored: "new", said: "uploaded a.txt"},
		{name: "not confirmed", edited: "new", there: "old", answer: "yes", asked: plain, second: "no", said: "not uploaded, kept as FOLDER/a.txt", kept: "new"},
		{name: "not confirmed by Esc", edited: "new", there: "old", answer: "yes", asked: plain, second: "cancel", said: "not uploaded, kept as FOLDER/a.txt", kept: "new"},
		{name: "no login", edited: "new", there: "old", answer: "yes", asked: &protocols.Login{User: "u"}, second: "cancel", said: "not uploaded, kept as FOLDER/a.txt", kept: "new"},
		{name: "closed tab", edited: "new", there: "old", answer: "yes", asked: plain, closed: true, said: "not uploaded yet: the server asks; <undo close> opens the tab; kept as FOLDER/a.txt", kept: "new"},
		{name: "unanswered", edited: "new", there: "old", answer: "yes", asked: plain, kept: "new"},
		{name: "unanswered at first", edited: "new", there: "old", kept: "new"},
		{name: "Ctrl-C", edited: "new", there: "old", answer: "leave", said: "not uploaded, kept as FOLDER/a.txt", kept: "new"},
		{name: "no folder", edited: "new", there: "old", answer: "no", said: "not uploaded, kept as HOME/a.txt"},
		{name: "no editor", edited: "old", there: "old", failed: errors.New("exit status 127"), said: "not edited: exit status 127"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChanging(t)
			folder, stored := filepath.Join(t.TempDir(), "texts"), ""
			home := t.TempDir()
			t.Setenv("HOME", home)
			if tt.name == "no folder" {
				folder = filepath.Join(os.DevNull, "texts")
			}
			_ = os.Mkdir(folder, 0o700)
			c.changes.Folder = folder
			shown := func(text string) string {
				text = strings.NewReplacer(folder, "FOLDER", home, "HOME").Replace(text)
				return regexp.MustCompile(`/edited-\d+`).ReplaceAllString(text, "")
			}
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
				if err := tt.asked; err != nil {
					tt.asked, stored = nil, ""
					return err
				}
				return tt.failed
			}
			temp := filepath.Join(t.TempDir(), "temp")
			c.changes.FetchFile = func(_ urlcore.URL, then func(string, error) func() tea.Cmd) tea.Cmd {
				return c.Async(func() func() tea.Cmd {
					if err := tt.fetch; err != nil {
						tt.fetch = nil
						return then("", err)
					}
					path := filepath.Join(temp, "a.txt")
					return then(path, errors.Join(os.Mkdir(temp, 0o700), os.WriteFile(path, []byte("old"), 0o600)))
				})
			}
			c.changes.Editor = func(path string, begin func() error, ended func(error) tea.Cmd) tea.Cmd {
				beside := fetchtest.Must(os.ReadDir(filepath.Dir(path)))(t)
				fetchtest.Equal(t, len(beside), 1, "files in its folder")
				fetchtest.Equal(t, filepath.Dir(path) != folder, true, "a folder of its own")
				fetchtest.NoError(t, errors.Join(begin(), os.WriteFile(path, []byte(tt.edited), 0o600)))
				if tt.edited == "old" {
					return ended(tt.failed)
				}
				return ended(nil)
			}
			asks := tt.fetch != nil
			c.Run(c.changes.EditFile())
			if asks {
				c.Press("yes")
			}
			if tt.answer != "" {
				fetchtest.Equal(t, c.Question(), question)
				if tt.busy {
					c.changes.current = &change{name: "other"}
				}
				if tt.closed {
					c.Meanwhile = c.Close
				}
				c.Press(tt.answer)
				if tt.second != "" {
					c.Press(tt.second)
				}
				fetchtest.Equal(t, c.Tab().Prompt != nil, tt.name == "unanswered", "a question after it")
			}
			unstored := ""
			if tt.kept != "" && (tt.said == "" || tt.closed) {
				unstored = `"a.txt" was edited and is not uploaded, it is kept as FOLDER/a.txt`
			}
			if err := c.changes.Unstored(nil); err != nil || unstored != "" {
				fetchtest.Equal(t, shown(fmt.Sprint(err)), unstored, "said at the end")
			}
			fetchtest.Equal(t, stored, tt.stored, "stored")
			fetchtest.Equal(t, shown(strings.Join(c.Said, "; ")), tt.said, "said")
			fetchtest.Equal(t, c.Ended, len(c.Said), "notices that end")
			kept := fetchtest.Must(filepath.Glob(filepath.Join(folder, "edited-*", "a.txt")))(t)
			folders, _ := os.ReadDir(folder)
			fetchtest.Equal(t, len(kept), len(folders), "folders")
			if tt.kept != "" {
				fetchtest.Equal(t, len(kept), 1, "kept files")
				fetchtest.GivesText(t, tt.kept, "kept")(os.ReadFile(kept[0]))
			} else {
				fetchtest.Equal(t, len(kept), 0, "kept files")
			}
			if tt.name == "no folder" {
				kept = fetchtest.Must(filepath.Glob(filepath.Join(home, "edited-*", "a.txt")))(t)
				fetchtest.Equal(t, len(kept), 1, "files in the home directory")
				fetchtest.GivesText(t, tt.edited, "kept at home")(os.ReadFile(kept[0]))
			}
			if _, err := os.Stat(temp); err == nil {
				t.Errorf("%s is still there", temp)
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
