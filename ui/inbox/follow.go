package inbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room"
	"gofer/urlcore"
)

// target is a page to follow.
type target struct {
	url   urlcore.URL
	title string // "": the first answer of the server has it
}

// name returns the title or, without one, the URL.
func (t *target) name() string { return clean.Short(cmp.Or(t.title, t.url.String())) }

// Follow follows the page of the tab. On one of gofer's own pages, which do not change on a server, it follows the item under
// the cursor or the tagged items. If all targets are followed already, Follow asks whether to stop.
func (in *Inbox) Follow() tea.Cmd {
	if text := in.refusal(); text != "" {
		return in.program.Notify(text)
	}
	targets := slices.DeleteFunc(in.targets(), func(t target) bool {
		return t.url == nil || t.url.Scheme() == "about" || urlcore.IsStandardInput(t.url)
	})
	if len(targets) == 0 {
		return in.program.Notify("no page to follow")
	}
	for i := range targets {
		targets[i].url = urlcore.Outward(targets[i].url)
	}
	if v := in.program.Tab(); v.OwnPage().Name == "" && v.Session.Page() != nil && v.Session.Page().Failed != nil {
		return in.followFailed(targets)
	}
	return in.follow(targets)
}

// followFailed asks before it follows the page of an error page. If the page is followed already, it asks whether to stop.
func (in *Inbox) followFailed(targets []target) tea.Cmd {
	v := in.program.Tab()
	return in.program.Change(func() (*room.Undo, func() tea.Cmd) {
		followed, err := in.Follows(in.program.Context(), targets[0].url)
		switch {
		case err != nil:
			return nil, in.failure("not followed", err)
		case followed:
			return nil, func() tea.Cmd { return in.askUnfollow(targets) }
		}
		return nil, func() tea.Cmd {
			return v.Ask(ask.NewQuestion("This page could not be opened. Follow "+targets[0].name()+" anyway?", false, func() tea.Cmd {
				return in.follow(targets)
			}))
		}
	})
}

// follow follows the pages. If all are followed already, it asks whether to stop.
func (in *Inbox) follow(targets []target) tea.Cmd {
	return in.program.Change(func() (*room.Undo, func() tea.Cmd) {
		var undos []func() error
		var added []urlcore.URL
		for _, t := range targets {
			undo, err := in.SetFollowed(t.url, t.title, true)
			if err != nil {
				return undoAll("followed "+t.name(), undos, in), in.failure("not followed", err)
			}
			if undo != nil {
				undos, added = append(undos, undo), append(added, t.url)
			}
		}
		if len(undos) == 0 {
			return nil, func() tea.Cmd { return in.askUnfollow(targets) }
		}
		text := "following " + targets[0].name()
		if len(targets) > 1 {
			text = fmt.Sprintf("following %s, %d of them followed before", english.Plural(len(targets), "page", ""), len(targets)-len(undos))
			text = strings.TrimSuffix(text, ", 0 of them followed before")
		}
		return undoAll(text, undos, in), func() tea.Cmd {
			hint := ": " + in.program.KeyOf("new") + " lists what is new (" + in.program.KeyOf("undo") + " to undo)"
			return tea.Batch(in.program.Notify(text+hint), in.ShowFollowed(added...))
		}
	})
}

// targets returns the pages to follow, with nil for items that have no URL.
func (in *Inbox) targets() []target {
	t := in.program.Tab()
	own := t.OwnPage()
	if own.Name == "" {
		u, title := t.PageURL()
		if p := t.Session.Page(); p != nil && p.Failed != nil {
			title = "" // of the error page
		}
		return []target{{u, title}}
	}
	if items := t.Items(); items.Tagged {
		var all []target
		for i := range items.Lines {
			all = append(all, targetOf(&items.Lines[i], items.Text(i)))
		}
		return withoutRepeats(all)
	}
	line, ok := t.Pager.Current()
	if !ok {
		return nil
	}
	return []target{targetOf(&line, t.Pager.LineText(&line))}
}

// targetOf returns the target of a line with the given text: of the new entries the source of the entry, and elsewhere the link.
func targetOf(line *protocols.Line, text string) target {
	if u, title := sourceOf(line); u != nil {
		return target{u, title}
	}
	return target{line.Link, strings.TrimSpace(text)}
}

// withoutRepeats returns the targets, each URL once: several entries may be of one source.
func withoutRepeats(all []target) (list []target) {
	for _, t := range all {
		if !slices.ContainsFunc(list, func(o target) bool { return o.url == t.url }) {
			list = append(list, t)
		}
	}
	return list
}

// askUnfollow asks whether to stop following pages.
func (in *Inbox) askUnfollow(targets []target) tea.Cmd {
	name := targets[0].name()
	if len(targets) > 1 {
		name = english.Plural(len(targets), "page", "")
	}
	return in.program.Tab().Ask(ask.NewQuestion("Stop following "+name+"?", false, func() tea.Cmd {
		hint := " (" + in.program.KeyOf("undo") + " to undo)"
		return in.program.Change(func() (*room.Undo, func() tea.Cmd) {
			var undos []func() error
			text := "no longer following " + name
			for _, t := range targets {
				undo, err := in.SetFollowed(t.url, t.title, false)
				if err != nil {
					return undoAll(text, undos, in), in.failure("still followed", err)
				}
				if undo != nil {
					undos = append(undos, undo)
				}
			}
			if len(undos) == 0 {
				return nil, in.show(text)
			}
			return undoAll(text, undos, in), in.show(text + hint)
		})
	}))
}

// SetFollowed follows u or stops following it, if pages can be followed. The function undo is nil if nothing has changed.
// SetFollowed may be called from any goroutine.
func (in *Inbox) SetFollowed(u urlcore.URL, title string, on bool) (undo func() error, err error) {
	ctx, store := in.program.Context(), in.Store()
	if store == nil {
		return nil, nil
	}
	if !on {
		restore, err := store.Unfollow(ctx, u)
		if err != nil || restore == nil {
			return nil, err
		}
		return func() error { return restore(ctx) }, nil
	}
	added, err := store.Follow(ctx, u, title)
	if err != nil || !added {
		return nil, err
	}
	return func() error {
		_, err := store.Unfollow(ctx, u)
		return err
	}, nil
}

// Follows reports whether u is followed.
func (in *Inbox) Follows(ctx context.Context, u urlcore.URL) (bool, error) {
	return in.Store().Follows(ctx, u)
}

// ShowFollowed looks for the entries of pages that are followed now, and shows them.
func (in *Inbox) ShowFollowed(added ...urlcore.URL) tea.Cmd {
	if len(added) == 0 {
		return nil
	}
	return in.look(lookup{only: added, due: true})
}

// undoAll returns the change that calls all functions, or nil if there are none.
func undoAll(text string, undos []func() error, in *Inbox) *room.Undo {
	if len(undos) == 0 {
		return nil
	}
	return &room.Undo{Text: text, Revert: func() (func() tea.Cmd, error) {
		for _, undo := range slices.Backward(undos) {
			if err := undo(); err != nil {
				return nil, err
			}
		}
		return func() tea.Cmd { return in.program.ReloadOwn(about.Entries) }, nil
	}}
}

// show returns a function that shows a notice and the changed entries.
func (in *Inbox) show(text string) func() tea.Cmd {
	return func() tea.Cmd { return tea.Batch(in.program.Notify(text), in.program.ReloadOwn(about.Entries)) }
}

// failure returns a function that shows an error as a notice.
func (in *Inbox) failure(what string, err error) func() tea.Cmd {
	return func() tea.Cmd { return in.program.Notify(what + ": " + clean.Short(err.Error())) }
}
