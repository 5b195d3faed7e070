package ui

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/download"
	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// save saves the item under the cursor, or the page, in the background.
func (m *Model) save() tea.Cmd {
	u := m.tab.document()
	if u == nil {
		return nil
	}
	switch m.tab.kindToSave(u) {
	case protocols.Directory:
		return m.download(download.Request{URL: u, Tree: true, Count: true})
	case protocols.Menu:
		if u.Scheme() == "about" {
			return m.say("this page is gofer's own: " + m.keys.keyOf("save text") + " saves its text")
		}
		return m.tab.Ask(ask.NewQuestion("Look through this menu and all below it, to save them?", true, func() tea.Cmd {
			return m.download(download.Request{URL: u, Tree: true, Count: true})
		}))
	case protocols.Group:
		return m.say("a list of items is no file: " + m.keys.keyOf("save text") + " saves its text from its own page")
	}
	return m.download(download.Request{URL: u})
}

// kindToSave is what u leads to: of some directories the URL does not tell, but the
// line or the page does.
func (t *tab) kindToSave(u urlcore.URL) protocols.Kind {
	line, ok := t.Pager.Current()
	p := t.Session.Page()
	switch {
	case u.Scheme() == "about":
	case ok && line.Link == u && line.Kind == protocols.Directory, p != nil && p.URL == u && p.Layout == protocols.LayoutDirectory:
		return protocols.Directory
	}
	return protocols.KindOf(u)
}

// saveAs is save under a name that is asked for.
func (m *Model) saveAs() tea.Cmd {
	u := m.tab.document()
	if u == nil {
		return nil
	}
	r := download.Request{URL: u}
	switch kind := m.tab.kindToSave(u); {
	case kind == protocols.Group, kind == protocols.Menu && u.Scheme() == "about":
		return m.save() // it says why not
	case kind == protocols.Directory, kind == protocols.Menu:
		r.Tree, r.Count = true, true
	}
	p := ask.NewLine(ask.Head{Title: "Save", URL: u}, ask.Field{Label: "Save as", Value: filepath.Join(m.opts.Folder, download.FileName(u))})
	p.Finish = func(answers []string) tea.Cmd {
		path := strings.TrimSpace(answers[0])
		if path == "" {
			return nil
		}
		if r.Path = userfile.ExpandHome(path); !filepath.IsAbs(r.Path) {
			r.Path = filepath.Join(m.opts.Folder, r.Path)
		}
		return async(func() resultFunc {
			r, taken, err := lookAt(r, strings.HasSuffix(path, string(filepath.Separator)))
			return func() tea.Cmd { return m.downloadAs(r, taken, err) }
		})
	}
	return m.tab.Ask(p)
}

// lookAt looks whether something is at the path of a download. In a folder, the file
// has its own name.
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

// downloadAs begins to save something at a path, after a question if that is taken.
func (m *Model) downloadAs(r download.Request, taken bool, err error) tea.Cmd {
	switch {
	case err != nil:
		return m.say("not saved: " + nav.Sentence(protocols.LocalError("save "+r.Path, err)))
	case !taken:
		return m.download(r)
	}
	question := "Overwrite " + clean.Name(r.Path) + "?"
	if r.Tree {
		question = "Save into " + clean.Name(r.Path) + ", which is there?"
	}
	return m.tab.Ask(ask.NewQuestion(question, true, func() tea.Cmd {
		r.Overwrite, r.Continue = !r.Tree, r.Tree
		return m.download(r)
	}))
}

// download begins to save something.
func (m *Model) download(r download.Request) tea.Cmd {
	if m.opts.Downloads == nil {
		return m.say("files cannot be saved here")
	}
	item, added := m.opts.Downloads.Add(r)
	if !added {
		return m.say("this is being saved already: " + m.keys.keyOf("downloads") + " shows it")
	}
	return m.follows(item)
}

// follows keeps the screen up to date with a download until it rests.
func (m *Model) follows(item *download.Item) tea.Cmd {
	return tea.Batch(m.tick(), m.refreshDownloads(), async(func() resultFunc {
		s := item.Wait()
		return func() tea.Cmd { return tea.Batch(m.downloadStopped(item, &s), m.reportPanic(s.Err)) }
	}))
}

// refreshDownloads loads the page of downloads again where it is shown: there are
// others, or more to tell of them. What moves in its rows it needs not be told.
func (m *Model) refreshDownloads() tea.Cmd {
	for _, t := range m.tabs {
		if t.OwnPage() == "downloads" && t.Session.Loading() != nil {
			return m.after(tickEvery, resultFunc(m.refreshDownloads)) // it may be of the moment before
		}
	}
	return m.refreshOwn("downloads")
}

// document is the item under the cursor, or the page.
func (t *tab) document() urlcore.URL {
	u := t.Here()
	if line, ok := t.Pager.Current(); ok && !leadsToFile(&line) && t.Session.Page().Layout.Document() {
		u, _ = t.PageHere() // a link in a text leads to no file: the text is meant
	}
	return u
}

// leadsToFile reports whether a line of a document leads to what can be saved: an
// attachment, or a file by its URL.
func leadsToFile(line *protocols.Line) bool {
	if line.Kind == protocols.Header {
		return savable(protocols.KindOf(line.Link))
	}
	return savable(line.Kind)
}

// downloadStopped tells what has become of a download, which is saved, paused, cancelled, or
// has failed.
func (m *Model) downloadStopped(item *download.Item, s *download.Status) tea.Cmd {
	cmd := m.refreshDownloads()
	question := protocols.QuestionOf(s.Err)
	login, _ := question.(*protocols.Login)
	confirm, _ := question.(*protocols.Confirm)
	_, partial := errors.AsType[*download.PartialError](s.Err)
	name, resume := clean.Short(s.Name()), func() tea.Cmd { return m.resumeDownload(item) }
	switch {
	case s.State == download.Saved:
		text := "saved " + clean.Short(s.Path) + " (" + cell.Size(s.Done) + ")"
		if len(s.Notes) > 0 {
			text = "saved " + name + ": " + s.Notes[0]
		}
		cmd = tea.Batch(cmd, m.say(text))
	case s.State == download.Removed && s.Count: // nobody wanted it
		cmd = tea.Batch(cmd, m.say("not saved: "+name))
	case s.State == download.Removed:
		cmd = tea.Batch(cmd, m.say("removed "+name+" from the downloads"))
	case s.State == download.Counted:
		return tea.Batch(cmd, m.askTree(item, s))
	case login != nil && login.With != nil && m.tab.Prompt == nil:
		m.tab.Prompt = ask.NewLogin(login, s.URL, resume)
	case confirm != nil && m.tab.Prompt == nil:
		m.tab.Prompt = ask.NewConfirm(confirm, resume)
	case errors.Is(s.Err, download.ErrDiskFull):
		cmd = tea.Batch(cmd, m.say("the disk is full: all downloads are paused; make room, then "+m.keys.keyOf("downloads")+" to resume them"))
	case partial:
		cmd = tea.Batch(cmd, m.say("saved "+name+" in part: "+clean.Short(s.Failure())+"; "+m.keys.keyOf("downloads")+" names them"))
	case s.Err != nil:
		cmd = tea.Batch(cmd, m.say("not saved: "+name+": "+clean.Short(s.Failure())))
	case s.State == download.Paused:
		cmd = tea.Batch(cmd, m.say("paused "+name+": "+m.keys.keyOf("downloads")+" shows the downloads"))
	}
	return cmd
}

// askTree asks whether to save what has been counted.
func (m *Model) askTree(item *download.Item, s *download.Status) tea.Cmd {
	if s.Last == 0 {
		item.Cancel()
		text := "there is no file to save in " + clean.Short(s.Name())
		if len(s.LeftOut) > 0 {
			text += ": " + s.LeftOut[0].String()
		}
		return m.say(text)
	}
	if m.asking() != nil {
		return m.say(clean.Short(s.Name()) + " has " + s.Extent() + ": " + m.keys.keyOf("downloads") + " to save it")
	}
	extent := s.Extent()
	if n := len(s.LeftOut); n > 0 {
		extent += "; " + english.Plural(n, "item", "") + " cannot be saved"
	}
	q := ask.NewQuestion("Save "+clean.Name(s.Name())+" ("+extent+")?", true, func() tea.Cmd { return m.resumeDownload(item) })
	if len(s.Notes) > 0 {
		q.Reason = "Note: " + s.Notes[0] + "."
	}
	q.No = func() tea.Cmd {
		item.Cancel()
		return m.follows(item)
	}
	return m.tab.Ask(q)
}

func (m *Model) resumeDownload(item *download.Item) tea.Cmd {
	item.Resume()
	return m.follows(item)
}

// saving is the download that was begun last, and how many are under way.
func (m *Model) saving() (newest *download.Item, n int) {
	if m.opts.Downloads == nil {
		return nil, 0
	}
	return m.opts.Downloads.Active()
}

// stopDownload pauses the newest download, after a question if it is a file of the
// user's.
func (t *tab) stopDownload(item *download.Item) tea.Cmd {
	s := item.Status()
	if s.Private {
		item.Cancel() // what comes of it is told by its message
		return nil
	}
	return t.Ask(ask.NewQuestion("Pause saving "+clean.Name(s.Name())+"?", true, func() tea.Cmd {
		item.Pause()
		return nil
	}))
}

// downloadHere is the download under the cursor.
func (t *tab) downloadHere() (*download.Item, bool) {
	line, ok := t.Pager.Current()
	row, isRow := line.Note.(download.Row)
	return row.Item, ok && isRow
}

// removeDownload cancels the download under the cursor, or takes it off the list.
func (m *Model) removeDownload() tea.Cmd {
	item, ok := m.tab.downloadHere()
	if !ok {
		return m.say("no download under the cursor")
	}
	s := item.Status()
	remove := func() tea.Cmd {
		item.Cancel()
		return m.follows(item)
	}
	if s.State == download.Saved || s.Done == 0 {
		return remove()
	}
	what := cell.Size(s.Done) + " of it"
	if s.Tree {
		what = english.Plural(s.Files, "file", "")
	}
	return m.tab.Ask(ask.NewQuestion("Cancel "+clean.Name(s.Name())+", and remove the "+what+" saved so far?", true, remove))
}

// downloadMenu lists what can be done with a download, and does it.
func (m *Model) downloadMenu(item *download.Item) tea.Cmd {
	s := item.Status()
	return m.tab.Choose("Download "+clean.Name(s.Name()), "Action", ask.NewList(m.downloadChoices(item, &s), true, 0))
}

func (m *Model) downloadChoices(item *download.Item, s *download.Status) (list []ask.Choice) {
	add := func(text, about string, do func() tea.Cmd) {
		list = append(list, ask.Choice{Text: text, About: about, Do: do})
	}
	resume := func() tea.Cmd { return m.resumeDownload(item) }
	switch s.State {
	case download.Queued, download.Running:
		add("Pause", "keep what has come", func() tea.Cmd { item.Pause(); return nil })
	case download.Paused, download.Left:
		add("Resume", "", resume)
	case download.Failed:
		add("Try again", clean.Short(s.Failure()), resume)
	case download.Counted:
		add("Save", s.Extent(), resume)
	case download.Saved:
		add("Open", s.Path, func() tea.Cmd { return m.visit(fileURL(s)) })
		add("Open with another program", "", func() tea.Cmd { return m.openSaved(s) })
	}
	add("Show where it is from", "", func() tea.Cmd { return m.visit(s.URL) })
	if s.State == download.Saved {
		add("Remove", "from this list; the file stays", m.removeDownload)
	} else {
		add("Cancel", "remove what has come", m.removeDownload)
	}
	add("Pause all", "", func() tea.Cmd { return m.allDownloads((*download.Item).Pause, false) })
	add("Resume all", "", func() tea.Cmd { return m.allDownloads((*download.Item).Resume, true) })
	add("Clear", "remove what is saved from this list", func() tea.Cmd {
		return m.allDownloads(func(other *download.Item) {
			if s := other.Status(); s.State == download.Saved {
				other.Cancel()
			}
		}, true)
	})
	return list
}

// fileURL is the URL of what has been saved.
func fileURL(s *download.Status) urlcore.URL {
	path := filepath.ToSlash(s.Path)
	dirs := strings.Split(strings.TrimPrefix(path, "/"), "/")
	name := dirs[len(dirs)-1]
	if dirs = dirs[:len(dirs)-1]; s.Tree {
		dirs, name = append(dirs, name), ""
	}
	u, err := urlcore.NewFile("", dirs, name)
	if err != nil {
		return s.URL
	}
	return u
}

// allDownloads does something with all downloads of the list.
func (m *Model) allDownloads(do func(*download.Item), follows bool) tea.Cmd {
	var cmd tea.Cmd
	for _, item := range m.opts.Downloads.Items() {
		if s := item.Status(); s.Private {
			continue
		}
		if do(item); follows {
			cmd = tea.Batch(cmd, m.follows(item))
		}
	}
	return cmd
}
