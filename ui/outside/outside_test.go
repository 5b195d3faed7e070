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
	"gofer/ui/room/roomtest"
	"gofer/ui/viewer"
)

// running is a program with a text on the screen of the first of two tabs, whose link https
// opens with the program "browser".
type running struct {
	*roomtest.Program
	programs *Programs
	ran      []string // arguments of programs
}

func newRunning(t *testing.T, url string) *running {
	r := &running{Program: roomtest.New(2, protocols.Head{URL: fetchtest.Parse(t, url), Layout: protocols.LayoutText}, protocols.Line{Kind: protocols.Info, Text: "some text"})}
	r.programs = New(r)
	r.programs.Opener = &opener.Programs{Rules: map[string]opener.Rule{"https": {Command: "browser %s", Terminal: true}}}
	r.programs.Context, r.programs.Width = t.Context, func() int { return 80 }
	r.programs.Folder = t.TempDir()
	r.programs.ShowPage = func(v *viewer.Viewer) { v.Show() }
	r.programs.Lend = func(p program.Program) tea.Cmd {
		r.ran = append(r.ran, strings.Join(p.Argv, " "))
		return nil
	}
	t.Cleanup(r.programs.RemoveFiles)
	return r
}

func (r *running) failed() bool { return r.Tab().Session.Page().Failed != nil }

// TestOpenAsksOnce shows the command and asks, until the first yes for this kind of document.
// The page is back after both answers.
func TestOpenAsksOnce(t *testing.T) {
	const command = "browser https://www.example.org/"
	r := newRunning(t, "https://www.example.org/")
	for _, tt := range []struct {
		answer string
		want   []string
	}{{"no", nil}, {"yes", []string{command}}, {"", []string{command, command}}} {
		r.Run(r.programs.Open())
		if tt.answer != "" {
			fetchtest.Equal(t, r.Question(), `Run "browser"?`, "question")
			fetchtest.Equal(t, r.failed(), true, "the page shows the command")
			r.Press(tt.answer)
		}
		fetchtest.EqualSlices(t, r.ran, tt.want, "programs run")
		if r.failed() || r.PromptOpen() {
			t.Errorf("after %q the page is not back", tt.answer)
		}
	}
}

// TestNotOpened says why: in the status line, or on a page where the line is too short.
func TestNotOpened(t *testing.T) {
	for width, want := range map[int]string{200: "elsewhere: not opened: it holds a password, which every user of this machine could read there", 20: "elsewhere: not opened"} {
		r := newRunning(t, "ftp://joe:secret@ftp.example.org/")
		r.programs.Width = func() int { return width }
		r.Meanwhile = func() { r.At = 1 }
		r.Run(r.programs.Open())
		fetchtest.EqualSlices(t, r.Said, []string{want}, "said")
		r.At = 0
		fetchtest.Equal(t, r.failed(), width == 20, "error page in %d cells", width)
	}
}

// TestHandOffWaits asks after the prompt that is open, unless the page has been left by then.
func TestHandOffWaits(t *testing.T) {
	for _, left := range []bool{false, true} {
		r := newRunning(t, "https://www.example.org/")
		r.Tab().AskLine("Other", "Label", "", nil)
		r.Run(r.programs.HandOff(r.Tab(), &protocols.Handoff{Argv: []string{"/bin/browser"}}))
		if left {
			r.Tab().Session.PushOverlay(&nav.Page{})
		}
		r.Press("cancel")
		fetchtest.Equal(t, r.Question() == `Run "browser"?`, !left, "question, with the page left: %v", left)
	}
}

// TestProgramsAreRefused runs nothing and writes nothing.
func TestProgramsAreRefused(t *testing.T) {
	r := newRunning(t, "https://www.example.org/")
	r.programs.DenyReason = "not allowed here"
	r.Run(r.programs.Run(program.Program{Argv: []string{"ls"}}))
	r.Run(r.programs.PipeText())
	r.Type("cat")
	r.Press("done")
	r.Run(r.programs.SaveText())
	r.Press("done")
	fetchtest.EqualSlices(t, r.Said, []string{"not allowed here", "not allowed here", "not allowed here"}, "said")
	if files := fetchtest.Must(os.ReadDir(r.programs.Folder))(t); len(files)+len(r.ran) > 0 {
		t.Errorf("%d files are written, %q run", len(files), r.ran)
	}
}

// TestSaveTextAsks writes over a file only after a yes, and says why it cannot write.
func TestSaveTextAsks(t *testing.T) {
	r := newRunning(t, "gopher://gopher.example.org/0/a")
	path := filepath.Join(r.programs.Folder, "a.txt")
	save := func() {
		r.Run(r.programs.SaveText())
		r.Press("done")
	}
	save()
	fetchtest.EqualSlices(t, r.Said, []string{"saved " + path}, "said")
	fetchtest.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	save()
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(path))(t)), "mine", "before the answer")
	r.Press("yes")
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(path))(t)), "some text\n", "after a yes")
	fetchtest.Equal(t, r.Kept, 3, "files that the program waits for")
	fetchtest.NoError(t, os.Remove(path))
	fetchtest.NoError(t, os.Mkdir(path, 0o700))
	save()
	fetchtest.Equal(t, r.Said[len(r.Said)-1], "not saved: there is something of that name that is no file", "said")
}
