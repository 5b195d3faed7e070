package transfer

import (
	"errors"
	"path/filepath"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/across"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
)

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
	name, resume := noticeName(s.Name()), func() tea.Cmd { return d.resume(item) }
	if endsWithRing(s) {
		cmd = tea.Batch(cmd, d.ring(s.StartTime, map[bool]string{true: participle(s, true) + " ", false: "not " + participle(s, true) + ": "}[s.State == download.Saved]+clean.Short(s.Name())))
	}
	c, isCopy := s.Task.(*across.Copy)
	switch {
	case isCopy && question == nil && s.State != download.Removed && !errors.Is(s.Err, download.ErrDiskFull):
		return tea.Batch(cmd, d.showCopied(item, c, s))
	case s.State == download.Saved:
		file, folder := noticeName(filepath.Base(s.Path)), noticeName(userfile.ShortPath(filepath.Dir(s.Path)))
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
		cmd = tea.Batch(cmd, d.program.Notify("saved in part: "+name+": "+clean.Short(s.Failure())+"; "+d.listKey()+" lists them"))
	case s.Err != nil:
		if d.CanUndo(item) && s.Received == 0 {
			d.setLatest(nil) // there is nothing to undo
		}
		cmd = tea.Batch(cmd, d.program.Notify("not saved: "+name+": "+clean.Short(s.Failure())))
	case s.State == download.Paused:
		cmd = tea.Batch(cmd, d.program.Notify("paused "+name+": "+d.listKey()+" shows the downloads"))
	}
	return cmd
}

// participle returns the participle of what a download does, or has done.
func participle(s *download.Status, done bool) string {
	switch {
	case s.Task != nil:
		return s.Task.Participle(done)
	case done:
		return "saved"
	}
	return "saving"
}

// noticeName returns a name for a notice. If the notice does not fit the screen, the name is shortened, and not the words that say
// what has happened.
func noticeName(name string) string { return cell.OneName(clean.Short(name)) }

// removedText is the notice about a download that was canceled or removed from the list.
func (d *Downloads) removedText(item *download.Item, s *download.Status) string {
	what, name := d.removed[item], noticeName(s.Name())
	delete(d.removed, item)
	switch {
	case s.Err != nil:
		return "canceled, but not all was removed: " + name + ": " + clean.Short(s.Err.Error())
	case s.Task != nil && s.State == download.Removed && what != "":
		return "canceled " + name + ": " + discarded(s.Task)
	case what != "":
		return "canceled " + name + " and removed " + what
	}
	return "removed " + name + " from the downloads"
}

// discarded says what a canceled copy has left, and what was removed.
func discarded(task download.Task) string {
	c, ok := task.(*across.Copy)
	if !ok {
		return "its unfinished file was removed"
	}
	text, n := "nothing was removed", c.Progress().Files
	if part := c.Discarded(); part != "" {
		text = "removed its part of " + noticeName(part)
	}
	if n > 0 {
		text += ", kept " + english.Plural(n, c.Participle(true)+" file", "")
	}
	return text
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
		text := "no files to save in " + noticeName(s.Name())
		if len(s.LeftOut) > 0 {
			text += ": " + s.LeftOut[0].String()
		}
		return d.program.Notify(text)
	}
	if d.program.PromptOpen() {
		return d.program.Notify("counted " + noticeName(s.Name()) + ": " + s.Extent() + "; " + d.listKey() + " to save it")
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
