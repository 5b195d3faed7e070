package transfer

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// errServerChanged reports that the file on the server was changed during the edit.
var errServerChanged = errors.New("the file has changed on the server")

// checksum is the SHA-256 checksum of a document.
type checksum [sha256.Size]byte

func checksumOf(r io.Reader) (checksum, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return checksum(h.Sum(nil)), err
}

func fileChecksum(path string) (checksum, error) {
	f, err := os.Open(path)
	if err != nil {
		return checksum{}, err
	}
	defer f.Close()
	return checksumOf(f)
}

// EditFile opens the file under the cursor in the user's editor. If the user changes the file, EditFile
// asks whether to store the new version.
func (cs *Changes) EditFile() tea.Cmd {
	dir, items, notice := cs.changeableItems(cs.program.Tab().Item())
	switch {
	case dir == nil:
		return notice
	case items.Lines[0].Kind == protocols.Directory:
		return cs.program.Notify("a directory cannot be edited")
	case isLocalLink(&items.Lines[0]):
		return cs.program.Notify("a link cannot be edited: open the directory of the file that it leads to")
	case cs.Editor == nil || cs.Server == nil:
		return cs.program.Notify("no file can be edited here")
	}
	return cs.fetchToEdit(items.View, dir, items.Lines[0].Link, items.Text(0))
}

// isLocalLink reports whether a line is a link of this machine, in whose place no file is stored.
func isLocalLink(l *protocols.Line) bool {
	_, isLocal := l.Link.(urlcore.File)
	n, ok := l.Note.(*protocols.FileNote)
	return isLocal && ok && n.Target != ""
}

func (cs *Changes) fetchToEdit(t *viewer.Viewer, dir, u urlcore.URL, name string) tea.Cmd {
	folder := cs.program.Config().Downloads.Folder
	return cs.FetchFile(u, func(path string, err error) func() tea.Cmd {
		var original checksum
		if err == nil {
			original, err = fileChecksum(path)
		}
		if err == nil {
			path, err = keepFile(folder, path)
		}
		return func() tea.Cmd {
			retry := func() tea.Cmd { return cs.fetchToEdit(t, dir, u, name) }
			switch q := protocols.QuestionOf(err).(type) {
			case *protocols.Confirm:
				t.AskNext(func() { t.Prompt = ask.NewConfirm(q, retry) })
				return nil
			case *protocols.Login:
				t.AskNext(func() { t.Prompt = ask.NewLogin(q, u, retry) })
				return nil
			}
			if err != nil {
				return cs.program.NotifyIn(t, "not edited: "+clean.Short(withoutOp(err).Error()))
			}
			cs.edits[path] = name
			return cs.Editor(path, func() error { return nil }, func(failed error) tea.Cmd {
				return cs.program.AskInBackground(func() func() tea.Cmd {
					edited, err := fileChecksum(path)
					if err == nil && edited == original {
						removeKept(path)
					}
					return func() tea.Cmd {
						if err == nil && edited != original {
							return cs.askStore(t, dir, u, name, path, original)
						}
						delete(cs.edits, path)
						if err = errors.Join(failed, err); err != nil {
							return cs.program.NotifyIn(t, "not edited: "+clean.Short(err.Error()))
						}
						return cs.program.NotifyIn(t, "not changed: "+noticeName(name))
					}
				})
			})
		}
	})
}

// askStore asks whether to store an edited file. It removes the local file after the file has been
// stored.
func (cs *Changes) askStore(t *viewer.Viewer, dir, u urlcore.URL, name, path string, original checksum) tea.Cmd {
	c := &change{tab: t, dir: dir, verb: "upload", name: name, editedPath: path, upload: &protocols.Upload{Replace: true}}
	c.do = func(ctx context.Context, c *change) (urlcore.URL, error) {
		current, err := cs.serverChecksum(ctx, u)
		if err == nil && current != original {
			err = errServerChanged
		}
		if err == nil {
			err = cs.Upload(ctx, path, u, c.upload, func(sent, size int64) { c.sent.Store(sent); c.size.Store(size) })
		}
		if err == nil {
			removeKept(path)
		}
		return u, err
	}
	c.resultText = func(failed error) string {
		delete(cs.edits, path)
		if failed == nil {
			return "uploaded " + clean.Short(name)
		}
		return "not uploaded, kept as " + path + ": " + clean.Short(withoutOp(failed).Error())
	}
	question := ask.NewQuestion("Upload the changed "+clean.Name(name)+" to "+hostOf(u)+"?", true, func() tea.Cmd { return cs.begin(c) })
	question.Reason = "Otherwise the file is kept as " + path + "."
	question.No = func() tea.Cmd { return cs.notifyNotStored(c, "") }
	return cs.askAbout(c, question)
}

// notifyNotStored shows a notice with the path of the edited file that c did not store. If c is another
// kind of change, it does nothing.
func (cs *Changes) notifyNotStored(c *change, why string) tea.Cmd {
	if c.editedPath == "" {
		return nil
	}
	delete(cs.edits, c.editedPath)
	return cs.program.NotifyIn(c.tab, "not uploaded, kept as "+cell.OneName(c.editedPath)+why)
}

// AddUnstored adds to err an error for each edited file that was neither stored nor named in a notice.
// It is called at the end of the program.
func (cs *Changes) AddUnstored(err error) error {
	for path, name := range cs.edits {
		if _, missing := os.Lstat(path); missing != nil {
			continue
		}
		unstored := fmt.Errorf("%s was edited but not uploaded; it is kept as %s", clean.Name(name), path)
		if err != nil {
			unstored = fmt.Errorf("%w; %w", err, unstored)
		}
		err = unstored
	}
	return err
}

// serverChecksum returns the checksum of a file on the server.
func (cs *Changes) serverChecksum(ctx context.Context, u urlcore.URL) (checksum, error) {
	res, err := cs.Server.Fetch(ctx, protocols.Request{URL: u, Fresh: true})
	if err != nil {
		return checksum{}, err
	}
	defer res.Close()
	if res.Body == nil {
		return checksum{}, errServerChanged
	}
	return checksumOf(res.Body)
}

// keepFile moves a temporary file to a new folder in folder or in the home directory. It returns the
// new path. The program does not remove the file when it ends. The file needs its own folder, because
// editors may make more files beside it.
func keepFile(folder, path string) (string, error) {
	b, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(filepath.Dir(path))
	defer b.Close()
	_ = os.MkdirAll(folder, 0o777)
	folder, _ = filepath.Abs(folder)
	dir, err := os.MkdirTemp(folder, "edited-*")
	if home, _ := os.UserHomeDir(); err != nil {
		dir, err = os.MkdirTemp(home, "edited-*")
	}
	if err != nil {
		return "", err
	}
	kept := filepath.Join(dir, filepath.Base(path))
	f, err := os.OpenFile(kept, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = io.Copy(f, b)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		removeKept(kept)
	}
	return kept, err
}

// removeKept removes a file that keepFile moved. It also removes the folder, unless the folder has
// other files.
func removeKept(path string) {
	_ = os.Remove(path)
	_ = os.Remove(filepath.Dir(path))
}
