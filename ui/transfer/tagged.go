package transfer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/across"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/upload"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// taggedSummary returns a notice that says how many tagged items succeeded, failed, and were not tried. The
// noun is "tagged item" or "file". The notice names at most maxNamed failures.
func taggedSummary(participle, noun string, succeeded, total int, details string, failed []string) string {
	text := fmt.Sprintf("%s %d of %d %ss%s", participle, succeeded, total, noun, details)
	if succeeded == total {
		text = participle + " " + english.Plural(succeeded, noun, "") + details
	}
	if len(failed) > 0 {
		text += fmt.Sprintf("; %d failed: %s", len(failed), strings.Join(failed[:min(len(failed), maxNamed)], ", "))
	}
	if untried := total - succeeded - len(failed); untried > 0 {
		text += fmt.Sprintf("; %d not tried", untried)
	}
	return text
}

// maxNamed is the largest number of failures in a notice. All failed items stay tagged.
const maxNamed = 5

// failureText returns the name of an item and the reason why it failed.
func failureText(name string, err error) string {
	return noticeName(name) + " (" + clean.Short(withoutOp(err).Error()) + ")"
}

// batch is a list of changes that are made one after the other.
type batch struct {
	items       *viewer.Items
	dir         urlcore.URL // of the page
	names       []string    // names of the items
	changes     []*protocols.Change
	trees       map[int]removal // removals of directories by item index, which replace the changes; or nil
	changeCount atomic.Int64    // number of changes made, including those in directories
	index       int             // index of the current item
	changedURLs []urlcore.URL   // changed items
	untagged    int             // number of changed items that have been untagged
	failed      []string
}

// removal is the removal of a directory with its content.
type removal interface {
	Run(ctx context.Context, remove func(path string, c *protocols.Change) error) error
	// Count returns the number of files and directories, and whether the server did not list all items.
	Count() (files, dirs int, incomplete bool)
}

// listRemoval returns the removal of a directory in the directory of the page. It lists its content.
func (cs *Changes) listRemoval(ctx context.Context, page urlcore.URL, line protocols.Line) (removal, error) {
	if dir, ok := line.Link.(urlcore.FTP); ok {
		return upload.ListRemoval(ctx, cs.Server, dir)
	}
	return across.ListRemoval(ctx, across.Within(cs.Server, page), line)
}

// Remove asks whether to remove the tagged items, or the item under the cursor. Directories are removed
// with their contents. To count the contents for the question, Remove lists them first.
func (cs *Changes) Remove() tea.Cmd {
	dir, items, notice := cs.changeableItems(cs.program.Tab().Items())
	if dir == nil {
		return notice
	}
	b := &batch{items: items, trees: make(map[int]removal)}
	var unlisted []int // indices of directories
	for i, line := range items.Lines {
		if line.Kind == protocols.Directory && cs.Server != nil {
			unlisted = append(unlisted, i)
		}
	}
	list := &change{tab: items.View, dir: dir, verb: "list", name: items.Description()}
	list.shortText = "listing the contents of " + items.Description()
	list.describe = func() string { return list.shortText }
	list.do = func(ctx context.Context, _ *change) (urlcore.URL, error) {
		for ; len(unlisted) > 0; unlisted = unlisted[1:] {
			i := unlisted[0]
			r, err := cs.listRemoval(ctx, dir, items.Lines[i])
			switch {
			case err == nil:
				b.trees[i] = r
			case len(items.Lines) == 1, ctx.Err() != nil, protocols.QuestionOf(err) != nil, protocols.ReasonOf(err).IsNetworkFailure():
				return nil, err
			} // otherwise the removal fails later and the summary shows it
		}
		return nil, nil
	}
	list.next = func() tea.Cmd {
		files, dirs, contents, atLeast := 0, 0, "", "" // without the tagged items themselves
		for _, r := range b.trees {
			f, d, incomplete := r.Count()
			files, dirs = files+f, dirs+d
			if d > 0 {
				dirs--
			} else { // a link to a directory
				files--
			}
			if incomplete {
				atLeast = "at least "
			}
		}
		if files+dirs > 0 || atLeast != "" {
			contents = " with " + atLeast + english.Plural(files, "file", "")
			if dirs > 0 {
				contents += " and " + english.Plural(dirs, "directory", "directories")
			}
			if files+dirs == 0 {
				contents = " with unlisted items"
			}
			contents += " inside"
		}
		return cs.askAbout(list, items.Question("Remove", contents+" from "+hostOf(dir), true, func() tea.Cmd {
			return cs.changeAll(b, dir, "remove", len(items.Lines)+files+dirs, func(int) protocols.Change { return protocols.Change{Kind: protocols.Remove} })
		}))
	}
	if len(unlisted) == 0 {
		return list.next()
	}
	return cs.begin(list)
}

// move asks for a directory on the server, and moves the items to it.
func (cs *Changes) move(dir urlcore.URL, items *viewer.Items) tea.Cmd {
	ftp, ok := dir.(urlcore.FTP)
	if !ok {
		return cs.program.Notify("items can be moved on FTP servers only")
	}
	return items.View.AskLine("Move "+items.Description(), "To directory", directoryText(ftp), func(typed string) tea.Cmd {
		target, err := directoryOf(ftp, typed)
		switch {
		case err != nil:
			return cs.program.Notify("not moved: " + err.Error())
		case directoryText(target) == directoryText(ftp):
			return cs.program.Notify("not moved: this is the directory of the page")
		}
		return cs.changeAll(&batch{items: items}, dir, "move", len(items.Lines), func(int) protocols.Change {
			return protocols.Change{Kind: protocols.Rename, Dir: target}
		})
	})
}

// chmodAll asks for a mode of the tagged items, and changes it.
func (cs *Changes) chmodAll(dir urlcore.URL, items *viewer.Items) tea.Cmd {
	return items.View.AskLine("Change the mode of "+items.Description(), "Mode (as 644 or u+x)", "", func(mode string) tea.Cmd {
		if mode == "" {
			return nil
		}
		modes := make([]string, len(items.Lines))
		for i := range items.Lines {
			var err error
			if modes[i], err = newMode(&items.Lines[i], mode); err != nil {
				return cs.program.Notify("not changed: " + noticeName(items.Text(i)) + ": " + err.Error())
			}
		}
		return cs.changeAll(&batch{items: items}, dir, "chmod", len(items.Lines), func(i int) protocols.Change {
			return protocols.Change{Kind: protocols.Chmod, Mode: modes[i]}
		})
	})
}

// newMode returns the octal mode of an item after a change of its mode by text that the user has typed.
func newMode(line *protocols.Line, typed string) (string, error) {
	old := ""
	if note, ok := line.Note.(*protocols.FileNote); ok {
		old = note.Mode
	}
	bits, err := protocols.ParseMode(typed, old, line.Kind == protocols.Directory)
	return fmt.Sprintf("%03o", bits), err
}

// directoryText returns the path of a directory. The path is relative to the login directory, or begins
// with a slash and is relative to the root of the server.
func directoryText(u urlcore.FTP) string { return path.Join(append(u.CWDs(), u.Name())...) }

// directoryOf returns the URL of the directory with a path in the form of [directoryText].
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

// changeAll makes a change to each item of b. The function changeOf returns the change of an item without its URL. The
// parameter total is the number of changes, including those in directories.
func (cs *Changes) changeAll(b *batch, dir urlcore.URL, verb string, total int, changeOf func(item int) protocols.Change) tea.Cmd {
	for i, u := range b.items.Links() {
		c := changeOf(i)
		c.URL = u
		b.changes, b.names = append(b.changes, &c), append(b.names, b.items.Text(i))
	}
	b.dir = dir
	c := &change{tab: b.items.View, dir: dir, verb: verb, name: b.names[0], batch: b}
	c.do = func(ctx context.Context, _ *change) (urlcore.URL, error) { return nil, cs.runBatch(ctx, b) }
	if total > 1 {
		text := b.items.Description()
		c.shortText = participles[verb][0] + " " + text
		c.describe = func() string {
			return fmt.Sprintf("%s %s: %d of %d items", participles[verb][0], text, b.changeCount.Load(), total)
		}
	}
	if n := len(b.names); n > 1 {
		c.name, c.skip = b.items.Description(), b.skip
		c.resultText = func(error) string {
			return taggedSummary(participles[verb][1], "tagged item", len(b.changedURLs), n, "", b.failed)
		}
	}
	return cs.begin(c)
}

// runBatch makes the changes of b, beginning with b.index. It stops at a question, and at an error that
// the next change would also get. If b has only one item, it stops at any error.
func (cs *Changes) runBatch(ctx context.Context, b *batch) error {
	do := func(_ string, c *protocols.Change) error {
		c.Within = b.dir
		_, err := cs.Change(ctx, c)
		if err == nil {
			b.changeCount.Add(1)
		}
		return err
	}
	for ; b.index < len(b.changes); b.index++ {
		var err error
		if r := b.trees[b.index]; r != nil {
			err = r.Run(ctx, do)
		} else {
			err = do("", b.changes[b.index])
		}
		switch {
		case err == nil:
			b.changedURLs = append(b.changedURLs, b.changes[b.index].URL)
			continue
		case ctx.Err() != nil, protocols.QuestionOf(err) != nil, len(b.changes) == 1, b.index == 0 && errors.Is(err, protocols.ErrNoTarget):
			return err
		}
		b.recordFailure(err)
		if protocols.ReasonOf(err).IsNetworkFailure() {
			return err
		}
	}
	return nil
}

// recordFailure records why the current item was not changed.
func (b *batch) recordFailure(err error) {
	b.failed = append(b.failed, failureText(b.names[b.index], err))
}

// untagChanged untags the changed items that are still tagged, and reports whether there were any.
func (b *batch) untagChanged() bool {
	changed := b.changedURLs[b.untagged:]
	b.untagged = len(b.changedURLs)
	b.items.Untag(changed...)
	return len(changed) > 0
}

// skip skips the current item after the user answered no to the server's question.
func (b *batch) skip() {
	b.recordFailure(errors.New("skipped"))
	b.index++
}

// taggedSave is the state of a download of tagged items.
type taggedSave struct {
	items  *viewer.Items
	rest   []download.Request // items that are not in the queue yet
	active int                // number of items in the queue
	saved  int
	octets int64
	failed []string
	began  time.Time
	joined map[urlcore.URL][]urlcore.URL // for each file that is joined of tagged articles, these articles; or nil
}

// maxQueued is the largest number of tagged items in the queue. A limit is needed, because the work for
// each item grows with the length of the queue.
const maxQueued = 200

// saveTagged asks whether to save the tagged items, or to join them if they are the parts of files.
func (d *Downloads) saveTagged(items *viewer.Items) tea.Cmd {
	switch {
	case d.Manager == nil:
		return d.program.Notify("files cannot be saved here")
	case d.askToJoin(items):
		return nil
	}
	return d.askToSave(items)
}

func (d *Downloads) askToSave(items *viewer.Items) tea.Cmd {
	b, trees, withTrees := &taggedSave{items: items}, 0, ""
	for i, line := range items.Lines {
		r, kind := download.Request{URL: line.Link, Shown: shownName(items.View, line.Link)}, protocols.KindOf(line.Link)
		switch {
		case line.Kind == protocols.Directory, kind.Saving() == protocols.SavedAsTree && !protocols.IsOnlyPage(line.Link):
			r.Tree = true
			trees++
		case kind.Saving() != protocols.SavedAsFile:
			b.failed = append(b.failed, failureText(items.Text(i), errors.New("not a file")))
			continue
		}
		b.rest = append(b.rest, r)
	}
	if trees > 0 {
		if withTrees = fmt.Sprintf(", %d of them with all items", trees); len(items.Lines) == 1 {
			withTrees = " with all items"
		}
	}
	return items.View.Ask(items.Question("Save", withTrees, trees > 0, func() tea.Cmd { return d.fillQueue(b) }))
}

// fillQueue adds items to the queue, up to maxQueued. If the queue has none of the items afterwards, it
// shows the summary.
func (d *Downloads) fillQueue(b *taggedSave) tea.Cmd {
	var cmd tea.Cmd
	for len(b.rest) > 0 && b.active < maxQueued {
		r := b.rest[0]
		b.rest = b.rest[1:]
		item, added := d.Manager.Add(r)
		if !added {
			b.failed = append(b.failed, failureText(download.FileName(r.URL), errors.New("already being saved")))
			continue
		}
		d.saving[item] = b
		if b.active++; b.began.IsZero() {
			b.began = d.program.Now()
		}
		cmd = tea.Batch(cmd, d.follow(item))
	}
	if b.active > 0 {
		return cmd
	}
	participle, noun, total := "saved", "tagged item", len(b.items.Lines)
	if b.joined != nil {
		participle, noun, total = "joined", "file", len(b.joined)
	}
	text := taggedSummary(participle, noun, b.saved, total, " ("+cell.Size(b.octets)+")", b.failed)
	return tea.Batch(cmd, d.ring(b.began, text), d.program.Notify(text))
}

// KeepRest puts the tagged items that are not in the queue yet in the list of downloads. The program ends.
func (d *Downloads) KeepRest() {
	for _, b := range d.saving {
		d.Manager.Keep(b.rest)
		b.rest = nil
	}
}

// showTaggedResult records the result of the download of a tagged item. It returns false if the download is
// not for a tagged item, is paused, or has a question for the user.
func (d *Downloads) showTaggedResult(item *download.Item, s *download.Status) (tea.Cmd, bool) {
	b := d.saving[item]
	switch {
	case b == nil, s.State == download.Paused, protocols.QuestionOf(s.Err) != nil:
		return nil, false
	case s.State == download.Saved:
		b.saved++
		b.octets += s.Received
		b.items.Untag(append(b.joined[s.URL], s.URL)...)
	case s.State == download.Removed:
		b.failed = append(b.failed, failureText(s.Name(), download.ErrCanceled))
	default:
		b.failed = append(b.failed, failureText(s.Name(), errors.New(s.Failure())))
	}
	delete(d.saving, item)
	b.active--
	return d.fillQueue(b), true
}
