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
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// errEditedThere reports that the server's file is not the one that was edited.
var errEditedThere = errors.New("the file on the server has changed meanwhile")

// sum is the checksum of a document.
type sum [sha256.Size]byte

func sumOf(r io.Reader) (sum, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return sum(h.Sum(nil)), err
}

func fileSum(path string) (sum, error) {
	f, err := os.Open(path)
	if err != nil {
		return sum{}, err
	}
	defer f.Close()
	return sumOf(f)
}

// EditFile opens the file under the cursor in the user's editor, and stores it again after a
// question if it was changed.
func (cs *Changes) EditFile() tea.Cmd {
	dir, items, notice := cs.changeableItems(cs.program.Tab().Item())
	switch {
	case dir == nil:
		return notice
	case items.Lines[0].Kind == protocols.Directory:
		return cs.program.Say("a directory cannot be edited")
	case cs.Editor == nil || cs.Server == nil:
		return cs.program.Say("no file can be edited here")
	}
	return cs.fetchToEdit(items.View, dir, items.Lines[0].Link, items.Text(0))
}

func (cs *Changes) fetchToEdit(t *viewer.Viewer, dir, u urlcore.URL, name string) tea.Cmd {
	return cs.FetchFile(u, func(path string, err error) func() tea.Cmd {
		var before sum
		if err == nil {
			before, err = fileSum(path)
		}
		if err == nil {
			path, err = cs.keep(path)
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
				return cs.program.SayIn(t, "not edited: "+clean.Short(withoutOp(err).Error()))
			}
			cs.edits[path] = name
			return cs.Editor(path, func() error { return nil }, func(failed error) tea.Cmd {
				return cs.program.AsyncAsk(func() func() tea.Cmd {
					after, err := fileSum(path)
					if err == nil && after == before {
						removeKept(path)
					}
					return func() tea.Cmd {
						if err == nil && after != before {
							return cs.askStore(t, dir, u, name, path, before)
						}
						delete(cs.edits, path)
						if err = errors.Join(failed, err); err != nil {
							return cs.program.SayIn(t, "not edited: "+clean.Short(err.Error()))
						}
						return cs.program.SayIn(t, "not changed: "+clean.Short(name))
					}
				})
			})
		}
	})
}

// askStore asks whether to store an edited file. The file is removed when it is stored.
func (cs *Changes) askStore(t *viewer.Viewer, dir, u urlcore.URL, name, path string, before sum) tea.Cmd {
	c := &change{tab: t, dir: dir, verb: "upload", name: name, edited: path, upload: &protocols.Upload{Replace: true}}
	c.do = func(ctx context.Context, c *change) (urlcore.URL, error) {
		now, err := cs.serverSum(ctx, u)
		if err == nil && now != before {
			err = errEditedThere
		}
		if err == nil {
			err = cs.Upload(ctx, path, u, c.upload, func(sent, size int64) { c.sent.Store(sent); c.size.Store(size) })
		}
		if err == nil {
			removeKept(path)
		}
		return u, err
	}
	c.result = func(failed error) string {
		delete(cs.edits, path)
		if failed == nil {
			return "uploaded " + clean.Short(name)
		}
		return "not uploaded, kept as " + path + ": " + clean.Short(withoutOp(failed).Error())
	}
	question := ask.NewQuestion("Store the changed "+clean.Name(name)+" at "+urlcore.Host(u)+"?", true, func() tea.Cmd { return cs.begin(c) })
	question.Reason = "Until then it is kept as " + path + "."
	question.No = func() tea.Cmd { return cs.notStored(c, "") }
	return cs.ask(c, question)
}

// notStored says where the edited file of c is kept, and why.
func (cs *Changes) notStored(c *change, why string) tea.Cmd {
	if c.edited == "" {
		return nil
	}
	delete(cs.edits, c.edited)
	return cs.program.SayIn(c.tab, "not uploaded, kept as "+c.edited+why)
}

// Unstored adds to the error at the end of the program the edited files that are neither stored nor
// reported to be kept.
func (cs *Changes) Unstored(err error) error {
	for path, name := range cs.edits {
		if _, missing := os.Lstat(path); missing != nil {
			continue
		}
		kept := fmt.Errorf("%s was edited and is not uploaded, it is kept as %s", clean.Name(name), path)
		if err != nil {
			kept = fmt.Errorf("%w; %w", err, kept)
		}
		err = kept
	}
	return err
}

// serverSum returns the checksum of a file as the server has it.
func (cs *Changes) serverSum(ctx context.Context, u urlcore.URL) (sum, error) {
	res, err := cs.Server.Fetch(protocols.WithFresh(ctx), u)
	if err != nil {
		return sum{}, err
	}
	defer res.Close()
	if res.Body == nil {
		return sum{}, errEditedThere
	}
	return sumOf(res.Body)
}

// keep moves a file to a new folder in the folder of saved files or in the home directory, where the end of
// the program does not remove it, and returns its path there. An editor may leave other files beside it.
func (cs *Changes) keep(path string) (string, error) {
	b, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(filepath.Dir(path))
	defer b.Close()
	_ = os.MkdirAll(cs.Folder, 0o777)
	folder, _ := filepath.Abs(cs.Folder)
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

// removeKept removes a file that keep made, and its folder unless that has other files.
func removeKept(path string) {
	_ = os.Remove(path)
	_ = os.Remove(filepath.Dir(path))
}
