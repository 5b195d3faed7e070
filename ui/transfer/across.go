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
	"gofer/internal/transfer/mirror"
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
	if cs.Server == nil {
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
	a := &acrossCopy{cs: cs, items: items, Copy: across.Copy{Server: cs.Server, Items: items.Lines, From: from, To: to, Move: move}}
	plan := &change{tab: t, dir: from, otherDir: to, verb: "list", name: items.Description()}
	plan.shortText = "listing " + items.Description()
	plan.do = func(ctx context.Context, _ *change) (urlcore.URL, error) { return nil, a.Plan(ctx) }
	plan.next = func() tea.Cmd { return a.ask(plan) }
	return cs.begin(plan)
}

// acrossCopy is a copy of items to the directory beside their page.
type acrossCopy struct {
	across.Copy
	cs    *Changes
	items *viewer.Items
}

// verbs returns the verb of a, and its participles.
func (a *acrossCopy) verbs() (verb, present, past string) {
	if a.Move {
		return "Move", "moving", "moved"
	}
	return "Copy", "copying", "copied"
}

// ask asks whether to begin, and what happens to the files that exist at the target.
func (a *acrossCopy) ask(plan *change) tea.Cmd {
	p := a.Progress()
	if a.IsEmpty() {
		return a.cs.program.NotifyIn(plan.tab, a.summary(nil))
	}
	verb, _, _ := a.verbs()
	text := verb + " " + a.items.Description() + a.extent(&p) + " to " + clean.Name(a.cs.URLText(urlcore.Redact(a.To)))
	begin := func(existing across.Existing) func() tea.Cmd {
		return func() tea.Cmd {
			a.Existing = existing
			return a.begin(plan)
		}
	}
	if p.Existing == 0 {
		return a.cs.askAbout(plan, ask.NewQuestion(text+"?", a.Move, begin(across.Skip)))
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
	return a.cs.askAbout(plan, ask.NewChoose(ask.Head{Title: title}, "Existing files", ask.NewList(choices, true, 0)))
}

// extent describes what is copied, as " (3 files, 1.2 MB)", or "" for a single file of unknown size.
func (a *acrossCopy) extent(p *across.Progress) string {
	var parts []string
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

// begin starts the transfer that was planned.
func (a *acrossCopy) begin(plan *change) tea.Cmd {
	_, present, _ := a.verbs()
	c := &change{tab: plan.tab, dir: plan.dir, otherDir: plan.otherDir, verb: "copy", name: plan.name}
	c.shortText = present + " " + a.items.Description()
	c.do = func(ctx context.Context, _ *change) (urlcore.URL, error) { return nil, a.Run(ctx) }
	c.describe = func() string {
		p := a.Progress()
		if p.Waiting != "" {
			return c.shortText + ": " + p.Waiting
		}
		return fmt.Sprintf("%s: %d of %s, %s%s", c.shortText, p.Files, english.Plural(p.TotalFiles, "file", ""), cell.Amount(p.Octets, p.Size), cell.Rate(p.Octets, a.cs.program.Now().Sub(c.startTime)))
	}
	c.resultText = func(failed error) string {
		a.items.Untag(a.Done()...)
		text, undo := a.summary(failed), a.undo()
		if undo == nil {
			return text
		}
		a.cs.program.Undos().Push(undo)
		return text + " (" + a.cs.program.KeyOf("undo") + ": undo)"
	}
	return a.cs.begin(c)
}

// summary returns a notice about the result. It names at most maxNamed of the items that were left out.
func (a *acrossCopy) summary(failed error) string {
	p := a.Progress()
	_, _, past := a.verbs()
	text := past + " " + english.Plural(p.Files, "file", "")
	if len(a.Renamed()) > 0 {
		text = past + " " + english.Plural(p.Files, "item", "")
	}
	if p.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped", p.Skipped)
	}
	if p.Undated > 0 {
		text += fmt.Sprintf(", %d without the date", p.Undated)
	}
	left := a.LeftOut()
	partial, ok := errors.AsType[*mirror.PartialError](failed)
	if failed != nil && (!ok || partial.Cause != nil) {
		text = "stopped: " + text + "; " + clean.Short(withoutOp(failed).Error())
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

// undo returns what moves the renamed items back, or for undoTime removes the copies if they replaced nothing. Otherwise it
// returns nil.
func (a *acrossCopy) undo() *room.Undo {
	reload := func() tea.Cmd {
		return a.cs.reloadDirectory(&change{tab: a.items.View, dir: a.From, otherDir: a.To}, nil)
	}
	ctx := a.cs.program.Context()
	switch {
	case a.CanUndo():
		return &room.Undo{Text: "copied " + a.items.Description(), Until: a.cs.program.Now().Add(undoTime), Revert: func() (func() tea.Cmd, error) {
			err := a.Undo(ctx)
			if errors.Is(err, across.ErrChanged) {
				err = room.ErrChangedSince
			}
			return reload, withoutOp(err)
		}}
	case len(a.Renamed()) > 0:
		return &room.Undo{Text: "moved " + a.items.Description(), Revert: func() (func() tea.Cmd, error) { return reload, a.moveBack(ctx) }}
	}
	return nil
}

// moveBack renames the items that were moved by renaming them.
func (a *acrossCopy) moveBack(ctx context.Context) error {
	for _, r := range a.Renamed() {
		_, err := a.cs.Change(ctx, &protocols.Change{Kind: protocols.Rename, URL: r.New, Dir: a.From})
		if err != nil {
			return withoutOp(err)
		}
	}
	return nil
}
