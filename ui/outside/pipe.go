package outside

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/dump"
	"gofer/internal/program"
	"gofer/internal/text/clean"
	"gofer/internal/text/sentence"
	"gofer/internal/transfer/download"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// PageText returns the URL of the page, and a function that writes the text of the page in the form of
// gofer dump. If there is no page, or if the page is still loading or is a picture, PageText returns a
// notice instead.
func (ps *Programs) PageText() (write func(io.Writer) error, u urlcore.URL, notice string) {
	p := ps.program.Tab().Session.Page()
	switch {
	case p == nil:
		return nil, nil, "there is no page"
	case p.Failed == nil && p.IsLoading():
		return nil, nil, "the page is still loading: wait, or " + ps.program.KeyOf("stop") + " stops it"
	case p.Content != nil:
		return nil, nil, "a picture has no text: " + ps.program.KeyOf("save") + " saves it as a file"
	}
	layout, lines := p.Layout, p.Lines // the lines of a loaded page do not change
	readings, headers := p.Readings(), ps.program.Tab().Pager.Headers
	return func(w io.Writer) error { return dump.Page(w, layout, &lines, readings, headers) }, p.URL, ""
}

// PipeText asks for a command and pipes the text of the page to it.
func (ps *Programs) PipeText() tea.Cmd {
	write, _, notice := ps.PageText()
	if notice != "" {
		return ps.program.Notify(notice)
	}
	return ps.askCommand("Pipe the text of the page to a command", func(command string) tea.Cmd {
		return ps.Run(pipeProgram(command, func() (io.ReadCloser, error) { return pageReader(write) }))
	})
}

// PipeDocument asks for a command and pipes the exact octets of the document to it.
func (ps *Programs) PipeDocument() tea.Cmd {
	u := ps.program.Tab().DocumentURL()
	switch {
	case u == nil:
		return nil
	case !viewer.IsSavable(protocols.KindOf(u)):
		return ps.program.Notify("this is a list of items: " + ps.program.KeyOf("pipe text") + " pipes its text")
	}
	return ps.askCommand("Pipe the document to a command", func(command string) tea.Cmd {
		return ps.fetchFile(u, func(_ context.Context, file fetchedFile) func() tea.Cmd {
			if file.err != nil {
				return ps.notifier("not piped: " + sentence.Of(file.err))
			}
			p := pipeProgram(command, func() (io.ReadCloser, error) { return os.Open(file.path) })
			p.OnEnd = func() { _ = os.RemoveAll(filepath.Dir(file.path)) }
			return func() tea.Cmd { return ps.Run(p) }
		})
	})
}

// pipeProgram returns the program that runs the user's command line in the user's environment.
func pipeProgram(command string, stdin func() (io.ReadCloser, error)) program.Program {
	return program.Program{Argv: program.ShellArgv(command), Name: command, Env: os.Environ(), Stdin: stdin, Pause: true}
}

// askCommand asks for a command line and proposes the last command line.
func (ps *Programs) askCommand(title string, run func(command string) tea.Cmd) tea.Cmd {
	return ps.program.Tab().AskLine(title, "Command", ps.lastCommand, func(line string) tea.Cmd {
		ps.lastCommand = strings.TrimSpace(line)
		return run(ps.lastCommand)
	})
}

// SaveText asks for the name of a file and saves the text of the page in it.
func (ps *Programs) SaveText() tea.Cmd {
	write, u, notice := ps.PageText()
	if notice != "" {
		return ps.program.Notify(notice)
	}
	name := download.FileName(u)
	if filepath.Ext(name) != ".txt" {
		name += ".txt"
	}
	folder := ps.program.Config().Downloads.Folder
	p := ask.NewLine(ask.Head{Title: "Save the text of the page"}, ask.SaveAs(folder, name))
	p.Changed = func(string) (tea.Cmd, error) { return nil, nil } // typing clears the error
	p.Finish = func(answers []string) tea.Cmd {
		if strings.TrimSpace(answers[0]) == "" {
			return nil
		}
		return ps.writeText(textSave{path: ask.AbsolutePath(folder, answers[0]), write: write, prompt: p})
	}
	return ps.program.Tab().Ask(p)
}

// textSave describes how to save the text of a page.
type textSave struct {
	path      string
	write     func(io.Writer) error
	overwrite bool
	prompt    *ask.Line // asked for the path; nil after a question about its folder
}

func (ps *Programs) writeText(s textSave) tea.Cmd {
	if ps.program.Config().Restrict.Enabled {
		return ps.program.Notify(room.NotAllowed)
	}
	return ps.program.HoldKeysBriefly(ps.program.WriteInBackground(func() func() tea.Cmd {
		err := s.save()
		return func() tea.Cmd { return ps.showSaved(s, err) }
	}))
}

// save writes either the whole file or nothing. If s.overwrite is false, the file must not exist.
func (s textSave) save() error {
	if info, err := os.Lstat(s.path); err == nil && !info.Mode().IsRegular() {
		return errors.New("it already exists and is not a file")
	} else if err == nil && !s.overwrite {
		return fs.ErrExist
	}
	f, err := os.OpenFile(s.path+".part", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return protocols.LocalError("create "+s.path+".part", err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if err := errors.Join(s.write(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	if !s.overwrite {
		if err := os.Link(f.Name(), s.path); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	return os.Rename(f.Name(), s.path)
}

// showSaved shows the result of a textSave.
func (ps *Programs) showSaved(s textSave, err error) tea.Cmd {
	switch {
	case errors.Is(err, fs.ErrExist):
		return ps.program.Tab().Ask(ask.NewQuestion("Overwrite "+clean.Name(userfile.ShortPath(s.path))+"?", true, func() tea.Cmd {
			s.overwrite = true
			return ps.writeText(s)
		}))
	case errors.Is(err, fs.ErrNotExist) && s.prompt != nil:
		p := s.prompt
		s.prompt = nil
		return room.AskFolder(ps.program, p, filepath.Dir(s.path), func() tea.Cmd { return ps.writeText(s) })
	case err != nil:
		return ps.program.Notify("not saved: " + clean.Short(err.Error()))
	}
	return ps.program.Notify("saved " + cell.OneName(clean.Short(filepath.Base(s.path))) + " (in " + cell.OneName(clean.Short(userfile.ShortPath(filepath.Dir(s.path)))) + ")")
}

// pageReader returns a reader of the text that the function write writes.
func pageReader(write func(io.Writer) error) (io.ReadCloser, error) {
	r, w := io.Pipe()
	go func() { w.CloseWithError(write(w)) }() // ends when r is closed
	return r, nil
}
