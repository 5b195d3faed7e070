package outside

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/program"
	"gofer/internal/program/opener"
	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/ui/room/roomtest"
)

// programRunner is gofer with two tabs that show the same text. The other program "browser" opens https
// URLs.
type programRunner struct {
	*roomtest.Program
	programs *Programs
	ran      []string // command lines of the other programs that were run
}

func newProgramRunner(t *testing.T, url string) *programRunner {
	r := &programRunner{Program: roomtest.New(2, protocols.Head{URL: fetchtest.Parse(t, url), Layout: protocols.LayoutText}, protocols.Line{
		Kind: protocols.Info, Text: "some text",
	})}
	programs := &opener.Programs{Rules: map[string]opener.Rule{"https": {Command: "browser %s", Terminal: true}}}
	r.programs = New(r, Options{
		Opener: func() *opener.Programs { return programs },
		Width:  func() int { return 80 },
		Lend: func(p program.Program) tea.Cmd {
			r.ran = append(r.ran, strings.Join(p.Argv, " "))
			return nil
		},
	})
	r.Settings.Downloads.Folder = t.TempDir()
	t.Cleanup(r.programs.RemoveFiles)
	return r
}

func (r *programRunner) showsFailure() bool { return r.Tab().Session.Page().Failed != nil }

// TestOpenAsksOnce checks that Open shows the command and asks, until the first yes for this kind of
// document. After each answer the page must be shown again.
func TestOpenAsksOnce(t *testing.T) {
	const command = "browser https://www.example.org/"
	r := newProgramRunner(t, "https://www.example.org/")
	for _, tt := range []struct {
		answer string
		want   []string
	}{{"no", nil}, {"yes", []string{command}}, {"", []string{command, command}}} {
		r.Run(r.programs.Open())
		if tt.answer != "" {
			fetchtest.Equal(t, r.Question(), `Run "browser"?`, "question")
			fetchtest.Equal(t, r.showsFailure(), true, "the page shows the command")
			r.RunActions(tt.answer)
		}
		fetchtest.EqualSlices(t, r.ran, tt.want, "programs run")
		if r.showsFailure() || r.PromptOpen() {
			t.Errorf("after %q the page is not shown again", tt.answer)
		}
	}
}

// TestNotOpened checks that the reason is shown in the status line, or on a page if the status line is
// too short.
func TestNotOpened(t *testing.T) {
	for width, want := range map[int]string{
		200: "elsewhere: not opened: it has a password, which other users of this machine could see",
		20:  "elsewhere: not opened",
	} {
		r := newProgramRunner(t, "ftp://joe:secret@ftp.example.org/")
		r.programs.Width = func() int { return width }
		r.BeforeResult = func() { r.Current = 1 }
		r.Run(r.programs.Open())
		fetchtest.EqualSlices(t, r.Notices, []string{want}, "notices")
		r.Current = 0
		fetchtest.Equal(t, r.showsFailure(), width == 20, "error page in %d cells", width)
	}
}

// TestHandOffWaits checks that HandOff asks its question only after another prompt is closed. If the
// user has left the page by then, it must not ask.
func TestHandOffWaits(t *testing.T) {
	for _, leavePage := range []bool{false, true} {
		r := newProgramRunner(t, "https://www.example.org/")
		r.Tab().AskLine("Other", "Label", "", nil)
		r.Run(r.programs.HandOff(r.Tab(), &protocols.Handoff{Argv: []string{"/bin/browser"}}))
		if leavePage {
			r.Tab().Session.PushOverlay(&nav.Page{})
		}
		r.RunActions("cancel")
		fetchtest.Equal(t, r.Question() == `Run "browser"?`, !leavePage, "question, with the page left: %v", leavePage)
	}
}

// TestProgramsAreRefused checks that no program is run and no file written if they are not allowed.
func TestProgramsAreRefused(t *testing.T) {
	r := newProgramRunner(t, "https://www.example.org/")
	r.Settings.Restrict.Enabled = true
	r.Run(r.programs.Run(program.Program{Argv: []string{"ls"}}))
	r.Run(r.programs.PipeText())
	r.Type("cat")
	r.RunActions("done")
	r.Run(r.programs.SaveText())
	r.RunActions("done")
	fetchtest.EqualSlices(t, r.Notices, []string{room.NotAllowed, room.NotAllowed, room.NotAllowed}, "notices")
	if files := fetchtest.Must(os.ReadDir(r.Settings.Downloads.Folder))(t); len(files)+len(r.ran) > 0 {
		t.Errorf("got %d files and the programs %q, want none", len(files), r.ran)
	}
}

// TestSaveTextAsks checks that SaveText overwrites a file only after a yes, and that it reports a
// failure.
func TestSaveTextAsks(t *testing.T) {
	r := newProgramRunner(t, "gopher://gopher.example.org/0/a")
	path := filepath.Join(r.Settings.Downloads.Folder, "a.txt")
	save := func() {
		r.Run(r.programs.SaveText())
		r.RunActions("done")
	}
	save()
	fetchtest.EqualSlices(t, r.Notices, []string{"saved a.txt (in " + filepath.Dir(path) + ")"}, "notices")
	fetchtest.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	save()
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(path))(t)), "mine", "before the answer")
	r.RunActions("yes")
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(path))(t)), "some text\n", "after a yes")
	fetchtest.Equal(t, r.Writes, 3, "files that the program waits for")
	fetchtest.NoError(t, os.Remove(path))
	fetchtest.NoError(t, os.Mkdir(path, 0o700))
	save()
	fetchtest.Equal(t, r.Notices[len(r.Notices)-1], "not saved: it already exists and is not a file", "notices")
	r.Settings.Downloads.Folder = filepath.Join(t.TempDir(), "Downloads")
	save()
	fetchtest.ReturnsText(t, "some text\n")(os.ReadFile(filepath.Join(r.Settings.Downloads.Folder, "a.txt")))
}
