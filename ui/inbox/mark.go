package inbox

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/urlcore"
)

// OnSource reports whether the cursor is on a line of the new entries that belongs to a source with entries.
func (in *Inbox) OnSource() bool {
	line, ok := in.program.ScreenTab().Pager.Current()
	u, _ := sourceOf(&line)
	return ok && u != nil && in.isShown()
}

// maxName is the greatest length of the name of a source in a notice, in characters.
const maxName = 30

// MarkSource marks all entries of the source of a line of the new entries as read. Then it calls goOn.
func (in *Inbox) MarkSource(line *protocols.Line, goOn func() tea.Cmd) tea.Cmd {
	u, title := sourceOf(line)
	name := clean.Short(title)
	if r := []rune(name); len(r) > maxName { // the rest of the notice says more
		name = strings.TrimRight(string(r[:maxName]), " ") + "..."
	}
	return in.mark(u, nil, true, "marked as read: "+name, goOn)
}

// MarkMissing marks an entry as read whose page does not exist, and shows a notice that says so.
func (in *Inbox) MarkMissing(line *protocols.Line) tea.Cmd {
	note, ok := line.Note.(*protocols.EntryNote)
	u, _ := sourceOf(line)
	if !ok || u == nil {
		return nil
	}
	return in.mark(u, []string{note.ID}, true, "not found, marked as read: "+clean.Short(line.Text), func() tea.Cmd { return nil })
}

// MarkEntry marks the entry under the cursor or the tagged ones as read, or as unread if all are read. Without tags it goes to the
// next line.
func (in *Inbox) MarkEntry() tea.Cmd {
	v := in.program.ScreenTab()
	items := v.Items()
	var ids []string
	for i := range items.Lines {
		if note, ok := items.Lines[i].Note.(*protocols.EntryNote); ok {
			ids = append(ids, note.ID)
		}
	}
	if len(ids) == 0 {
		return in.program.Notify("no entry under the cursor")
	}
	read, text := items.Unread, "marked as unread"
	if read {
		text = "marked as read"
	}
	if items.Tagged {
		text += ": " + english.Plural(len(ids), "entry", "entries")
		items.Untag(items.Links()...)
	} else {
		v.Pager.Step(1)
	}
	return in.mark(nil, ids, read, text, func() tea.Cmd { return nil })
}

// MarkShown marks an entry whose page is shown as read: the visit of a page marks no entries that share it.
func (in *Inbox) MarkShown(note *protocols.EntryNote) tea.Cmd {
	source, err := urlcore.Parse(note.SourceURL)
	store := in.Store()
	if err != nil || store == nil || in.refusal() != "" {
		return nil
	}
	ctx := in.program.Context()
	return in.program.WriteInBackground(func() func() tea.Cmd {
		if _, err := store.MarkRead(ctx, source, []string{note.ID}, true); err != nil {
			return in.failure("not marked", err)
		}
		return func() tea.Cmd { return nil }
	})
}

// mark marks entries with the given IDs, or all of a source if ids is nil, and shows a notice. Then it calls goOn.
func (in *Inbox) mark(source urlcore.URL, ids []string, read bool, text string, goOn func() tea.Cmd) tea.Cmd {
	if refused := in.refusal(); refused != "" {
		return in.program.Notify(refused)
	}
	ctx, store := in.program.Context(), in.Store()
	return in.program.Change(func() (*room.Undo, func() tea.Cmd) {
		changed, err := store.MarkRead(ctx, source, ids, read)
		if err != nil {
			return nil, in.failure("not marked", err)
		}
		if ids == nil {
			text += ", " + english.Plural(len(changed), "entry", "entries")
		}
		undo := &room.Undo{Text: text, Revert: func() (func() tea.Cmd, error) {
			_, err := store.MarkRead(ctx, source, changed, !read)
			return func() tea.Cmd { in.showMarks(source, changed, !read); return nil }, err
		}}
		if len(changed) == 0 {
			undo = nil
		}
		return undo, func() tea.Cmd {
			hint := ""
			if undo != nil {
				hint = " (" + in.program.KeyOf("undo") + " to undo)"
			}
			in.showMarks(source, ids, read)
			return tea.Batch(in.program.Notify(text+hint), goOn())
		}
	})
}

// showMarks shows in every tab that entries of a source, or of any if source is nil, are read or unread: all if ids is nil.
func (in *Inbox) showMarks(source urlcore.URL, ids []string, read bool) {
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	text := ""
	if source != nil {
		text = source.String()
	}
	for _, v := range in.program.Tabs() {
		pages, _ := v.Session.Pages()
		for p := range pages {
			if about.OwnPageOf(p.URL).Items != about.Entries {
				continue
			}
			for i := range p.Lines.Len() {
				note, ok := p.Lines.WithoutLink(i).Note.(*protocols.EntryNote)
				if ok && (source == nil || note.SourceURL == text) && (ids == nil || wanted[note.ID]) {
					p.Lines.SetState(i, ReadState(p.Lines.State(i), read))
				}
			}
		}
	}
}

// ReadState returns the state of a line in the list of new entries after its entry was marked.
func ReadState(s nav.State, read bool) nav.State {
	if read {
		return s&^nav.Unread | nav.Visited
	}
	return s&^nav.Visited | nav.Unread
}
