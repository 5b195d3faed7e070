package transfer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/download"
	"gofer/internal/text/clean"
	"gofer/internal/upload"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// summary says how many of all tagged items are done, which have failed, and how many are left.
func summary(done string, n, all int, more string, failed []string) string {
	text := fmt.Sprintf("%s %d of %d tagged items%s", done, n, all, more)
	if n == all {
		text = done + " " + english.Plural(n, "tagged item", "") + more
	}
	if len(failed) > 0 {
		text += fmt.Sprintf("; %d failed: %s", len(failed), strings.Join(failed[:min(len(failed), maxNamed)], ", "))
	}
	if left := all - n - len(failed); left > 0 {
		text += fmt.Sprintf("; %d not tried", left)
	}
	return text
}

// maxNamed bounds the failures that a notice names. All of them stay tagged.
const maxNamed = 5

// failure names an item and the reason why it failed.
func failure(name string, err error) string {
	return clean.Short(name) + " (" + clean.Short(withoutOp(err).Error()) + ")"
}

// batch is the changes of items, one item after the other.
type batch struct {
	items   *viewer.Items
	names   []string // of the items
	changes []*protocols.Change
	trees   map[int]*upload.Removal // in place of the change of an item; or nil
	made    atomic.Int64            // changes, also of items in directories
	at      int                     // the item that is being changed
	done    []urlcore.URL           // items that have been changed
	settled int                     // how many of done have been untagged
	failed  []string
}

// Remove asks whether to remove the tagged entries, or the entry under the cursor. It lists
// directories first, and removes them with their contents.
func (cs *Changes) Remove() tea.Cmd {
	dir, items, notice := cs.changeableItems(cs.program.Tab().Items())
	if dir == nil {
		return notice
	}
	b := &batch{items: items, trees: make(map[int]*upload.Removal)}
	var unlisted []int // the directories
	for i, line := range items.Lines {
		if _, ok := line.Link.(urlcore.FTP); ok && line.Kind == protocols.Directory && cs.Server != nil {
			unlisted = append(unlisted, i)
		}
	}
	list := &change{tab: items.View, dir: dir, verb: "list", name: items.Description()}
	list.text = func() string { return "listing what is in " + items.Description() }
	list.do = func(ctx context.Context, _ *change) (urlcore.URL, error) {
		for ; len(unlisted) > 0; unlisted = unlisted[1:] {
			i := unlisted[0]
			r, err := upload.ListRemoval(ctx, cs.Server, items.Lines[i].Link.(urlcore.FTP))
			switch {
			case err == nil:
				b.trees[i] = r
			case len(items.Lines) == 1, ctx.Err() != nil, protocols.QuestionOf(err) != nil, protocols.ReasonOf(err).Network():
				return nil, err
			} // else the server refuses to remove the directory, and the summary names it
		}
		return nil, nil
	}
	list.then = func() tea.Cmd {
		files, dirs, with, least := 0, -len(b.trees), "", ""
		for _, r := range b.trees {
			files, dirs = files+r.Files, dirs+r.Dirs
			if r.Incomplete {
				least = "at least "
			}
		}
		if files+dirs > 0 || least != "" {
			with = fmt.Sprintf(" with %s%s and %s in %s", least, english.Plural(files, "file", ""), english.Plural(dirs, "directory", "directories"), english.PluralWord(len(items.Lines), "it", "them"))
		}
		return cs.ask(list, items.Question("Remove", with+" from "+urlcore.Host(dir), true, func() tea.Cmd {
			return cs.changeAll(b, dir, "remove", len(items.Lines)+files+dirs, protocols.Change{Kind: protocols.Remove})
		}))
	}
	if len(unlisted) == 0 {
		return list.then()
	}
	return cs.begin(list)
}

// move asks for a directory of the server and moves the items there.
func (cs *Changes) move(dir urlcore.URL, items *viewer.Items) tea.Cmd {
	ftp, ok := dir.(urlcore.FTP)
	if !ok {
		return cs.program.Say("items are moved on FTP servers only")
	}
	return items.View.AskLine("Move "+items.Description(), "To directory", directoryText(ftp), func(typed string) tea.Cmd {
		to, err := directoryOf(ftp, typed)
		switch {
		case err != nil:
			return cs.program.Say("not moved: " + err.Error())
		case directoryText(to) == directoryText(ftp):
			return cs.program.Say("not moved: that is the directory of the page")
		}
		return items.View.Ask(items.Question("Move", " to "+clean.Name(directoryText(to)), false, func() tea.Cmd {
			return cs.changeAll(&batch{items: items}, dir, "move", len(items.Lines), protocols.Change{Kind: protocols.Rename, Dir: to})
		}))
	})
}

// directoryText returns the path of a directory relative to the login directory. A path that begins
// with a slash is relative to the root of the server.
func directoryText(u urlcore.FTP) string { return path.Join(append(u.CWDs(), u.Name())...) }

// directoryOf returns the directory with a path as [directoryText] writes it.
func directoryOf(u urlcore.FTP, text string) (urlcore.FTP, error) {
	dirs := strings.Split(path.Clean(strings.TrimSpace(text)), "/")
	switch dirs[0] {
	case "":
		dirs = dirs[1:]
		dirs[0] = "/" + dirs[0]
	case ".":
		dirs[0] = ""
	}
	last := len(dirs) - 1
	return u.With(dirs[:last], dirs[last], 'd')
}

// changeAll begins to make the same change to each item of b. The total also counts the items in
// directories.
func (cs *Changes) changeAll(b *batch, dir urlcore.URL, verb string, total int, each protocols.Change) tea.Cmd {
	for i, u := range b.items.Links() {
		c := each
		c.URL = u
		b.changes, b.names = append(b.changes, &c), append(b.names, b.items.Text(i))
	}
	c := &change{tab: b.items.View, dir: dir, verb: verb, name: b.names[0], batch: b}
	c.do = func(ctx context.Context, _ *change) (urlcore.URL, error) { return nil, cs.runBatch(ctx, b) }
	if total > 1 {
		what := b.items.Description()
		c.text = func() string {
			return fmt.Sprintf("%s %s: %d of %d items", participles[verb][0], what, b.made.Load(), total)
		}
	}
	if n := len(b.names); n > 1 {
		c.name = b.items.Description()
		c.result = func(error) string { return summary(participles[verb][1], len(b.done), n, "", b.failed) }
	}
	return cs.begin(c)
}

// runBatch makes the changes from b.at on. It stops at the error of a change that is a question,
// that the next change would have too, or that is of the only item.
func (cs *Changes) runBatch(ctx context.Context, b *batch) error {
	do := func(_ string, c *protocols.Change) error {
		_, err := cs.Change(ctx, c)
		if err == nil {
			b.made.Add(1)
		}
		return err
	}
	for ; b.at < len(b.changes); b.at++ {
		var err error
		if r := b.trees[b.at]; r != nil {
			err = r.Run(ctx, do)
		} else {
			err = do("", b.changes[b.at])
		}
		switch {
		case err == nil:
			b.done = append(b.done, b.changes[b.at].URL)
			continue
		case ctx.Err() != nil, protocols.QuestionOf(err) != nil, len(b.changes) == 1, b.at == 0 && errors.Is(err, protocols.ErrNoTarget):
			return err
		}
		b.fail(err)
		if protocols.ReasonOf(err).Network() {
			return err
		}
	}
	return nil
}

// fail records why item b.at has not been changed.
func (b *batch) fail(err error) { b.failed = append(b.failed, failure(b.names[b.at], err)) }

// settle untags the items that have been changed, and reports whether there are any.
func (b *batch) settle() bool {
	changed := b.done[b.settled:]
	b.settled = len(b.done)
	b.items.Untag(changed...)
	return len(changed) > 0
}

// skip leaves the current item as it is, after a no to the server's question.
func (b *batch) skip() {
	b.fail(errors.New("left as it is"))
	b.at++
}

// taggedSave is the tagged items that are being saved.
type taggedSave struct {
	items  *viewer.Items
	rest   []download.Request // of the items that are still to be added to the queue
	active int                // items in the queue
	saved  int
	octets int64
	failed []string
}

// maxQueued bounds the tagged items that are in the queue at once: the work for each grows with
// its length.
const maxQueued = 200

// saveTagged asks whether to save the tagged items.
func (d *Downloads) saveTagged(items *viewer.Items) tea.Cmd {
	if d.Manager == nil {
		return d.program.Say("files cannot be saved here")
	}
	b, trees, rest := &taggedSave{items: items}, 0, ""
	for i, line := range items.Lines {
		r, kind := download.Request{URL: line.Link}, protocols.KindOf(line.Link)
		switch {
		case line.Kind == protocols.Directory, kind == protocols.Directory, kind == protocols.Menu && line.Link.Scheme() != "about":
			r.Tree = true
			trees++
		case slices.Contains([]protocols.Kind{protocols.Menu, protocols.Group, protocols.Session, protocols.Mail, protocols.Search, protocols.FormItem, protocols.Phonebook}, kind):
			b.failed = append(b.failed, failure(items.Text(i), errors.New("it is no file")))
			continue
		}
		b.rest = append(b.rest, r)
	}
	if trees > 0 {
		rest = fmt.Sprintf(", %d of them with all that is in them", trees)
	}
	return items.View.Ask(items.Question("Save", rest, trees > 0, func() tea.Cmd { return d.fill(b) }))
}

// fill adds items to the queue. After the last result it shows the summary.
func (d *Downloads) fill(b *taggedSave) tea.Cmd {
	var cmd tea.Cmd
	for len(b.rest) > 0 && b.active < maxQueued {
		r := b.rest[0]
		b.rest = b.rest[1:]
		item, added := d.Manager.Add(r)
		if !added {
			b.failed = append(b.failed, failure(download.FileName(r.URL), errors.New("is being saved already")))
			continue
		}
		d.saving[item] = b
		b.active++
		cmd = tea.Batch(cmd, d.follows(item))
	}
	if b.active > 0 {
		return cmd
	}
	return tea.Batch(cmd, d.program.Say(summary("saved", b.saved, len(b.items.Lines), " ("+cell.Size(b.octets)+")", b.failed)))
}

// stoppedTagged takes in the result of a download that saves a tagged item. It returns false if
// the download is another, or will go on.
func (d *Downloads) stoppedTagged(item *download.Item, s *download.Status) (tea.Cmd, bool) {
	b := d.saving[item]
	switch {
	case b == nil, s.State == download.Paused, protocols.QuestionOf(s.Err) != nil:
		return nil, false
	case s.State == download.Saved:
		b.saved++
		b.octets += s.Done
		b.items.Untag(s.URL)
	case s.State == download.Removed:
		b.failed = append(b.failed, failure(s.Name(), download.ErrCancelled))
	default:
		b.failed = append(b.failed, failure(s.Name(), errors.New(s.Failure())))
	}
	delete(d.saving, item)
	b.active--
	return d.fill(b), true
}
