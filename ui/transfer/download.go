// Package transfer saves files of servers, and makes changes on servers: it uploads, renames and
// removes files, and makes directories. It asks the questions of the servers and shows the results.
package transfer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/pages/about"
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

// Downloads saves items in the background. It asks the questions of the servers and shows the results.
type Downloads struct {
	program room.Program
	DownloadOptions
	saving   map[*download.Item]*taggedSave // downloads of tagged items
	removed  map[*download.Item]string      // what is removed together with a canceled download
	followed map[*download.Item]bool        // downloads whose end is shown

	latest *download.Item                // download that undo can remove, or nil
	undo   *room.Undo                    // removes latest
	undone atomic.Pointer[download.Item] // download that undo is removing, or nil
}

// DownloadOptions are what downloads need besides the program.
type DownloadOptions struct {
	Manager *download.Manager // nil if files cannot be saved
	// Open opens a saved file with another program.
	Open func(s *download.Status) tea.Cmd
	// Report writes a crash report if err is a panic.
	Report func(err error) tea.Cmd
	Ring   func(text string) tea.Cmd // rings the bell of the terminal, or shows text on the desktop; may be nil
}

// undoTime is the time after which a download can no longer be undone.
const undoTime = 5 * time.Second

// CanUndo reports whether undo would remove the download item now.
func (d *Downloads) CanUndo(item *download.Item) bool {
	return item != nil && item == d.latest && d.program.Undos().Next(d.program.Now()) == d.undo
}

// setLatest makes item the download that undo can remove; nil: undo removes no download.
func (d *Downloads) setLatest(item *download.Item) {
	d.program.Undos().Drop(d.undo)
	if d.latest, d.undo = item, nil; item == nil {
		return
	}
	undo := &room.Undo{Until: d.program.Now().Add(undoTime)}
	undo.Revert = func() (func() tea.Cmd, error) {
		d.undone.Store(item)
		d.program.Undos().Drop(undo)
		name, err := discard(item)
		if undo.Text = name + " removed"; err != nil {
			undo.Text = "saving " + name
		}
		return d.reloadList, err
	}
	d.undo = undo
	d.program.Undos().Push(undo)
}

// discard stops a download and removes its file, even if it is complete. It keeps a file that was changed since. It
// returns the name of the file.
func discard(item *download.Item) (name string, err error) {
	item.Pause()
	s := item.Wait()
	if s.State == download.Saved {
		info, statErr := os.Lstat(s.Path)
		switch {
		case statErr != nil:
			err = statErr
		case info.Size() != s.Received || !info.Mode().IsRegular():
			err = room.ErrChangedSince
		default:
			err = os.Remove(s.Path)
		}
	}
	item.Cancel()
	item.Wait()
	return clean.Short(s.Name()), err
}

// NewDownloads returns Downloads for a program.
func NewDownloads(p room.Program, o DownloadOptions) *Downloads {
	return &Downloads{
		program: p, DownloadOptions: o,
		saving: make(map[*download.Item]*taggedSave), removed: make(map[*download.Item]string), followed: make(map[*download.Item]bool),
	}
}

// reloadDelay is the delay of a reload of the downloads page if the page is already being loaded.
const reloadDelay = 100 * time.Millisecond

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
	case kind == protocols.Menu && isBelowRoot(u):
		return d.chooseMenus(u, d.saveTree)
	case kind == protocols.Menu:
		return t.Ask(ask.NewQuestion("List this menu and all menus it leads to on this server, to save them?", true, tree))
	case kind == protocols.Group:
		return d.program.Notify("a list is not a file: open it, then " + d.program.KeyOf("save text") + " saves its text")
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
	return d.program.RunInBackground(func() func() tea.Cmd {
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
	})
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

// shownName returns the name of an item at an FTP server as the page shows it, or "" if the page is not a directory.
func shownName(t *viewer.Viewer, u urlcore.URL) string {
	f, ok := u.(urlcore.FTP)
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
	case kind == protocols.Group, kind == protocols.Menu && u.Scheme() == "about":
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
	p.Finish = func(answers []string) tea.Cmd {
		path := answers[0]
		if strings.TrimSpace(path) == "" {
			return nil
		}
		r.Path = ask.AbsolutePath(downloads, path)
		return d.program.RunInBackground(func() func() tea.Cmd {
			r, exists, err := checkPath(r, strings.HasSuffix(path, string(filepath.Separator)))
			return func() tea.Cmd { return d.SaveAt(r, exists, err) }
		})
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
		return d.program.Notify("not saved: " + clean.Name(userfile.ShortPath(r.Path)) + ": " + clean.Short(err.Error()))
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

// begin starts a download.
func (d *Downloads) begin(r download.Request) tea.Cmd {
	if d.Manager == nil {
		return d.program.Notify("files cannot be saved here")
	}
	old := d.Manager.Items()
	item, added := d.Manager.Add(r)
	if !added {
		return d.program.Notify("already being saved: " + d.listKey() + " shows it")
	}
	if d.setLatest(nil); r.Path == "" && !r.Tree && !slices.Contains(old, item) {
		d.setLatest(item)
	}
	return d.follow(item)
}

// listKey returns the label of the key that shows the downloads.
func (d *Downloads) listKey() string { return d.program.KeyOf(about.ListOf(about.Downloads).Name) }

// follow updates the screen until the download stops. It then shows the result.
func (d *Downloads) follow(item *download.Item) tea.Cmd {
	d.followed[item] = true
	return tea.Batch(d.program.Tick(), d.reloadList(), d.awaitEnd(item))
}

// awaitEnd shows the result of the download when it has stopped.
func (d *Downloads) awaitEnd(item *download.Item) tea.Cmd {
	return d.program.RunInBackground(func() func() tea.Cmd {
		s := item.Wait()
		return func() tea.Cmd {
			delete(d.followed, item)
			return tea.Batch(d.showResult(item, &s), d.Report(s.Err))
		}
	})
}

// reloadList reloads the downloads page in each tab that shows it. It is called when the list has changed.
// The progress in the rows needs no reload.
func (d *Downloads) reloadList() tea.Cmd {
	for _, t := range d.program.Tabs() {
		if t.OwnPage().Shows&about.Downloads != 0 && t.Session.Loading() != nil {
			again := d.program.After(reloadDelay, d.reloadList) // the running load may show the old list
			if t == d.program.ScreenTab() {
				again = d.program.HoldKeys(again)
			}
			return again
		}
	}
	return d.program.ReloadOwn(about.Downloads)
}

// showResult shows the result of a stopped download, or asks the question of its server.
func (d *Downloads) showResult(item *download.Item, s *download.Status) tea.Cmd {
	cmd := d.reloadList()
	if item == d.undone.Load() {
		return cmd
	}
	if more, ok := d.showTaggedResult(item, s); ok {
		return tea.Batch(cmd, more)
	}
	question := protocols.QuestionOf(s.Err)
	login, _ := question.(*protocols.Login)
	confirm, _ := question.(*protocols.Confirm)
	_, partial := errors.AsType[*mirror.PartialError](s.Err)
	name, resume := clean.Short(s.Name()), func() tea.Cmd { return d.resume(item) }
	if endsWithRing(s) {
		cmd = tea.Batch(cmd, d.ring(s.StartTime, map[bool]string{true: "saved ", false: "not saved: "}[s.State == download.Saved]+name))
	}
	switch {
	case s.State == download.Saved:
		file, folder := clean.Short(filepath.Base(s.Path)), clean.Short(userfile.ShortPath(filepath.Dir(s.Path)))
		text := "saved " + file + " (" + cell.Size(s.Received) + ", in " + folder + ")"
		switch {
		case s.Mirror != nil && s.Changes.New+s.Changes.Changed+s.Changes.Removed == 0 && s.Changes.Unchanged > 0:
			text = "nothing to update: " + file + " (in " + folder + ") is equal on the server"
		case len(s.Notes) > 0:
			text = "saved " + name + ": " + s.Notes[0]
		}
		if d.CanUndo(item) {
			text += "; " + d.program.KeyOf("undo") + " removes it"
		}
		cmd = tea.Batch(cmd, d.program.Notify(text))
	case errors.Is(s.Err, download.ErrOtherSaves):
		cmd = tea.Batch(cmd, d.program.Notify("already being saved: "+d.listKey()+" shows it"))
	case s.State == download.Removed && s.CountOnly: // the answer of AskTree's question was no
		cmd = tea.Batch(cmd, d.program.Notify("not saved: "+name))
	case s.State == download.Removed:
		cmd = tea.Batch(cmd, d.program.Notify(d.removedText(item, s)))
	case s.State == download.Counted:
		return tea.Batch(cmd, d.AskTree(item, s))
	case login != nil && login.With != nil:
		d.askNext(ask.NewLogin(login, s.URL, resume))
	case confirm != nil:
		d.askNext(ask.NewConfirm(confirm, resume))
	case errors.Is(s.Err, download.ErrDiskFull):
		cmd = tea.Batch(cmd, d.program.Notify("the disk is full: all downloads are paused; free some space, then "+d.listKey()+" to resume them"))
	case partial:
		cmd = tea.Batch(cmd, d.program.Notify("saved "+name+" in part: "+clean.Short(s.Failure())+"; "+d.listKey()+" lists them"))
	case s.Err != nil:
		cmd = tea.Batch(cmd, d.program.Notify("not saved: "+name+": "+clean.Short(s.Failure())))
	case s.State == download.Paused:
		cmd = tea.Batch(cmd, d.program.Notify("paused "+name+": "+d.listKey()+" shows the downloads"))
	}
	return cmd
}

// removedText is the notice about a download that was canceled or removed from the list.
func (d *Downloads) removedText(item *download.Item, s *download.Status) string {
	what, name := d.removed[item], clean.Short(s.Name())
	delete(d.removed, item)
	switch {
	case s.Err != nil:
		return "canceled " + name + ", but not all was removed: " + clean.Short(s.Err.Error())
	case what != "":
		return "canceled " + name + " and removed " + what
	}
	return "removed " + name + " from the downloads"
}

// askNext shows a prompt in the current tab as soon as no other prompt is open there.
func (d *Downloads) askNext(p ask.Prompt) {
	t := d.program.Tab()
	t.AskNext(func() { t.Prompt = p })
}

// AskTree is called after the files of a tree have been counted. It asks whether to save the tree.
func (d *Downloads) AskTree(item *download.Item, s *download.Status) tea.Cmd {
	if s.TotalFiles == 0 {
		item.Cancel()
		text := "no files to save in " + clean.Short(s.Name())
		if len(s.LeftOut) > 0 {
			text += ": " + s.LeftOut[0].String()
		}
		return d.program.Notify(text)
	}
	if d.program.PromptOpen() {
		return d.program.Notify(clean.Short(s.Name()) + " has " + s.Extent() + ": " + d.listKey() + " to save it")
	}
	extent := s.Extent()
	if n := len(s.LeftOut); n > 0 {
		extent += "; " + english.Plural(n, "item", "") + " cannot be saved"
	}
	question := ask.NewQuestion("Save "+clean.Name(s.Name())+" ("+extent+")?", true, func() tea.Cmd { return d.resume(item) })
	if len(s.Notes) > 0 {
		question.Reason = "Note: " + s.Notes[0] + "."
	}
	question.No = func() tea.Cmd {
		item.Cancel()
		return d.follow(item)
	}
	return d.program.Tab().Ask(question)
}

func (d *Downloads) resume(item *download.Item) tea.Cmd {
	item.Resume()
	return d.follow(item)
}

// ActiveHere returns the number of downloads of this program that are queued or running.
func (d *Downloads) ActiveHere() int {
	if d.Manager == nil {
		return 0
	}
	return d.Manager.ActiveHere()
}

// Active returns the newest download that is queued or running, and the number of such downloads.
func (d *Downloads) Active() (newest *download.Item, n int) {
	if d.Manager == nil {
		return nil, 0
	}
	return d.Manager.Active()
}

// Stop asks whether to pause a download. A download whose file is
// for another program is canceled without a question.
func (d *Downloads) Stop(item *download.Item) tea.Cmd {
	s := item.Status()
	if s.Private {
		item.Cancel() // the caller that fetches the document shows the result
		return nil
	}
	return d.program.Tab().Ask(ask.NewQuestion("Pause saving "+clean.Name(s.Name())+"?", true, func() tea.Cmd {
		item.Pause()
		return nil
	}))
}
