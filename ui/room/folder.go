package room

import (
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/ui/ask"
)

// AskFolder asks whether to make the missing folder of a path that was typed in the prompt p. After a yes it makes the
// folder and calls the function save, which reports a folder that cannot be made. After a no, p is open again with the
// typed path. The folder for downloads in the settings is made without a question.
func AskFolder(program Program, p *ask.Line, folder string, save func() tea.Cmd) tea.Cmd {
	mkdir := func() tea.Cmd {
		return program.WriteInBackground(func() func() tea.Cmd {
			_ = os.MkdirAll(folder, 0o777)
			return save
		})
	}
	if ours, err := filepath.Abs(program.Config().Downloads.Folder); err == nil && ours == filepath.Clean(folder) {
		return mkdir()
	}
	t, name := program.Tab(), clean.Name(userfile.ShortPath(folder))
	q := ask.NewQuestion("No such folder: "+name+". Make it?", true, mkdir)
	q.No = func() tea.Cmd {
		p.Fail("no such folder")
		t.Prompt = p
		return nil
	}
	t.AskNext(func() { t.Prompt = q })
	return nil
}
