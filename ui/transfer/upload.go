package transfer

import (
	"context"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/mirror"
	"gofer/internal/userfile"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// UploadFile asks for a local file or directory, or a pattern for files, and stores it in the directory of the page.
func (cs *Changes) UploadFile() tea.Cmd {
	dir, notice := cs.changeableDir()
	if dir == nil {
		return notice
	}
	t := cs.program.Tab()
	return cs.program.AskInBackground(func() func() tea.Cmd {
		working, _ := os.Getwd()
		return func() tea.Cmd {
			if cs.program.Tab() != t || cs.program.PromptOpen() {
				return nil
			}
			return cs.askUploadPath(t, dir, working)
		}
	})
}

// askUploadPath asks for a local file or directory to store in the directory dir. Relative paths begin at
// the folder working.
func (cs *Changes) askUploadPath(t *viewer.Viewer, dir parentDir, working string) tea.Cmd {
	p := ask.NewLine(ask.Head{Title: "Upload a file, folder or pattern (*.txt)"}, ask.Field{
		Label: "Path", Complete: ask.CompletePath(working),
		Where: func(typed string) string { return "from " + ask.FolderText(working, typed) },
	})
	p.Changed = func(string) (tea.Cmd, error) { return nil, nil } // typing clears the error
	p.Finish = func(answers []string) tea.Cmd {
		if answers[0] == "" {
			return nil
		}
		path := userfile.ExpandHome(answers[0])
		octetsOf := uploadNames(t.Session.Page())
		fail := func(why string) tea.Cmd {
			if cs.program.Tab() != t || cs.program.PromptOpen() {
				return cs.program.NotifyIn(t, "not uploaded: "+why)
			}
			p.Fail(why)
			t.Prompt = p
			return nil
		}
		return cs.program.AskInBackground(func() func() tea.Cmd {
			if isPattern(path) {
				several, err := findUploads(path, dir, octetsOf)
				switch {
				case err != nil:
					return func() tea.Cmd { return fail(err.Error()) }
				case len(several.files) > 1:
					return func() tea.Cmd { return cs.askUploads(t, dir, several) }
				}
				path = several.files[0].path
			}
			absolute, err := filepath.Abs(path) // because "." is not a name
			name := filepath.Base(absolute)
			target, nameErr := dir.Child(octetsOf(absolute))
			info, statErr := os.Stat(path)
			_, isFTP := target.(urlcore.FTP)
			isTree := isFTP && statErr == nil && info.IsDir() && cs.Server != nil
			if err == nil && !isTree {
				info, err = userfile.Stat(path)
			}
			return func() tea.Cmd {
				switch {
				case err == nil && nameErr != nil:
					return cs.program.NotifyIn(t, "not uploaded: "+nameErr.Error())
				case err == nil && isTree:
					return cs.planTree(t, dir, target.(urlcore.FTP), path, name)
				case err == nil:
					return cs.askUpload(t, dir, target, path, name, info.Size())
				}
				return fail(ask.FileError(err))
			}
		})
	}
	t.Prompt = p
	return nil
}

// uploadNames returns a function that returns the name at an FTP or SFTP server for a local file: the name in the index of a
// mirror, or the name in the listing p that is shown like the local name, or the local name in the charset of the listing.
func uploadNames(p *nav.Page) func(path string) string {
	if p == nil {
		return filepath.Base
	}
	if _, isFTP := p.URL.(urlcore.FTP); !isFTP {
		return filepath.Base
	}
	names := mirror.Names{Chosen: p.ChosenCharset()}
	all := p.Lines.InArrivalOrder()
	names.Learn(all.All(0))
	listed := names.ByText(mirror.ListedNames(p.Lines.All(0)))
	return func(path string) string {
		name := filepath.Base(path)
		if octets, ok := mirror.ReadNames(filepath.Dir(path))[name]; ok {
			return octets
		}
		return names.Octets(name, listed)
	}
}

// askUpload asks whether to upload the file at path to the directory dir.
func (cs *Changes) askUpload(t *viewer.Viewer, dir, target urlcore.URL, path, name string, size int64) tea.Cmd {
	up := new(protocols.Upload)
	ch := &change{tab: t, dir: dir, verb: "upload", name: name, upload: up}
	ch.size.Store(size)
	ch.do = func(ctx context.Context, c *change) (urlcore.URL, error) {
		return target, cs.Upload(ctx, path, target, up, func(sent, size int64) { c.sent.Store(sent); c.size.Store(size) })
	}
	q := cs.uploadQuestion(ch, clean.Name(name)+" ("+cell.Size(size)+")")
	q.Expected = true
	return cs.askAbout(ch, q)
}

// uploadQuestion returns the question whether to begin the upload c. The parameter text names the file or
// the directory.
func (cs *Changes) uploadQuestion(c *change, text string) *ask.Question {
	q := ask.NewQuestion("Upload "+text+" to "+clean.Name(cs.URLText(c.dir))+"?", true, func() tea.Cmd { return cs.begin(c) })
	q.No = func() tea.Cmd { return cs.program.NotifyIn(c.tab, "not uploaded: "+cell.OneName(clean.Name(c.name))) } // Enter means no
	return q
}

// resumableOctets returns the size of the file on the server if that file may be the beginning of the
// upload. Otherwise it returns 0.
func (c *change) resumableOctets() int64 {
	if c.upload == nil || c.upload.Resume || c.upload.ExistingSize >= c.size.Load() {
		return 0
	}
	return c.upload.ExistingSize
}

// resumeQuestion returns the question whether to send only the missing end of the file.
func (cs *Changes) resumeQuestion(c *change, why string) *ask.Question {
	return ask.NewQuestion(why+": send only the rest?", true, func() tea.Cmd {
		c.upload.Resume = true
		return cs.begin(c)
	})
}
