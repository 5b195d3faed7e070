// Package transfer saves files of servers, and makes changes on servers: it uploads, renames and
// removes files, and makes directories. It asks the questions of the servers and shows the results.
package transfer

import (
	"os"
	"slices"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/download"
	"gofer/ui/ask"
	"gofer/ui/room"
)

// Downloads saves items in the background. It asks the questions of the servers and shows the results.
type Downloads struct {
	program room.Program
	DownloadOptions
	saving   map[*download.Item]*taggedSave          // downloads of tagged items
	removed  map[*download.Item]string               // what is removed together with a canceled download
	followed map[*download.Item]bool                 // downloads whose end is shown
	copies   map[*download.Item]func() (hint string) // see beginCopy

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
		copies: make(map[*download.Item]func() string),
	}
}

// reloadDelay is the delay of a reload of the downloads page if the page is already being loaded.
const reloadDelay = 100 * time.Millisecond

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
	if r.CountOnly {
		return d.followCount(item)
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

// followCount is like follow for a download that counts the files of a tree, for the question whether to save them.
func (d *Downloads) followCount(item *download.Item) tea.Cmd {
	d.followed[item] = true
	return tea.Batch(d.program.Tick(), d.reloadList(), d.program.HoldKeysForQuestion(d.awaitEnd(item)))
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
	return d.program.Tab().Ask(ask.NewQuestion("Pause "+participle(&s, false)+" "+clean.Name(s.Name())+"?", true, func() tea.Cmd {
		item.Pause()
		return nil
	}))
}
