package transfer

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/room"
	"gofer/ui/room/roomtest"
	"gofer/urlcore"
)

// changesProgram is a program that shows a directory with the file a.txt in two tabs. The first tab is
// on the screen.
type changesProgram struct {
	*roomtest.Program
	changes *Changes
	changed []*protocols.Change
	err     error // error of the next change
}

func newChangesProgram(t *testing.T) *changesProgram {
	dir := fetchtest.Parse(t, "ftp://ftp.example.org/pub/")
	file := fetchtest.Parse(t, "ftp://ftp.example.org/pub/a.txt")
	c := &changesProgram{Program: roomtest.New(2, protocols.Head{URL: dir, Layout: protocols.LayoutDirectory}, protocols.Line{
		Kind: protocols.Text, Text: "a.txt", Link: file,
	})}
	c.changes = NewChanges(c, ChangeOptions{})
	c.changes.URLText = urlcore.URL.String
	c.changes.Change = func(_ context.Context, ch *protocols.Change) (urlcore.URL, error) {
		err := c.err
		c.changed, c.err = append(c.changed, ch), nil
		return file, err
	}
	return c
}

// TestChange checks that each change is made after its only question, and that the directory is reloaded in
// both tabs.
func TestChange(t *testing.T) {
	for _, tt := range []struct {
		name     string
		ask      func(*changesProgram)
		question string // "": the prompt for the name is the question
		kind     protocols.ChangeKind
		said     string
		cursor   bool // the cursor moves to the new item
	}{
		{
			"remove", func(c *changesProgram) { c.Run(c.changes.Remove()) }, `Remove "a.txt" from ftp.example.org?`,
			protocols.Remove, "removed a.txt", false,
		},
		{
			"rename", func(c *changesProgram) { c.Run(c.changes.Rename()); c.Type("b.txt"); c.RunActions("done") },
			"", protocols.Rename, "renamed a.txt", true,
		},
		{
			"make", func(c *changesProgram) { c.Run(c.changes.MakeDirectory()); c.Type("new"); c.RunActions("done") },
			"", protocols.MakeDirectory, "made new", true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChangesProgram(t)
			tt.ask(c)
			if tt.question != "" {
				fetchtest.Equal(t, c.Question(), tt.question, "question")
				c.RunActions("no")
				if len(c.changed)+c.Writes > 0 {
					t.Fatalf("got %d changes after a no, want none", len(c.changed))
				}
				tt.ask(c)
				c.RunActions("yes")
			}
			if len(c.changed) != 1 || c.changed[0].Kind != tt.kind || c.Writes != 1 {
				t.Fatalf("got %d changes, %d writes, want one each: %+v", len(c.changed), c.Writes, c.changed)
			}
			fetchtest.EqualSlices(t, c.Notices, []string{tt.said}, "notices")
			fetchtest.EqualSlices(t, c.Reloaded, c.Viewers, "reloaded")
			fetchtest.Equal(t, c.Tab().To.HasLink(), tt.cursor, "the cursor moves")
		})
	}
}

// TestChangeFails checks that the notice of a failed change has the server's reason.
func TestChangeFails(t *testing.T) {
	c := newChangesProgram(t)
	c.err = &protocols.Error{Op: "remove a.txt", Text: "550 denied"}
	c.Run(c.changes.Remove())
	c.BeforeResult = func() { c.Current = 1 }
	c.RunActions("yes")
	fetchtest.EqualSlices(t, c.Notices, []string{"elsewhere: not removed: the server said 550 denied"}, "notices")
	if c.changes.IsRunning() {
		t.Error("the change is still running")
	}
}

// TestNoticesOnSmallScreens checks that a notice that is shortened still says what has happened.
func TestNoticesOnSmallScreens(t *testing.T) {
	const name = "a saved; and (in part): long name"
	c := newChangesProgram(t)
	failed := &protocols.Error{Text: "550 denied"}
	counted := &download.Status{Request: download.Request{URL: fetchtest.Parse(t, "ftp://h/d/"), Tree: true}, Path: "/" + name, TotalFiles: 3, Size: -1}
	d := newDownloadsProgram(t, func() error { return nil })
	c.Run(c.changes.handleResult(&change{tab: c.Tab(), verb: "upload", name: name, stop: func(error) {}}, nil, nil))
	c.Run(c.changes.handleResult(&change{tab: c.Tab(), verb: "upload", name: name, stop: func(error) {}}, nil, failed))
	c.Run(c.changes.uploadQuestion(&change{tab: c.Tab(), dir: c.Tab().Session.Page().URL, name: name}, name).No())
	d.Run(d.downloads.AskTree(nil, counted))
	d.Run(d.downloads.AskTree(nil, counted))
	got := append(append(c.Notices, d.Notices...), taggedSummary("uploaded", "file", 1, 3, "", []string{failureText(name, failed)}))
	want := []string{
		"uploaded a saved; and (in …long name", "not uploaded: the server … denied", `not uploaded: "a saved; and …g name"`,
		"counted …; <dow…ds> to save it", "uploaded 1 of 3 …; 1 not tried",
	}
	if len(got) != len(want) {
		t.Fatalf("notices: %q", got)
	}
	for i, notice := range got {
		short, _ := cell.Cells{}.Shorten(notice, 36, "…")
		fetchtest.Equal(t, short, want[i], "notice")
	}
}

// TestChangeRefused checks that changes are refused on pages that cannot be changed, and during another
// change.
func TestChangeRefused(t *testing.T) {
	for name, action := range map[string]func(*Changes) tea.Cmd{
		"remove": (*Changes).Remove, "rename": (*Changes).Rename, "make": (*Changes).MakeDirectory, "upload": (*Changes).UploadFile,
	} {
		c := newChangesProgram(t)
		refused := func(why string) {
			t.Helper()
			c.Notices = nil
			c.Run(action(c.changes))
			fetchtest.EqualSlices(t, c.Notices, []string{why}, name)
			if c.PromptOpen() {
				t.Errorf("%s: %s: a prompt is open", name, why)
			}
		}
		c.Settings.Restrict.Enabled = true
		refused(room.NotAllowed)
		c.Settings.Restrict.Enabled = false
		c.changes.current = &change{name: "other"}
		refused("wait until other is done")
		c.Tab().Session.Page().Layout = protocols.LayoutMenu
		refused("this page is not a directory that can be changed")
	}
	c := newChangesProgram(t)
	c.Tab().Session.Page().Lines = nav.Lines{}
	c.Run(c.changes.Remove())
	fetchtest.EqualSlices(t, c.Notices, []string{"no item of the directory under the cursor"}, "notices")
}

// TestChangeAnsweredLate checks that a yes is ignored if another change has begun since the question.
func TestChangeAnsweredLate(t *testing.T) {
	c := newChangesProgram(t)
	c.Run(c.changes.Remove())
	c.changes.current = &change{name: "other"}
	c.RunActions("yes")
	fetchtest.EqualSlices(t, c.Notices, []string{"wait until other is done"}, "notices")
	fetchtest.Equal(t, len(c.changed), 0, "changes")
}

// TestServerQuestion checks that a server's question is asked in the tab of the change, after the open
// prompt. If the tab is closed, a notice must report the question. After a yes the change must be made
// again.
func TestServerQuestion(t *testing.T) {
	for name, tt := range map[string]struct {
		meanwhile func(*changesProgram)
		said      []string
	}{
		"in the tab":     {func(*changesProgram) {}, nil},
		"after a prompt": {func(c *changesProgram) { c.Tab().AskLine("Other", "Label", "", nil) }, nil},
		"in a closed tab": {
			func(c *changesProgram) { c.Close() },
			[]string{"not removed yet: the server has a question; <undo close> opens the tab"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, confirmed := newChangesProgram(t), 0
			c.err = &protocols.Confirm{Question: "Really remove it", GiveConsent: func() { confirmed++ }}
			v := c.Tab()
			c.Run(c.changes.Remove())
			c.BeforeResult = func() { tt.meanwhile(c) }
			c.RunActions("yes")
			fetchtest.EqualSlices(t, c.Notices, tt.said, "notices")
			c.Viewers[0] = v
			if name == "after a prompt" {
				fetchtest.Equal(t, c.Question(), "", "question over the prompt")
				c.RunActions("cancel")
			}
			fetchtest.Equal(t, c.Question(), "Really remove it?", "question")
			c.RunActions("yes")
			fetchtest.Equal(t, confirmed, 1, "times confirmed")
			fetchtest.Equal(t, len(c.changed), 2, "changes")
		})
	}
}

// TestUploadAfterTabSwitch checks that the reason of a failed upload is shown if the tab is not on the screen.
func TestUploadAfterTabSwitch(t *testing.T) {
	c := newChangesProgram(t)
	c.Run(c.changes.UploadFile())
	c.Type(filepath.Join(t.TempDir(), "nothing"))
	c.BeforeResult = func() { c.Current = 1 }
	c.RunActions("done")
	fetchtest.EqualSlices(t, c.Notices, []string{"elsewhere: not uploaded: no such file"}, "notices")
	if c.Viewers[0].Prompt != nil {
		t.Error("a prompt is open in a tab that is not on the screen")
	}
}

// TestUploadRefused checks that every answer but yes to the question of an upload says that nothing was uploaded.
func TestUploadRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.txt")
	fetchtest.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
	for _, answer := range []string{"leave", "no"} {
		c := newChangesProgram(t)
		c.Run(c.changes.UploadFile())
		c.Type(path)
		c.RunActions("done", answer)
		fetchtest.EqualSlices(t, c.Notices, []string{`not uploaded: "b.txt"`}, "notices")
	}
}

// TestUploadAsksAfterPrompt checks that the question of an upload waits until another prompt is closed.
func TestUploadAsksAfterPrompt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.txt")
	fetchtest.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
	c := newChangesProgram(t)
	c.Run(c.changes.UploadFile())
	c.Type(path)
	c.BeforeResult = func() { c.Tab().AskLine("Other", "Label", "", nil) }
	c.RunActions("done")
	fetchtest.Equal(t, c.Tab().Prompt.(*ask.Line).Label(), "Label", "prompt")
	c.RunActions("cancel")
	fetchtest.Equal(t, c.Question(), `Upload "b.txt" (4 B) to "ftp://ftp.example.org/pub/"?`, "question")
}

// downloadsProgram is a program with the file a.txt on the screen.
type downloadsProgram struct {
	*roomtest.Program
	downloads *Downloads
	folder    string
}

// newDownloadsProgram returns a downloadsProgram. Its server answers with the error that the function fetch
// returns, or with "text" if that error is nil.
func newDownloadsProgram(t *testing.T, fetch func() error) *downloadsProgram {
	u := fetchtest.Parse(t, "gopher://gopher.example.org/0/a.txt")
	s := &downloadsProgram{Program: roomtest.New(1, protocols.Head{URL: u, Layout: protocols.LayoutText}), folder: t.TempDir()}
	s.downloads = NewDownloads(s, DownloadOptions{})
	s.Settings.Downloads.Folder = s.folder
	s.downloads.Report = func(error) tea.Cmd { return nil }
	s.downloads.Manager = &download.Manager{
		Folder: s.folder,
		Fetcher: fetchtest.FetcherFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
			if err := fetch(); err != nil {
				return nil, err
			}
			return &protocols.Resource{Head: protocols.Head{URL: req.URL, Size: 4}, Body: strings.NewReader("text"), Closer: io.NopCloser(nil)}, nil
		}),
	}
	t.Cleanup(s.downloads.Manager.Close)
	return s
}

// TestSaveRefused checks that Save shows the reason of a refusal without a question.
func TestSaveRefused(t *testing.T) {
	for name, want := range map[string]string{
		"gopher://gopher.example.org/0/a.txt": "files cannot be saved here",
		"about:home":                          "this page is gofer's own: <save text> saves its text",
		"news:example.group":                  "this is not a file: <save text> saves the text of its page",
		"ldap://h/o=A":                        "this is not a file: <save text> saves the text of its page",
		"gopher://gopher.example.org/7/words": "this is not a file: <save text> saves the text of its page",
	} {
		p := roomtest.New(1, protocols.Head{URL: fetchtest.Parse(t, name), Layout: protocols.LayoutText})
		d := NewDownloads(p, DownloadOptions{})
		p.Run(d.Save())
		fetchtest.EqualSlices(t, p.Notices, []string{want}, name)
		if p.PromptOpen() {
			t.Errorf("%s: a prompt is open", name)
		}
	}
}

// TestSaveServerQuestion checks that the program asks for a login after the open prompt, and then
// downloads again.
func TestSaveServerQuestion(t *testing.T) {
	password := ""
	s := newDownloadsProgram(t, func() error {
		if password == "secret" {
			return nil
		}
		return &protocols.Login{Server: "gopher.example.org:70", User: "ann", With: func(_, typed string) { password = typed }}
	})
	s.BeforeResult = func() { s.Tab().AskLine("Other", "Label", "", nil) }
	s.Run(s.downloads.Save())
	if line := s.Tab().Prompt.(*ask.Line); line.Label() != "Label" || len(s.Notices) != 0 {
		t.Fatalf("got the notices %q and the prompt %q, want none and the open prompt", s.Notices, line.Label())
	}
	s.RunActions("cancel")
	fetchtest.Equal(t, s.Tab().Prompt.(*ask.Line).Label(), "Password", "prompt")
	s.Type("secret")
	s.RunActions("done")
	fetchtest.EqualSlices(t, s.Notices, []string{"saved a.txt (4 B, in " + s.folder + "); <undo> removes it"}, "notices")
}

// TestSaveMenu checks the choice between all menus of the server and the menus below the selector.
func TestSaveMenu(t *testing.T) {
	for _, tt := range []struct {
		choice      string
		below, asks bool
	}{
		{"menus below", true, false},
		{"all menus", false, false},
		{"menus below", true, true},
		{"all menus", false, true},
	} {
		s := newDownloadsProgram(t, func() error { return &protocols.Error{Reason: protocols.NotFound} })
		s.Tab().Session.Page().URL = fetchtest.Parse(t, "gopher://gopher.example.org/1/pub")
		if tt.asks {
			s.Run(s.downloads.SaveAs())
		} else {
			s.Run(s.downloads.Save())
		}
		s.Type(tt.choice)
		s.RunActions("done")
		if tt.asks {
			s.Type("other")
			s.RunActions("done")
		}
		r := s.downloads.Manager.Items()[0].Wait().Request
		fetchtest.Equal(t, r.NoParent, tt.below, tt.choice)
		fetchtest.Equal(t, strings.HasSuffix(r.Path, "other"), tt.asks, "has the typed name")
		fetchtest.Equal(t, r.Tree && r.CountOnly, true, "is counted first")
	}
}

// TestSaveInNewFolder checks that the user is asked before a missing folder is made, and that the typed path stays after a no.
func TestSaveInNewFolder(t *testing.T) {
	s := newDownloadsProgram(t, func() error { return nil })
	folder := filepath.Join(s.folder, "new", "er")
	s.Run(s.downloads.SaveAs())
	s.Type(folder + string(filepath.Separator))
	s.RunActions("done")
	fetchtest.Contains(t, s.Question(), "No such folder: ")
	s.RunActions("no")
	p, ok := s.Tab().Prompt.(*ask.Line)
	if !ok || !p.HasError() || p.Typed() != folder+string(filepath.Separator) {
		t.Fatalf("after a no: the prompt is %T, want the path with an error", s.Tab().Prompt)
	}
	s.RunActions("done", "yes")
	s.downloads.Manager.Items()[0].Wait()
	fetchtest.ReturnsText(t, "text")(os.ReadFile(filepath.Join(folder, "a.txt")))
}

// TestSaveTreeQuestion checks that the question about the counted files does not replace another
// prompt.
func TestSaveTreeQuestion(t *testing.T) {
	s := newDownloadsProgram(t, func() error { return nil })
	u := fetchtest.Parse(t, "ftp://ftp.example.org/pub/")
	counted := &download.Status{
		Request: download.Request{URL: u, Tree: true}, Path: "/d/pub", TotalFiles: 3, Size: -1,
		Notes: []string{"a note"}, LeftOut: make([]mirror.LeftOut, 2),
	}
	s.Run(s.downloads.AskTree(nil, counted))
	q := s.Tab().Prompt.(*ask.Question)
	if !q.Destructive || q.Reason != "Note: a note." || !strings.Contains(q.Title, "; 2 items cannot be saved)?") {
		t.Errorf("got the question %+v, want a destructive one with the note and 2 items left out", q)
	}
	s.Run(s.downloads.AskTree(nil, counted))
	if len(s.Notices) != 1 || !strings.HasSuffix(s.Notices[0], "; <downloads> to save it") || s.Tab().Prompt != ask.Prompt(q) {
		t.Errorf("got the notices %q, want one that names the key of the downloads, and the same prompt", s.Notices)
	}
}

// TestUndoSave undoes a download a moment after its beginning, also if the file is already complete. A download cannot
// be undone after some seconds, after another action, or if the user typed its name.
func TestUndoSave(t *testing.T) {
	for _, tt := range []struct {
		name   string
		begin  func(s *downloadsProgram)
		later  time.Duration
		undone bool
	}{
		{"at once", func(s *downloadsProgram) { s.Run(s.downloads.Save()) }, undoTime - 1, true},
		{"later", func(s *downloadsProgram) { s.Run(s.downloads.Save()) }, undoTime, false},
		{"after something else", func(s *downloadsProgram) {
			s.Run(s.downloads.Save())
			s.Stack.Push(&room.Undo{Revert: func() (func() tea.Cmd, error) { return nil, nil }})
		}, 0, false},
		{"under a name", func(s *downloadsProgram) {
			s.Run(s.downloads.SaveAt(download.Request{URL: s.Tab().DocumentURL(), Path: filepath.Join(s.folder, "a.txt")}, false, nil))
		}, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newDownloadsProgram(t, func() error { return nil })
			now := time.Unix(1e9, 0)
			s.Clock = func() time.Time { return now }
			tt.begin(s)
			now = now.Add(tt.later)
			s.Run(room.RevertLast(s))
			if _, err := os.Stat(filepath.Join(s.folder, "a.txt")); (err == nil) == tt.undone {
				t.Errorf("Stat of the file: %v; want it removed: %v", err, tt.undone)
			}
			if tt.undone {
				fetchtest.Equal(t, s.Notices[len(s.Notices)-1], "undone: a.txt removed", "notices")
			}
			s.Run(room.RevertLast(s))
			if tt.undone {
				fetchtest.Equal(t, s.Notices[len(s.Notices)-1], "nothing to undo", "the second notice")
			}
		})
	}
}

// TestUndoFailedSave checks that nothing is undone after a download that has saved nothing.
func TestUndoFailedSave(t *testing.T) {
	s := newDownloadsProgram(t, func() error { return &protocols.Error{Reason: protocols.NotFound} })
	s.Run(s.downloads.Save())
	s.Run(room.RevertLast(s))
	fetchtest.EqualSlices(t, s.Notices, []string{"not saved: a.txt: not found", "nothing to undo"}, "notices")
}

// TestUndoKeepsChangedFile checks that a file that was changed after it was saved is kept.
func TestUndoKeepsChangedFile(t *testing.T) {
	s := newDownloadsProgram(t, func() error { return nil })
	s.Run(s.downloads.Save())
	s.downloads.latest.Wait()
	fetchtest.NoError(t, os.WriteFile(filepath.Join(s.folder, "a.txt"), []byte("something longer than the document"), 0o600))
	s.Run(room.RevertLast(s))
	fetchtest.Equal(t, s.Notices[len(s.Notices)-1], "not undone: saving a.txt: it was changed again since", "notices")
	if _, err := os.Stat(filepath.Join(s.folder, "a.txt")); err != nil {
		t.Error(err)
	}
}

// TestUndoRunningSave stops a download. The unfinished file must be removed, unless an earlier download
// began it.
func TestUndoRunningSave(t *testing.T) {
	begun := make(chan struct{})
	s := newDownloadsProgram(t, func() error { return nil })
	s.downloads.Manager.Fetcher = fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		r, w := io.Pipe()
		go func() {
			_, _ = io.WriteString(w, "te")
			begun <- struct{}{}
			<-ctx.Done()
			_ = w.CloseWithError(context.Cause(ctx))
		}()
		return &protocols.Resource{Head: protocols.Head{URL: req.URL, Size: 4}, Body: r, Closer: r}, nil
	})
	save := func() *download.Item {
		_ = s.downloads.Save()
		<-begun
		item, _ := s.downloads.Active()
		return item
	}
	item := save()
	if !s.downloads.CanUndo(item) {
		t.Error("the download cannot be undone")
	}
	s.Run(room.RevertLast(s))
	fetchtest.EqualSlices(t, s.Notices, []string{"undone: a.txt removed"}, "notices")
	if files, err := os.ReadDir(s.folder); len(files) > 0 || err != nil || item.Status().State != download.Removed {
		t.Errorf("got the files %v, %v, and the state %v, want no files and a removed download", files, err, item.Status().State)
	}
	item = save()
	item.Pause()
	item.Wait()
	if item = save(); s.downloads.CanUndo(item) || s.Stack.Next(s.Now()) != nil {
		t.Error("a download that an earlier save began can be undone")
	}
}
