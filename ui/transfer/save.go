package transfer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Save saves the tagged items. If there are none, it saves the item under the cursor, or else the page.
func (d *Downloads) Save() tea.Cmd {
	t := d.program.Tab()
	if items := t.Items(); items.Tagged {
		return d.saveTagged(items)
	}
	u := t.DocumentURL()
	if u == nil {
		return nil
	}
	tree := func() tea.Cmd { return d.saveTree(download.Request{URL: u, Tree: true, Shown: shownName(t, u)}) }
	switch kind := kindToSave(t, u); {
	case kind == protocols.Directory:
		return tree()
	case kind == protocols.Menu && u.Scheme() == "about":
		return d.program.Notify("this page is gofer's own: " + d.program.KeyOf("save text") + " saves its text")
	case protocols.IsOnlyPage(u), kind.NeedsAnswers():
		return d.program.Notify("this is not a file: " + d.program.KeyOf("save text") + " saves the text of its page")
	case kind == protocols.Menu && isBelowRoot(u):
		return d.chooseMenus(u, d.saveTree)
	case kind == protocols.Menu:
		return t.Ask(ask.NewQuestion("List this menu and all menus it leads to on this server, to save them?", true, tree))
	}
	return d.begin(download.Request{URL: u, Shown: shownName(t, u)})
}

// isBelowRoot reports whether u is a Gopher menu other than the root menu.
func isBelowRoot(u urlcore.URL) bool {
	menu, _ := u.(urlcore.Gopher)
	return strings.Trim(menu.Selector, "/") != ""
}

// chooseMenus asks which menus to save together with a Gopher menu: the menus below its selector, or all
// menus that it leads to.
func (d *Downloads) chooseMenus(u urlcore.URL, save func(download.Request) tea.Cmd) tea.Cmd {
	tree := func(noParent bool) func() tea.Cmd {
		return func() tea.Cmd { return save(download.Request{URL: u, Tree: true, NoParent: noParent}) }
	}
	return d.program.Tab().Choose("Save this menu and", "Which", ask.NewList([]ask.Choice{
		{Text: "menus below " + clean.Short(u.(urlcore.Gopher).Selector), Do: tree(true)},
		{Text: "all menus it leads to", About: "on this server", Do: tree(false)},
	}, true, 0))
}

// saveTree saves a whole directory or menu. If the local directory already exists, saveTree asks whether
// to update it.
func (d *Downloads) saveTree(r download.Request) tea.Cmd {
	path := filepath.Join(d.program.Config().Downloads.Folder, download.ProposeName(r.URL, r.Shown, new(mirror.Names)))
	all := func() tea.Cmd {
		r.CountOnly = true
		return d.begin(r)
	}
	return d.program.HoldKeys(d.program.RunInBackground(func() func() tea.Cmd {
		path, absErr := filepath.Abs(path)
		info, err := os.Stat(path)
		if err != nil || absErr != nil || !info.IsDir() {
			return all
		}
		update := func() tea.Cmd {
			r.Path, r.Continue, r.Mirror = path, true, new(download.UpdateOptions)
			return d.begin(r)
		}
		return func() tea.Cmd {
			return d.program.Tab().Choose("Save "+clean.Name(filepath.Base(path)), "Action", ask.NewList([]ask.Choice{
				{Text: "Update", About: "the mirror in " + clean.Short(userfile.ShortPath(path)) + ": fetch new and changed files", Do: update},
				{Text: "Save all", About: "in another directory", Do: all},
			}, true, 0))
		}
	}))
}

// kindToSave returns the kind of u. For some directories the URL does not show the kind, only the line
// or the page does.
func kindToSave(t *viewer.Viewer, u urlcore.URL) protocols.Kind {
	line, ok := t.Pager.Current()
	page := t.Session.Page()
	if u.Scheme() != "about" && (ok && line.Link == u && line.Kind == protocols.Directory || page != nil && page.URL == u && page.Layout == protocols.LayoutDirectory) {
		return protocols.Directory
	}
	return protocols.KindOf(u)
}

// shownName returns the name of an item in a tree of files as the page shows it, or "" if the page is not a directory.
func shownName(t *viewer.Viewer, u urlcore.URL) string {
	f, ok := u.(urlcore.FileURL)
	page := t.Session.Page()
	if !ok || page == nil || page.Layout != protocols.LayoutDirectory || utf8.ValidString(f.FileName()) {
		return ""
	}
	return page.Reading().Decode(f.FileName())
}

// SaveAs saves the item under the cursor, or the page. It asks for the name of the file.
func (d *Downloads) SaveAs() tea.Cmd {
	u := d.program.Tab().DocumentURL()
	if u == nil {
		return nil
	}
	r := download.Request{URL: u, Shown: shownName(d.program.Tab(), u)}
	switch kind := kindToSave(d.program.Tab(), u); {
	case protocols.IsOnlyPage(u), kind.NeedsAnswers():
		return d.Save() // shows the reason
	case kind == protocols.Menu && isBelowRoot(u):
		return d.chooseMenus(u, d.askPath)
	case kind == protocols.Directory, kind == protocols.Menu:
		r.Tree = true
	}
	return d.askPath(r)
}

// askPath asks for the path of the file or directory to save to.
func (d *Downloads) askPath(r download.Request) tea.Cmd {
	u := r.URL
	r.CountOnly = r.Tree
	downloads := d.program.Config().Downloads.Folder
	p := ask.NewLine(ask.Head{Title: "Save", URL: u}, ask.SaveAs(downloads, download.ProposeName(u, r.Shown, new(mirror.Names))))
	p.Changed = func(string) (tea.Cmd, error) { return nil, nil } // typing clears the error
	p.Finish = func(answers []string) tea.Cmd {
		path := answers[0]
		if strings.TrimSpace(path) == "" {
			return nil
		}
		r.Path = ask.AbsolutePath(downloads, path)
		return d.program.HoldKeys(d.program.RunInBackground(func() func() tea.Cmd {
			r, exists, err := checkPath(r, strings.HasSuffix(path, string(filepath.Separator)))
			return func() tea.Cmd {
				if errors.Is(err, fs.ErrNotExist) {
					return room.AskFolder(d.program, p, filepath.Dir(r.Path), func() tea.Cmd { return d.SaveAt(r, false, nil) })
				}
				return d.SaveAt(r, exists, err)
			}
		}))
	}
	return d.program.Tab().Ask(p)
}

// checkPath reports whether the path of a download exists. If isFolder is true, or if r is not for a tree
// and the path is a folder, the item gets its default name in that folder. The returned request has the
// absolute path.
func checkPath(r download.Request, isFolder bool) (_ download.Request, exists bool, err error) {
	info, err := os.Stat(r.Path)
	if err == nil && info.IsDir() && !r.Tree || isFolder {
		r.Path = filepath.Join(r.Path, download.FileName(r.URL))
		info, err = os.Stat(r.Path)
	}
	r.Path, _ = filepath.Abs(r.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err = os.Stat(filepath.Dir(r.Path))
		return r, false, err
	case err == nil && info.IsDir() != r.Tree:
		err = errors.New(map[bool]string{true: "it is not a directory", false: "it is a directory"}[r.Tree])
	}
	return r, true, err
}

// SaveAt saves an item at the path of r, or shows err. If the path exists, SaveAt asks the user first.
func (d *Downloads) SaveAt(r download.Request, exists bool, err error) tea.Cmd {
	switch {
	case err != nil:
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = failed.Err // the notice has the path already
		}
		return d.program.Notify("not saved: " + cell.OneName(clean.Name(userfile.ShortPath(r.Path))) + ": " + clean.Short(err.Error()))
	case !exists:
		return d.begin(r)
	}
	path := clean.Name(userfile.ShortPath(r.Path))
	question := "Overwrite " + path + "?"
	if r.Tree {
		question = "Save into " + path + ", which exists?"
	}
	return d.program.Tab().Ask(ask.NewQuestion(question, true, func() tea.Cmd {
		r.Overwrite, r.Continue = !r.Tree, r.Tree
		return d.begin(r)
	}))
}
