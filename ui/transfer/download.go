// Package transfer saves files of servers and changes directories of servers: it uploads,
// renames and removes files and makes directories. It asks the questions that come up and shows
// the results.
package transfer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/download"
	"gofer/internal/mirror"
	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Downloads saves items in the background, asks the questions of their servers and shows the
// results.
type Downloads struct {
	program room.Program
	Manager *download.Manager // nil if files cannot be saved
	Folder  string            // for saved files
	// Open opens a saved file with another program.
	Open func(s *download.Status) tea.Cmd
	// Report writes a crash report if err is a panic.
	Report func(err error) tea.Cmd
	saving map[*download.Item]*taggedSave // the downloads that save tagged items
	Now    func() time.Time

	latest, undone *download.Item // saved under a free name, and taken back
	latestAt       time.Time      // when latest began
}

// undoTime is how long a save can be taken back.
const undoTime = 5 * time.Second

// CanUndo reports whether Undo takes a download back.
func (d *Downloads) CanUndo(item *download.Item) bool {
	return item != nil && item == d.latest && d.Now().Sub(d.latestAt) < undoTime
}

// KeepLatest makes CanUndo false: something else has been done since.
func (d *Downloads) KeepLatest() { d.latest = nil }

// Undo stops the save that was begun last, and removes its file, also if it is complete.
// It returns nil if there is none to take back.
func (d *Downloads) Undo() tea.Cmd {
	item := d.latest
	if !d.CanUndo(item) {
		return nil
	}
	d.latest, d.undone = nil, item
	return d.program.Keep(func() func() tea.Cmd {
		item.Pause()
		s := item.Wait()
		text := "not saved: " + clean.Short(s.Name()) + " is removed"
		if s.State == download.Saved {
			info, err := os.Lstat(s.Path)
			if err == nil && (info.Size() != s.Done || !info.Mode().IsRegular()) {
				err = errors.New(clean.Short(s.Name()) + " was changed after it was saved")
			}
			if err == nil {
				err = os.Remove(s.Path)
			}
			if err != nil {
				text = "not removed: " + err.Error()
			}
		}
		item.Cancel()
		item.Wait()
		return func() tea.Cmd { return tea.Batch(d.refresh(), d.program.Say(text)) }
	})
}

// NewDownloads returns the downloads for a program.
func NewDownloads(p room.Program) *Downloads {
	return &Downloads{program: p, saving: make(map[*download.Item]*taggedSave), Now: time.Now}
}

// refreshTime is the delay before the page of downloads is reloaded while it is still loading.
const refreshTime = 100 * time.Millisecond

// Save saves the tagged items, or the item under the cursor, or the page, in the background.
func (d *Downloads) Save() tea.Cmd {
	t := d.program.Tab()
	if items := t.Items(); items.Tagged {
		return d.saveTagged(items)
	}
	u := t.Document()
	if u == nil {
		return nil
	}
	tree := func() tea.Cmd { return d.tree(download.Request{URL: u, Tree: true}) }
	switch kind := kindToSave(t, u); {
	case kind == protocols.Directory:
		return tree()
	case kind == protocols.Menu && u.Scheme() == "about":
		return d.program.Say("this page is gofer's own: " + d.program.KeyOf("save text") + " saves its text")
	case kind == protocols.Menu && isBelowRoot(u):
		return d.chooseMenus(u, d.tree)
	case kind == protocols.Menu:
		return t.Ask(ask.NewQuestion("Look through this menu and the menus that it leads to on this server, to save them?", true, tree))
	case kind == protocols.Group:
		return d.program.Say("a list of items is no file: " + d.program.KeyOf("save text") + " saves its text from its own page")
	}
	return d.begin(download.Request{URL: u})
}

// isBelowRoot reports whether u is a Gopher item other than the root menu.
func isBelowRoot(u urlcore.URL) bool {
	menu, _ := u.(urlcore.Gopher)
	return strings.Trim(menu.Selector, "/") != ""
}

// chooseMenus asks which menus to save with a Gopher menu.
func (d *Downloads) chooseMenus(u urlcore.URL, save func(download.Request) tea.Cmd) tea.Cmd {
	tree := func(noParent bool) func() tea.Cmd {
		return func() tea.Cmd { return save(download.Request{URL: u, Tree: true, NoParent: noParent}) }
	}
	return d.program.Tab().Choose("Save this menu and", "Which", ask.NewList([]ask.Choice{
		{Text: "menus below " + clean.Short(u.(urlcore.Gopher).Selector), Do: tree(true)},
		{Text: "all menus it leads to", About: "on this server", Do: tree(false)},
	}, true, 0))
}

// tree saves all of a directory or menu, or updates the directory that an earlier download made.
func (d *Downloads) tree(r download.Request) tea.Cmd {
	path := filepath.Join(d.Folder, download.FileName(r.URL))
	all := func() tea.Cmd {
		r.Count = true
		return d.begin(r)
	}
	return d.program.Async(func() func() tea.Cmd {
		path, absErr := filepath.Abs(path)
		info, err := os.Stat(path)
		if err != nil || absErr != nil || !info.IsDir() {
			return all
		}
		update := func() tea.Cmd {
			r.Path, r.Continue, r.Mirror = path, true, new(download.Mirror)
			return d.begin(r)
		}
		return func() tea.Cmd {
			return d.program.Tab().Choose("Save "+clean.Name(filepath.Base(path)), "Action", ask.NewList([]ask.Choice{
				{Text: "Update", About: "the mirror in " + clean.Short(path) + ": what is new or changed", Do: update},
				{Text: "Save all", About: "in another directory", Do: all},
			}, true, 0))
		}
	})
}

// kindToSave returns the kind of u. The URL of some directories does not show that they are
// directories, but the line or the page does.
func kindToSave(t *viewer.Viewer, u urlcore.URL) protocols.Kind {
	line, ok := t.Pager.Current()
	p := t.Session.Page()
	if u.Scheme() != "about" && (ok && line.Link == u && line.Kind == protocols.Directory || p != nil && p.URL == u && p.Layout == protocols.LayoutDirectory) {
		return protocols.Directory
	}
	return protocols.KindOf(u)
}

// SaveAs is like Save, but asks for the name of the file.
func (d *Downloads) SaveAs() tea.Cmd {
	u := d.program.Tab().Document()
	if u == nil {
		return nil
	}
	r := download.Request{URL: u}
	switch kind := kindToSave(d.program.Tab(), u); {
	case kind == protocols.Group, kind == protocols.Menu && u.Scheme() == "about":
		return d.Save() // says why not
	case kind == protocols.Menu && isBelowRoot(u):
		return d.chooseMenus(u, d.askPath)
	case kind == protocols.Directory, kind == protocols.Menu:
		r.Tree = true
	}
	return d.askPath(r)
}

// askPath asks for the path at which to save an item.
func (d *Downloads) askPath(r download.Request) tea.Cmd {
	u := r.URL
	r.Count = r.Tree
	p := ask.NewLine(ask.Head{Title: "Save", URL: u}, ask.Field{Label: "Save as", Value: filepath.Join(d.Folder, download.FileName(u))})
	p.Finish = func(answers []string) tea.Cmd {
		path := strings.TrimSpace(answers[0])
		if path == "" {
			return nil
		}
		if r.Path = userfile.ExpandHome(path); !filepath.IsAbs(r.Path) {
			r.Path = filepath.Join(d.Folder, r.Path)
		}
		return d.program.Async(func() func() tea.Cmd {
			r, taken, err := lookAt(r, strings.HasSuffix(path, string(filepath.Separator)))
			return func() tea.Cmd { return d.SaveAt(r, taken, err) }
		})
	}
	return d.program.Tab().Ask(p)
}

// lookAt reports whether a file exists at the path of a download. If the path is a folder, the
// file gets its own name in it.
func lookAt(r download.Request, isFolder bool) (_ download.Request, taken bool, err error) {
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
		err = errors.New(r.Path + " is something else")
	}
	return r, true, err
}

// SaveAt saves an item at a path, and asks first if the path is taken.
func (d *Downloads) SaveAt(r download.Request, taken bool, err error) tea.Cmd {
	switch {
	case err != nil:
		return d.program.Say("not saved: " + nav.Sentence(protocols.LocalError("save "+r.Path, err)))
	case !taken:
		return d.begin(r)
	}
	question := "Overwrite " + clean.Name(r.Path) + "?"
	if r.Tree {
		question = "Save into " + clean.Name(r.Path) + ", which is there?"
	}
	return d.program.Tab().Ask(ask.NewQuestion(question, true, func() tea.Cmd {
		r.Overwrite, r.Continue = !r.Tree, r.Tree
		return d.begin(r)
	}))
}

// begin starts a download.
func (d *Downloads) begin(r download.Request) tea.Cmd {
	if d.Manager == nil {
		return d.program.Say("files cannot be saved here")
	}
	before := d.Manager.Items()
	item, added := d.Manager.Add(r)
	if !added {
		return d.program.Say("this is being saved already: " + d.program.KeyOf("downloads") + " shows it")
	}
	if d.latest = nil; r.Path == "" && !r.Tree && !slices.Contains(before, item) {
		d.latest, d.latestAt = item, d.Now()
	}
	return d.follows(item)
}

// follows keeps the screen up to date until the download stops.
func (d *Downloads) follows(item *download.Item) tea.Cmd {
	return tea.Batch(d.program.Tick(), d.refresh(), d.program.Async(func() func() tea.Cmd {
		s := item.Wait()
		return func() tea.Cmd { return tea.Batch(d.stopped(item, &s), d.Report(s.Err)) }
	}))
}

// refresh reloads the page of downloads in each tab that shows it, for a change of the list.
// The progress of its rows is drawn without a reload.
func (d *Downloads) refresh() tea.Cmd {
	for _, t := range d.program.Tabs() {
		if t.AboutPage() == "downloads" && t.Session.Loading() != nil {
			return d.program.After(refreshTime, d.refresh) // it may show the earlier list
		}
	}
	return d.program.RefreshOwn("downloads")
}

// stopped shows the result of a download that has been saved, paused or cancelled, or has
// failed.
func (d *Downloads) stopped(item *download.Item, s *download.Status) tea.Cmd {
	cmd := d.refresh()
	if item == d.undone {
		return cmd
	}
	if more, ok := d.stoppedTagged(item, s); ok {
		return tea.Batch(cmd, more)
	}
	question := protocols.QuestionOf(s.Err)
	login, _ := question.(*protocols.Login)
	confirm, _ := question.(*protocols.Confirm)
	_, partial := errors.AsType[*mirror.PartialError](s.Err)
	name, resume := clean.Short(s.Name()), func() tea.Cmd { return d.resume(item) }
	switch {
	case s.State == download.Saved:
		text := "saved " + clean.Short(s.Path) + " (" + cell.Size(s.Done) + ")"
		switch {
		case s.Mirror != nil && s.Changes.New+s.Changes.Changed+s.Changes.Removed == 0 && s.Changes.Same > 0:
			text = "nothing to update: " + clean.Short(s.Path) + " is as on the server"
		case len(s.Notes) > 0:
			text = "saved " + name + ": " + s.Notes[0]
		}
		if d.CanUndo(item) {
			text += "; " + d.program.KeyOf("undo") + " removes it"
		}
		cmd = tea.Batch(cmd, d.program.Say(text))
	case s.State == download.Removed && s.Count: // the user answered no
		cmd = tea.Batch(cmd, d.program.Say("not saved: "+name))
	case s.State == download.Removed:
		cmd = tea.Batch(cmd, d.program.Say("removed "+name+" from the downloads"))
	case s.State == download.Counted:
		return tea.Batch(cmd, d.AskTree(item, s))
	case login != nil && login.With != nil:
		d.askNext(ask.NewLogin(login, s.URL, resume))
	case confirm != nil:
		d.askNext(ask.NewConfirm(confirm, resume))
	case errors.Is(s.Err, download.ErrDiskFull):
		cmd = tea.Batch(cmd, d.program.Say("the disk is full: all downloads are paused; make room, then "+d.program.KeyOf("downloads")+" to resume them"))
	case partial:
		cmd = tea.Batch(cmd, d.program.Say("saved "+name+" in part: "+clean.Short(s.Failure())+"; "+d.program.KeyOf("downloads")+" names them"))
	case s.Err != nil:
		cmd = tea.Batch(cmd, d.program.Say("not saved: "+name+": "+clean.Short(s.Failure())))
	case s.State == download.Paused:
		cmd = tea.Batch(cmd, d.program.Say("paused "+name+": "+d.program.KeyOf("downloads")+" shows the downloads"))
	}
	return cmd
}

// askNext asks a question of a server in the tab on the screen, after the prompt that is open.
func (d *Downloads) askNext(p ask.Prompt) {
	t := d.program.Tab()
	t.AskNext(func() { t.Prompt = p })
}

// AskTree asks whether to save a tree of files after they have been counted.
func (d *Downloads) AskTree(item *download.Item, s *download.Status) tea.Cmd {
	if s.Last == 0 {
		item.Cancel()
		text := "there is no file to save in " + clean.Short(s.Name())
		if len(s.LeftOut) > 0 {
			text += ": " + s.LeftOut[0].String()
		}
		return d.program.Say(text)
	}
	if d.program.PromptOpen() {
		return d.program.Say(clean.Short(s.Name()) + " has " + s.Extent() + ": " + d.program.KeyOf("downloads") + " to save it")
	}
	extent := s.Extent()
	if n := len(s.LeftOut); n > 0 {
		extent += "; " + english.Plural(n, "item", "") + " cannot be saved"
	}
	q := ask.NewQuestion("Save "+clean.Name(s.Name())+" ("+extent+")?", true, func() tea.Cmd { return d.resume(item) })
	if len(s.Notes) > 0 {
		q.Reason = "Note: " + s.Notes[0] + "."
	}
	q.No = func() tea.Cmd {
		item.Cancel()
		return d.follows(item)
	}
	return d.program.Tab().Ask(q)
}

func (d *Downloads) resume(item *download.Item) tea.Cmd {
	item.Resume()
	return d.follows(item)
}

// Active returns the download that was started last, and the number of running downloads.
func (d *Downloads) Active() (newest *download.Item, n int) {
	if d.Manager == nil {
		return nil, 0
	}
	return d.Manager.Active()
}

// Stop pauses a download if the user confirms it. A file fetched for another program is
// cancelled without a question.
func (d *Downloads) Stop(item *download.Item) tea.Cmd {
	s := item.Status()
	if s.Private {
		item.Cancel() // the program that it is for says so
		return nil
	}
	return d.program.Tab().Ask(ask.NewQuestion("Pause saving "+clean.Name(s.Name())+"?", true, func() tea.Cmd {
		item.Pause()
		return nil
	}))
}
