package transfer

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/download"
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

func sumOf(r io.Reader, err error) (s sum, _ error) {
	h := sha256.New()
	if err == nil {
		_, err = io.Copy(h, r)
	}
	return sum(h.Sum(nil)), err
}

func fileSum(path string) (sum, error) {
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
	}
	return sumOf(f, err)
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
	t, u, name := items.View, items.Lines[0].Link, items.Text(0)
	return cs.FetchFile(u, func(path string, err error) func() tea.Cmd {
		var before sum
		if err == nil {
			before, err = fileSum(path)
		}
		return func() tea.Cmd {
			if err != nil {
				return cs.program.SayIn(t, "not edited: "+clean.Short(withoutOp(err).Error()))
			}
			return cs.Editor(path, func() error { return nil }, func(failed error) tea.Cmd {
				return cs.program.AsyncAsk(func() func() tea.Cmd {
					after, err := fileSum(path)
					return func() tea.Cmd { return cs.edited(t, dir, u, name, path, before, after, errors.Join(failed, err)) }
				})
			})
		}
	})
}

// edited asks whether to store a file after the end of the editor.
func (cs *Changes) edited(t *viewer.Viewer, dir, u urlcore.URL, name, path string, before, after sum, failed error) tea.Cmd {
	switch {
	case failed != nil && before == after:
		return cs.program.SayIn(t, "not edited: "+clean.Short(failed.Error()))
	case before == after:
		return tea.Batch(cs.program.SayIn(t, "not changed: "+clean.Short(name)), cs.program.Async(func() func() tea.Cmd {
			_ = os.RemoveAll(filepath.Dir(path))
			return nil
		}))
	}
	kept := ""
	c := &change{tab: t, dir: dir, verb: "upload", name: name, upload: &protocols.Upload{Replace: true}}
	c.do = func(ctx context.Context, c *change) (urlcore.URL, error) {
		now, err := cs.serverSum(ctx, u)
		if err == nil && now != before {
			err = errEditedThere
		}
		if err == nil {
			err = cs.Upload(ctx, path, u, c.upload, func(sent, size int64) { c.sent.Store(sent); c.size.Store(size) })
		}
		switch {
		case err == nil:
			_ = os.RemoveAll(filepath.Dir(path))
		case protocols.QuestionOf(err) == nil:
			kept = cs.keep(path)
		}
		return u, err
	}
	c.result = func(failed error) string {
		if failed == nil {
			return "uploaded " + clean.Short(name)
		}
		return "not uploaded, kept as " + kept + ": " + clean.Short(withoutOp(failed).Error())
	}
	question := ask.NewQuestion("Store the changed "+clean.Name(name)+" at "+urlcore.Host(u)+"?", false, nil)
	question.Yes = func() tea.Cmd {
		if cs.Active() {
			return question.No()
		}
		return cs.begin(c)
	}
	question.No = func() tea.Cmd {
		return cs.program.Async(func() func() tea.Cmd {
			kept := cs.keep(path)
			return func() tea.Cmd { return cs.program.SayIn(t, "not uploaded, kept as "+kept) }
		})
	}
	return cs.ask(c, question)
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
	return sumOf(res.Body, nil)
}

// keep moves an edited file to the folder of saved texts and returns its path there, or the old
// path if it cannot be moved. It replaces no file.
func (cs *Changes) keep(path string) string {
	b, err := os.Open(path)
	if err != nil {
		return path
	}
	defer b.Close()
	_ = os.MkdirAll(cs.Folder, 0o777)
	for i := range 1000 {
		to := filepath.Join(cs.Folder, download.Numbered(filepath.Base(path), i))
		f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil {
			_, err = io.Copy(f, b)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return path
		}
		_ = os.RemoveAll(filepath.Dir(path))
		return to
	}
	return path
}
