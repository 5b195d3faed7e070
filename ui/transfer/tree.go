package transfer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/mirror"
	"gofer/internal/transfer/upload"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Chmod asks for the new mode of the tagged items, or of the item under the cursor.
func (cs *Changes) Chmod() tea.Cmd {
	dir, items, notice := cs.changeableItems(cs.program.Tab().Items())
	switch {
	case dir == nil:
		return notice
	case items.Tagged:
		return cs.chmodAll(dir, items)
	}
	t, line, name, old, current := items.View, items.Lines[0], items.Text(0), "", ""
	if note, ok := line.Note.(*protocols.FileNote); ok {
		old = note.Mode
	}
	if bits, ok := protocols.ParsePermissions(old); ok {
		current = fmt.Sprintf("%03o", bits)
	}
	return t.AskLine("Change the mode of "+clean.Name(name), "Mode (as 644 or u+x)", current, func(mode string) tea.Cmd {
		if mode == current || mode == "" {
			return nil
		}
		octal, err := newMode(&line, mode)
		if err != nil {
			return cs.program.Notify("not changed: " + err.Error())
		}
		return cs.changeOne(t, dir, "chmod", name, &protocols.Change{Kind: protocols.Chmod, URL: line.Link, Mode: octal})
	})
}

// planTree compares a local directory with the server, and asks whether to upload it.
func (cs *Changes) planTree(t *viewer.Viewer, dir urlcore.URL, target urlcore.FTP, path, name string) tea.Cmd {
	target.Type = 'd'
	tr := &upload.Tree{Server: cs.Server, Dir: path, URL: target, Parallel: 2, Replace: true, KeepNewer: true}
	if p := t.Session.Page(); p != nil {
		tr.Names.Chosen = p.ChosenCharset()
	}
	plan := &change{tab: t, dir: dir, verb: "list", name: name}
	plan.do = func(ctx context.Context, _ *change) (urlcore.URL, error) {
		err := tr.Plan(ctx)
		if err != nil {
			tr.Close()
		}
		return nil, err
	}
	send := &change{tab: t, dir: dir, verb: "upload", name: name}
	send.do = func(ctx context.Context, _ *change) (urlcore.URL, error) { return target, tr.Run(ctx) }
	send.describe = func() string {
		p := tr.Progress()
		text := fmt.Sprintf("uploading %s: %d of %s, %s", clean.Name(name), p.Files, english.Plural(p.TotalFiles, "file", ""), cell.Amount(p.Done, p.Size))
		if p.Waiting != "" {
			return text + ": " + p.Waiting
		}
		return text + cell.Rate(p.Done, cs.program.Now().Sub(send.startTime))
	}
	send.resultText = func(failed error) string {
		tr.Close()
		return uploadSummary(name, tr, failed)
	}
	plan.next = func() tea.Cmd {
		p := tr.Progress()
		text := clean.Name(name) + " with " + p.Extent(cell.Size(p.Size)) + " and " +
			english.Plural(tr.MissingDirs(), "new directory", "new directories")
		if n := len(tr.LeftOut()); n > 0 {
			text += " but " + english.Plural(n, "item", "") + " left out"
		}
		question := cs.uploadQuestion(send, text)
		if p.Newer > 0 {
			question.Yes = func() tea.Cmd { return cs.askNewer(send, tr, p.Newer) }
		}
		no := question.No
		question.No = func() tea.Cmd {
			tr.Close()
			return no()
		}
		return cs.askAbout(plan, question)
	}
	return cs.begin(plan)
}

// askNewer asks whether to also replace the n files that are newer on the server. It then starts the
// upload.
func (cs *Changes) askNewer(send *change, tr *upload.Tree, n int) tea.Cmd {
	begin := func() tea.Cmd { return cs.begin(send) }
	question := ask.NewQuestion("Also replace "+english.Plural(n, "file", "")+" that "+english.PluralWord(n, "is", "are")+" newer on the server (no: leave "+english.PluralWord(n, "it", "them")+" out)?", true, func() tea.Cmd {
		tr.KeepNewer = false
		return begin()
	})
	question.No = begin
	return cs.askAbout(send, question)
}

// uploadSummary returns a notice about the upload of a directory. The notice names at most maxNamed of the
// items that were left out.
func uploadSummary(name string, tr *upload.Tree, failed error) string {
	p := tr.Progress()
	text := noticeName(name) + ": " + english.Plural(p.Files, "file", "") + " sent"
	if p.Unchanged > 0 {
		text += fmt.Sprintf(", %d unchanged", p.Unchanged)
	}
	leftOut, named := tr.LeftOut(), mirror.WithoutCause(tr.LeftOut(), failed)
	partial, ok := errors.AsType[*mirror.PartialError](failed)
	switch {
	case failed != nil && (!ok || partial.Cause != nil):
		text = "uploaded in part: " + text + "; " + clean.Short(withoutOp(failed).Error())
	case len(leftOut) > 0:
		text = "uploaded in part: " + text
	default:
		return "uploaded " + text
	}
	var names []string
	for _, l := range named[:min(len(named), maxNamed)] {
		names = append(names, failureText(l.Path, l.Err))
	}
	if len(names) > 0 {
		text += fmt.Sprintf("; %d left out: %s", len(leftOut), strings.Join(names, ", "))
	}
	return text
}
