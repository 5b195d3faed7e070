package transfer

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/download"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// ItemAtCursor returns the download under the cursor. It returns false if there is none.
func ItemAtCursor(t *viewer.Viewer) (*download.Item, bool) {
	line, ok := t.Pager.Current()
	row, isRow := line.Note.(download.Row)
	return row.Item, ok && isRow
}

// Remove cancels the download under the cursor, or removes it from the list.
func (d *Downloads) Remove() tea.Cmd {
	item, ok := ItemAtCursor(d.program.Tab())
	if !ok {
		return d.program.Notify("no download under the cursor")
	}
	s, files := item.Status(), item.CreatedFiles()
	removed := ""
	remove := func() tea.Cmd {
		d.removed[item] = removed
		item.Cancel()
		d.followed[item] = true
		return d.program.HoldKeys(d.awaitEnd(item))
	}
	if s.State == download.Saved || s.State == download.Counted || s.Received == 0 && files == 0 && !s.Tree && s.Task == nil {
		return remove()
	}
	text := "the " + cell.Size(s.Received) + " of it saved so far"
	switch {
	case files > 0:
		text = "the " + english.Plural(files, "file", "") + " saved so far"
	case s.Task != nil:
		text = "its unfinished file"
	case s.Tree:
		text = "its unfinished files"
	}
	removed = text
	return d.program.Tab().Ask(ask.NewQuestion("Cancel "+clean.Name(s.Name())+", and remove "+text+"?", true, remove))
}

// ShowDetails opens the page of a download, which lists the items that were not saved.
func (d *Downloads) ShowDetails(item *download.Item) tea.Cmd {
	if s := item.Status(); len(s.LeftOut)+len(s.Notes) == 0 {
		return d.program.Notify("nothing was left out of " + noticeName(s.Name()))
	}
	return d.program.Visit(room.Target{URL: item.DetailsURL()}, room.How{})
}

// Toggle pauses or resumes a download. If the download is already saved, it shows the actions.
func (d *Downloads) Toggle(item *download.Item) tea.Cmd {
	switch s := item.Status(); {
	case s.State == download.Saved:
		return d.ShowActions(item)
	case s.State.IsIdle():
		return d.resume(item)
	}
	item.Pause()
	return nil
}

// ShowActions shows the list of actions for a download, and runs the chosen action.
func (d *Downloads) ShowActions(item *download.Item) tea.Cmd {
	s := item.Status()
	return d.program.Tab().Choose("Download "+clean.Name(s.Name()), "Action", ask.NewList(d.choices(item, &s), true, 0))
}

func (d *Downloads) choices(item *download.Item, s *download.Status) (list []ask.Choice) {
	add := func(text, about string, do func() tea.Cmd) {
		list = append(list, ask.Choice{Text: text, About: about, Do: do})
	}
	resume := func() tea.Cmd { return d.resume(item) }
	switch s.State {
	case download.Queued, download.Running:
		add("Pause", "keep the received part", func() tea.Cmd { item.Pause(); return nil })
	case download.Paused, download.Interrupted:
		about := ""
		if s.Mirror != nil && s.Mirror.Delete {
			about = "and remove items that the server no longer has"
		}
		add("Resume", about, resume)
	case download.Failed:
		add("Try again", clean.Short(s.Failure()), resume)
	case download.Counted:
		add("Save", s.Extent(), resume)
	case download.Saved:
		if s.Task != nil {
			add("Open its target", "", func() tea.Cmd { return d.program.Visit(room.Target{URL: s.Task.Target()}, room.How{}) })
			break
		}
		add("Open", s.Path, func() tea.Cmd { return d.program.Visit(room.Target{URL: fileURL(s)}, room.How{}) })
		add("Open with another program", "", func() tea.Cmd { return d.Open(s) })
	}
	if n := len(s.LeftOut); n > 0 {
		add("List", english.Plural(n, "item", "")+" not "+participle(s, true), func() tea.Cmd { return d.ShowDetails(item) })
	}
	add("Open its source", "", func() tea.Cmd { return d.program.Visit(room.Target{URL: s.URL}, room.How{}) })
	if s.State == download.Saved {
		add("Remove", "from the list; keep the "+map[bool]string{true: "copies", false: "file"}[s.Task != nil], d.Remove)
	} else {
		add("Cancel", "remove the received part", d.Remove)
	}
	add("Pause all", "", func() tea.Cmd { return d.forEach((*download.Item).Pause, false) })
	add("Resume all", "", func() tea.Cmd { return d.forEach((*download.Item).Resume, true) })
	add("Clear", "remove saved downloads from the list", func() tea.Cmd {
		return d.forEach(func(item *download.Item) {
			if s := item.Status(); s.State == download.Saved {
				item.Cancel()
			}
		}, true)
	})
	return list
}

// fileURL returns the file URL of a saved download, or else the URL on the server.
func fileURL(s *download.Status) urlcore.URL {
	dirs, name := strings.Split(strings.TrimPrefix(filepath.ToSlash(s.Path), "/"), "/"), ""
	if last := len(dirs) - 1; !s.Tree {
		dirs, name = dirs[:last], dirs[last]
	}
	u, err := urlcore.NewFile("", dirs, name)
	if err != nil {
		return s.URL
	}
	return u
}

// forEach calls the function do for each download in the list. If the parameter follow is true, it shows
// the results of the downloads.
func (d *Downloads) forEach(do func(*download.Item), follow bool) tea.Cmd {
	var cmd tea.Cmd
	for _, item := range d.Manager.Items() {
		if s := item.Status(); s.Private {
			continue
		}
		if do(item); follow {
			cmd = tea.Batch(cmd, d.follow(item))
		}
	}
	return cmd
}
