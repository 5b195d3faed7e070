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

// TestEditFile checks that an edited file is stored only after a yes, and never over another version.
func TestEditFile(t *testing.T) {
	plain := &protocols.Confirm{Question: "Send the password in the clear", Consent: protocols.ConsentPlainPassword, GiveConsent: func() {}}
	const question = `Upload the changed "a.txt" to ftp.example.org?`
	for _, tt := range []struct {
		name           string
		edited         string // the content after the editor
		onServer       string // the content on the server after the editor
		failure        error  // of the editor, or of the upload
		answer         string // "": no question is answered
		busy           bool   // another change is running after the editor
		stored         string
		wantNotice     string // FOLDER is the folder of edited files, HOME the home directory
		kept           string // the content of FOLDER/a.txt
		serverQuestion error  // the question of the server during the first upload
		secondAnswer   string // the answer to serverQuestion
		closed         bool   // the tab is closed after the editor
		fetchErr       error  // the question of the server before the file is fetched
	}{
		{name: "yes", edited: "new", onServer: "old", answer: "yes", stored: "new", wantNotice: "uploaded a.txt"},
		{name: "no", edited: "new", onServer: "old", answer: "no", wantNotice: "not uploaded, kept as FOLDER/a.txt", kept: "new"},
		{name: "not changed", edited: "old", onServer: "old", wantNotice: "not changed: a.txt"},
		{
			name: "changed there", edited: "new", onServer: "newer", answer: "yes",
			wantNotice: "not uploaded, kept as FOLDER/a.txt: the file has changed on the server", kept: "new",
		},
		{name: "gone there", edited: "new", answer: "yes", wantNotice: "not uploaded, kept as FOLDER/a.txt: not found", kept: "new"},
		{
			name: "refused", edited: "new", onServer: "old", answer: "yes",
			failure:    &protocols.Error{Code: 553, Text: "no"},
			wantNotice: "not uploaded, kept as FOLDER/a.txt: the server said 553 no", kept: "new",
		},
		{
			name: "lost", edited: "new", onServer: "old", answer: "yes",
			failure:    &protocols.Error{Reason: protocols.Broken},
			wantNotice: "not uploaded, kept as FOLDER/a.txt: connection lost", kept: "new",
		},
		{
			name: "busy", edited: "new", onServer: "old", answer: "yes", busy: true,
			wantNotice: "not uploaded, kept as FOLDER/a.txt: other is still running", kept: "new",
		},
		{name: "confirmed before", edited: "new", onServer: "old", answer: "yes", fetchErr: plain, stored: "new", wantNotice: "uploaded a.txt"},
		{
			name: "confirmed", edited: "new", onServer: "old", answer: "yes", serverQuestion: plain,
			secondAnswer: "yes", stored: "new", wantNotice: "uploaded a.txt",
		},
		{
			name: "not confirmed", edited: "new", onServer: "old", answer: "yes", serverQuestion: plain,
			secondAnswer: "no", wantNotice: "not uploaded, kept as FOLDER/a.txt", kept: "new",
		},
		{
			name: "not confirmed by Esc", edited: "new", onServer: "old", answer: "yes", serverQuestion: plain,
			secondAnswer: "cancel", wantNotice: "not uploaded, kept as FOLDER/a.txt", kept: "new",
		},
		{
			name: "no login", edited: "new", onServer: "old", answer: "yes",
			serverQuestion: &protocols.Login{User: "u"}, secondAnswer: "cancel",
			wantNotice: "not uploaded, kept as FOLDER/a.txt", kept: "new",
		},
		{
			name: "closed tab", edited: "new", onServer: "old", answer: "yes", serverQuestion: plain, closed: true,
			wantNotice: "not uploaded yet: the server has a question; <undo close> opens the tab; kept as FOLDER/a.txt",
			kept:       "new",
		},
		{name: "unanswered", edited: "new", onServer: "old", answer: "yes", serverQuestion: plain, kept: "new"},
		{name: "unanswered at first", edited: "new", onServer: "old", kept: "new"},
		{name: "Ctrl-C", edited: "new", onServer: "old", answer: "leave", wantNotice: "not uploaded, kept as FOLDER/a.txt", kept: "new"},
		{name: "no folder", edited: "new", onServer: "old", answer: "no", wantNotice: "not uploaded, kept as HOME/a.txt"},
		{name: "no editor", edited: "old", onServer: "old", failure: errors.New("exit status 127"), wantNotice: "not edited: exit status 127"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChangesProgram(t)
			folder, stored := filepath.Join(t.TempDir(), "texts"), ""
			home := t.TempDir()
			t.Setenv("HOME", home)
			if tt.name == "no folder" {
				folder = filepath.Join(os.DevNull, "texts")
			}
			_ = os.Mkdir(folder, 0o700)
			c.Settings.Downloads.Folder = folder
			shown := func(text string) string {
				text = strings.NewReplacer(folder, "FOLDER", home, "HOME").Replace(text)
				return regexp.MustCompile(`/edited-\d+`).ReplaceAllString(text, "")
			}
			c.changes.Server = &fileServer{c, nil, tt.onServer}
			c.changes.Upload = func(_ context.Context, path string, _ urlcore.URL, up *protocols.Upload, report func(done, size int64)) error {
				report(1, 3)
				if !up.Replace {
					t.Error("Upload was called without Replace")
				}
				stored = string(fetchtest.Must(os.ReadFile(path))(t))
				if tt.failure != nil {
					stored = ""
				}
				if err := tt.serverQuestion; err != nil {
					tt.serverQuestion, stored = nil, ""
					return err
				}
				return tt.failure
			}
			temp := filepath.Join(t.TempDir(), "temp")
			c.changes.FetchFile = func(_ urlcore.URL, then func(string, error) func() tea.Cmd) tea.Cmd {
				return c.RunInBackground(func() func() tea.Cmd {
					if err := tt.fetchErr; err != nil {
						tt.fetchErr = nil
						return then("", err)
					}
					path := filepath.Join(temp, "a.txt")
					return then(path, errors.Join(os.Mkdir(temp, 0o700), os.WriteFile(path, []byte("old"), 0o600)))
				})
			}
			c.changes.Editor = func(path string, begin func() error, ended func(error) tea.Cmd) tea.Cmd {
				siblings := fetchtest.Must(os.ReadDir(filepath.Dir(path)))(t)
				fetchtest.Equal(t, len(siblings), 1, "files in its folder")
				fetchtest.Equal(t, filepath.Dir(path) != folder, true, "a folder of its own")
				fetchtest.NoError(t, errors.Join(begin(), os.WriteFile(path, []byte(tt.edited), 0o600)))
				if tt.edited == "old" {
					return ended(tt.failure)
				}
				return ended(nil)
			}
			asks := tt.fetchErr != nil
			c.Run(c.changes.EditFile())
			if asks {
				c.RunActions("yes")
			}
			if tt.answer != "" {
				fetchtest.Equal(t, c.Question(), question)
				if tt.busy {
					c.changes.current = &change{name: "other"}
				}
				if tt.closed {
					c.BeforeResult = c.Close
				}
				c.RunActions(tt.answer)
				if tt.secondAnswer != "" {
					c.RunActions(tt.secondAnswer)
				}
				fetchtest.Equal(t, c.Tab().Prompt != nil, tt.name == "unanswered", "a question after it")
			}
			unstored := ""
			if tt.kept != "" && (tt.wantNotice == "" || tt.closed) {
				unstored = `"a.txt" was edited but not uploaded; it is kept as FOLDER/a.txt`
			}
			if err := c.changes.AddUnstored(nil); err != nil || unstored != "" {
				fetchtest.Equal(t, shown(fmt.Sprint(err)), unstored, "text at the end of the program")
			}
			fetchtest.Equal(t, stored, tt.stored, "stored")
			fetchtest.Equal(t, shown(strings.Join(c.Notices, "; ")), tt.wantNotice, "notices")
			fetchtest.Equal(t, c.EndedNotices, len(c.Notices), "notices that end")
			kept := fetchtest.Must(filepath.Glob(filepath.Join(folder, "edited-*", "a.txt")))(t)
			folders, _ := os.ReadDir(folder)
			fetchtest.Equal(t, len(kept), len(folders), "folders")
			if tt.kept != "" {
				fetchtest.Equal(t, len(kept), 1, "kept files")
				fetchtest.ReturnsText(t, tt.kept, "kept")(os.ReadFile(kept[0]))
			} else {
				fetchtest.Equal(t, len(kept), 0, "kept files")
			}
			if tt.name == "no folder" {
				kept = fetchtest.Must(filepath.Glob(filepath.Join(home, "edited-*", "a.txt")))(t)
				fetchtest.Equal(t, len(kept), 1, "files in the home directory")
				fetchtest.ReturnsText(t, tt.edited, "kept at home")(os.ReadFile(kept[0]))
			}
			if _, err := os.Stat(temp); err == nil {
				t.Errorf("the temporary file %s was not removed", temp)
			}
		})
	}
}

// fileServer is a server with at most one file.
type fileServer struct {
	*changesProgram
	protocols.Identifier // not used
	content              string
}

func (s *fileServer) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	if s.content == "" {
		return nil, protocols.NewError(protocols.NotFound, "fetch", "not found")
	}
	return &protocols.Resource{Head: protocols.Head{URL: req.URL}, Body: strings.NewReader(s.content), Closer: io.NopCloser(nil)}, nil
}

func (s *fileServer) Put(context.Context, urlcore.URL, *protocols.Upload) error { return nil }

func (s *fileServer) Change(context.Context, *protocols.Change) (urlcore.URL, error) { return nil, nil }
