package transfer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/across"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// CopyAcross asks whether to copy the tagged items, or the item under the cursor, to the directory beside the page. If move is
// set, the items are removed where they were.
func (cs *Changes) CopyAcross(move bool) tea.Cmd {
	t, beside := cs.program.Tab(), cs.program.Beside()
	if beside == nil {
		return cs.program.Notify("no directory beside this page: " + cs.program.KeyOf("pair") + " shows two tabs")
	}
	to, notice := cs.changeable(beside)
	if to == nil {
		return notice
	}
	if cs.Server == nil || cs.Downloads == nil || cs.Downloads.Manager == nil {
		return cs.program.Notify("nothing can be copied here")
	}
	from, _ := t.PageURL()
	if _, ok := directoryIn(t); move && !ok {
		return cs.program.Notify("nothing can be removed from this page: " + cs.program.KeyOf("copy across") + " copies")
	}
	items := t.Items()
	if len(items.Lines) == 0 || from == nil {
		return cs.program.Notify("no item under the cursor")
	}
	a := &acrossCopy{cs: cs, items: items, Copy: across.Copy{Server: cs.Server, Items: items.Lines, From: from, To: to, Move: move, Others: cs.UnfinishedCopies()}}
	plan := &change{tab: t, dir: from, verb: "list", name: items.Description()}
	plan.shortText = "listing " + items.Description()
	plan.do = func(ctx context.Context, _ *change) (urlcore.URL, error) { return nil, a.Plan(ctx) }
	plan.next = func() tea.Cmd { return a.ask(plan) }
	return cs.begin(plan)
}

// UnfinishedCopies returns the copies in the list of downloads that have not ended.
func (cs *Changes) UnfinishedCopies() (copies []*across.Copy) {
	if cs.Downloads == nil || cs.Downloads.Manager == nil {
		return nil
	}
	for _, item := range cs.Downloads.Manager.Items() {
		s := item.Status()
		if c, ok := s.Task.(*across.Copy); ok && s.State < download.Saved {
			copies = append(copies, c)
		}
	}
	return copies
}

// acrossCopy is a copy of items to the directory beside their page.
type acrossCopy struct {
	across.Copy
	cs    *Changes
	items *viewer.Items
}

// ask asks whether to begin, and what happens to the files that exist at the target.
func (a *acrossCopy) ask(plan *change) tea.Cmd {
	p := a.Progress()
	if a.IsEmpty() {
		return a.cs.program.NotifyIn(plan.tab, summary(&a.Copy, nil))
	}
	verb := "Copy"
	if a.Move {
		verb = "Move"
	}
	text := verb + " " + a.items.Description() + a.extent(&p) + " to " + clean.Name(a.cs.URLText(urlcore.Redact(a.To)))
	begin := func(existing across.Existing) func() tea.Cmd {
		return func() tea.Cmd {
			a.Existing = existing
			return a.begin()
		}
	}
	if p.Existing == 0 {
		q := ask.NewQuestion(text+"?", false, begin(across.Skip)) // nothing is lost by a yes, also if the items are moved
		q.Expected = true
		return a.cs.askAbout(plan, q)
	}
	newer := ""
	if p.Newer > 0 {
		newer = fmt.Sprintf(", %d of them newer", p.Newer)
	}
	n := english.Plural(p.Existing, "file", "")
	title := text + ": " + n + " " + english.PluralWord(p.Existing, "exists", "exist") + " there" + newer
	choices := []ask.Choice{
		{Text: "Skip", About: "keep the " + english.PluralWord(p.Existing, "file", "files") + " there", Do: begin(across.Skip)},
		{Text: "Newer", About: "replace what is older there", Do: begin(across.Newer)},
		{Text: "Replace", About: "replace " + n + newer, Do: begin(across.Replace)},
	}
	usual := 0
	if isCompared(plan.tab) {
		usual = 1 // what a comparison tags is to be copied
	}
	c := ask.NewAnswers(title, "Existing", choices, usual)
	c.Expected = true
	return a.cs.askAbout(plan, c)
}

// isCompared reports whether the page of a tab has the marks of a comparison.
func isCompared(t *viewer.Viewer) bool {
	lines := &t.Session.Page().Lines
	for i := range lines.Len() {
		if lines.State(i)&nav.Compared != 0 {
			return true
		}
	}
	return false
}

// extent describes what is copied, as " (3 files, 1.2 MB)", or "" for a single file of unknown size. The content of items that are
// renamed is not counted.
func (a *acrossCopy) extent(p *across.Progress) string {
	var parts []string
	if p.Whole > 0 {
		p = &across.Progress{}
	}
	if p.TotalFiles > 1 || p.TotalFiles+p.Dirs > 0 && (len(a.Items) > 1 || a.Items[0].Kind == protocols.Directory) {
		parts = append(parts, english.Plural(p.TotalFiles, "file", ""))
	}
	if p.Size > 0 {
		parts = append(parts, cell.Size(p.Size))
	}
	if n := len(a.LeftOut()); n > 0 {
		parts = append(parts, fmt.Sprintf("%d left out", n))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// begin queues the copy that was planned.
func (a *acrossCopy) begin() tea.Cmd {
	return a.cs.Downloads.beginCopy(&a.Copy, func() (hint string) {
		a.items.Untag(a.Done()...)
		undo := a.undo()
		if undo == nil {
			return ""
		}
		a.cs.program.Undos().Push(undo)
		return " (" + a.cs.program.KeyOf("undo") + ": undo)"
	})
}

// beginCopy queues a copy. The function ended is called when it has stopped, and returns what the notice says about undo.
func (d *Downloads) beginCopy(c *across.Copy, ended func() (hint string)) tea.Cmd {
	item, _ := d.Manager.Add(download.Request{URL: c.From, Task: c})
	d.copies[item] = ended
	d.followed[item] = true
	return tea.Batch(d.program.Tick(), d.reloadList(), d.program.HoldKeysBriefly(d.awaitEnd(item)))
}

// showCopied shows the result of a copy that has stopped, and the new content of its directories.
func (d *Downloads) showCopied(item *download.Item, c *across.Copy, s *download.Status) tea.Cmd {
	text := summary(c, s.Err)
	if s.State == download.Paused {
		text = "paused " + c.Participle(false) + " " + noticeName(s.Name()) + ": " + d.listKey() + " shows it"
	} else if ended := d.copies[item]; ended != nil {
		text += ended()
	}
	if s.State.IsIdle() && s.State >= download.Saved {
		delete(d.copies, item)
	}
	return tea.Batch(d.program.Notify(text), reloadDirectories(d.program, nil, nil, c.From, c.Target()))
}

// summary returns a notice about the result of a copy. It names at most maxNamed of the items that were left out.
func summary(c *across.Copy, failed error) string {
	p := c.Progress()
	past := c.Participle(true)
	text := past + " " + english.Plural(p.Files, "file", "")
	switch {
	case len(c.Renamed()) > 0:
		text = past + " " + english.Plural(p.Files, "item", "")
	case p.Files+p.Skipped == 0 && p.Dirs > 0:
		text = past + " " + english.Plural(p.Dirs, "directory", "directories")
	}
	if p.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped", p.Skipped)
	}
	if p.Undated > 0 {
		text += fmt.Sprintf(", %d without the date", p.Undated)
	}
	if p.Exposed > 0 {
		text += fmt.Sprintf(", %d readable by others: the server has refused to set the mode", p.Exposed)
	}
	left := c.LeftOut()
	_, partial := errors.AsType[*mirror.PartialError](failed)
	switch isDone := p.Files+p.Skipped+p.Dirs > 0; {
	case failed != nil && !partial && isDone:
		text += fmt.Sprintf(" of %d, then: ", p.TotalFiles) + clean.Short(withoutOp(failed).Error())
	case failed != nil && !partial:
		text = "not " + past + ": " + clean.Short(withoutOp(failed).Error())
	case !isDone && len(left) > 0:
		text = "nothing " + past
	}
	var names []string
	for _, l := range left[:min(len(left), maxNamed)] {
		names = append(names, failureText(l.Path, l.Err))
	}
	if len(names) > 0 {
		text += fmt.Sprintf("; %d left out: %s", len(left), strings.Join(names, ", "))
	}
	return text
}

// undo returns what for undoTime moves the renamed items back, or removes the copies if they replaced nothing. Otherwise it returns
// nil.
func (a *acrossCopy) undo() *room.Undo {
	if !a.CanUndo() {
		return nil
	}
	reload := func() tea.Cmd {
		return reloadDirectories(a.cs.program, nil, nil, a.From, a.To)
	}
	ctx, done := a.cs.program.Context(), a.Participle(true)+" "+a.items.Description()
	if n := len(a.Renamed()); a.Move {
		done = "moved " + english.Plural(n, "item", "")
	}
	return &room.Undo{Text: done, Until: a.cs.program.Now().Add(undoTime), Revert: func() (func() tea.Cmd, error) {
		err := a.Undo(ctx)
		if errors.Is(err, across.ErrChanged) {
			err = room.ErrChangedSince
		}
		return reload, withoutOp(err)
	}}
}
