package transfer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/download"
	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// summary says how many of all tagged items are done, which have failed, and how many are left.
func summary(done string, n, all int, more string, failed []string) string {
	text := fmt.Sprintf("%s %d of %d tagged items%s", done, n, all, more)
	if n == all {
		text = fmt.Sprintf("%s %d tagged %s%s", done, n, map[bool]string{true: "item", false: "items"}[n == 1], more)
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

// batch is the changes of tagged items, one after the other.
type batch struct {
	tagged  *viewer.Tagged
	changes []*protocols.Change
	at      atomic.Int64 // the change that is being made
	done    []urlcore.URL
	settled int // how many of done have been untagged
	failed  []string
}

// removeTagged asks whether to remove the tagged entries of the page's directory.
func (cs *Changes) removeTagged(t *viewer.Tagged) tea.Cmd {
	dir, notice := cs.changeable()
	if dir == nil {
		return notice
	}
	return t.Question("Remove", " from "+urlcore.Host(dir), true, func() tea.Cmd {
		return cs.changeTagged(t, dir, "remove", protocols.Change{Kind: protocols.Remove})
	})
}

// moveTagged asks for a directory of the server and moves the tagged entries there.
func (cs *Changes) moveTagged(t *viewer.Tagged) tea.Cmd {
	dir, notice := cs.changeable()
	if dir == nil {
		return notice
	}
	ftp, ok := dir.(urlcore.FTP)
	switch {
	case !ok:
		return cs.program.Say("items are moved on FTP servers only")
	case len(t.Lines) == 0:
		return t.SayHidden()
	}
	return t.View.AskLine("Move "+t.What(), "To directory", directoryText(ftp), func(typed string) tea.Cmd {
		to, err := directoryOf(ftp, typed)
		if err != nil {
			return cs.program.Say("not moved: " + err.Error())
		}
		if directoryText(to) == directoryText(ftp) {
			return cs.program.Say("not moved: that is the directory of the page")
		}
		return t.Question("Move", " to "+clean.Name(directoryText(to)), false, func() tea.Cmd {
			return cs.changeTagged(t, dir, "move", protocols.Change{Kind: protocols.Rename, Dir: to})
		})
	})
}

// directoryText returns the path of a directory, from the directory of the login. A path that
// begins with a slash is that of the server.
func directoryText(u urlcore.FTP) string {
	cwds := u.CWDs()
	if u.Name() != "" {
		cwds = append(cwds, u.Name())
	}
	return strings.Join(cwds, "/")
}

// directoryOf returns the directory with a path as [directoryText] writes it.
func directoryOf(u urlcore.FTP, text string) (urlcore.FTP, error) {
	text = path.Clean(strings.TrimSpace(text))
	root := ""
	if strings.HasPrefix(text, "/") {
		root, text = "/", text[1:]
	}
	if text == "." {
		text = ""
	}
	cwds := strings.Split(text, "/")
	cwds[0] = root + cwds[0]
	last := len(cwds) - 1
	return u.With(cwds[:last], cwds[last], 'd')
}

// changeTagged makes the same change to each of the tagged entries.
func (cs *Changes) changeTagged(t *viewer.Tagged, dir urlcore.URL, verb string, each protocols.Change) tea.Cmd {
	b := &batch{tagged: t}
	for _, line := range t.Lines {
		c := each
		c.URL = line.Link
		b.changes = append(b.changes, &c)
	}
	c := &change{tab: t.View, dir: dir, verb: verb, name: t.What(), batch: b}
	c.do = func(ctx context.Context, _ *change) (urlcore.URL, error) { return nil, cs.runBatch(ctx, b, dir) }
	return cs.begin(c)
}

// runBatch makes the changes from b.at on. It stops at the error of a change that is a question,
// or that the next change would have too.
func (cs *Changes) runBatch(ctx context.Context, b *batch, dir urlcore.URL) error {
	for ; b.at.Load() < int64(len(b.changes)); b.at.Add(1) {
		c := b.changes[b.at.Load()]
		err := errors.New("it is no entry of the directory")
		if c.URL.Scheme() == dir.Scheme() && urlcore.Host(c.URL) == urlcore.Host(dir) {
			_, err = cs.Change(ctx, c)
		}
		switch {
		case err == nil:
			b.done = append(b.done, c.URL)
			continue
		case ctx.Err() != nil, protocols.QuestionOf(err) != nil:
			return err
		}
		b.fail(err)
		if protocols.ReasonOf(err).Network() {
			return err
		}
	}
	return nil
}

// fail records why the change b.at has failed.
func (b *batch) fail(err error) {
	line := b.tagged.Lines[b.at.Load()]
	b.failed = append(b.failed, failure(b.tagged.View.Pager.LineText(&line), err))
}

// settle untags the items that have been changed, and reports whether there are any.
func (b *batch) settle() bool {
	changed := b.done[b.settled:]
	b.settled = len(b.done)
	b.tagged.Untag(changed...)
	return len(changed) > 0
}

// skip leaves the item of the current change as it is, after a no to the server's question.
func (b *batch) skip() {
	b.fail(errors.New("left as it is"))
	b.at.Add(1)
}

// text describes the progress.
func (b *batch) text(verb string) string {
	n := min(int(b.at.Load()), len(b.changes)-1)
	return fmt.Sprintf("%s %d of %d: %s", participles[verb][0], n+1, len(b.changes), clean.Name(b.tagged.View.Pager.LineText(&b.tagged.Lines[n])))
}

// taggedSave saves tagged items.
type taggedSave struct {
	tagged *viewer.Tagged
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
func (d *Downloads) saveTagged(t *viewer.Tagged) tea.Cmd {
	if d.Manager == nil {
		return d.program.Say("files cannot be saved here")
	}
	b, trees, rest := &taggedSave{tagged: t}, 0, ""
	for i := range t.Lines {
		r, err := requestFor(&t.Lines[i])
		switch {
		case err != nil:
			b.failed = append(b.failed, failure(t.View.Pager.LineText(&t.Lines[i]), err))
			continue
		case r.Tree:
			trees++
		}
		b.rest = append(b.rest, r)
	}
	switch n := len(b.failed); {
	case n > 0 && n == len(t.Lines):
		return d.program.Say("none of the tagged items can be saved: " + b.failed[0])
	case n > 0:
		rest = fmt.Sprintf(" but %d that cannot be saved", n)
	}
	if trees > 0 {
		rest += fmt.Sprintf(", %d of them with all that is in them", trees)
	}
	return t.Question("Save", rest, trees > 0, func() tea.Cmd { return d.fill(b) })
}

// requestFor returns the download of a tagged item.
func requestFor(line *protocols.Line) (download.Request, error) {
	kind := line.Kind
	if kind != protocols.Directory {
		kind = protocols.KindOf(line.Link)
	}
	switch {
	case line.Link.Scheme() == "about" && kind == protocols.Menu, kind == protocols.Group:
		return download.Request{}, errors.New("a list is no file")
	case kind == protocols.Session, kind == protocols.Mail, kind == protocols.Search, kind == protocols.Phonebook:
		return download.Request{}, errors.New("it is no file")
	}
	return download.Request{URL: line.Link, Tree: kind == protocols.Directory || kind == protocols.Menu}, nil
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
		if d.tagged == nil {
			d.tagged = make(map[*download.Item]*taggedSave)
		}
		d.tagged[item] = b
		b.active++
		cmd = tea.Batch(cmd, d.follows(item))
	}
	if b.active > 0 {
		return cmd
	}
	return tea.Batch(cmd, d.program.Say(summary("saved", b.saved, len(b.tagged.Lines), " ("+cell.Size(b.octets)+")", b.failed)))
}

// stoppedTagged takes in the result of a download that saves a tagged item. It returns false if
// the download is another, or will go on.
func (d *Downloads) stoppedTagged(item *download.Item, s *download.Status) (tea.Cmd, bool) {
	b := d.tagged[item]
	switch {
	case b == nil, s.State == download.Paused, protocols.QuestionOf(s.Err) != nil:
		return nil, false
	case s.State == download.Saved:
		b.saved++
		b.octets += s.Done
		b.tagged.Untag(s.URL)
	case s.State == download.Removed:
		b.failed = append(b.failed, failure(s.Name(), download.ErrCancelled))
	default:
		b.failed = append(b.failed, failure(s.Name(), errors.New(s.Failure())))
	}
	delete(d.tagged, item)
	b.active--
	return d.fill(b), true
}
